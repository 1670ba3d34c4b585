/* SPDX-License-Identifier: ISC */
/* How long a failed delivery waits for its next attempt. */
#ifndef CRON_DELIVERY_BACKOFF_H
#define CRON_DELIVERY_BACKOFF_H

#include <stdint.h>

/* A delivery has 8 attempts within about 64 minutes. */
#define DELIVERY_BACKOFF_ATTEMPTS 8

/*
 * Return how long to wait, in us, after this attempt (counted from 1) failed,
 * or -1 if it was the last.  The wait is 30 seconds after the first attempt and
 * doubles each time; chance, any random number, varies it by a tenth.  If the
 * receiver asked for a longer wait with retry_after (seconds, 0 if it did not),
 * this time replaces it, up to 4 hours.
 */
int64_t delivery_backoff(int attempt, int64_t retry_after, uint32_t chance);

#endif
