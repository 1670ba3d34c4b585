/* SPDX-License-Identifier: ISC */
/*
 * The job "train": train a challenger of the active model, test both on the
 * newest week whose labels have arrived, and let a better one decide as a
 * shadow.  To promote it is a person's act.
 */
#include "config.h"

#include <poll.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "cron/jobs.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/active_model.h"
#include "lib/json/model_file.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"
#include "lib/train/train.h"
#include "lib/train/train_card.h"

#define ROWS_MAX ((size_t)5000000) /* samples, of some 450 bytes of memory */
/* Pauses of a job that runs on: after a training, or if it could not read. */
#define TRAIN_PAUSE (24 * 3600 * CLOCK_SECOND)
#define READ_PAUSE (600 * CLOCK_SECOND)
#define TRAIN_TIME (28 * TRAIN_DAY)
#define TEST_TIME (7 * TRAIN_DAY)
#define STORE_TIME (600 * CLOCK_SECOND) /* to store a challenger, at most */
#define STORE_PAUSE 1000 /* milliseconds between attempts */
#define SHADOW_DAYS 14 /* whose labels arrive before another challenger */
#define HASH_SIZE (2 * CRYPT_SHA256_SIZE + 1)

enum { COUNT_TRAINED, COUNT_BETTER };

/* A training of this process; it has only one. */
static struct {
	struct job_run *run;
	const struct train_table *table; /* that is read now */
	int64_t due; /* clock_ticks() of the next training */
	bool begun; /* the samples were read */
	struct active_model champion;
	struct trained result;
} training_job;

static int train_challenger(
    struct job_run *r, struct train_table *tb, struct fail *f);
static const char *reason_to_skip(
    const struct train_table *tb, const struct plan *pl);
static int judge_challenger(struct job_run *r, const struct train_table *tb,
    const struct plan *pl, struct fail *f);
static const char *figure_text(struct arena *a, double figure);
static int start_challenger(struct job_run *r, const struct train_table *tb,
    const struct plan *pl, const char *text, const char *hash, struct fail *f);
static bool stop_training(void);
static bool stop_samples(int64_t done, int64_t of);
static void say_nothing(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

int
job_train_check(struct fail *f)
{
	const int64_t need =
	    (TRAIN_TIME + TEST_TIME) / TRAIN_DAY + 2 * conf.LABEL_DELAY_DAYS;

	if (conf.RETENTION_REPLAY_DAYS == 0 ||
	    conf.RETENTION_REPLAY_DAYS >= need)
		return 0;
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "RETENTION_REPLAY_DAYS",
	    "must be 0 or at least %lld, to train with this LABEL_DELAY_DAYS",
	    (long long)need);
}

int
job_train_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	const int64_t delay = conf.LABEL_DELAY_DAYS * TRAIN_DAY;
	struct train_table tb = { .keep.to = INT64_MAX };
	int result;

	*ret_more = false;
	if (r->until != 0 && clock_ticks() < training_job.due)
		return 0;
	tb.keep.from = clock_now() - 2 * delay - TRAIN_TIME - TEST_TIME;
	training_job.run = r;
	training_job.table = &tb;
	training_job.begun = false;
	result = train_challenger(r, &tb, f);
	train_table_clear(&tb);
	if (result == -1 && f->kind == FAIL_INPUT) {
		log_info("event=train_skipped why=%s", f->why);
		result = 0;
	}
	training_job.due = clock_ticks() +
	    (result == 0 || training_job.begun ? TRAIN_PAUSE : READ_PAUSE);
	return job_must_stop(r) ? 0 : result;
}

/* Train and test a challenger.  FAIL_INPUT says why that is not possible. */
static int
train_challenger(struct job_run *r, struct train_table *tb, struct fail *f)
{
	const struct train_wanted all = { .since = INT64_MIN };
	struct active_model *const champion = &training_job.champion;
	struct plan pl = {
		.delay = conf.LABEL_DELAY_DAYS * TRAIN_DAY,
		.days = TRAIN_TIME,
		.test = TEST_TIME,
		.champion = &champion->model,
		.stop = stop_training,
	};
	const char *why;
	uint64_t unread;

	active_model_init(champion);
	if (active_model_refresh(champion, r->db, r->arena, 1, f) == -1)
		return -1;
	if (train_samples_read(
		tb, r->db, &all, r->arena, stop_samples, &unread, f) == -1)
		return tb->n > ROWS_MAX
		    ? fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
			  "there are more than %zu samples; 'assayctl train' "
			  "has options to read fewer",
			  ROWS_MAX)
		    : -1;
	pl.until = train_known_until(tb, &pl) - TEST_TIME;
	if ((why = reason_to_skip(tb, &pl)) != NULL)
		return fail_set(
		    f, FAIL_INPUT, INVALID_REQUEST, NULL, "%s", why);
	if (train_model(
		tb, &pl, r->arena, say_nothing, &training_job.result, f) == -1)
		return -1;
	r->count[COUNT_TRAINED]++;
	return judge_challenger(r, tb, &pl, f);
}

