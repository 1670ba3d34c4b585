/* SPDX-License-Identifier: ISC */
/* Give numbers to names, from 1 in the order in which they are added. */
#ifndef LIB_ENGINE_STRING_IDS_H
#define LIB_ENGINE_STRING_IDS_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed, it is empty; string_ids_clear() frees its memory. */
struct string_ids {
	char *text; /* kind, name and NUL of each name */
	size_t len;
	size_t cap;
	size_t *at; /* offset in text, by number - 1 */
	uint32_t n; /* names */
	uint32_t max; /* capacity, names */
	uint32_t *slots; /* hash table of numbers, 0: free */
	size_t mask;
};

/*
 * Return the number of a name, and add the name if it is new: then na->n grows
 * to that number.  Return 0 if there is no memory or no number left.
 */
uint32_t string_ids_add(
    struct string_ids *na, unsigned char kind, const char *name);

/* The name of a number from 1 to na->n, and its kind. */
const char *string_ids_name(
    const struct string_ids *na, uint32_t number, unsigned char *ret_kind);

/* The memory that it has, in bytes. */
size_t string_ids_size(const struct string_ids *na);

void string_ids_clear(struct string_ids *na);

#endif
