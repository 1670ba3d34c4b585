/* SPDX-License-Identifier: ISC */
/* The velocities that decisions count, in the memory of a worker. */
#include "config.h"

#include <inttypes.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/db/db.h"
#include "lib/engine/velocity_set.h"
#include "lib/sys/log.h"

int
velocity_set_read(struct velocity_set *ret, struct arena *a, struct db *db,
    struct arena *scratch, struct fail *f)
{
	struct counted_velocity *c;
	struct arena_mark mark;
	struct fail why;
	struct rows rows;
	int i;

	ret->n = 0;
	if (db_run(db, scratch, STMT_ENGINE_VELOCITIES, NULL, &rows, f) == -1)
		return -1;
	for (i = 0; i < rows.n && ret->n < VELOCITIES_MAX; i++) {
		why = (struct fail) { .why = "another release wrote it" };
		mark = arena_mark(a);
		c = &ret->list[ret->n];
		*c = (struct counted_velocity) {
			.number = rows_int(&rows, i, "number"),
			.velocity = velocity_compile(
			    a, rows_text(&rows, i, "definition"), &why),
			.counted_since = rows_time(&rows, i, "counted_since"),
			.complete = rows_bool(&rows, i, "complete"),
		};
		if (c->velocity != NULL &&
		    c->velocity->id == rows_int(&rows, i, "id")) {
			ret->n++;
			continue;
		}
		log_warn("event=velocity_unreadable id=%lld why=%s",
		    (long long)rows_int(&rows, i, "id"), why.why);
		arena_rewind(a, mark);
	}
	return 0;
}

bool
velocity_is_known(const struct counted_velocity *c, int64_t now)
{
	return c->complete ||
	    (c->velocity->window != VELOCITY_ALL &&
		now - c->counted_since >= c->velocity->window);
}
