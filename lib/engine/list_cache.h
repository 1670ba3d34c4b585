/* SPDX-License-Identifier: ISC */
/*
 * The cache of block, allow and watch lists in the memory of a worker.  It has
 * all entries of each subject with at most LIST_CACHE_ENTRIES_MAX.  Subjects
 * with more are long: each decision queries their entries
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
 * The most cached entries of one subject.  All subjects at this limit take less
 * than 6 MiB (4 MiB with ids of 40 bytes), and a reload needs one subject more.
 */
#define LIST_CACHE_ENTRIES_MAX 10000

/* Make an empty cache; NULL if memory runs out. */
struct list_cache *list_cache_new(void);

/* Free; NULL is harmless. */
void list_cache_free(struct list_cache *l);

/*
 * Read the lists that have changed if epoch (assay.epoch.lists) differs.
 * Returns 0, or -1 with f set; then the cache keeps its entries, and the next
 * call reads again.
 */
int list_cache_refresh(struct list_cache *l, struct db *db, int64_t epoch,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Make the next refresh read everything: with another server, equal epochs do
 * not mean equal lists.
 */
void list_cache_expire(struct list_cache *l);

/* The long subjects, which are not cached, as bits 1 << subject. */
unsigned list_cache_long(const struct list_cache *l);

/* What the cached entries say of n keys at now. */
struct list_match list_cache_match(const struct list_cache *l,
    const struct list_key *keys, size_t n, int64_t now);

#endif
