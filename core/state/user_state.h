/* SPDX-License-Identifier: ISC */
/*
 * What the service remembers of one user between events: velocity, last
 * place, spending baselines and known links, packed into one bounded row.
 * Every operation takes bounded time, however busy the user is.
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

#define USER_STATE_PACKED_MAX 6144 /* bytes of a packed state, at most */
#define USER_STATE_CURRENCIES_MAX 8 /* currencies kept a user */
#define USER_STATE_SAMPLES_MIN 3 /* of a baseline that means something */
#define USER_STATE_LINKS_MAX                                                   \
	64 /* known links kept a user, least recent goes                       \
	    */

/* One link that the user was seen to make: two entity ids, first < second. */
struct user_state_link {
	int64_t first;
	int64_t second;
};

struct user_state; /* unpacked; user_state.c says what is inside */

/* What the signals need to know of one amount's history. */
struct user_state_amounts {
	bool hour_known; /* else last_hour says nothing */
	double last_hour; /* sum of amounts in the last hour */
	bool baseline_known; /* else the members below say nothing */
	int64_t samples; /* amounts in the baseline */
	double mean; /* their mean, 0 without samples */
	double deviation; /* their sample deviation (n-1), 0 below 2 */
};

/* The user's last located event. */
struct user_state_place {
	struct place place; /* country "" when there was none */
	int64_t at; /* microseconds UTC */
};

/*
 * Unpack size bytes at packed (NULL or empty: a user never seen) into a state
 * in arena a.  Returns it, or NULL with f set when the bytes are no packed
 * state of a known version or the arena is full; any bytes are safe.
 */
struct user_state *user_state_unpack(
    struct arena *a, const void *packed, size_t size, struct fail *f);

/*
 * Pack st, as of now, into ret (room for USER_STATE_PACKED_MAX bytes).  What
 * has left every window is not written.  Returns the size, never over
 * USER_STATE_PACKED_MAX; equal states at equal times give equal bytes.
 */
size_t user_state_pack(const struct user_state *st, int64_t now, void *ret);

/*
 * Count one scored event of this user at now.  A clock that stepped back
 * counts as one that stood still.  amount and currency are used if
 * ev->has_amount; baseline says whether the amount also feeds the baseline;
 * place (if its country is known) becomes the last place.
 */
void user_state_count(struct user_state *st, const struct event *ev,
    bool baseline, const struct place *place, int64_t now);

/*
 * Decided events in the last 120 seconds: exact while at most 64 fell into
 * 120 s, then by 1-second buckets.  An event exactly 120 s old is out.
 */
int64_t user_state_attempts_2m(const struct user_state *st, int64_t now);

/*
 * Decided events in the last 24 hours: by minute up to 120 active minutes,
 * then by 15 minutes.
 */
int64_t user_state_attempts_24h(const struct user_state *st, int64_t now);

/*
 * History of amounts in a currency; zeros for one never seen.  A state keeps
 * USER_STATE_CURRENCIES_MAX currencies.  For a further one it drops one without
 * a baseline of USER_STATE_SAMPLES_MIN: with nothing in the last hour before
 * others, then the least recently used.  Where all have such a baseline, that
 * of the fewest samples goes, so that whoever wants one of n samples gone has
 * to make n in each of the others.  What is not kept is unknown from then on,
 * where it may have been dropped: 0 would be a claim.
 */
void user_state_amounts(const struct user_state *st, const char *currency,
    int64_t now, struct user_state_amounts *ret);

/* The last located event. */
const struct user_state_place *user_state_last_place(
    const struct user_state *st);

/*
 * Whether the link is known; if so it becomes the most recently used.
 * user_state_link_add() remembers a new one, dropping the least recent at the
 * cap.
 */
bool user_state_link_touch(struct user_state *st, struct user_state_link link);
void user_state_link_add(struct user_state *st, struct user_state_link link);

/* Like user_state_link_touch(), without changing the order. */
bool user_state_link_known(
    const struct user_state *st, struct user_state_link link);

/* Distinct devices linked to the user: read, and count one more (capped). */
int user_state_devices(const struct user_state *st);
void user_state_devices_add(struct user_state *st);

#endif
