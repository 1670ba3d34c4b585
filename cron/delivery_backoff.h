/* SPDX-License-Identifier: ISC */
/* When a delivery that failed is tried again, and when no more. */
#ifndef CRON_DELIVERY_BACKOFF_H
#define CRON_DELIVERY_BACKOFF_H

#include <stdint.h>

/* How patient one is. */
struct delivery_retry {
	int attempts; /* that are made */
	int64_t longest; /* us between two of them */
};

/*
 * How long to wait, in us, after the attempt of that number (from 1) failed:
 * one second, then each time twice as long, a tenth more or less as chance
 * (any number) has it; but as long as the receiver asked for, in seconds (0:
 * it did not).  Never longer than the longest.  -1: it was the last attempt.
 */
int64_t delivery_backoff(const struct delivery_retry *re, int attempt,
    int64_t retry_after, uint32_t chance);

#endif
