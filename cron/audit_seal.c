/* SPDX-License-Identifier: ISC */
/* Seal the audit trail, as part of the job "project". */
#include "config.h"

#include <inttypes.h>

#include "cron/audit_seal.h"
#include "lib/db/db.h"
#include "lib/sys/log.h"

#define SEAL_SECONDS 10 /* the shortest time between two seals */

int
audit_seal_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_int(&p, SEAL_SECONDS);
	params_int(&p, AUDIT_SEAL_ENTRIES_MAX);
	if (db_one(r->db, r->arena, STMT_AUDIT_SEAL_NEXT, &p, &rows, f) == -1)
		return -1;
	*ret_more =
	    *ret_more || rows_int(&rows, 0, "sealed") == AUDIT_SEAL_ENTRIES_MAX;
	if (!rows_bool(&rows, 0, "due"))
		return 0;

	/* Log before marking: a kill in between repeats the line. */
	log_info("event=audit_head number=%" PRId64 " hash=%s",
	    rows_int(&rows, 0, "head"), rows_text(&rows, 0, "head_hash"));
	return db_run(r->db, r->arena, STMT_AUDIT_MARK_LOGGED, NULL, NULL, f);
}
