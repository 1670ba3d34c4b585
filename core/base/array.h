/* SPDX-License-Identifier: ISC */
/* Arrays whose size the compiler knows. */
#ifndef CORE_BASE_ARRAY_H
#define CORE_BASE_ARRAY_H

#include <stddef.h>
#include <string.h>

/* The number of elements of the array a, which is not a pointer. */
#define nitems(a) (sizeof(a) / sizeof((a)[0]))

/*
 * The index in the array a of the element whose name is text, or 0: a[0] is
 * not read.  The name is the element or its first member.  text may be NULL.
 */
#define name_index(a, text) name_find(a, nitems(a), sizeof((a)[0]), text)

static inline unsigned int
name_find(const void *names, size_t n, size_t size, const char *text)
{
	unsigned int i;

	for (i = 1; text != NULL && i < n; i++)
		if (strcmp(text,
			*(const char *const *)((const char *)names +
			    i * size)) == 0)
			return i;
	return 0;
}

#endif
