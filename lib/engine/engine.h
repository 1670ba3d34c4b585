/* SPDX-License-Identifier: ISC */
/* What a worker keeps in memory to decide with: rulebooks, lists, places. */
#ifndef LIB_ENGINE_ENGINE_H
#define LIB_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/decide/decide.h"
#include "core/event/event.h"
#include "core/event/list.h"
#include "core/decide/score.h"

struct arena;
struct db;
struct engine;
struct fail;
struct geoip;
struct tag_weight_cache;
struct list_cache;
struct shm;
struct spool;

/* The numbers of assay.epoch: what is cached is as old as these. */
struct epochs {
	int64_t rules;
	int64_t policies;
	int64_t lists;
	int64_t settings;
	int64_t model;
	bool anomalies; /* not a number: whether anybody wants them */
};

/*
 * An engine that has loaded nothing yet, to score by scorer, and by shadow (0:
 * none) where nothing else is on probation.  geoip (NULL: no places), spool
 * (NULL: what cannot be logged in the database is not answered) and shm, where
 * lib/shared/runtime_setting.h shares the settings (NULL: they stay as they
 * began), are the caller's to close, after the engine is freed.  NULL with f
 * set when there is no memory.
 */
struct engine *engine_new(enum scorer scorer, enum scorer shadow,
    const struct geoip *geoip, struct spool *spool, const struct shm *shm,
    struct fail *f);

/* Free; NULL is harmless. */
void engine_free(struct engine *e);

/*
 * Before epochs are read over db: if its session is with another server or
 * database than the one before, or with one that was restarted, the
 * engine_fresh() that follows reads everything again, whatever its epochs are.
 * Until then the engine serves as it is.
 */
void engine_session(struct engine *e, const struct db *db);

/*
 * Make sure that the engine is as new as epochs, reloading over db when they
 * moved (inside the transaction that is open, if one is).  All or nothing:
 * when the new rulebooks cannot be read or compiled, the old ones stay and
 * -1 is returned with f set; likewise the cached lists.  a is scratch.
 */
int engine_fresh(struct engine *e, struct db *db, struct arena *a,
    const struct epochs *now, struct fail *f)
    __attribute__((warn_unused_result));

/* The same by the epochs of the database, for who has no set in hand. */
int engine_load(struct engine *e, struct db *db, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/* The newest epoch of the settings that it was told of, 0 before any. */
int64_t engine_settings(const struct engine *e);

/*
 * The z-score from which on a decision is an anomaly that somebody wants to
 * hear of; INFINITY while nobody does.
 */
double engine_anomaly(const struct engine *e);

/* The rulebook of an event type, or NULL before the first load. */
const struct rulebook *engine_book(
    const struct engine *e, enum event_type type);

/*
 * What is on probation for an event type, one thing, beside what serves: its
 * candidate ruleset, else the candidate model, else the shadow scorer.  False
 * when nothing is or it cannot be read, and before the first load.
 */
bool engine_shadow(
    const struct engine *e, enum event_type type, struct shadow *ret);

/*
 * What labels teach, for whoever runs a set to keep up with them
 * (lib/engine/tag_weight_cache.h); NULL while nobody decides by it, nor as a
 * shadow.
 */
struct tag_weight_cache *engine_learned(struct engine *e);

/*
 * The key of events' digests, EVENT_DIGEST_KEY_SIZE bytes, the same on every
 * host; NULL before the first load.
 */
const uint8_t *engine_digest_key(const struct engine *e);

/* The database of places, or NULL. */
const struct geoip *engine_geoip(const struct engine *e);

/* The lists as they are cached. */
const struct list_cache *engine_lists(const struct engine *e);

/*
 * What the cached lists say of an event at now, microseconds UTC, or 0: all
 * that can be said of it while the database is away.  Lists too long to be
 * cached (list_cache_long()) say nothing here.
 */
enum list_kind engine_listed(
    const struct engine *e, const struct event *ev, int64_t now);

/* Where degraded answers go while the database is away, or NULL. */
struct spool *engine_spool(const struct engine *e);

/*
 * A time for decisions that the database gives none: our clock's, but none
 * before the latest of the database's that engine_saw() was told.
 */
void engine_saw(struct engine *e, int64_t now);
int64_t engine_now(const struct engine *e);

#endif
