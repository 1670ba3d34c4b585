/* SPDX-License-Identifier: ISC */
/* The velocities that decisions count, in the memory of a worker. */
#ifndef LIB_ENGINE_VELOCITY_SET_H
#define LIB_ENGINE_VELOCITY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rule/rule.h"
#include "core/rule/velocity.h"

struct arena;
struct db;
struct fail;

/* One of them; a row of assay.velocity. */
struct counted_velocity {
	int64_t number; /* of its states */
	const struct velocity *velocity;
	int64_t counted_since; /* microseconds UTC */
	bool complete; /* older decisions are counted, too */
};

struct velocity_set {
	struct counted_velocity list[VELOCITIES_MAX];
	size_t n;
};

/*
 * Read the set; its velocities are in arena a, which needs room for
 * VELOCITY_SET_ARENA_SIZE bytes.  One that this program cannot read is left out
 * with a warning in the log.  scratch is for the rows.  Returns 0, or -1 with f
 * set.
 */
#define VELOCITY_SET_ARENA_SIZE                                                \
	(VELOCITIES_MAX * 2 * RULE_ARENA_SIZE(VELOCITY_TEXT_MAX))
int velocity_set_read(struct velocity_set *ret, struct arena *a, struct db *db,
    struct arena *scratch, struct fail *f) __attribute__((warn_unused_result));

/* Whether its value is known at now. */
bool velocity_is_known(const struct counted_velocity *c, int64_t now);

#endif
