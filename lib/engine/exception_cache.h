/* SPDX-License-Identifier: ISC */
/* The exceptions from rules in the memory of a worker. */
#ifndef LIB_ENGINE_EXCEPTION_CACHE_H
#define LIB_ENGINE_EXCEPTION_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "core/event/event.h"
#include "core/event/list.h"
#include "core/rule/rule.h"

struct arena;
struct db;
struct exception_cache;
struct fail;

/* The exceptions that hold for one event. */
struct exception_match {
	const char *id[RULE_SILENCES_MAX];
	struct rule_silence silence[RULE_SILENCES_MAX]; /* of each */
	struct rule_silences silences; /* the same as one value */
};

/* Make an empty cache; NULL if memory runs out. */
struct exception_cache *exception_cache_new(void);

/* Free; NULL is harmless. */
void exception_cache_free(struct exception_cache *c);

/*
 * Read the exceptions if epoch (assay.epoch.exceptions) differs.  Returns 0, or
 * -1 with f set; then the cache keeps what it has, and the next call reads
 * again.
 */
int exception_cache_refresh(struct exception_cache *c, struct db *db,
    int64_t epoch, struct fail *f) __attribute__((warn_unused_result));

/*
 * Make the next refresh read everything: with another server, equal epochs do
 * not mean equal exceptions.
 */
void exception_cache_expire(struct exception_cache *c);

/*
 * Set *ret to the exceptions that hold at now for an event of that type with
 * these keys.  A match has at most RULE_SILENCES_MAX of them.  *ret is NULL if
 * no exception holds.
 * The match is in arena a, its texts belong to the cache.  Returns 0, or -1
 * with f set if the arena is full.
 */
int exception_cache_match(const struct exception_cache *c, enum event_type type,
    const struct list_key *keys, size_t n, int64_t now, struct arena *a,
    struct exception_match **ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
