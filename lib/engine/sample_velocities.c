/* SPDX-License-Identifier: ISC */
/* The velocities of samples. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/writer.h"
#include "core/decide/sample.h"
#include "core/state/velocity_state.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/decided_event.h"
#include "lib/engine/sample_velocities.h"

/*
 * Most memory for what is counted; half of it for what is in its window.  While
 * the rest is forgotten, it takes twice as much for a moment: all operator
 * workers together must stay below the MemoryMax of the service.
 */
#define HISTORY_MAX ((size_t)128 << 20)

static int take_unrecorded(struct sample_velocities *sv,
    const struct ruleset *const rulesets[], size_t n, const char *since,
    struct db *db, struct arena *a, struct fail *f);
static int take_computable(
    struct velocity_history *all, const struct ruleset *rs, struct fail *f);
static int64_t longest_span(const struct velocity_history *history);
static int fill_values(struct sample_velocities *sv, struct sample *sample,
    const struct velocity_event *ev, int64_t now, struct arena *a,
    struct fail *f);
static bool reaches_back(
    const struct sample_velocities *sv, const struct velocity *v, int64_t now);
static const struct velocity *velocity_with(
    const struct velocity_history *history, int64_t id);

int
sample_velocities_choose(struct sample_velocities *sv,
    const struct ruleset *const rulesets[], size_t n, const char *since,
    int64_t max_rows, struct db *db, struct arena *a, struct fail *f)
{
	struct params p;
	struct rows rows;

	if (take_unrecorded(sv, rulesets, n, since, db, a, f) == -1)
		return -1;
	if (!sample_velocities_any(sv))
		return 0;
	sv->history.limit = HISTORY_MAX;
	if (placeholders_read(conf.PLACEHOLDERS, &sv->placeholders) == -1)
		abort(); /* conf_load() has checked it */
	params_init(&p, a);
	params_text(&p, since);
	params_int(&p, longest_span(&sv->history));
	params_int(&p, max_rows);
	if (db_one(db, a, STMT_BACKTEST_REACH, &p, &rows, f) == -1)
		return -1;
	snprintf(
	    sv->start, sizeof(sv->start), "%s", rows_text(&rows, 0, "start"));
	sv->whole = rows_bool(&rows, 0, "whole");
	sv->start_at = rows_time(&rows, 0, "at");
	sv->requests_since = rows_time(&rows, 0, "requests_since");
	return 0;
}

bool
sample_velocities_any(const struct sample_velocities *sv)
{
	return sv->history.n > 0;
}

bool
sample_velocities_fingerprint(const struct sample_velocities *sv)
{
	size_t i;

	for (i = 0; i < sv->history.n; i++)
		if (velocity_reads(sv->history.list[i], SUBJECT_FINGERPRINT))
			return true;
	return false;
}

int
sample_velocities_open(const struct sample_velocities *sv, enum event_type type,
    const char *since, struct db *db, struct arena *a, struct fail *f)
{
	struct params p;

	params_init(&p, a);
	params_text(&p, event_type_name(type));
	params_text(&p, sv->start);
	params_text(&p, since);
	params_int(&p, sample_velocities_fingerprint(sv));
	return db_run(db, a, STMT_BACKTEST_OPEN_ORDERED, &p, NULL, f);
}

int
sample_velocities_next(struct sample_velocities *sv, struct sample *sample,
    const struct rows *rows, int row, bool tested, struct arena *a,
    struct fail *f)
{
	const struct velocity_event ev =
	    decided_event(sample, rows, row, &sv->placeholders);
	const int64_t now = rows_time(rows, row, "decided_at");

	if (tested && fill_values(sv, sample, &ev, now, a, f) == -1)
		return -1;
	if (!rows_bool(rows, row, "live"))
		return 0;
	return velocity_history_count(
	    &sv->history, &ev, now, &sample->signals, sample->verdict, a, f);
}

void
sample_velocities_note(struct sample_velocities *sv,
    const struct ruleset *candidate, const struct sample *sample)
{
	struct velocity_origin *origin;
	int64_t id;
	size_t i;

	for (i = 0; i < candidate->n_velocities; i++) {
		id = candidate->velocities[i].id;
		origin = &sv->origin[i];
		if (velocity_value_of(&sample->velocities, id).type !=
		    VALUE_UNKNOWN)
			origin->recorded++;
		else if (velocity_value_of(&sv->values, id).type !=
		    VALUE_UNKNOWN)
			origin->computed++;
		else
			origin->unknown++;
	}
}

