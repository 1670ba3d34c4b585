/* SPDX-License-Identifier: ISC */
/* Arrays whose size the compiler knows. */
#ifndef CORE_BASE_ARRAY_H
#define CORE_BASE_ARRAY_H

/* The number of elements of the array a, which is not a pointer. */
#define nitems(a) (sizeof(a) / sizeof((a)[0]))

#endif
