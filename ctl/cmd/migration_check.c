/* SPDX-License-Identifier: ISC */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "ctl/cmd/migration.h"
#include "ctl/ctl.h"
#include "lib/db/db.h"

#include "ctl/cmd/migration_check.h"

#define LOCKS "-- locks: "
#define WORD_SIZE 64
#define MB 1000000
#define SAFE_MS 1000 /* decisions wait 1500 ms for a lock */

#define SQL_WAIT "set lock_timeout = '10s'"
#define SQL_SIZE                                                               \
	"select coalesce((select sum(pg_table_size(p.relid)) "                 \
	"from pg_partition_tree(c.oid) p), pg_table_size(c.oid))::bigint "     \
	"as bytes from pg_class c join pg_namespace n "                        \
	"on n.oid = c.relnamespace "                                           \
	"where n.nspname = 'assay' and c.relname = $1::text "                  \
	"and c.relkind not in ('i', 'I')"

/* What waits for a lock, by its word in a file. */
static const struct {
	const char *word;
	const char *text;
} blocks[] = {
	{ "all", "blocks reads and writes" }, { "writes", "blocks writes" },
	{ "rows", "blocks writes of the rows that it changes" },
	{ "nothing", "blocks nothing" }, /* the last one */
};

/*
 * The work under a lock, by its word in a file: how many MB of the table a
 * server with a slow disk does in a second, 0 if the size does not matter.
 */
static const struct {
	const char *word;
	const char *text;
	int64_t rate;
} works[] = {
	{ "moment", "for a moment", 0 },
	{ "scan", "while it reads the table", 100 },
	{ "index", "while it builds an index", 30 },
	{ "rewrite", "while it copies the table", 15 },
	{ "rows", "while it changes rows", 5 },
};

/* What the lines of one file say together. */
struct lock_sum {
	const struct migration *m;
	size_t lines;
	int64_t ms; /* locks are held until the transaction ends */
	bool blocking;
	bool breaking; /* older programs refuse the database afterwards */
};

static int check_pending(const struct migration *m, struct db *db,
    struct arena *a, bool *safe, struct fail *f);
static int check_line(struct lock_sum *sum, const char *line, struct db *db,
    struct arena *a, struct fail *f);
static int check_locked(struct lock_sum *sum, const char *text, struct db *db,
    struct arena *a, struct fail *f);

int
migration_check(const struct migration_set *set, struct db *db, struct arena *a,
    struct fail *f)
{
	const struct migration *m = set->file;
	bool safe = true, pending = false;

	if (set->n_applied == 0) {
		puts("creates the schema; no program waits");
		return EX_OK;
	}
	if (db_script(db, SQL_WAIT, f) == -1)
		return -1;
	for (; m < set->file + set->n_files; m++) {
		if (migration_row(set, m) != NULL)
			continue;
		pending = true;
		puts(m->name);
		if (check_pending(m, db, a, &safe, f) == -1)
			return -1;
	}
	if (!pending)
		puts("no migration is pending");
	puts("functions and rights: nothing waits, but for a moment if a "
	     "trigger is new");
	if (safe)
		return EX_OK;
	ctl_say("migrate: not safe: decisions that wait longer than 1.5 s get "
		"their onError verdict; migrate at a quiet time, or stop the "
		"pools first");
	return EX_DATAERR;
}

/* Print what one file locks, and whether decisions and older programs can go
 * on. */
static int
check_pending(const struct migration *m, struct db *db, struct arena *a,
    bool *safe, struct fail *f)
{
	struct lock_sum sum = { .m = m };
	const char *line, *text = m->text;
	size_t len;

	for (; *text != '\0'; text += len, text += *text == '\n') {
		len = strcspn(text, "\n");
		if ((line = arena_strndup(a, text, len)) == NULL)
			return fail_memory(f);
		if (check_line(&sum, line, db, a, f) == -1)
			return -1;
	}
	if (sum.lines == 0)
		puts("    does not say what it locks: not safe");
	else if (sum.blocking && sum.ms > SAFE_MS)
		printf(
		    "    not safe: decisions may wait for up to about %" PRId64
		    " s\n",
		    sum.ms / 1000 + 1);
	if (sum.breaking)
		puts("    older programs refuse the database afterwards: "
		     "restart all pools at once");
	*safe = *safe && sum.lines > 0 && !(sum.blocking && sum.ms > SAFE_MS);
	return 0;
}

static int
check_line(struct lock_sum *sum, const char *line, struct db *db,
    struct arena *a, struct fail *f)
{
	line += strspn(line, " \t");
	if (strncmp(line, "--", 2) != 0) {
		sum->breaking =
		    sum->breaking || strstr(line, "required_migration") != NULL;
		return 0;
	}
	if (strncmp(line, LOCKS, strlen(LOCKS)) != 0)
		return 0;
	sum->lines++;
	return check_locked(sum, line + strlen(LOCKS), db, a, f);
}

/* Print in words what a line says: TABLE BLOCKS WORK, or "nothing". */
static int
check_locked(struct lock_sum *sum, const char *text, struct db *db,
    struct arena *a, struct fail *f)
{
	char table[WORD_SIZE], blocked[WORD_SIZE], work[WORD_SIZE], more;
	struct params p;
	struct rows rows;
	int64_t bytes, ms;
	size_t b, w;
	int n;

	n = sscanf(text, "%63s %63s %63s %c", table, blocked, work, &more);
	if (n == 1 && strcmp(table, "nothing") == 0) {
		puts("    locks no table that is there");
		return 0;
	}
	for (b = 0; n == 3 && b < nitems(blocks); b++)
		if (strcmp(blocks[b].word, blocked) == 0)
			break;
	for (w = 0; n == 3 && w < nitems(works); w++)
		if (strcmp(works[w].word, work) == 0)
			break;
	if (n != 3 || b == nitems(blocks) || w == nitems(works) ||
	    strchr(table, '.') != NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, sum->m->path,
		    "has a line '" LOCKS "' that is not TABLE BLOCKS WORK");

	params_init(&p, a);
	params_text(&p, table);
	if (db_query(db, a, SQL_SIZE, &p, &rows, f) == -1)
		return -1;
	if (rows.n == 0) { /* another pending migration makes it */
		printf("    %s: is not there yet\n", table);
		return 0;
	}
	bytes = rows_int(&rows, 0, "bytes");
	ms = works[w].rate == 0 ? 0 : bytes / (MB / 1000) / works[w].rate;
	printf("    %s: %s %s", table, blocks[b].text, works[w].text);
	if (works[w].rate > 0)
		printf(", %" PRId64 " MB, up to about %" PRId64 " s",
		    bytes / MB, ms / 1000 + 1);
	putchar('\n');
	sum->ms += ms;
	sum->blocking = sum->blocking || b < nitems(blocks) - 1;
	return 0;
}