void
sample_velocities_json(struct str *s, const struct sample_velocities *sv,
    const struct ruleset *candidate)
{
	size_t i;

	writer_array(s, "velocities");
	for (i = 0; i < candidate->n_velocities; i++) {
		writer_object(s, NULL);
		writer_text(s, "name", candidate->velocities[i].name);
		writer_int(s, "recorded", sv->origin[i].recorded);
		writer_int(s, "computed", sv->origin[i].computed);
		writer_int(s, "unknown", sv->origin[i].unknown);
		writer_end(s);
	}
	writer_end(s);
}

void
sample_velocities_clear(struct sample_velocities *sv)
{
	velocity_history_clear(&sv->history);
}

/* Take the velocities of the rulesets that were not complete at a time. */
static int
take_unrecorded(struct sample_velocities *sv,
    const struct ruleset *const rulesets[], size_t n, const char *since,
    struct db *db, struct arena *a, struct fail *f)
{
	struct velocity_history all = { .n = 0 };
	int64_t ids[VELOCITIES_MAX];
	struct params p;
	struct rows rows;
	size_t i;
	int row;

	for (i = 0; i < n; i++)
		if (rulesets[i] != NULL &&
		    take_computable(&all, rulesets[i], f) == -1)
			return -1;
	if (all.n == 0)
		return 0;
	for (i = 0; i < all.n; i++)
		ids[i] = all.list[i]->id;
	params_init(&p, a);
	params_ints(&p, ids, all.n);
	params_text(&p, since);
	if (db_run(db, a, STMT_BACKTEST_UNRECORDED, &p, &rows, f) == -1)
		return -1;
	for (row = 0; row < rows.n; row++)
		if (velocity_history_take(&sv->history,
			velocity_with(&all, rows_int(&rows, row, "id")),
			f) == -1)
			return -1;
	return 0;
}

/* Take those that do not read the phone, which is masked in requests. */
static int
take_computable(
    struct velocity_history *all, const struct ruleset *rs, struct fail *f)
{
	size_t i;

	for (i = 0; i < rs->n_velocities; i++)
		if (!velocity_reads(&rs->velocities[i], SUBJECT_PHONE) &&
		    velocity_history_take(all, &rs->velocities[i], f) == -1)
			return -1;
	return 0;
}

static const struct velocity *
velocity_with(const struct velocity_history *history, int64_t id)
{
	size_t i;

	for (i = 0; history->list[i]->id != id;)
		i++;
	return history->list[i];
}

/* The longest of their windows; 0 if one has none. */
static int64_t
longest_span(const struct velocity_history *history)
{
	int64_t longest = 0;
	size_t i;

	for (i = 0; i < history->n; i++) {
		if (history->list[i]->window == VELOCITY_ALL)
			return 0;
		if (velocity_span(history->list[i]) > longest)
			longest = velocity_span(history->list[i]);
	}
	return longest;
}

/* Whether all is read that a velocity counts before now. */
static bool
reaches_back(
    const struct sample_velocities *sv, const struct velocity *v, int64_t now)
{
	const int64_t requests_since =
	    velocity_reads(v, SUBJECT_FINGERPRINT) ? sv->requests_since : 0;

	if (v->window == VELOCITY_ALL)
		return sv->whole && requests_since == 0;
	now -= velocity_span(v);
	return now >= sv->start_at && now >= requests_since;
}

/* Merge the recorded and the computed values; a recorded one is preferred. */
static int
fill_values(struct sample_velocities *sv, struct sample *sample,
    const struct velocity_event *ev, int64_t now, struct arena *a,
    struct fail *f)
{
	const struct velocity_values *recorded = &sample->velocities;
	struct velocity_values computed;
	struct velocity_value *list;
	const struct velocity *v;
	size_t i, n = 0;

	if (velocity_history_find(
		&sv->history, ev, now, &sample->signals, &computed, a, f) == -1)
		return -1;
	list = arena_array(a, recorded->n + computed.n, sizeof(*list));
	if (list == NULL)
		return fail_memory(f);
	for (i = 0; i < recorded->n; i++)
		if (recorded->list[i].value.type != VALUE_UNKNOWN)
			list[n++] = recorded->list[i];
	for (i = 0; i < computed.n; i++) {
		v = sv->history.list[i];
		if (velocity_value_of(recorded, v->id).type == VALUE_UNKNOWN &&
		    reaches_back(sv, v, now))
			list[n++] = computed.list[i];
	}
	sv->values = (struct velocity_values) { .list = list, .n = n };
	sample->signals.velocities = &sv->values;
	return 0;
}
