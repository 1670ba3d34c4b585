/* SPDX-License-Identifier: ISC */
/* Memory for one request: a bump allocator in a block of the caller. */
#include "config.h"

#include <stdint.h>
#include <string.h>

#ifdef ARENA_MALLOC
#include <stdlib.h>
#endif

#include "core/base/arena.h"

#define ALIGNMENT ((size_t)16)

struct arena_defer {
	struct arena_defer *next; /* the previous deferred call */
	void (*fn)(void *);
	void *ptr;
};

#ifdef ARENA_MALLOC
struct arena_piece {
	struct arena_piece *next; /* the previous allocation */
	size_t used; /* used of the arena before this allocation */
};

/* Allocate a piece from the heap and add it to the pieces of the arena. */
static void *
piece_new(struct arena *a, size_t size)
{
	const size_t head = (sizeof(struct arena_piece) + ALIGNMENT - 1) /
	    ALIGNMENT * ALIGNMENT;
	struct arena_piece *pi;

	pi = calloc(1, head + size);
	if (pi == NULL)
		return NULL;
	pi->next = a->pieces;
	pi->used = a->used;
	a->pieces = pi;
	return (char *)pi + head;
}

/* Free the pieces that begin at this offset or after it. */
static void
pieces_drop(struct arena *a, size_t used)
{
	struct arena_piece *pi;

	while ((pi = a->pieces) != NULL && pi->used >= used) {
		a->pieces = pi->next;
		free(pi);
	}
}
#endif

void
arena_init(struct arena *a, void *base, size_t size)
{
	memset(a, 0, sizeof(*a));
	a->base = base;
	a->size = size;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	void *p;
	size_t need;

	/* Round up, so that the next piece is aligned.  No piece is empty. */
	if (size > SIZE_MAX - ALIGNMENT) {
		a->overflow = true;
		return NULL;
	}
	need = size == 0 ? ALIGNMENT
			 : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (a->overflow || need > a->size - a->used) {
		a->overflow = true;
		return NULL;
	}

#ifdef ARENA_MALLOC
	p = piece_new(a, size == 0 ? 1 : size);
	if (p == NULL) {
		a->overflow = true;
		return NULL;
	}
#else
	p = a->base + a->used;
	memset(p, 0, need);
#endif
	a->used += need;
	if (a->used > a->peak)
		a->peak = a->used;
	return p;
}

void *
arena_array(struct arena *a, size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size) {
		a->overflow = true;
		return NULL;
	}
	return arena_alloc(a, n * size);
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return s == NULL ? NULL : arena_strndup(a, s, strlen(s));
}

char *
arena_strndup(struct arena *a, const char *p, size_t n)
{
	char *s;

	if (n == SIZE_MAX || (s = arena_alloc(a, n + 1)) == NULL)
		return NULL;
	if (n > 0)
		memcpy(s, p, n);
	return s;
}

int
arena_defer(struct arena *a, void (*fn)(void *), void *ptr)
{
	struct arena_defer *d;

	d = arena_alloc(a, sizeof(*d));
	if (d == NULL) {
		fn(ptr);
		return -1;
	}
	d->fn = fn;
	d->ptr = ptr;
	d->next = a->defers;
	a->defers = d;
	return 0;
}

struct arena_mark
arena_mark(const struct arena *a)
{
	return (struct arena_mark) {
		.used = a->used,
		.overflow = a->overflow,
		.defers = a->defers,
	};
}

void
arena_rewind(struct arena *a, struct arena_mark mark)
{
	struct arena_defer *d;

	while ((d = a->defers) != mark.defers) {
		a->defers = d->next;
		d->fn(d->ptr);
	}
#ifdef ARENA_MALLOC
	pieces_drop(a, mark.used);
#endif
	a->used = mark.used;
	a->overflow = mark.overflow;
}

void
arena_reset(struct arena *a)
{
	arena_rewind(a, (struct arena_mark) { 0 });
	a->peak = 0;
}
