/* SPDX-License-Identifier: ISC */
/*
 * The job "model": poll the source of models when it is due, and activate its
 * model if it has changed.  A refused model leaves the active one in place.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/model.h"
#include "core/signal/features.h"
#include "cron/jobs.h"
#include "cron/model_source.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/active_model.h"
#include "lib/json/model_file.h"
#include "lib/shared/metric.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"

#define HASH_SIZE (2 * CRYPT_SHA256_SIZE + 1)
#define POLL_PAUSE (2 * CLOCK_SECOND) /* between two claims of a poll */

enum { COUNT_POLLS, COUNT_LOADED, COUNT_REFUSED };

/* The values of the label "result" of the metric. */
enum model_result { RESULT_SAME, RESULT_LOADED, RESULT_REFUSED };

/* State that lasts from step to step. */
struct model_state {
	char host[HOST_NAME_MAX + 1];
	const struct model_source *source; /* NULL: none is configured */
	int64_t poll_at; /* clock_ticks() of the next claim */
};

/* A claim of one poll. */
struct poll_claim {
	const char *place; /* identifies the source */
	int64_t lease_end; /* 0: another companion polls, or it is not due */
	const char *etag; /* of the last good model, or NULL */
};

/* The result of a poll. */
struct poll_result {
	struct model_source_found found;
	const char *refusal; /* why it failed; NULL: good or unchanged */
	char hash[HASH_SIZE];
	struct model model; /* if found has a text and it was not refused */
};

static int poll_source(
    struct job_run *r, struct model_state *s, bool *ret_more, struct fail *f);
static int claim_poll(struct job_run *r, const struct model_state *s,
    struct poll_claim *ret, struct fail *f);
static bool read_source(struct job_run *r, const struct model_state *s,
    const struct poll_claim *claim, struct poll_result *ret);
static int report_poll(struct job_run *r, const struct model_state *s,
    const struct poll_claim *claim, const struct poll_result *seen,
    bool *ret_mine, struct fail *f);
static int count_poll(struct job_run *r, const struct model_state *s,
    const struct rows *rows, const struct poll_result *seen, struct fail *f);
static int drop_source(
    struct job_run *r, struct model_state *s, struct fail *f);

int
job_model_check(struct fail *f)
{
	return model_source_check(f);
}

int
job_model_open(struct job_run *r, struct fail *f)
{
	struct model_state *s;

	if ((r->own = s = calloc(1, sizeof(*s))) == NULL)
		return fail_memory(f);
	if (gethostname(s->host, HOST_NAME_MAX) == -1)
		return fail_set(
		    f, FAIL_US, INTERNAL, "hostname", "%s", strerror(errno));
	s->source = model_source_find();
	return 0;
}

/*
 * With --once, poll even if it is not due, but do not drop a loaded model: a
 * call by hand may lack the credentials that configure the source in the units.
 */
int
job_model_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct model_state *s = r->own;

	if (r->until != 0 && clock_ticks() < s->poll_at)
		return 0;
	if (s->source != NULL)
		return poll_source(r, s, ret_more, f);
	return r->until == 0 ? 0 : drop_source(r, s, f);
}

void
job_model_close(struct job_run *r)
{
	free(r->own);
}

/*
 * Poll the source if that is due and no other companion does.  A lease, not a
 * transaction, keeps others away.  The database ignores a result that comes
 * after its lease has expired, so an old result never replaces a newer one.
 */
static int
poll_source(
    struct job_run *r, struct model_state *s, bool *ret_more, struct fail *f)
{
	const bool once = r->until == 0;
	struct poll_claim t = { .place = s->source->place(r->arena, s->host) };
	struct poll_result seen = { 0 };
	bool mine = false;

	if (claim_poll(r, s, &t, f) == -1)
		return -1;
	if (t.lease_end != 0) {
		if (!read_source(r, s, &t, &seen))
			return 0;
		if (report_poll(r, s, &t, &seen, &mine, f) == -1)
			return -1;
	}
	s->poll_at = clock_ticks() + POLL_PAUSE;
	*ret_more = once && !mine;
	if (*ret_more)
		poll(NULL, 0, r->job->pause_ms);
	return 0;
}