/* Return why a training would not be fair or of use, or NULL. */
static const char *
reason_to_skip(const struct train_table *tb, const struct plan *pl)
{
	if (pl->until - pl->delay <= tb->first)
		return "the samples are not old enough to train and test on; "
		       "RETENTION_REPLAY_DAYS says how long they are kept";
	if (train_champion_is_newer(pl))
		return "the active model may know events of the newest week "
		       "whose labels have arrived";
	return NULL;
}

/* Log how the challenger compares; begin it as a shadow if it is better. */
static int
judge_challenger(struct job_run *r, const struct train_table *tb,
    const struct plan *pl, struct fail *f)
{
	static const char *const results[] = { [TRAIN_GAIN_UNSURE] = "unsure",
		[TRAIN_GAIN_BETTER] = "better",
		[TRAIN_GAIN_WORSE] = "worse" };
	struct trained *const tr = &training_job.result;
	const double own = tr->tr_measured[EVAL_AVERAGE_PRECISION];
	const struct eval_bounds *gain = &tr->tr_gain[EVAL_AVERAGE_PRECISION];
	const enum train_gain result = train_compare(tr);
	uint8_t digest[CRYPT_SHA256_SIZE];
	char until[CLOCK_TEXT_SIZE], hash[HASH_SIZE];
	struct model read = { 0 };
	const char *text;
	struct str s;

	clock_text(pl->until, until);
	tr->tr_model.trained_at = until;
	str_init(&s, r->arena);
	model_file_json(&s, &tr->tr_model);
	if ((text = str_text(&s)) == NULL)
		return fail_memory(f);
	if (model_file_read(r->arena, text, strlen(text), &read, f) == -1)
		return -1;
	crypt_sha256(text, strlen(text), digest);
	crypt_hex(digest, sizeof(digest), hash);
	log_info("event=model_trained hash=%s until=%s champion=%s "
		 "precision=%s gain=%s low=%s high=%s result=%s",
	    hash, until, pl->champion->version, figure_text(r->arena, own),
	    figure_text(
		r->arena, own - tr->tr_champion[EVAL_AVERAGE_PRECISION]),
	    figure_text(r->arena, gain->low), figure_text(r->arena, gain->high),
	    results[result]);
	if (result != TRAIN_GAIN_BETTER)
		return 0;
	r->count[COUNT_BETTER]++;
	if (tr->tr_swing <= MODEL_REACH_MAX)
		return start_challenger(r, tb, pl, text, hash, f);
	log_warn("event=challenger_refused hash=%s where=%s why=the feature "
		 "moves the log odds of the test by %.1f, more than %d",
	    hash, feature_name(tr->tr_swing_of), tr->tr_swing, MODEL_REACH_MAX);
	return 0;
}

/* A figure with four decimals, as the card has it. */
static const char *
figure_text(struct arena *a, double figure)
{
	struct str s;

	str_init(&s, a);
	str_addf(&s, "%.4f", figure);
	return str_text(&s);
}

/* Store it; a repeated attempt finds that it is there already. */
static int
start_challenger(struct job_run *r, const struct train_table *tb,
    const struct plan *pl, const char *text, const char *hash, struct fail *f)
{
	const int64_t until = clock_ticks() + STORE_TIME;
	char id[CRYPT_ID_SIZE];
	struct params p;
	struct rows rows;
	struct str card;

	str_init(&card, r->arena);
	train_card(&card, tb, pl, &training_job.result, hash);
	if (str_text(&card) == NULL)
		return fail_memory(f);
	crypt_id("shd_", clock_now(), id);
	params_init(&p, r->arena);
	params_text(&p, hash);
	params_text(&p, text);
	params_text(&p, str_text(&card));
	params_text(&p, id);
	params_int(&p, conf.LABEL_DELAY_DAYS + SHADOW_DAYS);

	/* The session may have ended while the job trained. */
	while (db_ready(r->db, f) == -1 ||
	    db_one(r->db, r->arena, STMT_SHADOW_CHALLENGE, &p, &rows, f) ==
		-1) {
		if (job_must_stop(r) || clock_ticks() > until)
			return -1;
		poll(NULL, 0, STORE_PAUSE);
	}
	log_info("event=challenger_shadow hash=%s outcome=%s", hash,
	    rows_text(&rows, 0, "outcome"));
	return 0;
}

static bool
stop_training(void)
{
	return job_must_stop(training_job.run);
}

static bool
stop_samples(int64_t done, int64_t of)
{
	(void)done;
	(void)of;
	return stop_training() || training_job.table->n > ROWS_MAX;
}

static void
say_nothing(const char *fmt, ...)
{
	(void)fmt;
}
