/* SPDX-License-Identifier: ISC */
/* Memory of one request: bump allocation in a block that the caller gives. */
#include "config.h"

#include <stdint.h>
#include <string.h>

#ifdef ARENA_MALLOC
#include <stdlib.h>
#endif

#include "core/base/arena.h"

#define ALIGNMENT ((size_t)16)

struct arena_defer {
	struct arena_defer *ad_next; /* the one deferred before it */
	void (*ad_fn)(void *);
	void *ad_ptr;
};

#ifdef ARENA_MALLOC
struct arena_piece {
	struct arena_piece *pi_next; /* the one handed out before it */
	size_t pi_used; /* what the arena had handed out before it */
};

/* One piece from the heap, remembered with where the arena stood. */
static void *
piece_new(struct arena *a, size_t size)
{
	const size_t head = (sizeof(struct arena_piece) + ALIGNMENT - 1) /
	    ALIGNMENT * ALIGNMENT;
	struct arena_piece *pi;

	pi = calloc(1, head + size);
	if (pi == NULL)
		return NULL;
	pi->pi_next = a->ar_pieces;
	pi->pi_used = a->ar_used;
	a->ar_pieces = pi;
	return (char *)pi + head;
}

/* Free the pieces that were handed out at or after used. */
static void
pieces_drop(struct arena *a, size_t used)
{
	struct arena_piece *pi;

	while ((pi = a->ar_pieces) != NULL && pi->pi_used >= used) {
		a->ar_pieces = pi->pi_next;
		free(pi);
	}
}
#endif

void
arena_init(struct arena *a, void *base, size_t size)
{
	memset(a, 0, sizeof(*a));
	a->ar_base = base;
	a->ar_size = size;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	void *p;
	size_t need;

	/* Round up so that the next piece is aligned; a piece is never empty.
	 */
	if (size > SIZE_MAX - ALIGNMENT) {
		a->ar_overflow = true;
		return NULL;
	}
	need = size == 0 ? ALIGNMENT
			 : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (a->ar_overflow || need > a->ar_size - a->ar_used) {
		a->ar_overflow = true;
		return NULL;
	}

#ifdef ARENA_MALLOC
	p = piece_new(a, size == 0 ? 1 : size);
	if (p == NULL) {
		a->ar_overflow = true;
		return NULL;
	}
#else
	p = a->ar_base + a->ar_used;
	memset(p, 0, need);
#endif
	a->ar_used += need;
	if (a->ar_used > a->ar_peak)
		a->ar_peak = a->ar_used;
	return p;
}

void *
arena_array(struct arena *a, size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size) {
		a->ar_overflow = true;
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
	d->ad_fn = fn;
	d->ad_ptr = ptr;
	d->ad_next = a->ar_defers;
	a->ar_defers = d;
	return 0;
}

struct arena_mark
arena_mark(const struct arena *a)
{
	return (struct arena_mark) {
		.am_used = a->ar_used,
		.am_overflow = a->ar_overflow,
		.am_defers = a->ar_defers,
	};
}

void
arena_rewind(struct arena *a, struct arena_mark mark)
{
	struct arena_defer *d;

	while ((d = a->ar_defers) != mark.am_defers) {
		a->ar_defers = d->ad_next;
		d->ad_fn(d->ad_ptr);
	}
#ifdef ARENA_MALLOC
	pieces_drop(a, mark.am_used);
#endif
	a->ar_used = mark.am_used;
	a->ar_overflow = mark.am_overflow;
}

void
arena_reset(struct arena *a)
{
	arena_rewind(a, (struct arena_mark) { 0 });
	a->ar_peak = 0;
}
