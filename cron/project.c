/* SPDX-License-Identifier: ISC */
/* The job "project": count for analytics, match labels with decisions. */
#include "config.h"

#include "core/fail.h"
#include "cron/steps.h"
#include "lib/db.h"

#define COUNT_MAX 1000 /* transactions whose decisions one step counts */
#define LABELS_MAX 20 /* labels that one step looks for decisions of */

enum { COUNT_DECISIONS, COUNT_LABELS };

/* What is counted, and what is matched, commits by itself. */
int
project_step(struct run *r, bool *ret_more, struct fail *f)
{
	struct params p;
	struct rows rows;
	int64_t looked;

	params_init(&p, r->arena);
	params_int(&p, COUNT_MAX);
	if (db_one(r->db, r->arena, STMT_ANALYTICS_PROJECT, &p, &rows, f) == -1)
		return -1;
	r->count[COUNT_DECISIONS] += rows_get_int(&rows, "counted");
	*ret_more = rows_get_bool(&rows, "more");

	params_init(&p, r->arena);
	params_int(&p, LABELS_MAX);
	if (db_one(r->db, r->arena, STMT_LABELS_MATCH, &p, &rows, f) == -1)
		return -1;
	looked = rows_get_int(&rows, "looked");
	r->count[COUNT_LABELS] += looked;
	*ret_more = *ret_more || looked == LABELS_MAX;
	return 0;
}
