/* SPDX-License-Identifier: ISC */
/* assayctl replay --offline: decide a history in memory, at its times. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/analyse/explain.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/decide.h"
#include "core/decide/event_context.h"
#include "core/decide/model.h"
#include "core/decide/sample.h"
#include "core/decide/score.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "core/event/placeholder.h"
#include "core/signal/features.h"
#include "core/signal/signals.h"
#include "ctl/cmd/models.h"
#include "ctl/ctl.h"
#include "ctl/interrupt.h"
#include "ctl/replay/offline_store.h"
#include "ctl/replay/replay.h"
#include "lib/engine/geoip.h"
#include "lib/engine/velocity_history.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"

#define ROW_SIZE ((size_t)4 << 20) /* arena for one event and its decision */
#define BOOKS_SIZE ((size_t)256 << 20) /* address space for the rulebooks */
#define FREQUENT_MIN 100 /* events before a frequent rule is reported */
#define DAY (INT64_C(86400) * CLOCK_SECOND)

/* One event and its decision. */
struct offline_step {
	struct replay_item item; /* for the results */
	struct event event;
	int64_t now;
	struct decision decision;
	struct signal_facts facts; /* signals points into it */
	struct signals signals;
	struct velocity_values velocities; /* of signals */
};

/* The state of the run. */
struct offline_run {
	struct replay_source *source;
	struct show *show;
	const struct offline_options *options;
	struct rulebook books[EVENT_TYPE__MAX];
	uint64_t decided[EVENT_TYPE__MAX]; /* events */
	uint64_t *fired[EVENT_TYPE__MAX]; /* events by index of the rule */
	struct scoring scoring; /* shared by all rulebooks */
	struct model model; /* of --model */
	struct geoip *geoip;
	struct placeholders placeholders;
	struct offline_store *history;
	struct velocity_history velocities;
	struct arena arena; /* lives until the end of the run */
	struct arena row; /* is reset after each row */
	int64_t last; /* time of the last event */
	FILE *export; /* the training table, or NULL */
	char draft[PATH_MAX]; /* its temporary name, "" if none */
};

static int begin_offline(
    struct offline_run *ru, const char *map, struct fail *f);
static int take_velocities(struct offline_run *ru, struct fail *f);
static const char *value_in(const char *variable);
static int set_scorer(struct offline_run *ru, struct fail *f);
static int count_begin(struct offline_run *ru, struct fail *f);
static void count_rules(struct offline_run *ru, const struct offline_step *st);
static void warn_frequent_rules(const struct offline_run *ru);
static int decide_rows(struct offline_run *ru, struct fail *f);
static int decide_row(struct offline_run *ru, struct fail *f);
static int row_read(
    struct offline_run *ru, struct offline_step *st, struct fail *f);
static int row_decide(
    struct offline_run *ru, struct offline_step *st, struct fail *f);
static int find_velocities(struct offline_run *ru, struct offline_step *st,
    const struct velocity_event *ev, struct fail *f);
static void row_refused(struct offline_run *ru, const struct replay_item *item,
    const struct fail *why);
static void row_show(struct offline_run *ru, const struct offline_step *st);
static int export_open(struct offline_run *ru, struct fail *f);
static int export_close(struct offline_run *ru, struct fail *f);
static int export_row(
    struct offline_run *ru, const struct offline_step *st, struct fail *f);
static void put_offline_text(FILE *out, const char *text);
static int report_errno(const char *path, struct fail *f);
static void end_offline(struct offline_run *ru);

int
offline(struct replay_source *so, const char *map, struct show *sh,
    const struct offline_options *options)
{
	static struct offline_run ru;
	struct fail f = { 0 };
	int status = EX_OK;

	ru.source = so;
	ru.show = sh;
	ru.options = options;
	ctl_arena(&ru.arena, BOOKS_SIZE);
	ctl_arena(&ru.row, ROW_SIZE);
	interrupt_listen();
	if ((begin_offline(&ru, map, &f) == -1 || decide_rows(&ru, &f) == -1) &&
	    !interrupt_wanted()) {
		replay_source_clear(so);
		status = ctl_failed(so->path, &f);
		if (so->file == NULL)
			status = EX_NOINPUT;
	} else if (interrupt_wanted()) {
		replay_source_clear(so);
		ctl_say("interrupted");
		status = EX_TEMPFAIL;
	} else if (options->export != NULL && export_close(&ru, &f) == -1) {
		status = ctl_failed(options->export, &f);
	}
	replay_source_clear(so);
	if (sh->events > 0)
		replay_show_totals(
		    sh, (double)(clock_ticks() - so->began) / CLOCK_SECOND);
	if (status == EX_OK)
		replay_row_losses(&so->layout);
	warn_frequent_rules(&ru);
	end_offline(&ru);
	return status == EX_OK && sh->errors > 0 ? EX_DATAERR : status;
}

