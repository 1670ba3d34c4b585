/* SPDX-License-Identifier: ISC */
/* How long a failed delivery waits for its next attempt. */
#include "config.h"

#include "cron/delivery_backoff.h"
#include "lib/sys/clock.h"

#define FIRST (30 * CLOCK_SECOND)
#define LONGEST (4 * 3600 * CLOCK_SECOND)

int64_t
delivery_backoff(int attempt, int64_t retry_after, uint32_t chance)
{
	int64_t wait;

	if (attempt >= DELIVERY_BACKOFF_ATTEMPTS)
		return -1;
	wait = FIRST << (attempt - 1);

	/* Between 0.9 and 1.1 times the wait. */
	wait = wait / 10 * 9 + wait / 5 * (int64_t)(chance % 1024) / 1023;
	if (retry_after <= wait / CLOCK_SECOND)
		return wait;
	return retry_after < LONGEST / CLOCK_SECOND ? retry_after * CLOCK_SECOND
						    : LONGEST;
}
