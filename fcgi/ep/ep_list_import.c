/* SPDX-License-Identifier: ISC */
/* /v1/lists/import: add the rows of a CSV file as entries, all or none. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/list.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/json/list_entry.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/sys/csv.h"

#define ENTRIES_MAX 10000 /* per transaction, well under a second */

/* The rest of a body. */
struct import_source {
	const char *text;
	size_t left;
};

/* The entries for the database, by column. */
struct batch {
	size_t n;
	size_t expired; /* rows that are left out, because they have expired */
	const char *id[ENTRIES_MAX];
	const char *kind[ENTRIES_MAX];
	const char *subject[ENTRIES_MAX];
	const char *value[ENTRIES_MAX];
	const char *reason[ENTRIES_MAX];
	int64_t expires[ENTRIES_MAX];
};

static int read_batch(struct req *req, struct batch **ret);
static void put_entries(struct params *p, const struct batch *b);
static int answer_counts(struct req *req, struct resp *resp, enum stmt stmt,
    const struct params *p, const struct batch *b);
static int add_entry(
    struct req *req, struct batch *b, const struct list_entry_input *en);
static int refuse_line(const struct csv *cs, struct fail *f);
static long read_csv_bytes(void *cookie, char *buf, size_t size);

/*
 * POST /v1/lists/import.  200: how many entries were added, updated and
 * unchanged, and how many rows had expired and were left out: they would end
 * entries that were renewed; 400: a row is wrong, and no entry was changed.
 */
int
list_import(struct req *req, struct resp *resp)
{
	struct params p;
	struct batch *b;

	if (read_batch(req, &b) == -1)
		return -1;
	params_init(&p, req->arena);
	params_texts(&p, b->id, b->n);
	put_entries(&p, b);
	params_text(&p, req->change->author);
	if (answer_counts(req, resp, STMT_LIST_IMPORT, &p, b) == -1)
		return -1;

	/* The audit entry has the counts instead of the whole file. */
	req->change->audited =
	    body_parse(req->arena, resp->body, resp->body_size, &req->fail);
	return req->change->audited == NULL ? -1 : 0;
}

/*
 * POST /v1/lists/import/check.  Change nothing.  200: how many entries the
 * import would add, update and leave unchanged, and how many rows have expired;
 * 400: a row is wrong.
 */
int
list_import_check(struct req *req, struct resp *resp)
{
	struct params p;
	struct batch *b;

	if (read_batch(req, &b) == -1)
		return -1;
	params_init(&p, req->arena);
	put_entries(&p, b);
	return answer_counts(req, resp, STMT_LIST_IMPORT_CHECK, &p, b);
}

/* Append the entries without their ids. */
static void
put_entries(struct params *p, const struct batch *b)
{
	params_texts(p, b->kind, b->n);
	params_texts(p, b->subject, b->n);
	params_texts(p, b->value, b->n);
	params_texts(p, b->reason, b->n);
	params_times(p, b->expires, b->n);
}

/* Run the statement on a batch, and answer with its counts. */
static int
answer_counts(struct req *req, struct resp *resp, enum stmt stmt,
    const struct params *p, const struct batch *b)
{
	int64_t added, updated;
	struct rows rows;
	struct str s;

	if (db_one(req->db, req->arena, stmt, p, &rows, &req->fail) == -1)
		return -1;
	added = rows_int(&rows, 0, "made");
	updated = rows_int(&rows, 0, "changed");
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_int(&s, "added", added);
	writer_int(&s, "updated", updated);
	writer_int(&s, "unchanged", (int64_t)b->n - added - updated);
	writer_int(&s, "expired", (int64_t)b->expired);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/* Read the entries of the body. */
static int
read_batch(struct req *req, struct batch **ret)
{
	struct import_source source = { req->body, req->body_size };
	struct batch *b = arena_alloc(req->arena, sizeof(*b));
	struct csv *cs = arena_alloc(req->arena, sizeof(*cs));
	struct list_entry_columns columns;
	struct list_entry_input en;
	int r;

	if (b == NULL || cs == NULL)
		return fail_memory(&req->fail);
	*ret = b;
	csv_init(cs, read_csv_bytes, &source);
	if (list_entry_header(cs, &columns, &req->fail) == -1)
		return refuse_line(cs, &req->fail);
	while ((r = list_entry_next(cs, &columns, &en, &req->fail)) == 1)
		if (!list_acts(en.expires, clock_now()))
			b->expired++;
		else if (add_entry(req, b, &en) == -1)
			return -1;
	return r == -1 ? refuse_line(cs, &req->fail) : 0;
}

static int
add_entry(struct req *req, struct batch *b, const struct list_entry_input *en)
{
	char id[CRYPT_ID_SIZE];

	if (b->n == ENTRIES_MAX)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "there are more than %d entries; send the rest by itself",
		    ENTRIES_MAX);
	crypt_id("lst_", clock_now(), id);
	b->id[b->n] = arena_strdup(req->arena, id);
	b->kind[b->n] = list_kind_name(en->kind);
	b->subject[b->n] = list_subject_name(en->subject);
	b->value[b->n] = arena_strdup(req->arena, en->value);
	b->reason[b->n] = arena_strdup(req->arena, en->reason);
	b->expires[b->n++] = en->expires;
	if (req->arena->overflow)
		return fail_memory(&req->fail);
	return 0;
}

/* Add the line number to an error, unless csv has done so. */
static int
refuse_line(const struct csv *cs, struct fail *f)
{
	const struct fail why = *f;
	char where[64];

	if (strncmp(why.why, "line ", 5) == 0)
		return -1;
	snprintf(where, sizeof(where), "line %" PRIu64 ":%s%.32s", cs->row_line,
	    why.where[0] == '\0' ? "" : " ", why.where);
	return fail_set(f, why.kind, why.code, where, "%s", why.why);
}

/* Read bytes of the body for csv. */
static long
read_csv_bytes(void *cookie, char *buf, size_t size)
{
	struct import_source *source = cookie;
	const size_t n = size < source->left ? size : source->left;

	memcpy(buf, source->text, n);
	source->text += n;
	source->left -= n;
	return (long)n;
}
