/* SPDX-License-Identifier: ISC */
/* assayctl migrate: bring any database to the schema of this program. */
#include "config.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/policy.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "ctl/cmd/audit_entry.h"
#include "ctl/cmd/erasure_list.h"
#include "ctl/cmd/migration.h"
#include "ctl/cmd/migration_check.h"
#include "ctl/ctl.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define ARENA_SIZE ((size_t)256 << 20) /* mostly untouched */
#define FILE_SIZE ((size_t)4 << 20) /* of one file of SQL */
#define PATH_SIZE 4096
#define MONTHS_AHEAD 24
#define RETRY_PAUSE 1000 /* ms between attempts to get a lock */
#define WAIT_DEFAULT 300 /* seconds to wait for locks and other migrates */
#define WAIT_MAX 86400

/* Statements that run before the named statements can be prepared. */
#define SQL_LOCK                                                               \
	"select pg_try_advisory_lock(hashtextextended('assay.migrate', 0)) "   \
	"as mine"
#define SQL_BOOTSTRAP                                                          \
	"set search_path = pg_catalog, pg_temp;"                               \
	"set client_min_messages = warning;"                                   \
	"set lock_timeout = '100ms';"                                          \
	"create schema if not exists assay;"                                   \
	"create table if not exists assay.migration ("                         \
	"number bigint primary key, name text not null, "                      \
	"checksum text not null, "                                             \
	"applied_at timestamptz not null default clock_timestamp())"
#define SQL_RECORD                                                             \
	"insert into assay.migration (number, name, checksum) "                \
	"values ($1::bigint, $2::text, $3::text)"
/* Whether the functions have this checksum and the roles exist. */
#define SQL_SAME                                                               \
	"select (select functions = $1::text from assay.schema_state) "        \
	"and (select count(*) = 4 from pg_roles where rolname in ("            \
	"'assay_decide', 'assay_operator', 'assay_companion', "                \
	"'assay_retain')) as same"
#define SQL_SAME_NOW "update assay.schema_state set functions = $1::text"
#define SQL_RESTORED "select assay.log_restored() as restored"
#define SQL_REBASE "select assay.log_rebase() as moved"

/* The state of a run. */
struct migrate_work {
	struct arena arena;
	struct db *db; /* without named statements; holds the lock */
	const char *dir;
	struct migration_set set;
	unsigned done; /* changes that were made */
	bool logging; /* also apply logging.sql */
	bool again; /* replace functions and grants even if unchanged */
	char moved[24]; /* result of assay.log_rebase() if above 0, else "" */
	struct erasure_list erased; /* to repeat; without a file: none */
	bool waited; /* the message about waiting has been printed */
	int64_t until; /* clock_ticks() when waiting ends */
};

/* A kind of seed: rules or policies.  Each event type gets one of both. */
struct seed_kind {
	const char *folder;
	const char *suffix;
	const char *version;
	enum stmt missing;
	enum stmt add;
	int (*read)(struct migrate_work *, const char *, struct params *,
	    struct fail *);
};

static int show_status(struct migrate_work *w);
static void report_gaps(const struct migrate_work *w);
static int show_check(struct migrate_work *w);
static int run_work(
    struct migrate_work *w, int (*show)(struct migrate_work *), struct fail *f);
static int apply_schema(struct migrate_work *w, struct fail *f);
static int note_migration(
    struct migrate_work *w, struct db *db, struct fail *f);
static int note_restore(struct migrate_work *w, struct db *db, struct fail *f);
static int repeat_erasures(
    struct migrate_work *w, struct db *db, struct fail *f);
static int take_migrate_lock(struct migrate_work *w, struct fail *f);
static int apply_all(struct migrate_work *w, struct fail *f);
static int apply_file(
    struct migrate_work *w, const struct migration *m, struct fail *f);
static int load_functions(struct migrate_work *w, struct fail *f);
static int make_functions(struct migrate_work *w, const char **paths, size_t n,
    const struct params *p, struct fail *f);
static int sum_functions(struct migrate_work *w, const char **paths, size_t n,
    char *ret, struct fail *f);
