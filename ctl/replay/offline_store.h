/* SPDX-License-Identifier: ISC */
/*
 * A history in memory: what the database knows between two decisions, kept
 * without one.  Users' states, entities with their components and counters,
 * links and the days of labels are the same as there, and so is what an event
 * finds of them; only the clock is the caller's.
 */
#ifndef CTL_REPLAY_OFFLINE_STORE_H
#define CTL_REPLAY_OFFLINE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/analyse/backtest.h"

struct arena;
struct event;
struct fail;
struct offline_store;
struct place;
struct event_context;

/*
 * A history in which nothing has happened.  Labels are believed delay days
 * after their events.  NULL when there is no memory.
 */
struct offline_store *offline_store_new(int delay);

/* Free; NULL is harmless. */
void offline_store_free(struct offline_store *h);

/*
 * Note that an event of that id comes.  *ret_again says whether one of it came
 * before.  Returns 0, or -1 with f set when there is no memory.
 */
int offline_store_comes(struct offline_store *h, const char *id,
    bool *ret_again, struct fail *f) __attribute__((warn_unused_result));

/*
 * Look up what an event at now, which is never before the last one, finds:
 * *ret with all of its parts is in arena a, but for ev and place, the place of
 * its ip.  Returns 0, or -1 with f set when there is no memory.
 */
int offline_store_open(struct offline_store *h, const struct event *ev,
    const struct place *place, int64_t now, struct arena *a,
    struct event_context *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Keep what event_context_count() has changed, and what is told about the
 * event: nobody who decides sees that before its time, because no window has a
 * day sooner than the delay after it.  Returns 0, or -1 with f set when there
 * is no memory.
 */
int offline_store_close(struct offline_store *h, const struct event_context *sc,
    enum backtest_label truth, struct fail *f)
    __attribute__((warn_unused_result));

#endif
