/* SPDX-License-Identifier: ISC */
/* /v1/model/drift: compare scores of recent days with those before. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/score_distribution.h"
#include "lib/sys/clock.h"

#define DAYS_MAX 90 /* of the window */
#define REFERENCE_MAX 300 /* days; with the window under 400 */
#define DAY_SIZE 10 /* "2026-11-20" */

/* The query. */
struct drift_query {
	struct score_distribution_days days;
	enum event_type type; /* EVENT_TYPE__NONE: all */
};

/* How many decisions of an event type had a tag, and how many had not. */
struct drift_tag {
	enum event_type type;
	const char *name;
	int64_t recent[2]; /* with the tag, without it */
	int64_t before[2];
	double psi;
};

static int read_drift_query(struct req *req, struct drift_query *query);
static int read_until(struct req *req, const char **ret);
static bool is_selected(const struct drift_query *query, enum event_type type);
static void add_types(struct str *s, const struct drift_query *query,
    const struct score_distribution *po);
static void add_number(struct str *s, const char *name, bool known, double n);
static void add_scores(
    struct str *s, const char *name, const struct drift_scores *ds);
static int add_tags(struct req *req, struct str *s,
    const struct drift_query *query, const struct score_distribution *po);
static struct drift_tag read_tag(
    const struct rows *rows, int row, const struct score_distribution *po);
static int by_psi(const void *a, const void *b);
static void add_tag(struct str *s, const struct drift_tag *tag);
static void add_rate(struct str *s, const char *name, const int64_t counts[2]);
static int add_calibration(struct req *req, struct str *s,
    const struct drift_query *query, const struct score_distribution *po);
static void add_bin(
    struct str *s, const struct rows *rows, int row, const char *type);
static void add_labels(struct str *s, const char *name, int64_t labels,
    int64_t fraud, double total);

static const struct {
	const char *name;
	double part;
} quantiles[] = {
	{ "p10", 0.1 },
	{ "p25", 0.25 },
	{ "p50", 0.5 },
	{ "p75", 0.75 },
	{ "p90", 0.9 },
	{ "p95", 0.95 },
	{ "p99", 0.99 },
};

/* How calibration groups decisions: by score, or by probability. */
static const struct {
	const char *name;
	double unit; /* stored units per shown unit */
	double width; /* of a bin */
	double to; /* gap between two bins */
	double max;
} measures[] = {
	{ "score", 1, 10, 1, 100 },
	{ "p", 1e6, 0.1, 0, 1 },
};

/*
 * GET /v1/model/drift.  200: the scores, tags and labels of a window of days
 * and of the reference before it; 400: a parameter is wrong.
 */
int
drift_get(struct req *req, struct resp *resp)
{
	struct score_distribution *po = arena_alloc(req->arena, sizeof(*po));
	struct drift_query query;
	struct str s;

	if (po == NULL)
		return fail_memory(&req->fail);
	if (read_drift_query(req, &query) == -1 ||
	    score_distribution_read(
		req->db, req->arena, &query.days, po, &req->fail) == -1)
		return -1;
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	score_distribution_span_json(&s, "window", &po->window);
	writer_end(&s);
	score_distribution_span_json(&s, "reference", &po->reference);
	writer_end(&s);
	writer_int(&s, "decisionsMin", DRIFT_DECISIONS_MIN);
	writer_number(&s, "threshold",
	    conf.DRIFT_ALERT_PSI > 0 ? conf.DRIFT_ALERT_PSI : NAN);
	add_types(&s, &query, po);
	if (add_tags(req, &s, &query, po) == -1 ||
	    add_calibration(req, &s, &query, po) == -1)
		return -1;
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

static int
read_drift_query(struct req *req, struct drift_query *query)
{
	const struct query *q = &req->params;
	struct fail *f = &req->fail;

	if (query_event_type(q, &query->type, f) == -1 ||
	    query_int(q, "days", 1, DAYS_MAX, SCORE_DISTRIBUTION_DAYS,
		&query->days.days, f) == -1 ||
	    query_int(q, "reference", 1, REFERENCE_MAX,
		SCORE_DISTRIBUTION_REFERENCE, &query->days.reference, f) == -1)
		return -1;
	return read_until(req, &query->days.until);
}

/* Read "until", a UTC day in the range of the database; NULL if absent. */
static int
read_until(struct req *req, const char **ret)
{
	const char *day = query_text(&req->params, "until");
	char midnight[DAY_SIZE + sizeof("T00:00:00Z")];
	int64_t at;

	*ret = day;
	if (day == NULL)
		return 0;
	snprintf(midnight, sizeof(midnight), "%sT00:00:00Z", day);
	if (strlen(day) != DAY_SIZE || clock_parse(midnight, &at) == -1 ||
	    at < 0)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "until", "must be a day since 1970, like 2026-11-20");
	return 0;
}

