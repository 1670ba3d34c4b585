/* SPDX-License-Identifier: ISC */
/*
 * The stored states of velocities that one transaction reads and changes.  In
 * this order: want the states of all events, send, read, use them, write.
 */
#ifndef LIB_TXN_VELOCITY_STORE_H
#define LIB_TXN_VELOCITY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/value.h"
#include "lib/engine/velocity_hash.h"

struct arena;
struct counted_velocity;
struct db;
struct fail;
struct rows;

/*
 * The users of a key that is not their own have one of so many shards each, by
 * a hash of the user: so decisions of different users about one key hardly wait
 * for each other.
 */
#define VELOCITY_SHARDS 16

/* Which of the wanted states a transaction locks. */
enum velocity_lock {
	VELOCITY_LOCK_NONE, /* it changes none */
	VELOCITY_LOCK_OWN, /* those of users whose lock it has */
	VELOCITY_LOCK_ALL /* all, and other shards are not read */
};

/* A state; equal ones share the first. */
struct velocity_row {
	const struct counted_velocity *counted; /* NULL: of another shard */
	int64_t number;
	uint8_t key[VELOCITY_KEY_SIZE];
	size_t key_size;
	int64_t shard;
	int64_t user_lock; /* txn_lock_key() of the user */
	struct velocity_row *same; /* the first equal one, or NULL */
	const void *state; /* packed */
	size_t size;
	void *room; /* for the state after a change */
	size_t room_size;
	bool read; /* there is a state */
	bool stored; /* and it is locked */
	bool changed;
	int64_t changed_at; /* latest time of an event that changed it */
};

struct velocity_store {
	struct velocity_row *wanted; /* those that the transaction may change */
	size_t n_wanted;
	size_t max_wanted;
	struct velocity_row **sorted; /* of the wanted ones each once */
	size_t n_sorted;
	struct velocity_row **asked; /* each once for each of its users */
	size_t n_asked;
	struct velocity_row *others; /* other shards of their keys, sorted */
	size_t n_others;
};

/* Make an empty store with room for that many states.  Returns 0, or -1. */
int velocity_store_init(struct velocity_store *st, struct arena *a, size_t max,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Want the state of the user's shard.  The row is valid after
 * velocity_store_read(), and its index in wanted is the number of the call.
 */
void velocity_store_want(struct velocity_store *st,
    const struct counted_velocity *c, const uint8_t key[VELOCITY_KEY_SIZE],
    const char *user);

/*
 * Queue the query for the wanted states and the other shards of their keys; no
 * state may be wanted after it.  Returns the index of the result, or -1 with f
 * set.
 */
int velocity_store_send(struct velocity_store *st, struct db *db,
    struct arena *a, enum velocity_lock lock, struct fail *f)
    __attribute__((warn_unused_result));

/* Read the result.  Returns 0, or -1 with f set if the arena is full. */
int velocity_store_read(struct velocity_store *st, const struct rows *r,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

/*
 * The value of all shards of the row's key at now, and with the item of the
 * event that is decided if it is not NULL.  Returns 0, or -1 with f set if a
 * state is invalid.
 */
int velocity_store_value(const struct velocity_store *st,
    const struct velocity_row *row, int64_t now,
    const struct velocity_item *item, uint64_t hash, struct value *ret,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Add an item of the time at to the row; now is the present time.  Returns 0,
 * or -1 with f set.
 */
int velocity_store_add(struct velocity_row *row, int64_t at, int64_t now,
    const struct velocity_item *item, uint64_t hash, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Add the wanted states that are not stored, without events, unless another
 * transaction adds them.  Returns 0, or -1 with f set.
 */
int velocity_store_reserve(struct velocity_store *st, struct db *db,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

/* Queue the statements that write the changed rows.  Returns 0, or -1. */
int velocity_store_write(struct velocity_store *st, struct db *db,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

#endif
