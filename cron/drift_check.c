/* SPDX-License-Identifier: ISC */
/* Check once a day whether scores have drifted, and publish alerts. */
#include "config.h"

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "cron/drift_check.h"
#include "cron/job.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/score_distribution.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"

#define LABELS_MAX 20 /* per transaction, which delays changes of them */

/* The results to store, one per event type. */
struct drift_notes {
	const char *type[EVENT_TYPE__MAX];
	const char *psi[EVENT_TYPE__MAX]; /* NULL: too few decisions */
	const char *alert[EVENT_TYPE__MAX]; /* data of an alert, NULL: none */
	size_t n;
};

static int check_day(struct job_run *r, const char *day, struct fail *f);
static void add_note(struct drift_notes *notes, struct arena *a,
    const struct score_distribution *po, enum event_type type);
static const char *alert_data(struct arena *a,
    const struct score_distribution *po, enum event_type type, double psi);
static void add_window(struct str *s, const char *name,
    const struct score_distribution_span *span, const struct drift_scores *ds);
static int store_day(struct job_run *r, const char *day,
    const struct drift_notes *notes, struct fail *f);

int
drift_check_step(struct job_run *r, bool idle, bool *more, struct fail *f)
{
	struct params p;
	struct rows rows;
	const char *due;

	params_init(&p, r->arena);
	params_int(&p, LABELS_MAX);
	if (db_one(r->db, r->arena, STMT_DRIFT_STEP, &p, &rows, f) == -1)
		return -1;
	if (rows_int(&rows, 0, "labels") == LABELS_MAX)
		*more = true;
	due = rows_text(&rows, 0, "due");
	return due != NULL && idle ? check_day(r, due, f) : 0;
}

/* Compute the PSI of each event type for the window that ends with day. */
static int
check_day(struct job_run *r, const char *day, struct fail *f)
{
	const struct score_distribution_days days = { .until = day,
		.days = SCORE_DISTRIBUTION_DAYS,
		.reference = SCORE_DISTRIBUTION_REFERENCE };
	struct drift_notes notes = { .n = 0 };
	struct score_distribution po;
	int type;

	if (score_distribution_read(r->db, r->arena, &days, &po, f) == -1)
		return -1;
	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++)
		add_note(&notes, r->arena, &po, (enum event_type)type);
	return store_day(r, day, &notes, f);
}

static void
add_note(struct drift_notes *notes, struct arena *a,
    const struct score_distribution *po, enum event_type type)
{
	const size_t i = notes->n++;
	double psi;
	struct str s;

	notes->type[i] = event_type_name(type);
	if (!score_distribution_psi(po, type, &psi))
		return;
	str_init(&s, a);
	str_number(&s, psi);
	notes->psi[i] = str_text(&s);
	if (conf.DRIFT_ALERT_PSI > 0 && psi >= conf.DRIFT_ALERT_PSI)
		notes->alert[i] = alert_data(a, po, type, psi);
}

/* Return the data of alert.drift.v1, JSON. */
static const char *
alert_data(struct arena *a, const struct score_distribution *po,
    enum event_type type, double psi)
{
	struct str s;

	str_init(&s, a);
	writer_object(&s, NULL);
	writer_text(&s, "eventType", event_type_name(type));
	writer_number(&s, "psi", drift_round(psi));
	writer_number(&s, "threshold", conf.DRIFT_ALERT_PSI);
	add_window(&s, "window", &po->window, &po->recent[type]);
	add_window(&s, "reference", &po->reference, &po->before[type]);
	writer_end(&s);
	return str_text(&s);
}

static void
add_window(struct str *s, const char *name,
    const struct score_distribution_span *span, const struct drift_scores *ds)
{
	score_distribution_span_json(s, name, span);
	writer_int(s, "decisions", ds->total);
	writer_end(s);
}

/*
 * Store the results of a day and publish its alerts in one transaction.  If
 * another companion has stored the day, do nothing.
 */
static int
store_day(struct job_run *r, const char *day, const struct drift_notes *notes,
    struct fail *f)
{
	char correlation[CRYPT_ID_SIZE];
	struct params p;
	struct rows rows;

	if (r->arena->overflow)
		return fail_memory(f);
	crypt_id("cor_", clock_now(), correlation);
	params_init(&p, r->arena);
	params_text(&p, day);
	params_texts(&p, notes->type, notes->n);
	params_texts(&p, notes->psi, notes->n);
	params_texts(&p, notes->alert, notes->n);
	params_text(&p, correlation);
	if (db_one(r->db, r->arena, STMT_DRIFT_NOTE, &p, &rows, f) == -1)
		return -1;
	log_info("event=drift_checked day=%s alerts=%lld", day,
	    (long long)rows_int(&rows, 0, "alerts"));
	return 0;
}
