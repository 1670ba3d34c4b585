/* SPDX-License-Identifier: ISC */
/* What a fuzz target defines; libFuzzer or replay.c calls it. */
#ifndef T_FUZZ_FUZZ_H
#define T_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* A target is its assertions: no flag of a build may leave them out. */
#undef NDEBUG
#include <assert.h>

/*
 * Try size bytes at data.  Whatever they are, it must return 0; what may
 * never happen is an abort().
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
