/* SPDX-License-Identifier: ISC */
/* What a worker keeps in memory to decide with: rulebooks, lists, places. */
#ifndef LIB_ENGINE_H
#define LIB_ENGINE_H

#include <stdint.h>

#include "core/decide.h"
#include "core/event.h"
#include "core/list.h"

struct arena;
struct db;
struct engine;
struct fail;
struct geoip;
struct lists;

/* The numbers of assay.epoch: what is cached is as old as these. */
struct epochs {
	int64_t rules;
	int64_t policies;
	int64_t lists;
};

/*
 * An engine that has loaded nothing yet.  geoip (NULL: no places) is the
 * caller's to close, after the engine is freed.  NULL with f set when there
 * is no memory.
 */
struct engine *engine_new(const struct geoip *geoip, struct fail *f);

/* Free; NULL is harmless. */
void engine_free(struct engine *e);

/*
 * Make sure that the engine is as new as epochs, reloading over db when they
 * moved (inside the transaction that is open, if one is).  All or nothing:
 * when the new rulebooks cannot be read or compiled, the old ones stay and
 * -1 is returned with f set; likewise the cached lists.  a is scratch.
 */
int engine_fresh(struct engine *e, struct db *db, struct arena *a,
    const struct epochs *now, struct fail *f)
    __attribute__((warn_unused_result));

/* The rulebook of an event type, or NULL before the first load. */
const struct rulebook *engine_book(
    const struct engine *e, enum event_type type);

/* The database of places, or NULL. */
const struct geoip *engine_geoip(const struct engine *e);

/* The lists as they are cached. */
const struct lists *engine_lists(const struct engine *e);

/*
 * What the cached lists say of an event at now, microseconds UTC, or 0: all
 * that can be said of it while the database is away.  Lists too long to be
 * cached (lists_long()) say nothing here.
 */
enum list_kind engine_listed(
    const struct engine *e, const struct event *ev, int64_t now);

#endif
