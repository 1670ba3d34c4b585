/* SPDX-License-Identifier: ISC */
/* Erase what is stored of a user, in short transactions. */
#include "config.h"

#include "lib/db/db.h"
#include "lib/retention/user_erasure.h"
#include "lib/txn/txn.h"

#define BATCH 1000 /* links or rows per transaction */

int
user_erasure_identity(struct user_erasure *er, struct db *db, struct arena *a,
    const char *user, bool *ret_more, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, a);
	params_int(&p, txn_lock_key(user));
	params_text(&p, user);
	params_int(&p, BATCH);
	if (db_one(db, a, STMT_ERASE_IDENTITY, &p, &rows, f) == -1)
		return -1;
	*ret_more = rows_bool(&rows, 0, "more");
	er->graph |= rows_bool(&rows, 0, "graph");
	er->baseline |= rows_bool(&rows, 0, "baseline");
	er->until = rows_time(&rows, 0, "until");
	return 0;
}

int
user_erasure_details(struct user_erasure *er, struct db *db, struct arena *a,
    const char *user, bool *ret_more, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, a);
	params_text(&p, user);
	params_time(&p, er->until);
	params_int(&p, BATCH);
	if (db_one(db, a, STMT_ERASE_DETAILS, &p, &rows, f) == -1)
		return -1;
	*ret_more = rows_bool(&rows, 0, "more");
	er->requests += rows_int(&rows, 0, "requests");
	er->samples += rows_int(&rows, 0, "samples");
	return 0;
}
