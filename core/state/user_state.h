/* SPDX-License-Identifier: ISC */
/*
 * The stored state of one user: velocity, last place, spending baselines and
 * known links, packed into one row of limited size.  Every operation takes
 * bounded time, however many events the user has.
 */
#ifndef CORE_STATE_USER_STATE_H
#define CORE_STATE_USER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event/event.h"
#include "core/event/geo.h"

struct arena;
struct fail;

#define USER_STATE_PACKED_MAX 6144 /* most bytes of a packed state */
#define USER_STATE_CURRENCIES_MAX 8 /* currencies of one user */
#define USER_STATE_SAMPLES_MIN 3 /* samples that a usable baseline needs */
#define USER_STATE_LINKS_MAX 64 /* known links of one user */

/* A link that an event of the user had: two entity ids, first < second. */
struct user_state_link {
	int64_t first;
	int64_t second;
};

struct user_state; /* unpacked; see core/state/user_state_int.h */

/* The history of a user's amounts in one currency. */
struct user_state_amounts {
	bool hour_known; /* if false, ignore last_hour */
	double last_hour; /* sum of amounts in the last hour */
	bool baseline_known; /* if false, ignore the members below */
	int64_t samples; /* amounts in the baseline */
	double mean; /* 0 without samples */
	double deviation; /* sample deviation (n-1); 0 below 2 samples */
};

/* The place and time of the user's last event with a known country. */
struct user_state_place {
	struct place place; /* country is "" if there was no such event */
	int64_t at; /* microseconds UTC */
};

/*
 * Unpack size bytes at packed into a state in arena a and return it.  NULL or
 * size 0 gives the state of a new user.  Untrusted bytes are safe.  Return
 * NULL with f set if user_state_pack() did not write the bytes in a layout that
 * is still read, or if the arena is full.
 */
struct user_state *user_state_unpack(
    struct arena *a, const void *packed, size_t size, struct fail *f);

/*
 * Pack st as of now into ret, which has USER_STATE_PACKED_MAX bytes, and return
 * the size.  Leave out counts that have left their windows.  Equal states at
 * equal times give equal bytes.
 */
size_t user_state_pack(const struct user_state *st, int64_t now, void *ret);

/*
 * Count one scored event of this user at now, in microseconds UTC.  A time
 * before the last event counts as the time of the last event.  If
 * ev->has_amount, add the amount to the sums of its currency and, if baseline,
 * also to its baseline.  If the country of place is known, place becomes the
 * last place.
 */
void user_state_count(struct user_state *st, const struct event *ev,
    bool baseline, const struct place *place, int64_t now);

/*
 * The number of counted events in the last 120 seconds; an event exactly 120 s
 * old does not count.  The newest 64 have exact times, older ones are counted
 * in slots of one second.
 */
int64_t user_state_attempts_2m(const struct user_state *st, int64_t now);

/*
 * The number of counted events in the last 24 hours.  The newest 120 minutes
 * with events have a slot each, older events are counted in slots of 15
 * minutes.
 */
int64_t user_state_attempts_24h(const struct user_state *st, int64_t now);

/*
 * The history of a user's amounts in a currency; all 0 if it is new.
 *
 * A state holds USER_STATE_CURRENCIES_MAX currencies.  To make room for another
 * one it drops the first of these that exists:
 *
 * - a currency with fewer than USER_STATE_SAMPLES_MIN samples, and without an
 *   amount in the last hour;
 * - a currency with fewer than USER_STATE_SAMPLES_MIN samples;
 * - the currency with the fewest samples.
 *
 * Of equal ones it drops the least recently used.  So a baseline of n samples
 * can be displaced only with n samples in each other currency.
 *
 * After a drop, the history of a currency that is not in the state is unknown
 * and not 0: it may be the dropped one.
 */
void user_state_amounts(const struct user_state *st, const char *currency,
    int64_t now, struct user_state_amounts *ret);

/* The place and time of the last event with a known country. */
const struct user_state_place *user_state_last_place(
    const struct user_state *st);

/*
 * user_state_link_touch() returns whether the link is known, and makes a known
 * one the most recently used.  user_state_link_add() adds a link, and drops the
 * least recently used one if there are USER_STATE_LINKS_MAX.
 */
bool user_state_link_touch(struct user_state *st, struct user_state_link link);
void user_state_link_add(struct user_state *st, struct user_state_link link);

/* Whether the link is known; the order stays unchanged. */
bool user_state_link_known(
    const struct user_state *st, struct user_state_link link);

/* The number of devices linked to the user, at most ENTITY_GRAPH_CAP. */
int user_state_devices(const struct user_state *st);
void user_state_devices_add(struct user_state *st);

#endif