static int restore_log_order(struct migrate_work *w, struct fail *f);
static int set_logging(struct migrate_work *w, struct fail *f);
static bool can_retry(struct migrate_work *w, struct fail *f);
static bool has_time(struct migrate_work *w, struct fail *f);
static int seed_all_types(
    struct migrate_work *w, struct db *db, struct fail *f);
static int seed_type(struct migrate_work *w, struct db *db, const char *type,
    const struct seed_kind *kind, struct fail *f);
static int read_rules(
    struct migrate_work *w, const char *path, struct params *p, struct fail *f);
static int read_policy_file(
    struct migrate_work *w, const char *path, struct params *p, struct fail *f);
static int make_partitions(
    struct migrate_work *w, struct db *db, struct fail *f);
static int run_file(struct migrate_work *w, const char *path, struct fail *f);

static const struct seed_kind rules = { "rules", "rule", SEED_VERSION,
	STMT_RULESET_MISSING, STMT_RULESET_SEED, read_rules };
static const struct seed_kind policies = { "policies", "json", "v0.4.0",
	STMT_POLICY_MISSING, STMT_POLICY_SEED, read_policy_file };

int
migrate(const struct command *cmd, int argc, char **argv)
{
	static struct migrate_work w;
	char *dir = NULL;
	bool check = false, status = false;
	int64_t wait = WAIT_DEFAULT;
	const struct opt opts[] = {
		{ .name = "again",
		    .help = "replace functions and grants even if they are the "
			    "same",
		    .type = OPT_FLAG,
		    .ret = &w.again },
		{ .name = "check",
		    .help = "only print what would be done and how long it "
			    "holds up decisions",
		    .type = OPT_FLAG,
		    .ret = &check },
		{ .name = "sql",
		    .arg = "DIR",
		    .help =
			"take the SQL from DIR, not from " PKGDATADIR "/sql",
		    .type = OPT_TEXT,
		    .ret = &dir },
		{ .name = "status",
		    .help = "only print what is applied and what is pending",
		    .type = OPT_FLAG,
		    .ret = &status },
		{ .name = "wait",
		    .arg = "SECONDS",
		    .help = "wait at most SECONDS for other sessions; default "
			    "300",
		    .type = OPT_NUMBER,
		    .min = 0,
		    .max = WAIT_MAX,
		    .ret = &wait },
	};
	struct fail f = { 0 };

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 0, 0 }, argc, argv);
	w.dir = dir == NULL ? PKGDATADIR "/sql" : dir;
	w.until = clock_ticks() + wait * CLOCK_SECOND;
	if (check && status)
		opt_usage(cmd, "--check and --status cannot be given together");
	return run_work(&w,
	    check	 ? show_check
		: status ? show_status
			 : NULL,
	    &f);
}

int
migrate_restored(const struct command *cmd, int argc, char **argv)
{
	static struct migrate_work w = { .again = true };
	char *dir = NULL, *erased = NULL;
	const struct opt opts[] = {
		{ .name = "erased",
		    .arg = "LOG",
		    .help = "erase again the users whose erasure LOG names",
		    .type = OPT_TEXT,
		    .ret = &erased },
		{ .name = "sql",
		    .arg = "DIR",
		    .help =
			"take the SQL from DIR, not from " PKGDATADIR "/sql",
		    .type = OPT_TEXT,
		    .ret = &dir },
	};
	struct fail f = { 0 };
	int ret;

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 0, 0 }, argc, argv);
	w.dir = dir == NULL ? PKGDATADIR "/sql" : dir;
	w.until = clock_ticks() + WAIT_DEFAULT * CLOCK_SECOND;
	w.logging = true;
	if (erased != NULL && erasure_list_open(&w.erased, erased, &f) == -1)
		return ctl_failed("restored", &f);
	ret = run_work(&w, NULL, &f);
	erasure_list_close(&w.erased);
	return ret;
}

/* Do the work, or only show something. */
static int
run_work(
    struct migrate_work *w, int (*show)(struct migrate_work *), struct fail *f)
{
	const char *url = ctl_database_url();
	int ret = EX_OK;

