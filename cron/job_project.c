/* SPDX-License-Identifier: ISC */
/*
 * The job "project": count for analytics, for the signals of risk and for what
 * is on probation, match labels with decisions, watch for drift, and when it is
 * told to, or somebody else was who did not finish, count the log anew for
 * analytics beside that.
 */
#include "config.h"

#include <poll.h>

#include "core/base/fail.h"
#include "cron/entity_risk_project.h"
#include "cron/drift_check.h"
#include "cron/audit_seal.h"
#include "cron/steps.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/sys/log.h"

#define COUNT_MAX 2000 /* decisions that one step counts, with entities */
#define REBUILD_MAX 5000 /* that one step counts anew, without */
#define LABELS_MAX 20 /* labels that one step looks for decisions of */
#define REBUILD (1U << JOB_OPTION_rebuild)

enum { COUNT_DECISIONS, COUNT_LABELS, COUNT_REBUILT, COUNT_DAYS };

/* What there is to do for the next step. */
struct work_left {
	bool more;
	bool rebuilding; /* the log is being counted anew */
	bool busy; /* somebody else counts at this moment */
};

static int log_shadow_end(struct job_run *r, struct fail *f);
static bool is_idle(const struct work_left *left);
static int project_new(
    struct job_run *r, struct work_left *ret, struct fail *f);
static int count_next(struct job_run *r, struct work_left *ret, struct fail *f);
static int match_labels(
    struct job_run *r, struct work_left *ret, struct fail *f);
static int rebuild_begin(
    struct job_run *r, struct work_left *ret, struct fail *f);
static int rebuild_step(struct job_run *r, struct fail *f);

/* What is counted, what is matched, and what is counted anew commit apart. */
int
job_project_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct work_left left = { 0 };
	bool unsealed = false;

	/* Whatever is wrong with the counting, the audit trail is sealed. */
	if (audit_seal_step(r, &unsealed, f) == -1)
		return -1;
	if (log_shadow_end(r, f) == -1 || project_new(r, &left, f) == -1 ||
	    match_labels(r, &left, f) == -1 ||
	    entity_risk_project_labels(r, &left.more, f) == -1 ||
	    entity_risk_project_forget(r, f) == -1 ||
	    drift_check_step(r, is_idle(&left), &left.more, f) == -1)
		return -1;
	if ((r->options & REBUILD) != 0 && rebuild_begin(r, &left, f) == -1)
		return -1;
	if (left.rebuilding && !left.busy && rebuild_step(r, f) == -1)
		return -1;

	/* Who waits for the end of a rebuild does not end before it. */
	*ret_more = left.more || left.rebuilding || unsealed;
	if (left.rebuilding && left.busy)
		poll(NULL, 0, r->job->pause_ms);
	return 0;
}

/* The database cannot know that it is to count what a setting is about. */
static int
log_shadow_end(struct job_run *r, struct fail *f)
{
	struct params p;
	struct rows rows;

	if (conf.SCORER_SHADOW == NULL)
		return 0;
	params_init(&p, r->arena);
	params_text(&p, conf.SCORER_SHADOW);
	return db_one(r->db, r->arena, STMT_SHADOW_SCORER, &p, &rows, f);
}

/* All that has been decided is counted, of days before and now. */
static bool
is_idle(const struct work_left *left)
{
	return !left->more && !left->rebuilding && !left->busy;
}

/*
 * Count what has been decided, and found out, since the last time: for
 * analytics and for risk in one transaction, since they share the cursor.
 */
static int
project_new(struct job_run *r, struct work_left *ret, struct fail *f)
{
	if (count_next(r, ret, f) == 0)
		return 0;
	db_rollback(r->db);
	return -1;
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
	r->count[COUNT_DECISIONS] += rows_get_int(&rows, "counted");
	ret->more = rows_get_bool(&rows, "more");
	ret->rebuilding = rows_get_bool(&rows, "rebuilding");
	ret->busy = rows_get_bool(&rows, "busy");
	if (rows_get_int(&rows, "counted") > 0 &&
	    entity_risk_project_events(r, &rows, f) == -1)
		return -1;
	return db_run(r->db, r->arena, STMT_COMMIT, NULL, NULL, f);
}

/* Look for the decisions that labels wait for. */
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
	looked = rows_get_int(&rows, "looked");
	r->count[COUNT_LABELS] += looked;
	ret->more = ret->more || looked == LABELS_MAX;
	return 0;
}

/* Begin to count anew, unless somebody counts just now: with the next step. */
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
	    rows_get_text(&rows, "first"), rows_get_text(&rows, "last"));
	return 0;
}

/* One step of counting anew. */
static int
rebuild_step(struct job_run *r, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_int(&p, REBUILD_MAX);
	if (db_one(r->db, r->arena, STMT_ANALYTICS_REBUILD, &p, &rows, f) == -1)
		return -1;
	r->count[COUNT_REBUILT] += rows_get_int(&rows, "counted");
	r->count[COUNT_DAYS] += rows_get_bool(&rows, "done");
	return 0;
}
