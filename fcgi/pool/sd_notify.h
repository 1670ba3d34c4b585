/* SPDX-License-Identifier: ISC */
/* A word to systemd, if it asked for any: sd_notify(3) without libsystemd. */
#ifndef FCGI_POOL_SD_NOTIFY_H
#define FCGI_POOL_SD_NOTIFY_H

#include <stdint.h>

/* Send one state ("READY=1"); nothing happens without NOTIFY_SOCKET. */
void sd_notify_send(const char *state);

/* Microseconds between two "WATCHDOG=1", or 0 if nobody waits for them. */
int64_t sd_notify_interval(void);

#endif
