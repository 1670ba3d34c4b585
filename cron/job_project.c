/* SPDX-License-Identifier: ISC */
/*
 * The job "project": count decisions and labels for analytics, the signals
 * risk.* and shadows, end rollouts that differ too much, match labels with
 * decisions, check for drift, seal the audit trail.  With --rebuild, or if a
 * rebuild was interrupted, also rebuild the counts of analytics from the
 * verdict log.
 */
#include "config.h"

#include <poll.h>

#include "cron/audit_seal.h"
#include "cron/drift_check.h"
#include "cron/entity_risk_project.h"
#include "cron/jobs.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"

#define COUNT_MAX 2000 /* decisions per step, counted with entities */
#define REBUILD_MAX 5000 /* decisions per step of a rebuild, without */
#define LABELS_MAX 20 /* labels per step to match with decisions */
#define REBUILD (1U << JOB_OPTION_rebuild)

enum { COUNT_DECISIONS, COUNT_LABELS, COUNT_REBUILT, COUNT_DAYS };

/* What the next step has to do. */
struct work_left {
	bool more;
	bool rebuilding; /* a rebuild is in progress */
	bool busy; /* another companion counts at this moment */
};

/* How many decisions the latest step counted: the next one counts about as
 * many. */
static int64_t counted_latest;

static int announce_shadow_scorer(struct job_run *r, struct fail *f);
static int guard_rollouts(struct job_run *r, struct fail *f);
static bool is_idle(const struct work_left *left);
static int project_new(
    struct job_run *r, struct work_left *ret, struct fail *f);
static int count_next(struct job_run *r, struct work_left *ret, struct fail *f);
static int match_labels(
    struct job_run *r, struct work_left *ret, struct fail *f);
static int rebuild_begin(
    struct job_run *r, struct work_left *ret, struct fail *f);
static int rebuild_step(struct job_run *r, struct fail *f);

/* Counting, matching and rebuilding commit separately. */
int
job_project_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct work_left left = { 0 };
	bool unsealed = false;

	/* Seal first, so that a failure to count does not prevent it. */
	if (audit_seal_step(r, &unsealed, f) == -1)
		return -1;
	if (announce_shadow_scorer(r, f) == -1 ||
	    project_new(r, &left, f) == -1 || match_labels(r, &left, f) == -1 ||
	    entity_risk_project_labels(r, &left.more, f) == -1 ||
	    entity_risk_project_forget(r, f) == -1 ||
	    drift_check_step(r, is_idle(&left), &left.more, f) == -1)
		return -1;
	if ((r->options & REBUILD) != 0 && rebuild_begin(r, &left, f) == -1)
		return -1;
	if (left.rebuilding && !left.busy && rebuild_step(r, f) == -1)
		return -1;

	/* A run with --once continues until the rebuild is complete. */
	*ret_more = left.more || left.rebuilding || unsealed;
	if (left.rebuilding && left.busy)
		poll(NULL, 0, r->job->pause_ms);
	return 0;
}

/* Report the setting SCORER_SHADOW, so that the database counts that scorer. */
static int
announce_shadow_scorer(struct job_run *r, struct fail *f)
{
	struct params p;
	struct rows rows;

	if (conf.SCORER_SHADOW == NULL)
		return 0;
	params_init(&p, r->arena);
	params_text(&p, conf.SCORER_SHADOW);
	return db_one(r->db, r->arena, STMT_SHADOW_SCORER, &p, &rows, f);
}

/* End the rollouts that decide too differently from what is active. */
static int
guard_rollouts(struct job_run *r, struct fail *f)
{
	char correlation[CRYPT_ID_SIZE];
	struct params p;
	struct rows rows;

	if (conf.ROLLOUT_GUARD_POINTS == 0)
		return 0;
	crypt_id("cor_", clock_now(), correlation);
	params_init(&p, r->arena);
	params_int(&p, conf.ROLLOUT_GUARD_POINTS);
	params_text(&p, correlation);
	if (db_one(r->db, r->arena, STMT_ROLLOUT_GUARD, &p, &rows, f) == -1)
		return -1;
	if (rows_int(&rows, 0, "ended") > 0)
		log_warn("event=rollout_ended rollouts=%lld",
		    (long long)rows_int(&rows, 0, "ended"));
	return 0;
}

/* Return whether all decisions are counted. */
static bool
is_idle(const struct work_left *left)
{
	return !left->more && !left->rebuilding && !left->busy;
}

/*
 * Count new decisions, cases and labels.  Analytics and risk share a cursor and
 * therefore a transaction.
 */
static int
project_new(struct job_run *r, struct work_left *ret, struct fail *f)
{
	const int64_t before = r->count[COUNT_DECISIONS];

	if (entity_risk_project_prepare(r, counted_latest, f) == -1)
		return -1;
	if (count_next(r, ret, f) == -1) {
		db_rollback(r->db);
		return -1;
	}
	counted_latest = r->count[COUNT_DECISIONS] - before;
	return counted_latest == 0 ? 0 : guard_rollouts(r, f);
}

static int
count_next(struct job_run *r, struct work_left *ret, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_int(&p, COUNT_MAX);
	if (db_run(r->db, r->arena, STMT_BEGIN, NULL, NULL, f) == -1 ||
	    db_one(r->db, r->arena, STMT_ANALYTICS_PROJECT, &p, &rows, f) == -1)
		return -1;
	r->count[COUNT_DECISIONS] += rows_int(&rows, 0, "counted");
	ret->more = rows_bool(&rows, 0, "more");
	ret->rebuilding = rows_bool(&rows, 0, "rebuilding");
	ret->busy = rows_bool(&rows, 0, "busy");
	if (rows_int(&rows, 0, "counted") > 0 &&
	    entity_risk_project_events(r, &rows, f) == -1)
		return -1;
	return db_run(r->db, r->arena, STMT_COMMIT, NULL, NULL, f);
}

/* Match labels that arrived before their decision. */
static int
match_labels(struct job_run *r, struct work_left *ret, struct fail *f)
{
	struct params p;
	struct rows rows;
	int64_t looked;

	params_init(&p, r->arena);
	params_int(&p, LABELS_MAX);
	if (db_one(r->db, r->arena, STMT_LABELS_MATCH, &p, &rows, f) == -1)
		return -1;
	looked = rows_int(&rows, 0, "looked");
	r->count[COUNT_LABELS] += looked;
	ret->more = ret->more || looked == LABELS_MAX;
	return 0;
}

/* Begin a rebuild.  If another companion counts, the next step does it. */
static int
rebuild_begin(struct job_run *r, struct work_left *ret, struct fail *f)
{
	struct rows rows;

	if (db_run(r->db, r->arena, STMT_ANALYTICS_REBUILD_BEGIN, NULL, &rows,
		f) == -1)
		return -1;
	ret->rebuilding = true;
	ret->busy = rows.n == 0;
	if (ret->busy)
		return 0;
	r->options &= ~REBUILD;
	log_info("event=rebuild_started first=%s last=%s",
	    rows_text(&rows, 0, "first"), rows_text(&rows, 0, "last"));
	return 0;
}

static int
rebuild_step(struct job_run *r, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_int(&p, REBUILD_MAX);
	if (db_one(r->db, r->arena, STMT_ANALYTICS_REBUILD, &p, &rows, f) == -1)
		return -1;
	r->count[COUNT_REBUILT] += rows_int(&rows, 0, "counted");
	r->count[COUNT_DAYS] += rows_bool(&rows, 0, "done");
	return 0;
}