	if (url == NULL)
		return EX_CONFIG;
	ctl_arena(&w->arena, ARENA_SIZE);
	if (migration_files(&w->arena, w->dir, &w->set, f) == -1)
		ret = ctl_failed("migrate", f);
	else if ((w->db = db_open(url, "assayctl migrate", 0, 0, f)) == NULL)
		ret = ctl_failed("migrate", f);
	else if (show != NULL)
		ret = show(w);
	else if (apply_schema(w, f) == -1)
		ret = ctl_failed("migrate", f);
	else if (w->done == 0)
		printf("up to date\n");
	else
		report_gaps(w);
	db_close(w->db);
	ctl_arena_free(&w->arena);
	return ret;
}

/* Print each migration and when it was applied; change nothing. */
static int
show_status(struct migrate_work *w)
{
	char at[CLOCK_TEXT_SIZE];
	const struct migration *row;
	struct fail f = { 0 };
	size_t i;

	if (migration_applied(&w->arena, w->db, &w->set, &f) == -1)
		return ctl_failed("migrate", &f);
	for (i = 0; i < w->set.n_files; i++) {
		row = migration_row(&w->set, &w->set.file[i]);
		if (row != NULL)
			clock_text(row->applied_at, at);
		printf("%-32s %s\n", w->set.file[i].name,
		    row != NULL ? at : "pending");
	}
	report_gaps(w);
	return EX_OK;
}

/* Print what the pending migrations hold up; change nothing. */
static int
show_check(struct migrate_work *w)
{
	struct fail f = { 0 };
	int ret;

	if (migration_applied(&w->arena, w->db, &w->set, &f) == -1 ||
	    (ret = migration_check(&w->set, w->db, &w->arena, &f)) == -1)
		return ctl_failed("migrate", &f);
	return ret;
}

/* If numbers are missing, print that no file is lost. */
static void
report_gaps(const struct migrate_work *w)
{
	if (w->set.n_files > 0 &&
	    (size_t)w->set.file[w->set.n_files - 1].number != w->set.n_files)
		printf("%zu migrations; the missing numbers were never used\n",
		    w->set.n_files);
}

/* Do all steps in order, under the lock. */
static int
apply_schema(struct migrate_work *w, struct fail *f)
{
	struct arena_mark mark;
	struct db *db;
	int r;

	if (take_migrate_lock(w, f) == -1 ||
	    db_script(w->db, SQL_BOOTSTRAP, f) == -1 ||
	    migration_applied(&w->arena, w->db, &w->set, f) == -1 ||
	    apply_all(w, f) == -1)
		return -1;
	mark = arena_mark(&w->arena);
	while (load_functions(w, f) == -1) {
		if (!can_retry(w, f))
			return -1;
		arena_rewind(&w->arena, mark);
	}
	while (restore_log_order(w, f) == -1)
		if (!can_retry(w, f))
			return -1;
	if (w->logging && set_logging(w, f) == -1)
		return -1;

	/* This also checks that every named statement can be prepared. */
	db =
	    db_open(ctl_database_url(), "assayctl migrate", 0, STMT_SESSION, f);
	if (db == NULL)
		return -1;
	r = seed_all_types(w, db, f) == -1 || make_partitions(w, db, f) == -1 ||
		note_migration(w, db, f) == -1 ||
		note_restore(w, db, f) == -1 || repeat_erasures(w, db, f) == -1
	    ? -1
	    : 0;
	db_close(db);
	return r;
}

/* Add an audit entry if the database existed and migrations were applied. */
static int
note_migration(struct migrate_work *w, struct db *db, struct fail *f)
{
	struct audit_entry_param noted[2];

	if (w->set.n_applied == 0 || w->set.n_applied == w->set.n_files)
		return 0;
	noted[0].name = "from";
	noted[0].text = w->set.applied[w->set.n_applied - 1].name;
	noted[1].name = "to";
	noted[1].text = w->set.file[w->set.n_files - 1].name;
	if (audit_entry_begin(db, &w->arena, f) == -1)
		return -1;
	return audit_entry_commit(
	    db, &w->arena, "migrate", noted, nitems(noted), f);
}