/* Open all files and load the rulebooks.  Return 0, or -1 with f set. */
static int
begin_offline(struct offline_run *ru, const char *map, struct fail *f)
{
	const char *const paths[GEOIP__MAX] = {
		[GEOIP_PLACES] = value_in("GEOIP_DB"),
		[GEOIP_MORE_PLACES] = value_in("GEOIP_MORE_DB"),
		[GEOIP_ASN] = value_in("GEOIP_ASN_DB"),
	};

	if (replay_source_open(ru->source, map, &ru->arena, f) == -1 ||
	    rulebook_load(ru->books, ru->options, &ru->arena, f) == -1 ||
	    count_begin(ru, f) == -1 || set_scorer(ru, f) == -1 ||
	    take_velocities(ru, f) == -1)
		return -1;
	ru->geoip = geoip_open(paths, f);
	if (ru->geoip == NULL)
		return -1;
	if (placeholders_read(value_in("PLACEHOLDERS"), &ru->placeholders) ==
	    -1)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "PLACEHOLDERS is not valid; see assay(5)");
	ru->history =
	    offline_store_new((int)ru->options->label_delay, &ru->placeholders);
	if (ru->history == NULL)
		return fail_memory(f);
	ru->show->truth = ru->source->layout.truth;
	ru->show->colour = ctl_colour(STDOUT_FILENO);
	ru->source->progress = isatty(STDERR_FILENO) == 1;
	return ru->options->export == NULL ? 0 : export_open(ru, f);
}

/* Count the velocities of all rulebooks. */
static int
take_velocities(struct offline_run *ru, struct fail *f)
{
	const struct ruleset *rs;
	size_t i;
	int type;

	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		rs = ru->books[type].ruleset;
		for (i = 0; i < rs->n_velocities; i++)
			if (velocity_history_take(
				&ru->velocities, &rs->velocities[i], f) == -1)
				return -1;
	}
	return 0;
}

/* The value of a variable of the environment; NULL: none. */
static const char *
value_in(const char *variable)
{
	const char *value = getenv(variable);

	return value != NULL && *value != '\0' ? value : NULL;
}

/* Set the scorer and its model.  Return 0, or -1 with f set. */
static int
set_scorer(struct offline_run *ru, struct fail *f)
{
	const char *path = ru->options->model;
	struct scoring *sc = &ru->scoring;
	int type;

	sc->scorer = ru->options->scorer;
	sc->model = path == NULL ? model_bundled() : &ru->model;
	if (path != NULL && models_read(&ru->arena, path, &ru->model, f) == -1)
		return -1;
	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++)
		ru->books[type].scoring = sc;
	if (sc->scorer == SCORER_ML && model_demonstrates(sc->model))
		ctl_say("the model %s is for demonstration: its scores have "
			"no meaning for your events",
		    sc->model->version);
	return 0;
}

/* Allocate the counters of rules that fire.  Return 0, or -1 with f set. */
static int
count_begin(struct offline_run *ru, struct fail *f)
{
	int type;

	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		const size_t n = ru->books[type].ruleset->n_rules;
		uint64_t *fired =
		    arena_array(&ru->arena, n + 1, sizeof(*fired));

		if (fired == NULL)
			return fail_memory(f);
		memset(fired, 0, (n + 1) * sizeof(*fired));
		ru->fired[type] = fired;
	}
	return 0;
}

static void
count_rules(struct offline_run *ru, const struct offline_step *st)
{
	const struct rule_hits *hits = &st->decision.hits;
	const enum event_type type = st->event.type;
	size_t i;

	ru->decided[type]++;
	for (i = 0; i < hits->n; i++)
		ru->fired[type][hits->index[i]]++;
}

/* Warn of rules that fire on most events: a column may be mapped wrongly. */
static void
warn_frequent_rules(const struct offline_run *ru)
{
	const struct ruleset *rs;
	bool warned = false;
	uint64_t n;
	size_t i;
	int type;

	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		rs = ru->books[type].ruleset;
		n = ru->decided[type];
		for (i = 0; n >= FREQUENT_MIN && i < rs->n_rules; i++) {
			if (2 * ru->fired[type][i] <= n)
				continue;
			ctl_say("the rule %s of %s fires on %.1f %% of events",
			    rs->rules[i].id,
			    event_type_name((enum event_type)type),
			    100 * (double)ru->fired[type][i] / (double)n);
			warned = true;
		}
	}
	if (warned)
		ctl_say("such a rule distinguishes nothing; check that each "
			"column contains what its field means: a shop's "
			"terminal is not a deviceId (assayctl(8), replay)");
}

