/* SPDX-License-Identifier: ISC */
/* Numbers for names: each name of a kind gets one, from 1, in their order. */
#ifndef CTL_REPLAY_STRING_IDS_H
#define CTL_REPLAY_STRING_IDS_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed, it holds none; string_ids_clear() gives back what it took. */
struct string_ids {
	char *text; /* kind, name and NUL of each */
	size_t len;
	size_t cap;
	size_t *at; /* where each stands in there, by number - 1 */
	uint32_t n;
	uint32_t max; /* numbers that there is room for */
	uint32_t *slots; /* numbers by hash and then in turn, 0 is free */
	size_t mask;
};

/*
 * The number of a name, which is added if it is new: then it equals na_n, and
 * it did not before.  0 when there is no memory or no number left.
 */
uint32_t string_ids_add(
    struct string_ids *na, unsigned char kind, const char *name);

void string_ids_clear(struct string_ids *na);

#endif
