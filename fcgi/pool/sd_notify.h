/* SPDX-License-Identifier: ISC */
/* Send states to systemd: sd_notify(3) without libsystemd. */
#ifndef FCGI_POOL_SD_NOTIFY_H
#define FCGI_POOL_SD_NOTIFY_H

#include <stdint.h>

/* Send one state, such as "READY=1".  Do nothing without NOTIFY_SOCKET. */
void sd_notify_send(const char *state);

/*
 * Return the microseconds between two "WATCHDOG=1", or 0 if systemd does not
 * want them.
 */
int64_t sd_notify_interval(void);

#endif