/* Decide all rows, or until an interrupt. */
static int
decide_rows(struct offline_run *ru, struct fail *f)
{
	int r = 0;

	while (!interrupt_wanted() &&
	    (r = replay_source_next(ru->source, f)) == 1) {
		if (decide_row(ru, f) == -1)
			return -1;
		arena_reset(&ru->row);
		replay_source_progress(ru->source, ru->show->events);
	}
	return r == -1 ? -1 : 0;
}

/*
 * Decide one row.  An event that the service would refuse, or whose id an
 * earlier row had, has no effect; it is printed and counted as an error. Return
 * 0, or -1 with f set if the run cannot continue.
 */
static int
decide_row(struct offline_run *ru, struct fail *f)
{
	const struct replay_source *so = ru->source;
	struct fail refused = { 0 };
	struct offline_step st;

	if (replay_row_time(&so->layout, &so->csv, &st.now, f) == -1 ||
	    replay_row_truth(&so->layout, &so->csv, &st.item.truth, f) == -1)
		return -1;
	if (st.now < ru->last)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "line %" PRIu64 " is earlier than the line before; rows "
		    "must be in time order",
		    so->csv.row_line);
	ru->last = st.now;
	if (row_read(ru, &st, &refused) == 0) {
		if (row_decide(ru, &st, f) == -1)
			return -1;
		count_rules(ru, &st);
		row_show(ru, &st);
		return ru->export == NULL ? 0 : export_row(ru, &st, f);
	}
	if (refused.kind != FAIL_INPUT) {
		*f = refused;
		return -1;
	}
	row_refused(ru, &st.item, &refused);
	return 0;
}

/*
 * Read the row as an event, with the code of the service.  Return 0, or -1 with
 * f set: FAIL_INPUT if the event is refused.
 */
static int
row_read(struct offline_run *ru, struct offline_step *st, struct fail *f)
{
	struct replay_source *so = ru->source;
	struct json_object *json;
	const char *text;
	struct str s;
	bool again;

	str_init(&s, &ru->row);
	st->item.row = so->row;
	replay_row_event(&so->layout, &so->csv, &s, &st->item);
	if ((text = str_text(&s)) == NULL)
		return fail_set(
		    f, FAIL_US, INTERNAL, NULL, "a row is too large");
	json = body_parse(&ru->row, text, s.len, f);
	if (json == NULL ||
	    body_event(&ru->row, json, value_in("MASKED_ATTRIBUTES"),
		&st->event, f) == -1 ||
	    offline_store_add_id(ru->history, st->event.id, &again, f) == -1)
		return -1;
	if (again)
		return fail_set(f, FAIL_INPUT, INGEST_INVALID, "id",
		    "is the id of an earlier row");
	return 0;
}

/* Decide the event at its time, and add it to the history. */
static int
row_decide(struct offline_run *ru, struct offline_step *st, struct fail *f)
{
	const struct event *ev = &st->event;
	struct place place;
	struct ip_facts ip_facts;
	struct event_context sc;
	struct velocity_event velocity_event;

	geoip_look_up(ru->geoip, ev, &ru->row, &place, &ip_facts);
	if (offline_store_read(
		ru->history, ev, &place, st->now, &ru->row, &sc, f) == -1)
		return -1;
	sc.ip_facts = ip_facts;
	velocity_event = event_context_velocity(&sc);
	event_context_facts(&sc, &st->facts);
	signals_compute(ev, &st->facts, &st->signals);
	if (find_velocities(ru, st, &velocity_event, f) == -1 ||
	    decide(&ru->books[ev->type], &st->signals, &ru->row, &st->decision,
		f) == -1 ||
	    velocity_history_count(&ru->velocities, &velocity_event, st->now,
		&st->signals, st->decision.verdict, &ru->row, f) == -1)
		return -1;
	event_context_count(&sc, st->decision.verdict);
	return offline_store_write(ru->history, &sc, st->item.truth, f);
}

/* Set the velocities of an event, if the rulesets have any. */
static int
find_velocities(struct offline_run *ru, struct offline_step *st,
    const struct velocity_event *ev, struct fail *f)
{
	if (ru->velocities.n == 0)
		return 0;
	st->signals.velocities = &st->velocities;
	return velocity_history_find(&ru->velocities, ev, st->now, &st->signals,
	    &st->velocities, &ru->row, f);
}

/* Count an error.  If events are not printed, print why the first failed. */
static void
row_refused(struct offline_run *ru, const struct replay_item *item,
    const struct fail *why)
{
	const struct replay_outcome oc = { .code = fail_code_name(why->code),
		.message = why->why };
	struct show *const sh = ru->show;

	replay_source_clear(ru->source);
	if (sh->as == SHOW_NOTHING && sh->errors == 0)
		ctl_say("line %" PRIu64 " is refused: %s%s%s (later errors "
			"are only counted)",
		    ru->source->csv.row_line, why->where,
		    why->where[0] == '\0' ? "" : " ", why->why);
	replay_show_event(sh, item, &oc);
}

