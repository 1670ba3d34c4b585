/* SPDX-License-Identifier: ISC */
/*
 * What a worker keeps in memory of the block, allow and watch lists: all
 * entries of a subject that has at most LIST_CACHE_ENTRIES_MAX of them.  The
 * others are long: their entries are asked for at each decision
 * (lib/txn/txn_lists.c).
 */
#ifndef LIB_ENGINE_LIST_CACHE_H
#define LIB_ENGINE_LIST_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "core/event/list.h"

struct db;
struct fail;
struct list_cache;

/*
 * Entries of one subject.  All subjects at this limit take under 6 MiB, with
 * ids of 40 bytes under 4, and one subject more for as long as it is reloaded.
 */
#define LIST_CACHE_ENTRIES_MAX 10000

/* Lists that have loaded nothing yet, or NULL when there is no memory. */
struct list_cache *list_cache_new(void);

/* Free; NULL is harmless. */
void list_cache_free(struct list_cache *l);

/*
 * Make sure that the lists are as new as epoch (assay.epoch.lists), reading
 * again over db what has changed.  Returns 0, or -1 with f set; what was
 * cached then stays and is read again the next time.
 */
int list_cache_refresh(struct list_cache *l, struct db *db, int64_t epoch,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * The next server may be another, whose numbers mean something else: read all
 * again the next time.
 */
void list_cache_expire(struct list_cache *l);

/* The subjects whose entries are not cached, as bits 1 << subject. */
unsigned list_cache_long(const struct list_cache *l);

/* What the cached entries say of any of the n keys at now, or 0. */
enum list_kind list_cache_match(const struct list_cache *l,
    const struct list_key *keys, size_t n, int64_t now);

#endif
