/* SPDX-License-Identifier: ISC */
/* A slice of stored decisions that are decided again. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/sample.h"
#include "cron/redecision_books.h"
#include "cron/redecision_slice.h"

/* The columns of the decisions to store. */
struct redecided_columns {
	const char **verdict_id, **event_id, **event_type;
	const char **verdict_from, **verdict_to;
	const char **amount, **currency, **queue, **tags, **reasons;
	int64_t *decided_at, *score_from, *score_to;
};

static int read_rows(const struct redecision_reader *rd,
    struct redecision_slice *slice, int64_t begins, int64_t ends, bool decides,
    struct fail *f);
static int wants_fingerprint(const struct redecision_reader *rd, bool decides,
    bool *ret, struct fail *f);
static int read_stored_decision(const struct redecision_reader *rd,
    struct redecision_slice *slice, int row, bool decides, struct fail *f);
static void fill_matched(struct redecision_event *ev, const struct rows *rows);
static int count_stored_sample(const struct redecision_reader *rd,
    struct redecision_slice *slice, struct redecision_event *ev, bool decides,
    struct fail *f);
static int match_entries(const struct redecision_reader *rd,
    struct redecision_slice *slice, int64_t now, struct fail *f);
static const char *country_of(const struct redecision_event *ev);
static int decide_event_again(const struct redecision_reader *rd,
    struct redecision_event *ev, struct fail *f);
static int make_columns(
    struct arena *a, size_t n, struct redecided_columns *ret, struct fail *f);
static int fill_columns(const struct redecision_slice *slice, size_t i,
    struct redecided_columns *c, struct arena *a, struct fail *f);
static const char *number_of(struct arena *a, const struct value *v);

int
redecision_slice_read(const struct redecision_reader *rd,
    struct redecision_slice *ret, int64_t begins, int64_t ends, bool decides,
    struct fail *f)
{
	int i;

	*ret = (struct redecision_slice) { .n = 0 };
	if (read_rows(rd, ret, begins, ends, decides, f) == -1)
		return -1;
	ret->events =
	    arena_array(rd->arena, (size_t)ret->rows.n, sizeof(*ret->events));
	if (ret->events == NULL)
		return fail_memory(f);
	for (i = 0; i < ret->rows.n; i++)
		if (read_stored_decision(rd, ret, i, decides, f) == -1)
			return -1;
	return 0;
}

int
redecision_slice_decide(const struct redecision_reader *rd,
    struct redecision_slice *slice, int64_t now, struct fail *f)
{
	size_t i;

	if (match_entries(rd, slice, now, f) == -1)
		return -1;
	for (i = 0; i < slice->n; i++)
		if (decide_event_again(rd, &slice->events[i], f) == -1)
			return -1;
	return 0;
}

int
redecision_slice_store(const struct redecision_reader *rd,
    const struct redecision_slice *slice, const char *redecision, int64_t ends,
    int64_t *ret_acted, bool *ret_done, struct fail *f)
{
	const size_t n = slice->n;
	struct redecided_columns c;
	struct params p;
	struct rows rows;
	size_t i;

	if (make_columns(rd->arena, n, &c, f) == -1)
		return -1;
	for (i = 0; i < n; i++)
		if (fill_columns(slice, i, &c, rd->arena, f) == -1)
			return -1;
	params_init(&p, rd->arena);
	params_text(&p, redecision);
	params_time(&p, ends);
	params_int(&p, slice->unscored);
	params_int(&p, slice->unreadable);
	params_texts(&p, c.verdict_id, n);
	params_times(&p, c.decided_at, n);
	params_texts(&p, c.event_id, n);
	params_texts(&p, c.event_type, n);
	params_texts(&p, c.verdict_from, n);
	params_texts(&p, c.verdict_to, n);
	params_ints(&p, c.score_from, n);
	params_ints(&p, c.score_to, n);
	params_texts(&p, c.amount, n);
	params_texts(&p, c.currency, n);
	params_texts(&p, c.queue, n);
	params_texts(&p, c.tags, n);
	params_texts(&p, c.reasons, n);
	if (db_one(rd->db, rd->arena, STMT_REDECISION_STORE, &p, &rows, f) ==
	    -1)
		return -1;
	*ret_acted = rows_int(&rows, 0, "acted");
	*ret_done = rows_bool(&rows, 0, "done");
	return 0;
}

