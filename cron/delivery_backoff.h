/* SPDX-License-Identifier: ISC */
/* How long a failed delivery waits for its next attempt. */
#ifndef CRON_DELIVERY_BACKOFF_H
#define CRON_DELIVERY_BACKOFF_H

#include <stdint.h>

/* The limits of one kind of delivery. */
struct delivery_retry {
	int attempts; /* including the first */
	int64_t longest; /* us between two attempts */
};

/* Webhooks have 8 attempts within about 2 minutes, alerts 6 within 31 s. */
extern const struct delivery_retry delivery_backoff_webhook;
extern const struct delivery_retry delivery_backoff_alert;

/*
 * Return how long to wait, in us, after this attempt (counted from 1) failed,
 * or -1 if it was the last.  The wait is one second after the first attempt and
 * doubles each time; chance, any random number, varies it by a tenth.  If the
 * receiver asked for a longer wait with retry_after (seconds, 0 if it did not),
 * this time replaces it.  The result never exceeds re->longest.
 */
int64_t delivery_backoff(const struct delivery_retry *re, int attempt,
    int64_t retry_after, uint32_t chance);

#endif