/* Count a decision, and print it with --json. */
static void
row_show(struct offline_run *ru, const struct offline_step *st)
{
	const bool json = ru->show->as == SHOW_JSON;
	struct replay_outcome oc = {
		.verdict = st->decision.verdict,
		.score = st->decision.score.total,
	};
	struct str s, reasons, model;

	if (json) {
		str_init(&s, &ru->row);
		writer_object(&s, NULL);
		signals_members(&s, &st->signals);
		explain_velocities_json(
		    &s, ru->books[st->event.type].ruleset, &st->signals);
		writer_end(&s);
		oc.signals = str_text(&s);
		str_init(&reasons, &ru->row);
		score_reasons(&reasons, &st->decision.score);
		oc.reasons = json_tokener_parse(str_text(&reasons));
	}
	if (json && st->decision.scorer == SCORER_ML) {
		str_init(&model, &ru->row);
		sample_model(&model, &st->decision);
		oc.model = str_text(&model);
	}
	replay_show_event(ru->show, &st->item, &oc);
	json_object_put(oc.reasons);
}

/* Create the table under a temporary name, until it is complete. */
static int
export_open(struct offline_run *ru, struct fail *f)
{
	const char *path = ru->options->export;
	int fd, i;

	if (ctl_check_output(path, f) == -1)
		return -1;
	snprintf(ru->draft, sizeof(ru->draft), "%s.XXXXXX", path);
	if ((fd = mkostemp(ru->draft, O_CLOEXEC)) == -1) {
		ru->draft[0] = '\0';
		return report_errno(path, f);
	}
	if ((ru->export = fdopen(fd, "w")) == NULL) {
		close(fd);
		return report_errno(path, f);
	}
	fputs("event_id,user_id,decided_at,fraud,labelled_at", ru->export);
	for (i = 0; i < FEATURE__MAX; i++)
		fprintf(ru->export, ",%s", feature_name((enum feature)i));
	fputc('\n', ru->export);
	return 0;
}

/* Write the table to disk and give it its name. */
static int
export_close(struct offline_run *ru, struct fail *f)
{
	const char *path = ru->options->export;
	bool failed;

	failed = fflush(ru->export) == EOF || ferror(ru->export) ||
	    fsync(fileno(ru->export)) == -1;
	failed |= fclose(ru->export) == EOF;
	ru->export = NULL;
	if (failed || rename(ru->draft, path) == -1)
		return report_errno(path, f);
	ru->draft[0] = '\0';
	return 0;
}

/* Write one row of the table; its label arrives label_delay days later. */
static int
export_row(
    struct offline_run *ru, const struct offline_step *st, struct fail *f)
{
	static const char *const fraud[] = {
		[LABEL_NONE] = "", [LABEL_LEGIT] = "0", [LABEL_FRAUD] = "1"
	};
	const int64_t delay = ru->options->label_delay * DAY;
	FILE *const out = ru->export;
	double features[FEATURE__MAX];
	char decided[CLOCK_EXACT_SIZE], labelled[CLOCK_EXACT_SIZE] = "";
	int i;

	clock_exact(st->now, decided);
	if (st->item.truth != LABEL_NONE)
		clock_exact(st->now + delay, labelled);
	put_offline_text(out, st->item.id);
	fputc(',', out);
	put_offline_text(out, st->event.user);
	fprintf(out, ",%s,%s,%s", decided, fraud[st->item.truth], labelled);
	features_extract(&st->signals, st->decision.rules.total, features);
	for (i = 0; i < FEATURE__MAX; i++)
		fprintf(out, ",%.17g", features[i]);
	fputc('\n', out);
	return ferror(out) ? report_errno(ru->options->export, f) : 0;
}

/* Write a CSV field, in quotes if it needs them. */
static void
put_offline_text(FILE *out, const char *text)
{
	if (text[strcspn(text, ",\"\r\n")] == '\0') {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static int
report_errno(const char *path, struct fail *f)
{
	return fail_set(
	    f, FAIL_INPUT, INVALID_REQUEST, path, "%s", strerror(errno));
}

/* Free all memory, close all files, and remove an incomplete table. */
static void
end_offline(struct offline_run *ru)
{
	if (ru->export != NULL)
		fclose(ru->export);
	if (ru->draft[0] != '\0')
		unlink(ru->draft);
	offline_store_free(ru->history);
	velocity_history_clear(&ru->velocities);
	geoip_close(ru->geoip);
	replay_source_close(ru->source);
	ctl_arena_free(&ru->row);
	ctl_arena_free(&ru->arena);
}