/* Add an audit entry if the log was rebased after a restore. */
static int
note_restore(struct migrate_work *w, struct db *db, struct fail *f)
{
	struct audit_entry_param noted = { .name = "moved", .text = w->moved };

	if (w->moved[0] == '\0')
		return 0;
	if (audit_entry_begin(db, &w->arena, f) == -1)
		return -1;
	return audit_entry_commit(db, &w->arena, "restored", &noted, 1, f);
}

/* Add an audit entry, then erase again the users of the list. */
static int
repeat_erasures(struct migrate_work *w, struct db *db, struct fail *f)
{
	struct audit_entry_param noted = { .name = "erasures" };
	char text[24];
	int64_t users;

	if (w->erased.file == NULL)
		return 0;
	snprintf(text, sizeof(text), "%" PRId64, w->erased.n);
	noted.text = text;
	if (audit_entry_begin(db, &w->arena, f) == -1 ||
	    audit_entry_commit(db, &w->arena, "restored", &noted, 1, f) == -1)
		return -1;
	users = erasure_list_repeat(&w->erased, db, &w->arena, f);
	if (users == -1)
		return -1;
	printf("read %" PRId64 " erasures, erased %" PRId64 " users again\n",
	    w->erased.n, users);
	return 0;
}

/* Take the advisory lock of migrate, until the session ends. */
static int
take_migrate_lock(struct migrate_work *w, struct fail *f)
{
	const struct arena_mark mark = arena_mark(&w->arena);
	struct rows rows;
	bool mine = false;

	while (!mine) {
		if (db_query(w->db, &w->arena, SQL_LOCK, NULL, &rows, f) == -1)
			return -1;
		mine = rows_bool(&rows, 0, "mine");
		arena_rewind(&w->arena, mark);
		if (!mine && !has_time(w, f))
			return -1;
	}
	return 0;
}

static int
apply_all(struct migrate_work *w, struct fail *f)
{
	const struct migration *m = w->set.file;

	for (; m < w->set.file + w->set.n_files; m++)
		while (migration_row(&w->set, m) == NULL &&
		    apply_file(w, m, f) == -1)
			if (!can_retry(w, f))
				return -1;
	return 0;
}

/* Run one file and record it, in one transaction. */
static int
apply_file(struct migrate_work *w, const struct migration *m, struct fail *f)
{
	struct params p;

	params_init(&p, &w->arena);
	params_int(&p, m->number);
	params_text(&p, m->name);
	params_text(&p, m->checksum);
	if (db_script(w->db, "begin", f) == -1 ||
	    db_script(w->db, m->text, f) == -1 ||
	    db_query(w->db, &w->arena, SQL_RECORD, &p, NULL, f) == -1 ||
	    db_script(w->db, "commit", f) == -1) {
		snprintf(f->where, sizeof(f->where), "%s", m->path);
		return -1;
	}
	printf("applied %s\n", m->name);
	w->done++;
	return 0;
}

/*
 * Replace all functions and grants in one transaction, unless the files are
 * the same as last time.  Running services see the old or the new ones.
 */
static int
load_functions(struct migrate_work *w, struct fail *f)
{
	const char *paths[MIGRATIONS_MAX];
	char sum[MIGRATION_SUM_SIZE];
	struct params p;
	struct rows rows;
	size_t n;

	if (migration_list(&w->arena, w->dir, "functions", paths, &n, f) ==
		-1 ||
	    sum_functions(w, paths, n, sum, f) == -1)
		return -1;
	params_init(&p, &w->arena);
	params_text(&p, sum);
	if (db_query(w->db, &w->arena, SQL_SAME, &p, &rows, f) == -1)
		return -1;
	if (!w->again && rows_bool(&rows, 0, "same")) {
		/* A restore may lose the rights of the roles. */
		if (db_query(w->db, &w->arena, SQL_RESTORED, NULL, &rows, f) ==
		    -1)
			return -1;
		if (!rows_bool(&rows, 0, "restored"))
			return 0;
	}
	if (make_functions(w, paths, n, &p, f) == -1)
		return -1;
	printf(
	    "created the functions of %zu files, granted rights to the roles\n",
	    n);
	w->again = false;
	w->done++;
	return 0;
}

