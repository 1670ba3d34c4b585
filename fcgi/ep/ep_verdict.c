/* SPDX-License-Identifier: ISC */
/* /v1/verdicts and /v1/activity: the verdict log and the activity log. */
#include "config.h"

#include "core/base/fail.h"
#include "core/decide/policy.h"
#include "core/decide/score.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

/* How far back a page with filters looks if the caller does not say. */
#define WINDOW (7 * 24 * 3600 * CLOCK_SECOND)

/* The log that a page shows. */
struct log_kind {
	bool activity;
	int64_t limit_max;
	int64_t limit_default;
};

/* What a page shows; NULL and -1: any. */
struct log_filter {
	const char *before;
	const char *user;
	const char *type;
	const char *verdict;
	const char *tag;
	int64_t score_min;
	int64_t score_max;
	int64_t limit;
	int64_t since; /* INT64_MIN: the beginning */
	int64_t until; /* INT64_MAX: the end */
};

static int answer_page(
    struct req *req, struct resp *resp, const struct log_kind *kind);
static int read_filter(const struct query *q, const struct log_kind *kind,
    struct log_filter *ret, struct fail *f);
static int read_times(
    const struct query *q, struct log_filter *lf, struct fail *f);
static void put_score(struct params *p, int64_t score);

/*
 * GET /v1/verdicts.  200: the newest verdicts, or those before a verdict, as
 * far as they fit the filters; 400: a parameter is wrong.
 */
int
verdict_list(struct req *req, struct resp *resp)
{
	static const struct log_kind verdicts = { false, 100, 25 };

	return answer_page(req, resp, &verdicts);
}

/* GET /v1/activity.  200: the same of the activity log; 400: as above. */
int
activity_list(struct req *req, struct resp *resp)
{
	static const struct log_kind activity = { true, 200, 100 };

	return answer_page(req, resp, &activity);
}

static int
answer_page(struct req *req, struct resp *resp, const struct log_kind *kind)
{
	char at[CLOCK_TEXT_SIZE];
	struct log_filter lf;
	struct params p;
	struct rows rows;

	if (read_filter(&req->params, kind, &lf, &req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_int(&p, kind->activity);
	params_text(&p, lf.before);
	params_text(&p, lf.user);
	params_text(&p, lf.type);
	params_text(&p, lf.verdict);
	params_text(&p, lf.tag);
	put_score(&p, lf.score_min);
	put_score(&p, lf.score_max);
	params_int(&p, lf.limit);
	params_time_within(&p, lf.since);
	params_time_within(&p, lf.until);
	if (db_one(req->db, req->arena, STMT_LOG_PAGE, &p, &rows, &req->fail) ==
	    -1)
		return -1;
	if (!rows_null(&rows, 0, "read_until")) {
		clock_text(rows_time(&rows, 0, "read_until"), at);
		resp_header(req, resp, "Assay-Read-Until: %s", at);
	}
	return resp_json(req, resp, 200, rows_text(&rows, 0, "body"));
}

static int
read_filter(const struct query *q, const struct log_kind *kind,
    struct log_filter *ret, struct fail *f)
{
	enum event_type type;

	*ret = (struct log_filter) {
		.before = query_text(q, "before"),
		.user = query_text(q, "userId"),
		.type = query_text(q, "eventType"),
		.verdict = query_text(q, "verdict"),
		.tag = query_text(q, "tag"),
	};
	if (query_int(q, "limit", 1, kind->limit_max, kind->limit_default,
		&ret->limit, f) == -1 ||
	    query_event_type(q, &type, f) == -1 ||
	    query_int(q, "minScore", 0, SCORE_MAX, -1, &ret->score_min, f) ==
		-1 ||
	    query_int(q, "maxScore", 0, SCORE_MAX, -1, &ret->score_max, f) ==
		-1)
		return -1;
	if (ret->verdict != NULL && verdict_parse(ret->verdict) == 0)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "verdict",
		    "must be allow, challenge, review or deny");
	return read_times(q, ret, f);
}

/*
 * Read the times between which a page looks.  The log has no index for filters
 * other than the user, so these look at a week if the caller names no start.
 */
static int
read_times(const struct query *q, struct log_filter *lf, struct fail *f)
{
	const bool filtered = lf->type != NULL || lf->verdict != NULL ||
	    lf->tag != NULL || lf->score_min >= 0 || lf->score_max >= 0;
	int64_t at, week = INT64_MIN;

	if (query_time(q, "until", INT64_MAX, &lf->until, f) == -1)
		return -1;
	if (filtered && lf->user == NULL)
		week =
		    (lf->until != INT64_MAX ? lf->until : clock_now()) - WINDOW;
	if (query_time(q, "since", week, &lf->since, f) == -1)
		return -1;
	if (lf->before == NULL)
		return 0;
	if (crypt_id_time(lf->before, "vd_", &at) == -1)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "before",
		    "must be the id of a verdict");
	/* Ids have whole milliseconds. */
	if (lf->until > at + 1000)
		lf->until = at + 1000;
	return 0;
}

static void
put_score(struct params *p, int64_t score)
{
	if (score < 0)
		params_null(p);
	else
		params_int(p, score);
}