static bool
is_selected(const struct drift_query *query, enum event_type type)
{
	return type != EVENT_TYPE__NONE &&
	    (query->type == EVENT_TYPE__NONE || query->type == type);
}

static void
add_types(struct str *s, const struct drift_query *query,
    const struct score_distribution *po)
{
	enum event_type type;
	double psi;
	bool known;

	writer_array(s, "eventTypes");
	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		if (!is_selected(query, type))
			continue;
		known = score_distribution_psi(po, type, &psi);
		writer_object(s, NULL);
		writer_text(s, "eventType", event_type_name(type));
		add_number(s, "psi", known, psi);
		add_scores(s, "window", &po->recent[type]);
		add_scores(s, "reference", &po->before[type]);
		writer_end(s);
	}
	writer_end(s);
}

/* Append a number, or null if it is unknown. */
static void
add_number(struct str *s, const char *name, bool known, double n)
{
	writer_number(s, name, known ? drift_round(n) : NAN);
}

static void
add_scores(struct str *s, const char *name, const struct drift_scores *ds)
{
	int64_t bins[DRIFT_BINS];
	size_t i;

	writer_object(s, name);
	writer_int(s, "decisions", ds->total);
	add_number(s, "mean", ds->total > 0, drift_mean(ds));
	for (i = 0; i < nitems(quantiles); i++)
		add_number(s, quantiles[i].name, ds->total > 0,
		    drift_quantile(ds, quantiles[i].part));
	drift_bins(ds, bins);
	writer_array(s, "bins");
	for (i = 0; i < DRIFT_BINS; i++)
		writer_int(s, NULL, bins[i]);
	writer_end(s);
	writer_end(s);
}

/* Append the tags: by event type, those with the largest change first. */
static int
add_tags(struct req *req, struct str *s, const struct drift_query *query,
    const struct score_distribution *po)
{
	struct drift_tag *tags;
	struct params p;
	struct rows rows;
	size_t i, n = 0;
	int row;

	params_init(&p, req->arena);
	params_text(&p, "tag");
	params_text(&p, po->window.last);
	params_int(&p, query->days.days);
	params_int(&p, query->days.reference);
	if (db_run(req->db, req->arena, STMT_DRIFT_COUNTS, &p, &rows,
		&req->fail) == -1)
		return -1;
	tags = arena_array(req->arena, (size_t)rows.n + 1, sizeof(*tags));
	if (tags == NULL)
		return fail_memory(&req->fail);
	for (row = 0; row < rows.n; row++) {
		tags[n] = read_tag(&rows, row, po);
		n += is_selected(query, tags[n].type);
	}
	qsort(tags, n, sizeof(*tags), by_psi);
	writer_array(s, "tags");
	for (i = 0; i < n; i++)
		add_tag(s, &tags[i]);
	writer_end(s);
	return 0;
}

