/* SPDX-License-Identifier: ISC */
/* The function that a fuzz target defines. libFuzzer or replay.c calls it. */
#ifndef T_FUZZ_FUZZ_H
#define T_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* A target consists of assertions, so no build flag may remove them. */
#undef NDEBUG
#include <assert.h>

/*
 * Try size bytes at data.  Return 0 for all bytes; abort if a property does not
 * hold.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