/* Read the decisions: those of all types if velocities are computed. */
static int
read_rows(const struct redecision_reader *rd, struct redecision_slice *slice,
    int64_t begins, int64_t ends, bool decides, struct fail *f)
{
	struct params p;
	bool fingerprint;

	if (wants_fingerprint(rd, decides, &fingerprint, f) == -1)
		return -1;
	params_init(&p, rd->arena);
	params_time(&p, begins);
	params_time(&p, ends);
	if (sample_velocities_any(rd->velocities))
		params_null(&p);
	else
		params_texts(&p, rd->books->type, rd->books->n);
	params_int(&p, fingerprint);
	return db_run(
	    rd->db, rd->arena, STMT_REDECISION_EVENTS, &p, &slice->rows, f);
}

/* Whether a velocity or an entry of a list reads the fingerprint. */
static int
wants_fingerprint(
    const struct redecision_reader *rd, bool decides, bool *ret, struct fail *f)
{
	struct rows rows;

	*ret = sample_velocities_fingerprint(rd->velocities);
	if (*ret || !decides)
		return 0;
	if (db_one(rd->db, rd->arena, STMT_REDECISION_FINGERPRINTS, NULL, &rows,
		f) == -1)
		return -1;
	*ret = rows_bool(&rows, 0, "listed");
	return 0;
}

/* Read the decision of a row; add it to the events if it is decided again. */
static int
read_stored_decision(const struct redecision_reader *rd,
    struct redecision_slice *slice, int row, bool decides, struct fail *f)
{
	struct arena *a = rd->arena;
	const struct arena_mark mark = arena_mark(a);
	const struct rows *rows = &slice->rows;
	struct redecision_event *ev = &slice->events[slice->n];
	const char *text = rows_text(rows, row, "sample");

	ev->row = row;
	ev->type = event_type_parse(rows_text(rows, row, "event_type"));
	decides = decides && rows_bool(rows, row, "live") &&
	    rd->books->book[ev->type].ruleset != NULL;
	if (text == NULL) {
		slice->unscored += decides;
		return 0;
	}
	if ((ev->sample = arena_alloc(a, sizeof(*ev->sample))) == NULL)
		return fail_memory(f);
	if (sample_read(a, text, strlen(text), ev->sample) == -1) {
		slice->unreadable += decides;
		return a->overflow ? fail_memory(f) : 0;
	}
	if (sample_velocities_any(rd->velocities) &&
	    count_stored_sample(rd, slice, ev, decides, f) == -1)
		return -1;
	if (!decides) {
		arena_rewind(a, mark);
		return 0;
	}
	fill_matched(ev, rows);
	slice->n++;
	return 0;
}

/* Set the values of computed velocities, and count the decision. */
static int
count_stored_sample(const struct redecision_reader *rd,
    struct redecision_slice *slice, struct redecision_event *ev, bool decides,
    struct fail *f)
{
	if (sample_velocities_next(rd->velocities, ev->sample, &slice->rows,
		ev->row, decides, rd->arena, f) == -1)
		return -1;
	if (decides) {
		ev->values = *ev->sample->signals.velocities;
		ev->sample->signals.velocities = &ev->values;
	}
	return 0;
}

/* Set what entries of lists match; a phone is masked in stored requests. */
static void
fill_matched(struct redecision_event *ev, const struct rows *rows)
{
	const struct value *bin =
	    &ev->sample->signals.value[SIGNAL_INSTRUMENT_BIN];

	ev->event = (struct event) {
		.user = rows_text(rows, ev->row, "user_id"),
		.device = rows_text(rows, ev->row, "device"),
		.ip = rows_text(rows, ev->row, "ip"),
		.fingerprint = rows_text(rows, ev->row, "fingerprint"),
		.bin = bin->type == VALUE_STRING ? bin->string : NULL,
	};
}

/* Match all events with the entries of all lists, in one statement. */
static int
match_entries(const struct redecision_reader *rd,
    struct redecision_slice *slice, int64_t now, struct fail *f)
{
	struct arena *a = rd->arena;
	const size_t most = slice->n * LIST_KEYS_MAX;
	int64_t *ords = arena_array(a, most, sizeof(*ords));
	const char **names = arena_array(a, most, sizeof(*names));
	const char **values = arena_array(a, most, sizeof(*values));
	struct list_key keys[LIST_KEYS_MAX];
	struct params p;
	struct rows rows;
	size_t i, k, n_keys, n = 0;
	int row;

