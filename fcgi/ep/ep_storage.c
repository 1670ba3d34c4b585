/* SPDX-License-Identifier: ISC */
/* /v1/config/storage: the size of stored data, and the free space of disks. */
#include "config.h"

#include <inttypes.h>

#include "core/base/str.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/active_model.h"
#include "lib/sys/disk.h"

static void put_collections(struct str *s, const struct rows *rows);
static void put_disks(struct str *s);
static void put_components(
    struct str *s, int64_t database, const struct model *model);

/*
 * GET /v1/config/storage.  200: the report; the counts of rows are estimates.
 */
int
storage_get(struct req *req, struct resp *resp)
{
	struct db *db = req->worker->db;
	struct active_model active;
	struct rows size, rows;
	struct str s;
	int64_t database;

	active_model_init(&active);
	if (active_model_refresh(&active, db, req->arena, 1, &req->fail) ==
		-1 ||
	    db_one(db, req->arena, STMT_STORAGE_BYTES, NULL, &size,
		&req->fail) == -1 ||
	    db_run(db, req->arena, STMT_STORAGE_ROWS, NULL, &rows,
		&req->fail) == -1)
		return -1;
	database = rows_get_int(&size, "bytes");
	str_init(&s, req->arena);
	str_addf(&s, "{\"totalBytes\":%" PRId64 ",",
	    database + (int64_t)model_size(&active.model));
	put_collections(&s, &rows);
	put_disks(&s);
	put_components(&s, database, &active.model);
	str_addc(&s, '}');
	return resp_json(req, resp, 200, str_text(&s));
}

static void
put_collections(struct str *s, const struct rows *rows)
{
	int i;

	str_add(s, "\"collections\":[");
	for (i = 0; i < rows->n; i++)
		str_addf(s, "%s{\"name\":\"%s\",\"rows\":%" PRId64 "}",
		    i == 0 ? "" : ",",
		    rows_text(rows, i, rows_col(rows, "name")),
		    rows_int(rows, i, rows_col(rows, "rows")));
	str_add(s, "],");
}

static void
put_disks(struct str *s)
{
	struct disk disk[DISK_MAX];
	const size_t n = disk_read(conf.DISK_HEALTH_PATHS, disk);
	size_t i;

	str_add(s, "\"disks\":[");
	for (i = 0; i < n; i++) {
		str_add(s, i == 0 ? "{\"path\":" : ",{\"path\":");
		str_json(s, disk[i].path);
		str_addf(s,
		    ",\"totalBytes\":%" PRId64 ",\"freeBytes\":%" PRId64
		    ",\"usedBytes\":%" PRId64 ",\"usedPercent\":%.1f}",
		    disk[i].total, disk[i].free, disk[i].used,
		    100 * disk_ratio(&disk[i]));
	}
	str_add(s, "],");
}

static void
put_components(struct str *s, int64_t database, const struct model *model)
{
	str_addf(s,
	    "\"components\":[{\"name\":\"postgresql\",\"kind\":\"database\","
	    "\"bytes\":%" PRId64 "},"
	    "{\"name\":\"%s\",\"kind\":\"model\",\"bytes\":%zu}]",
	    database, model->source, model_size(model));
}