/* Claim the poll if it is due. */
static int
claim_poll(struct job_run *r, const struct model_state *s,
    struct poll_claim *ret, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_text(&p, s->host);
	params_text(&p, ret->place);
	params_text(&p, s->source->name);
	params_int(&p, r->until == 0 ? 0 : conf.MODEL_REFRESH_MINUTES);
	params_int(&p, s->source->lease_ms);
	params_int(&p, FEATURES_VERSION);
	if (db_run(r->db, r->arena, STMT_MODEL_POLL_CLAIM, &p, &rows, f) == -1)
		return -1;
	if (rows.n == 0)
		return 0;
	ret->lease_end = rows_time(&rows, 0, "lease_end");
	ret->etag = rows_text(&rows, 0, "etag");
	return 0;
}

/* Poll the source.  Return false if the run ended before it answered. */
static bool
read_source(struct job_run *r, const struct model_state *s,
    const struct poll_claim *claim, struct poll_result *ret)
{
	const struct model_source_found *fo = &ret->found;
	uint8_t hash[CRYPT_SHA256_SIZE];
	char why[FAIL_TEXT_SIZE];
	struct fail f = { 0 };

	if (s->source->poll_fn(r, claim->etag, &ret->found, &f) == -1)
		goto refused;
	if (fo->text == NULL)
		return fo->same;
	if (model_file_read(r->arena, fo->text, fo->size, &ret->model, &f) ==
	    -1)
		goto refused;
	crypt_sha256(fo->text, fo->size, hash);
	crypt_hex(hash, sizeof(hash), ret->hash);
	return true;

refused:
	ret->refusal = arena_strdup(r->arena, fail_text(&f, why));
	return true;
}

/* Report the result to the database; *ret_mine: the lease was still held. */
static int
report_poll(struct job_run *r, const struct model_state *s,
    const struct poll_claim *claim, const struct poll_result *seen,
    bool *ret_mine, struct fail *f)
{
	const bool good = seen->refusal == NULL && !seen->found.same;
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_text(&p, claim->place);
	params_time(&p, claim->lease_end);
	params_text(&p, good ? seen->hash : NULL);
	params_text(&p, good ? seen->found.text : NULL);
	params_text(&p, good ? seen->found.etag : NULL);
	params_text(&p, seen->refusal);
	if (db_one(r->db, r->arena, STMT_MODEL_POLL_REPORT, &p, &rows, f) == -1)
		return -1;
	*ret_mine = rows_bool(&rows, 0, "lease_held");
	return *ret_mine ? count_poll(r, s, &rows, seen, f) : 0;
}

/*
 * Count a poll, and log a result that differs from the last.  With --once, a
 * refused model makes the step fail.
 */
static int
count_poll(struct job_run *r, const struct model_state *s,
    const struct rows *rows, const struct poll_result *seen, struct fail *f)
{
	const bool loaded = rows_bool(rows, 0, "activated");
	const bool refused = seen->refusal != NULL;
	const bool news = rows_bool(rows, 0, "refusal_changed");
	const char *name = s->source->name;

	r->count[COUNT_POLLS]++;
	r->count[COUNT_LOADED] += loaded;
	r->count[COUNT_REFUSED] += refused;
	metric_add(r->slot, METRIC_ID_MODEL_POLLS,
	    (size_t)s->source->id - SOURCE_DISK,
	    refused	 ? RESULT_REFUSED
		: loaded ? RESULT_LOADED
			 : RESULT_SAME,
	    1);
	if (loaded) {
		log_info(
		    "event=model_loaded source=%s hash=%s", name, seen->hash);
		active_model_warn(&seen->model, seen->hash);
	}
	if (refused && r->until == 0)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "model", "%s",
		    seen->refusal);
	if (refused && news)
		log_error("event=model_refused source=%s why=%s", name,
		    seen->refusal);
	else if (news)
		log_info("event=model_source_recovered source=%s", name);
	return 0;
}

/*
 * No source is configured.  Report that; after the last host with a source the
 * database drops the model that came from one.
 */
static int
drop_source(struct job_run *r, struct model_state *s, struct fail *f)
{
	struct rows rows;
	struct params p;

	params_init(&p, r->arena);
	params_text(&p, s->host);
	if (db_one(r->db, r->arena, STMT_MODEL_POLL_RELEASE, &p, &rows, f) ==
	    -1)
		return -1;
	if (rows_bool(&rows, 0, "deactivated"))
		log_warn("event=model_dropped why=no host has a source");
	s->poll_at = INT64_MAX;
	return 0;
}
