/* SPDX-License-Identifier: ISC */
/*
 * The state of a history in memory, in place of the database: states of users,
 * entities with their components and counters, links, and risk days.  An event
 * reads the same values as from a database.  The caller gives the time.
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
struct placeholders;
struct event_context;

/*
 * Return an empty history, NULL if there is no memory.  Labels take effect
 * delay days after their events.
 */
struct offline_store *offline_store_new(
    int delay, const struct placeholders *more);

/* Free; NULL is harmless. */
void offline_store_free(struct offline_store *h);

/*
 * Add the id of an event.  Set *ret_again to whether an earlier event had it.
 * Return 0, or -1 with f set if there is no memory.
 */
int offline_store_add_id(struct offline_store *h, const char *id,
    bool *ret_again, struct fail *f) __attribute__((warn_unused_result));

/*
 * Read the event context of an event at the time now, which must not be earlier
 * than that of the last event; place is the location of its ip.  All that *ret
 * points to is in arena a, except ev and place.  Return 0, or -1 with f set if
 * there is no memory.
 */
int offline_store_read(struct offline_store *h, const struct event *ev,
    const struct place *place, int64_t now, struct arena *a,
    struct event_context *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Store the changes of event_context_count(), and the label of the event.  The
 * label can be stored at once: decisions read no risk day that is younger than
 * the label delay.  Return 0, or -1 with f set if there is no memory.
 */
int offline_store_write(struct offline_store *h, const struct event_context *sc,
    enum backtest_label truth, struct fail *f)
    __attribute__((warn_unused_result));

#endif