static int
make_functions(struct migrate_work *w, const char **paths, size_t n,
    const struct params *p, struct fail *f)
{
	char roles[PATH_SIZE];
	size_t i;

	snprintf(roles, sizeof(roles), "%s/roles.sql", w->dir);
	if (db_script(w->db, "begin", f) == -1)
		return -1;
	for (i = 0; i < n; i++)
		if (run_file(w, paths[i], f) == -1)
			return -1;
	if (run_file(w, roles, f) == -1 ||
	    db_query(w->db, &w->arena, SQL_SAME_NOW, p, NULL, f) == -1)
		return -1;
	return db_script(w->db, "commit", f);
}

/* Compute one checksum of the files of functions and of roles.sql. */
static int
sum_functions(struct migrate_work *w, const char **paths, size_t n, char *ret,
    struct fail *f)
{
	const struct arena_mark mark = arena_mark(&w->arena);
	uint8_t sums[2 * CRYPT_SHA256_SIZE] = { 0 };
	char roles[PATH_SIZE];
	size_t i, size;
	char *text;

	/* Hash each file with the sum of the files before it. */
	snprintf(roles, sizeof(roles), "%s/roles.sql", w->dir);
	for (i = 0; i <= n; i++) {
		text = ctl_read_file(
		    &w->arena, i < n ? paths[i] : roles, FILE_SIZE, &size, f);
		if (text == NULL)
			return -1;
		crypt_sha256(text, size, sums + CRYPT_SHA256_SIZE);
		crypt_sha256(sums, sizeof(sums), sums);
		arena_rewind(&w->arena, mark);
	}
	crypt_hex(sums, CRYPT_SHA256_SIZE, ret);
	return 0;
}

/* After a restore, order new decisions after those of the dump. */
static int
restore_log_order(struct migrate_work *w, struct fail *f)
{
	struct rows rows;
	int64_t moved;

	if (db_query(w->db, &w->arena, SQL_REBASE, NULL, &rows, f) == -1)
		return -1;
	moved = rows_int(&rows, 0, "moved");
	if (moved > 0) {
		snprintf(w->moved, sizeof(w->moved), "%" PRId64, moved);
		printf("the database was restored from a dump; new decisions "
		       "now come after those in the dump\n");
		w->done++;
	}
	return 0;
}

/* Apply logging.sql, because dumps do not contain these settings. */
static int
set_logging(struct migrate_work *w, struct fail *f)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/logging.sql", w->dir);
	if (run_file(w, path, f) == 0)
		return 0;
	if (strcmp(db_sqlstate(w->db), "42501") != 0)
		return -1;
	memset(f, 0, sizeof(*f));
	fprintf(stderr,
	    "assayctl: restored: only a superuser may set what the server logs "
	    "for this database; run %s as a superuser\n",
	    path);
	return 0;
}

/*
 * Whether the last step failed because another session, such as a dump, holds a
 * lock, and there is time for another attempt.  Roll back and pause before it.
 * No attempt waits long for a lock, because decisions would wait behind it.
 */
static bool
can_retry(struct migrate_work *w, struct fail *f)
{
	struct fail rolled = { 0 };

	if (db_trouble(w->db) != DB_AGAIN &&
	    (db_trouble(w->db) != DB_TIMEOUT ||
		strcmp(db_sqlstate(w->db), "55P03") != 0))
		return false;
	if (db_script(w->db, "rollback", &rolled) == -1)
		return false;
	return has_time(w, f);
}

/* Pause before the next attempt.  Return false with f set if time is up. */
static bool
has_time(struct migrate_work *w, struct fail *f)
{
	if (clock_ticks() >= w->until) {
		fail_set(f, FAIL_UNCERTAIN, UNAVAILABLE, NULL,
		    "timed out: another session uses a table that migrate "
		    "changes, or also runs migrate; run the command again");
		return false;
	}
	if (!w->waited)
		fprintf(stderr,
		    "assayctl: migrate: waiting for another session, which "
		    "uses a table that migrate changes, or also runs "
		    "migrate\n");
	w->waited = true;
	memset(f, 0, sizeof(*f));
	poll(NULL, 0, RETRY_PAUSE);
	return true;
}