	if (ords == NULL || names == NULL || values == NULL)
		return fail_memory(f);
	for (i = 0; i < slice->n; i++) {
		n_keys = list_keys(&slice->events[i].event,
		    country_of(&slice->events[i]), keys);
		for (k = 0; k < n_keys; k++, n++) {
			ords[n] = (int64_t)i;
			names[n] = list_subject_name(keys[k].subject);
			values[n] =
			    arena_strndup(a, keys[k].value, keys[k].len);
		}
	}
	params_init(&p, a);
	params_ints(&p, ords, n);
	params_texts(&p, names, n);
	params_texts(&p, values, n);
	if (db_run(rd->db, a, STMT_TXN_LISTS, &p, &rows, f) == -1)
		return -1;
	for (row = 0; row < rows.n; row++)
		if (list_acts(rows_time(&rows, row, "expires_at"), now))
			list_match_add(
			    &slice->events[rows_int(&rows, row, "ord")].match,
			    list_kind_parse(rows_text(&rows, row, "kind")),
			    (int)rows_int(&rows, row, "bits"));
	return 0;
}

/* The country that the decision knew, or "". */
static const char *
country_of(const struct redecision_event *ev)
{
	const struct value *country =
	    &ev->sample->signals.value[SIGNAL_GEO_COUNTRY];

	return country->type == VALUE_STRING ? country->string : "";
}

static int
decide_event_again(const struct redecision_reader *rd,
    struct redecision_event *ev, struct fail *f)
{
	const struct rulebook *book = &rd->books->book[ev->type];
	const enum list_kind kind = list_match_kind(&ev->match);

	if (list_decides(kind)) {
		decide_listed(book->policy, kind, &ev->decision);
		return 0;
	}
	if (decide(book, &ev->sample->signals, rd->arena, &ev->decision, f) ==
	    -1)
		return -1;
	return kind == LIST_WATCH ? decide_watched(rd->arena, &ev->decision, f)
				  : 0;
}

static int
make_columns(
    struct arena *a, size_t n, struct redecided_columns *ret, struct fail *f)
{
	const char ***texts[] = { &ret->verdict_id, &ret->event_id,
		&ret->event_type, &ret->verdict_from, &ret->verdict_to,
		&ret->amount, &ret->currency, &ret->queue, &ret->tags,
		&ret->reasons };
	int64_t **numbers[] = { &ret->decided_at, &ret->score_from,
		&ret->score_to };
	size_t i;

	for (i = 0; i < nitems(texts); i++)
		if ((*texts[i] = arena_array(a, n, sizeof(char *))) == NULL)
			return fail_memory(f);
	for (i = 0; i < nitems(numbers); i++)
		if ((*numbers[i] = arena_array(a, n, sizeof(int64_t))) == NULL)
			return fail_memory(f);
	return 0;
}

static int
fill_columns(const struct redecision_slice *slice, size_t i,
    struct redecided_columns *c, struct arena *a, struct fail *f)
{
	const struct redecision_event *ev = &slice->events[i];
	const struct decision *now = &ev->decision;
	const struct value *values = ev->sample->signals.value;
	const struct rows *rows = &slice->rows;
	struct str tags, reasons;

	str_init(&tags, a);
	decide_tags(&tags, now);
	str_init(&reasons, a);
	score_reasons(&reasons, &now->score);
	c->verdict_id[i] = rows_text(rows, ev->row, "verdict_id");
	c->event_id[i] = rows_text(rows, ev->row, "event_id");
	c->event_type[i] = event_type_name(ev->type);
	c->verdict_from[i] = verdict_name(ev->sample->verdict);
	c->verdict_to[i] = verdict_name(now->verdict);
	c->decided_at[i] = rows_time(rows, ev->row, "decided_at");
	c->score_from[i] = ev->sample->score;
	c->score_to[i] = now->score.total;
	c->amount[i] = number_of(a, &values[SIGNAL_EVENT_AMOUNT]);
	if (values[SIGNAL_EVENT_CURRENCY].type == VALUE_STRING)
		c->currency[i] = values[SIGNAL_EVENT_CURRENCY].string;
	c->queue[i] =
	    now->queue != NULL ? now->queue : policy_review_queue(now->policy);
	c->tags[i] = str_text(&tags);
	c->reasons[i] = str_text(&reasons);
	return a->overflow ? fail_memory(f) : 0;
}

/* A number as text; NULL if the value is not a number. */
static const char *
number_of(struct arena *a, const struct value *v)
{
	struct str s;

	if (v->type != VALUE_NUMBER)
		return NULL;
	str_init(&s, a);
	str_number(&s, v->number);
	return str_text(&s);
}
