/* SPDX-License-Identifier: ISC */
/* How long a failed delivery waits for its next attempt. */
#include "config.h"

#include "cron/delivery_backoff.h"
#include "lib/sys/clock.h"

const struct delivery_retry delivery_backoff_webhook = {
	.attempts = 8,
	.longest = 600 * CLOCK_SECOND,
};

const struct delivery_retry delivery_backoff_alert = {
	.attempts = 6,
	.longest = 300 * CLOCK_SECOND,
};

int64_t
delivery_backoff(const struct delivery_retry *re, int attempt,
    int64_t retry_after, uint32_t chance)
{
	const int64_t longest = re->longest;
	int64_t wait = CLOCK_SECOND;
	int i;

	if (attempt >= re->attempts)
		return -1;
	for (i = 1; i < attempt && wait < longest; i++)
		wait *= 2;

	/* Between 0.9 and 1.1 times the wait. */
	wait = wait / 10 * 9 + wait / 5 * (int64_t)(chance % 1024) / 1023;
	if (retry_after > wait / CLOCK_SECOND)
		wait = retry_after > longest / CLOCK_SECOND
		    ? longest
		    : retry_after * CLOCK_SECOND;
	return wait < longest ? wait : longest;
}
