/* SPDX-License-Identifier: ISC */
/* The shadow model in the memory of a worker. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/db/db.h"
#include "lib/engine/candidate_model.h"
#include "lib/json/model_file.h"
#include "lib/sys/log.h"

static void read_it(
    struct candidate_model *c, struct arena *a, const struct rows *r);

int
candidate_model_refresh(struct candidate_model *c, struct db *db,
    struct arena *a, int64_t epoch, struct fail *f)
{
	struct rows rows;

	if (c->epoch == epoch)
		return 0;
	if (db_run(db, a, STMT_ENGINE_CANDIDATE_MODEL, NULL, &rows, f) == -1)
		return -1;
	c->id[0] = '\0';
	if (rows.n > 0)
		read_it(c, a, &rows);
	c->epoch = epoch;
	return 0;
}

/* Read the shadow model; only warn if it cannot be read. */
static void
read_it(struct candidate_model *c, struct arena *a, const struct rows *r)
{
	const char *body = rows_text(r, 0, "body");
	struct model m = *model_bundled();
	struct fail why = { 0 };

	snprintf(c->id, sizeof(c->id), "%s", rows_text(r, 0, "id"));
	c->percent = (int)rows_int(r, 0, "percent");
	c->readable = model_file_read(a, body, strlen(body), &m, &why) == 0;
	if (c->readable) {
		active_model_keep(&c->served, &m, r);
		active_model_warn(&m, c->served.version);
	} else
		log_warn("event=shadow_unreadable id=%s where=%s why=%s", c->id,
		    why.where, why.why);
}
