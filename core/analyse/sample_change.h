/* SPDX-License-Identifier: ISC */
/* Change a signal of a sample, to see what the decision would be. */
#ifndef CORE_ANALYSE_SAMPLE_CHANGE_H
#define CORE_ANALYSE_SAMPLE_CHANGE_H

#include "core/base/value.h"

struct arena;
struct fail;
struct ruleset;
struct sample;

/*
 * Give a signal of a sample the value to; attr.<key> is an attribute, which the
 * event need not have, and velocity.<name> one of rs, which may be NULL.
 * Signals that depend on it stay as they are.  The sample keeps the name and
 * the text of to, and memory in arena a.  Return 0, or -1 with f set:
 * INVALID_REQUEST if there is no such signal, it is event.type, or it cannot
 * have this value; INTERNAL if the arena is full.
 */
int sample_change(struct sample *sample, const struct ruleset *rs,
    const char *name, struct value to, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

#endif
