/* SPDX-License-Identifier: ISC */
/* Memory for one request: a bump allocator in a block of the caller. */
#ifndef CORE_BASE_ARENA_H
#define CORE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_defer;

/*
 * An arena allocates from one block and frees all allocations together.  It
 * does not use the heap.  If the block is full, arena_alloc() returns NULL, and
 * overflow stays true until the arena is reset or rewound to a mark from before
 * the overflow; so a caller can allocate several times and check overflow once.
 * If the build defines ARENA_MALLOC, each allocation is from the heap instead,
 * so that AddressSanitizer detects every overrun; the limit is the same.
 */
struct arena {
	char *base; /* the block; aligned to 16 bytes */
	size_t size; /* bytes of the block */
	size_t used; /* bytes allocated since the reset */
	size_t peak; /* largest value of used since the reset */
	bool overflow; /* an allocation failed */
	struct arena_defer *defers; /* deferred calls, newest first */
	void *pieces; /* with ARENA_MALLOC: the allocations */
};

/* A state of the arena, for arena_rewind(). */
struct arena_mark {
	size_t used;
	bool overflow;
	struct arena_defer *defers;
};

/* Make an arena of the size bytes at base, which the caller owns. */
void arena_init(struct arena *a, void *base, size_t size);

/* Allocate size zeroed bytes, aligned to 16; NULL if the arena is full. */
void *arena_alloc(struct arena *a, size_t size)
    __attribute__((malloc, warn_unused_result, alloc_size(2)));

/* Allocate a zeroed array of n elements of size bytes; NULL if full. */
void *arena_array(struct arena *a, size_t n, size_t size)
    __attribute__((malloc, warn_unused_result, alloc_size(2, 3)));

/* Copy the string s; NULL if the arena is full or s is NULL. */
char *arena_strdup(struct arena *a, const char *s)
    __attribute__((malloc, warn_unused_result));

/* Copy the n bytes at p and add a NUL; NULL if the arena is full. */
char *arena_strndup(struct arena *a, const char *p, size_t n)
    __attribute__((malloc, warn_unused_result));

/*
 * Call fn(ptr) when the arena is reset, or rewound to an earlier mark; the
 * newest call comes first.  Return 0.  If the arena is full, call fn(ptr) at
 * once and return -1.  If you call this as soon as ptr exists, ptr never leaks.
 */
int arena_defer(struct arena *a, void (*fn)(void *), void *ptr)
    __attribute__((warn_unused_result));

/* The present state of the arena. */
struct arena_mark arena_mark(const struct arena *a);

/*
 * Free the allocations since the mark, and make the calls that were deferred
 * since.  This also clears an overflow since the mark.
 */
void arena_rewind(struct arena *a, struct arena_mark mark);

/* Make all deferred calls, free all allocations and clear the overflow. */
void arena_reset(struct arena *a);

#endif
