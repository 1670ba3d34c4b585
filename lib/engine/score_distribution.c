/* SPDX-License-Identifier: ISC */
/* The distributions of scores in two windows of days, from analytics. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/writer.h"
#include "lib/db/db.h"
#include "lib/engine/score_distribution.h"

static int read_days(struct db *db, struct arena *a,
    const struct score_distribution_days *days, struct score_distribution *ret,
    struct fail *f);
static void add_row(
    struct score_distribution *po, const struct rows *rows, int row);

int
score_distribution_read(struct db *db, struct arena *a,
    const struct score_distribution_days *days, struct score_distribution *ret,
    struct fail *f)
{
	struct params p;
	struct rows rows;
	int row;

	if (read_days(db, a, days, ret, f) == -1)
		return -1;
	params_init(&p, a);
	params_text(&p, "score");
	params_text(&p, ret->window.last);
	params_int(&p, days->days);
	params_int(&p, days->reference);
	if (db_run(db, a, STMT_DRIFT_COUNTS, &p, &rows, f) == -1)
		return -1;
	for (row = 0; row < rows.n; row++)
		add_row(ret, &rows, row);
	return 0;
}

bool
score_distribution_psi(
    const struct score_distribution *po, enum event_type type, double *ret)
{
	int64_t recent[DRIFT_BINS], before[DRIFT_BINS];

	*ret = 0;
	if (!drift_enough(po->recent[type].total, po->before[type].total))
		return false;
	drift_bins(&po->recent[type], recent);
	drift_bins(&po->before[type], before);
	*ret = drift_psi(recent, before, DRIFT_BINS);
	return true;
}

void
score_distribution_span_json(
    struct str *s, const char *name, const struct score_distribution_span *span)
{
	writer_object(s, name);
	writer_text(s, "from", span->first);
	writer_text(s, "to", span->last);
}

/* Compute the two windows with the clock of the database. */
static int
read_days(struct db *db, struct arena *a,
    const struct score_distribution_days *days, struct score_distribution *ret,
    struct fail *f)
{
	struct params p;
	struct rows rows;

	memset(ret, 0, sizeof(*ret));
	ret->days = *days;
	params_init(&p, a);
	params_text(&p, days->until);
	params_int(&p, days->days);
	params_int(&p, days->reference);
	if (db_one(db, a, STMT_DRIFT_DAYS, &p, &rows, f) == -1)
		return -1;
	ret->window.first = rows_text(&rows, 0, "first");
	ret->window.last = rows_text(&rows, 0, "last");
	ret->reference.first = rows_text(&rows, 0, "reference_first");
	ret->reference.last = rows_text(&rows, 0, "reference_last");
	return 0;
}

/* Add the count of one score; skip a type that only a newer program has. */
static void
add_row(struct score_distribution *po, const struct rows *rows, int row)
{
	const enum event_type type =
	    event_type_parse(rows_text(rows, row, "event_type"));
	const int score = (int)strtol(rows_text(rows, row, "name"), NULL, 10);

	if (type == EVENT_TYPE__NONE)
		return;
	drift_add(&po->recent[type], score, rows_int(rows, row, "recent"));
	drift_add(&po->before[type], score, rows_int(rows, row, "reference"));
}
