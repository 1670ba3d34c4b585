/* SPDX-License-Identifier: ISC */
/* The members of a user's state, for user_state.c and user_state_pack.c. */
#ifndef CORE_STATE_USER_STATE_INT_H
#define CORE_STATE_USER_STATE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/state/user_state.h"

/* The widths of slots, in microseconds. */
#define SECOND_US INT64_C(1000000)
#define MINUTE_US (60 * SECOND_US)
#define QUARTER_US (15 * MINUTE_US)

#define SECONDS_MAX 120 /* one-second slots of the last 2 minutes */
#define MINUTES_MAX 120 /* one-minute slots of the last 24 hours */
#define DAY_MINUTES 1440 /* the age of a one-minute slot is below this */
#define QUARTERS_MAX 96 /* 15-minute slots of the last 24 hours */
#define SUMS_MAX 60 /* one-minute slots of the last hour's amounts */
#define TIMES_MAX 64 /* events with an exact time */

#define TIME_MAX (INT64_C(1) << 55) /* microseconds; 1,100 years */
#define COUNT_MAX ((UINT32_C(1) << 20) - 1) /* largest count of a slot */
#define ENTITY_MAX (INT64_C(1) << 47) /* above every entity id */
#define SAMPLES_MAX (INT64_C(1) << 53) /* most samples of a baseline */
#define SQUARES_MAX 1e50 /* above every sum of squares */

/*
 * Slots are aligned to multiples of their width since 1970.  The age of a slot
 * is its distance in slots from the slot of the state's last event, which has
 * age 0.  A slot counts only while all of it is inside its window, so an event
 * that has left the window never counts.
 */
struct user_state_minute {
	uint32_t age; /* below DAY_MINUTES */
	uint32_t count; /* at least 1 */
};

/*
 * The amounts in one currency.  The sums are decimal codes; see
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
	int64_t last; /* time of the last event; never decreases */

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
	 * 0: no currency was dropped.  n + 1: for n more minutes the sum of the
	 * last hour may lack a dropped currency.
	 */
	uint32_t dropped;

	struct user_state_link links[USER_STATE_LINKS_MAX];
	size_t n_links;

	struct user_state_place place; /* in whole millionths of a degree */
	int devices;
};

/* The time now, or that of the last event if now is earlier. */
static inline int64_t
user_state_time(const struct user_state *st, int64_t now)
{
	return now > st->last ? now : st->last;
}

/* The number of slots of that width between two times, from <= to. */
static inline size_t
user_state_slots(int64_t from, int64_t to, int64_t width)
{
	return (size_t)(to / width - from / width);
}

/*
 * How many of the slots of ages 0 to n - 1 are still in the window after by
 * more slots of time.
 */
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
 * A code is a decimal sum of amounts with 13 significant digits, from 1e-8 to
 * 1e20.  Decimal sums are exact (0.1 + 0.2 is 0.3).  A code has at most
 * SUM_BITS bits; that of a round sum is short.  Code 0 is the sum 0.
 */
#define SUM_BITS 48
#define SUM_DIGITS_MAX UINT64_C(9999999999999)

/* The sum of a code. */
double user_state_sum_value(uint64_t code);

/* The code of the decimal nearest to a sum, which is not negative. */
uint64_t user_state_sum_code(double sum);

#endif
