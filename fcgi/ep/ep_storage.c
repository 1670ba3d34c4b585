/* SPDX-License-Identifier: ISC */
/* /v1/config/storage: the size of stored data, and the free space of disks. */
#include "config.h"

#include "core/base/str.h"
#include "core/base/writer.h"
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
static void put_component(
    struct str *s, const char *name, const char *kind, int64_t bytes);

/*
 * GET /v1/config/storage.  200: the report; the counts of rows are estimates.
 */
int
storage_get(struct req *req, struct resp *resp)
{
	struct db *db = req->db;
	struct active_model active;
	struct rows size, rows;
	struct str s;
	int64_t database, model;

	active_model_init(&active);
	if (active_model_refresh(&active, db, req->arena, 1, &req->fail) ==
		-1 ||
	    db_one(db, req->arena, STMT_STORAGE_BYTES, NULL, &size,
		&req->fail) == -1 ||
	    db_run(db, req->arena, STMT_STORAGE_ROWS, NULL, &rows,
		&req->fail) == -1)
		return -1;
	database = rows_int(&size, 0, "bytes");
	str_init(&s, req->arena);
	model = (int64_t)model_size(&active.model);
	writer_object(&s, NULL);
	writer_int(&s, "totalBytes", database + model);
	put_collections(&s, &rows);
	put_disks(&s);
	writer_array(&s, "components");
	put_component(&s, "postgresql", "database", database);
	put_component(&s, active.model.source, "model", model);
	writer_end(&s);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

static void
put_collections(struct str *s, const struct rows *rows)
{
	int i;

	writer_array(s, "collections");
	for (i = 0; i < rows->n; i++) {
		writer_object(s, NULL);
		writer_text(s, "name", rows_text(rows, i, "name"));
		writer_int(s, "rows", rows_int(rows, i, "rows"));
		writer_end(s);
	}
	writer_end(s);
}

static void
put_disks(struct str *s)
{
	struct disk disk[DISK_MAX];
	const size_t n = disk_read(conf.DISK_HEALTH_PATHS, disk);
	size_t i;

	writer_array(s, "disks");
	for (i = 0; i < n; i++) {
		writer_object(s, NULL);
		writer_text(s, "path", disk[i].path);
		writer_int(s, "totalBytes", disk[i].total);
		writer_int(s, "freeBytes", disk[i].free);
		writer_int(s, "usedBytes", disk[i].used);
		writer_name(s, "usedPercent");
		str_addf(s, "%.1f", 100 * disk_ratio(&disk[i]));
		writer_end(s);
	}
	writer_end(s);
}

static void
put_component(struct str *s, const char *name, const char *kind, int64_t bytes)
{
	writer_object(s, NULL);
	writer_text(s, "name", name);
	writer_text(s, "kind", kind);
	writer_int(s, "bytes", bytes);
	writer_end(s);
}
