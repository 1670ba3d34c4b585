/* SPDX-License-Identifier: ISC */
/* Rulebooks, lists, exceptions, models and places in the memory of a worker. */
#ifndef LIB_ENGINE_ENGINE_H
#define LIB_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/decide/decide.h"
#include "core/decide/score.h"
#include "core/event/event.h"
#include "core/event/list.h"

struct arena;
struct db;
struct engine;
struct exception_cache;
struct fail;
struct geoip;
struct placeholders;
struct tag_weight_cache;
struct velocity_set;
struct list_cache;
struct shm;
struct spool;

/* The epochs in the database; caches with other epochs are out of date. */
struct epochs {
	int64_t rules;
	int64_t policies;
	int64_t lists;
	int64_t exceptions;
	int64_t settings;
	int64_t model;
	bool anomalies; /* whether a subscriber wants alert.anomaly.v1 */
};

/*
 * Make an engine that has loaded nothing.  It scores with scorer; shadow (0:
 * none) is the shadow scorer where no ruleset or model is a shadow.  geoip may
 * be NULL (no places), spool, too (decisions that cannot be logged fail), and
 * shm, too (runtime settings keep their fallbacks).  The caller closes these
 * three after freeing the engine.  Returns NULL with f set if memory runs out.
 */
struct engine *engine_new(enum scorer scorer, enum scorer shadow,
    const struct geoip *geoip, struct spool *spool, struct shm *shm,
    struct fail *f);

/* Free; NULL is harmless. */
void engine_free(struct engine *e);

/*
 * Call this before reading epochs over db.  If the session of db is with
 * another server or database than before, or the server was restarted, the next
 * engine_refresh() reads everything again, whatever the epochs.  Until then the
 * engine keeps what it has.
 */
void engine_session(struct engine *e, const struct db *db);

/*
 * Reload over db what has other epochs than these; db may be in a transaction.
 * Rulebooks are replaced together or not: if the new ones cannot be read or
 * compiled, the old ones stay and -1 is returned with f set.  The same holds
 * for the cached lists and exceptions.  a is scratch.
 */
int engine_refresh(struct engine *e, struct db *db, struct arena *a,
    const struct epochs *now, struct fail *f)
    __attribute__((warn_unused_result));

/* The same, after reading the epochs from the database. */
int engine_load(struct engine *e, struct db *db, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/* The latest epoch of the runtime settings; 0: none was read. */
int64_t engine_settings(const struct engine *e);

/*
 * The z-score at or above which a decision sends alert.anomaly.v1; INFINITY if
 * no subscriber wants it.
 */
double engine_anomaly(const struct engine *e);

/* The rulebook of an event type, or NULL before the first load. */
const struct rulebook *engine_book(
    const struct engine *e, enum event_type type);

/*
 * Get the shadow of an event type: its shadow ruleset, else the shadow model,
 * else the shadow scorer.  Return false if the event type has no shadow, if the
 * shadow cannot be read, and before the first load.
 */
bool engine_shadow(
    const struct engine *e, enum event_type type, struct shadow *ret);

/*
 * The cache of tag weights, which the caller refreshes with each transaction
 * (lib/engine/tag_weight_cache.h).  NULL if neither the scorer nor the shadow
 * scorer is "learned".
 */
struct tag_weight_cache *engine_tag_weights(struct engine *e);

/*
 * The key of event digests, EVENT_DIGEST_KEY_SIZE bytes.  It is the same on
 * every host.  NULL before the first load.
 */
const uint8_t *engine_digest_key(const struct engine *e);

/* The GeoIP database, or NULL. */
const struct geoip *engine_geoip(const struct engine *e);

/* The placeholders of the setting PLACEHOLDERS. */
const struct placeholders *engine_placeholders(const struct engine *e);

/* The cached lists. */
const struct list_cache *engine_lists(const struct engine *e);

/* The cached exceptions. */
const struct exception_cache *engine_exceptions(const struct engine *e);

/*
 * The velocities that decisions count; NULL before the first load.  A reload
 * returns another pointer.
 */
const struct velocity_set *engine_velocities(const struct engine *e);

/*
 * Match an event with the cached lists at now, in microseconds UTC; 0: no
 * match.  This is for times when the database is unreachable.  Lists too long
 * for the cache (list_cache_long()) are not searched.
 */
enum list_kind engine_match_lists(
    const struct engine *e, const struct event *ev, int64_t now);

/* The spool for degraded decisions, or NULL. */
struct spool *engine_spool(const struct engine *e);

/*
 * engine_now() is the time for decisions without the database: the last time of
 * its clock, which engine_note_time() got, and what has passed since then.  The
 * clock of this host, which may be wrong, counts only before the first such
 * time.
 */
void engine_note_time(struct engine *e, int64_t now);
int64_t engine_now(const struct engine *e);

#endif
