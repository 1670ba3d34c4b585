/* SPDX-License-Identifier: ISC */
/* A slice of stored decisions that are decided again. */
#ifndef CRON_REDECISION_SLICE_H
#define CRON_REDECISION_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/decide/decide.h"
#include "core/event/event.h"
#include "core/event/list.h"
#include "lib/db/db.h"
#include "lib/engine/sample_velocities.h"

struct arena;
struct fail;
struct redecision_books;

/* What reads the slices of one redecision, one after the other. */
struct redecision_reader {
	const struct redecision_books *books;
	struct sample_velocities *velocities;
	struct db *db;
	struct arena *arena; /* of the current slice */
};

/* One stored decision. */
struct redecision_event {
	struct sample *sample;
	struct velocity_values values; /* of the sample's signals */
	struct event event; /* what entries of lists match */
	enum event_type type;
	int row; /* in rows of the slice */
	struct list_match match;
	struct decision decision; /* of now */
};

/* The stored decisions of a span of time. */
struct redecision_slice {
	struct rows rows;
	struct redecision_event *events; /* those to decide again */
	size_t n;
	int64_t unscored; /* decisions without a sample */
	int64_t unreadable; /* with one of an unknown format */
};

/*
 * Read the decisions from begins up to ends, and count them for the velocities
 * of those that follow.  If decides is false, it is only for these.  Return 0,
 * or -1 with f set.
 */
int redecision_slice_read(const struct redecision_reader *rd,
    struct redecision_slice *ret, int64_t begins, int64_t ends, bool decides,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Decide the events of a slice as of now, in microseconds UTC: by the entries
 * of lists, else by rules and policies.  Return 0, or -1 with f set.
 */
int redecision_slice_decide(const struct redecision_reader *rd,
    struct redecision_slice *slice, int64_t now, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Store what a slice up to ends of a redecision has decided.  Set *ret_acted to
 * the number of decisions that it acted on, and *ret_done to whether it was the
 * last slice.  Return 0, or -1 with f set.
 */
int redecision_slice_store(const struct redecision_reader *rd,
    const struct redecision_slice *slice, const char *redecision, int64_t ends,
    int64_t *ret_acted, bool *ret_done, struct fail *f)
    __attribute__((warn_unused_result));

#endif
