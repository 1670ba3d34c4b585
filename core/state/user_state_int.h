/* SPDX-License-Identifier: ISC */
/* Inside of a user's state: what user_state.c counts and user_state_pack.c
 * writes.
 */
#ifndef CORE_STATE_USER_STATE_INT_H
#define CORE_STATE_USER_STATE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/state/user_state.h"

/* Widths of the slots that events are counted in, in microseconds. */
#define SECOND_US INT64_C(1000000)
#define MINUTE_US (60 * SECOND_US)
#define QUARTER_US (15 * MINUTE_US)

#define SECONDS_MAX 120 /* slots of attempts 2m */
#define MINUTES_MAX 120 /* active minutes kept of attempts 24h */
#define DAY_MINUTES 1440 /* minutes that they can lie in */
#define QUARTERS_MAX 96 /* slots of attempts 24h beyond those */
#define SUMS_MAX 60 /* slots of amounts 1h */
#define TIMES_MAX 64 /* events kept with their exact time */

#define TIME_MAX (INT64_C(1) << 55) /* microseconds; 1,100 years */
#define COUNT_MAX ((UINT32_C(1) << 20) - 1) /* where a slot's count stays */
#define ENTITY_MAX (INT64_C(1) << 47) /* above every entity id */
#define SAMPLES_MAX (INT64_C(1) << 53) /* where a baseline's count stays */
#define SQUARES_MAX 1e50 /* above every sum of squares */

/*
 * Slots are aligned to the epoch and known by their age: how many slots lie
 * between them and the slot of the state's last event, which has age 0.  A
 * slot counts while it lies wholly inside its window, so that nothing counts
 * that has left it.
 */
struct user_state_minute {
	uint32_t age; /* below DAY_MINUTES */
	uint32_t count; /* at least 1 */
};

/*
 * What is known of amounts in one currency.  The sums are decimal codes: see
 * user_state_sum_value().
 */
struct user_state_currency {
	char code[4]; /* three upper-case letters */
	int64_t samples;
	double mean;
	double squares; /* sum of squared differences from the mean */
	uint64_t sums[SUMS_MAX]; /* by age in minutes */
};

struct user_state {
	int64_t last; /* of the last event; time never runs behind it */

	/* The newest events, oldest first; older ones are in seconds[]. */
	int64_t times[TIMES_MAX];
	size_t n_times;
	uint32_t seconds[SECONDS_MAX]; /* by age */

	/* The newest active minutes, newest first; then quarters[]. */
	struct user_state_minute minutes[MINUTES_MAX];
	size_t n_minutes;
	uint32_t quarters[QUARTERS_MAX]; /* by age, of 15 minutes */

	/* Most recently used first. */
	struct user_state_currency currencies[USER_STATE_CURRENCIES_MAX];
	size_t n_currencies;

	/*
	 * 0 while no currency was ever dropped for another.  Else 1 plus the
	 * minutes in which the last hour of a dropped one may hold something.
	 */
	uint32_t dropped;

	struct user_state_link links[USER_STATE_LINKS_MAX];
	size_t n_links;

	struct user_state_place place; /* in whole millionths of a degree */
	int devices;
};

/* The time that now counts as: never before the last event. */
static inline int64_t
user_state_time(const struct user_state *st, int64_t now)
{
	return now > st->last ? now : st->last;
}

/* How many slots of that width lie between two times, from <= to. */
static inline size_t
user_state_slots(int64_t from, int64_t to, int64_t width)
{
	return (size_t)(to / width - from / width);
}

/* How many of the n slots that start at age 0 are in the window by more. */
static inline size_t
user_state_live(size_t n, size_t by)
{
	return by < n ? n - by : 0;
}

/* Whether the n bytes at s are upper-case letters. */
static inline bool
user_state_letters(const char *s, size_t n)
{
	for (; n > 0; n--, s++)
		if (*s < 'A' || *s > 'Z')
			return false;
	return true;
}

/*
 * A sum of amounts in decimal: 13 significant digits, down to 1e-8, up to
 * 1e20.  Money sums to what it does on paper (0.1 + 0.2 is 0.3), a sum takes
 * at most SUM_BITS bits and a round one few.  Code 0 is 0.
 */
#define SUM_BITS 48
#define SUM_DIGITS_MAX UINT64_C(9999999999999)

/* The sum that a code stands for. */
double user_state_sum_value(uint64_t code);

/* The code nearest to a sum of 0 or more. */
uint64_t user_state_sum_code(double sum);

#endif