/* Give each event type without a ruleset or policy its first one. */
static int
seed_all_types(struct migrate_work *w, struct db *db, struct fail *f)
{
	const struct arena_mark mark = arena_mark(&w->arena);
	int type;

	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		if (seed_type(w, db, event_type_name((enum event_type)type),
			&rules, f) == -1 ||
		    seed_type(w, db, event_type_name((enum event_type)type),
			&policies, f) == -1)
			return -1;
		arena_rewind(&w->arena, mark);
	}
	return 0;
}

/* Check and store the seed of one kind for one type, if it has none. */
static int
seed_type(struct migrate_work *w, struct db *db, const char *type,
    const struct seed_kind *kind, struct fail *f)
{
	char path[PATH_SIZE];
	struct params p;
	struct rows row;

	params_init(&p, &w->arena);
	params_text(&p, type);
	if (db_one(db, &w->arena, kind->missing, &p, &row, f) == -1)
		return -1;
	if (!rows_bool(&row, 0, "missing"))
		return 0;
	snprintf(path, sizeof(path), "%s/seed/%s/%s.%s", w->dir, kind->folder,
	    type, kind->suffix);
	params_text(&p, kind->version);
	if (kind->read(w, path, &p, f) == -1 ||
	    db_run(db, &w->arena, kind->add, &p, NULL, f) == -1)
		return -1;
	printf("seeded the %s of %s: %s\n", kind->folder, type, kind->version);
	w->done++;
	return 0;
}

static int
read_rules(
    struct migrate_work *w, const char *path, struct params *p, struct fail *f)
{
	const char *text;
	size_t size;

	text = ctl_read_file(&w->arena, path, RULE_TEXT_MAX, &size, f);
	if (text == NULL)
		return -1;
	if (rule_compile(&w->arena, text, size, f) == NULL) {
		ctl_rule_place(f, path);
		return -1;
	}
	params_text(p, text);
	return 0;
}

static int
read_policy_file(
    struct migrate_work *w, const char *path, struct params *p, struct fail *f)
{
	struct json_object *json;
	struct policy policy;
	const char *text;
	struct str bands;
	size_t size;

	text = ctl_read_file(&w->arena, path, FILE_SIZE, &size, f);
	if (text == NULL ||
	    (json = body_parse(&w->arena, text, size, f)) == NULL ||
	    body_policy(&w->arena, json, path, &policy, f) == -1)
		return -1;
	str_init(&bands, &w->arena);
	body_bands(&bands, &policy);
	params_text(p, policy_on_error_name(policy.on_error));
	params_text(p, str_text(&bands));
	return 0;
}

/* Create the partitions of the next months. */
static int
make_partitions(struct migrate_work *w, struct db *db, struct fail *f)
{
	struct params p;
	struct rows rows;
	int64_t made;

	params_init(&p, &w->arena);
	params_int(&p, MONTHS_AHEAD);
	if (db_one(db, &w->arena, STMT_PARTITIONS_AHEAD, &p, &rows, f) == -1)
		return -1;
	made = rows_int(&rows, 0, "made");
	if (made > 0) {
		printf("created %" PRId64 " monthly partitions\n", made);
		w->done++;
	}
	return 0;
}

/* Run one file of SQL on the connection that holds the lock. */
static int
run_file(struct migrate_work *w, const char *path, struct fail *f)
{
	const struct arena_mark mark = arena_mark(&w->arena);
	size_t size;
	char *text;

	text = ctl_read_file(&w->arena, path, FILE_SIZE, &size, f);
	if (text == NULL)
		return -1;
	if (db_script(w->db, text, f) == -1) {
		snprintf(f->where, sizeof(f->where), "%s", path);
		return -1;
	}
	arena_rewind(&w->arena, mark);
	return 0;
}