static struct drift_tag
read_tag(const struct rows *rows, int row, const struct score_distribution *po)
{
	struct drift_tag tag = {
		.type = event_type_parse(rows_text(rows, row, "event_type")),
		.name = rows_text(rows, row, "name"),
		.recent[0] = rows_int(rows, row, "recent"),
		.before[0] = rows_int(rows, row, "reference"),
	};

	/*
	 * The companion may count between our two statements, so that a tag has
	 * more decisions than the total.
	 */
	tag.recent[1] = po->recent[tag.type].total - tag.recent[0];
	tag.before[1] = po->before[tag.type].total - tag.before[0];
	if (tag.recent[1] < 0)
		tag.recent[1] = 0;
	if (tag.before[1] < 0)
		tag.before[1] = 0;
	tag.psi = drift_psi(tag.recent, tag.before, nitems(tag.recent));
	return tag;
}

static int
by_psi(const void *a, const void *b)
{
	const struct drift_tag *one = a, *other = b;

	if (one->type != other->type)
		return one->type < other->type ? -1 : 1;
	if (one->psi != other->psi)
		return one->psi > other->psi ? -1 : 1;
	return strcmp(one->name, other->name);
}

static void
add_tag(struct str *s, const struct drift_tag *tag)
{
	writer_object(s, NULL);
	writer_text(s, "eventType", event_type_name(tag->type));
	writer_text(s, "tag", tag->name);
	add_number(s, "psi",
	    drift_enough(tag->recent[0] + tag->recent[1],
		tag->before[0] + tag->before[1]),
	    tag->psi);
	add_rate(s, "window", tag->recent);
	add_rate(s, "reference", tag->before);
	writer_end(s);
}

static void
add_rate(struct str *s, const char *name, const int64_t counts[2])
{
	const int64_t total = counts[0] + counts[1];

	add_number(s, name, total > 0, (double)counts[0] / (double)total);
}

static int
add_calibration(struct req *req, struct str *s, const struct drift_query *query,
    const struct score_distribution *po)
{
	const char *type;
	struct params p;
	struct rows rows;
	int row;

	params_init(&p, req->arena);
	params_text(&p, po->window.last);
	params_int(&p, query->days.days);
	params_int(&p, query->days.reference);
	if (db_run(req->db, req->arena, STMT_DRIFT_CALIBRATION, &p, &rows,
		&req->fail) == -1)
		return -1;
	writer_array(s, "calibration");
	for (row = 0; row < rows.n; row++) {
		type = rows_text(&rows, row, "event_type");
		if (is_selected(query, event_type_parse(type)))
			add_bin(s, &rows, row, type);
	}
	writer_end(s);
	return 0;
}

static void
add_bin(struct str *s, const struct rows *rows, int row, const char *type)
{
	const char *measure = rows_text(rows, row, "measure");
	const int64_t bin = rows_int(rows, row, "bin");
	const size_t m = strcmp(measure, measures[0].name) == 0 ? 0 : 1;
	const double from = (double)bin * measures[m].width;
	double to = from + measures[m].width - measures[m].to;

	if (bin == DRIFT_BINS - 1)
		to = measures[m].max;
	writer_object(s, NULL);
	writer_text(s, "eventType", type);
	writer_text(s, "by", measures[m].name);
	add_number(s, "from", true, from);
	add_number(s, "to", true, to);
	add_labels(s, "window", rows_int(rows, row, "labels"),
	    rows_int(rows, row, "fraud"),
	    (double)rows_int(rows, row, "total") / measures[m].unit);
	add_labels(s, "reference", rows_int(rows, row, "reference_labels"),
	    rows_int(rows, row, "reference_fraud"),
	    (double)rows_int(rows, row, "reference_total") / measures[m].unit);
	writer_end(s);
}

/*
 * Append the labels of a bin: the fraud rate, and the mean of the predictions.
 */
static void
add_labels(struct str *s, const char *name, int64_t labels, int64_t fraud,
    double total)
{
	writer_object(s, name);
	writer_int(s, "labels", labels);
	writer_int(s, "fraud", fraud);
	add_number(s, "rate", labels > 0, (double)fraud / (double)labels);
	add_number(s, "mean", labels > 0, total / (double)labels);
	writer_end(s);
}
