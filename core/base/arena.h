/* SPDX-License-Identifier: ISC */
/* Memory of one request: bump allocation in a block that the caller gives. */
#ifndef CORE_BASE_ARENA_H
#define CORE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_defer;

/*
 * An arena hands out pieces of one block and takes them all back at once.
 * There is no heap behind it (core has none): at the cap arena_alloc()
 * returns NULL and the arena stays overflowed until it is reset or rewound to
 * before, so that one check at the end is enough to tell.  When the build
 * defines ARENA_MALLOC, each piece is malloc'ed instead, so that
 * AddressSanitizer sees every overrun; the cap is kept.
 */
struct arena {
	char *base; /* the block; aligned to 16 bytes */
	size_t size; /* its size: the hard cap */
	size_t used; /* bytes handed out since the reset */
	size_t peak; /* the most of it since the reset, rewinds or not */
	bool overflow; /* an allocation was refused */
	struct arena_defer *defers; /* what to undo at reset, newest first */
	void *pieces; /* with ARENA_MALLOC: the pieces */
};

/* Where the arena stood, for arena_rewind(). */
struct arena_mark {
	size_t used;
	bool overflow;
	struct arena_defer *defers;
};

/* Make an arena of the size bytes at base, which the caller keeps. */
void arena_init(struct arena *a, void *base, size_t size);

/* size bytes, zeroed, aligned to 16; NULL at the cap. */
void *arena_alloc(struct arena *a, size_t size)
    __attribute__((malloc, warn_unused_result, alloc_size(2)));

/* An array of n elements of size bytes, zeroed; NULL at the cap. */
void *arena_array(struct arena *a, size_t n, size_t size)
    __attribute__((malloc, warn_unused_result, alloc_size(2, 3)));

/* A copy of the string s; NULL at the cap or when s is NULL. */
char *arena_strdup(struct arena *a, const char *s)
    __attribute__((malloc, warn_unused_result));

/* A NUL-terminated copy of the n bytes at p; NULL at the cap. */
char *arena_strndup(struct arena *a, const char *p, size_t n)
    __attribute__((malloc, warn_unused_result));

/*
 * Run fn(ptr) when the arena is reset, newest first.  Call it as soon as ptr
 * exists.  Returns 0, or -1 at the cap after having run fn(ptr) at once, so
 * that nothing leaks either way.
 */
int arena_defer(struct arena *a, void (*fn)(void *), void *ptr)
    __attribute__((warn_unused_result));

/* Remember where the arena stands. */
struct arena_mark arena_mark(const struct arena *a);

/*
 * Give back what was handed out since the mark, and run what was deferred.  An
 * overflow since the mark is forgotten with it.
 */
void arena_rewind(struct arena *a, struct arena_mark mark);

/* Run everything deferred and give everything back; clears the overflow. */
void arena_reset(struct arena *a);

#endif
