/* SPDX-License-Identifier: ISC */
/* assayctl lists: add, remove and show entries, on the database. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include <json-c/json.h>

#include "core/arena.h"
#include "core/fail.h"
#include "lib/clock.h"
#include "lib/crypt.h"
#include "lib/db.h"
#include "ctl/ctl.h"
#include "ctl/entry.h"

#define ARENA_SIZE ((size_t)1 << 20)
#define DAYS_MAX 36500
#define DAY (86400 * CLOCK_SECOND)
#define LIMIT_DEFAULT 50
#define LIMIT_MAX 10000

/* Which entries are to be shown. */
struct filter {
	char *kind;
	char *subject;
	char *value;
	int64_t limit;
	int64_t offset;
};

static int put(struct db *, struct arena *, const struct entry *);
static int find(struct db *, struct arena *, const struct entry *,
    struct rows *, struct fail *);
static int drop(struct db *, struct arena *, const char *);
static int drop_entry(struct db *, struct arena *, const struct entry *);
static int show(struct db *, struct arena *, const struct filter *, bool);
static void filter_check(const struct command *, struct filter *);
static void show_table(const struct rows *);
static void show_entry(struct json_object *, const char *, const char *);

int
entry_add(const struct command *cmd, int argc, char **argv)
{
	char *reason = NULL, *expires = NULL;
	int64_t days = 0, now = clock_now();
	const struct opt opts[] = {
		{ "reason", "TEXT", "why, for those who see the list", OPT_TEXT,
		    &reason, 0, 0 },
		{ "expires", "TIME",
		    "when the entry ends, e.g. 2027-01-31T00:00:00Z; "
		    "default never",
		    OPT_TEXT, &expires, 0, 0 },
		{ "days", "N", "it ends after N days", OPT_NUMBER, &days, 1,
		    DAYS_MAX },
	};
	const char *text[ENTRY_FIELD__MAX];
	struct fail f = { 0 };
	struct entry en;
	struct arena a;
	struct db *db;
	int status;

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 3, 3 }, argc, argv);
	text[ENTRY_KIND] = argv[0];
	text[ENTRY_SUBJECT] = argv[1];
	text[ENTRY_VALUE] = argv[2];
	text[ENTRY_REASON] = reason;
	text[ENTRY_EXPIRES] = expires;
	if (days > 0 && expires != NULL)
		opt_usage(cmd, "--days and --expires exclude each other");
	if (entry_read(text, &en, &f) == -1)
		opt_usage(cmd, "%s %s", f.where, f.why);
	if (days > 0)
		en.en_expires = now + days * DAY;
	if (!list_acts(en.en_expires, now))
		opt_usage(cmd, "--expires is over already");
	if ((db = ctl_database(&status)) == NULL)
		return status;
	ctl_arena(&a, ARENA_SIZE);
	status = put(db, &a, &en);
	ctl_arena_free(&a);
	db_close(db);
	return status;
}

int
entry_remove(const struct command *cmd, int argc, char **argv)
{
	const char *text[ENTRY_FIELD__MAX] = { NULL };
	struct fail f = { 0 };
	struct entry en;
	struct arena a;
	struct db *db;
	int n, status;

	n = opt_parse(cmd, NULL, 0, (struct operands) { 1, 3 }, argc, argv);
	if (n == 2)
		opt_usage(cmd, "give an ID, or KIND, SUBJECT and VALUE");
	if (n == 3) {
		text[ENTRY_KIND] = argv[0];
		text[ENTRY_SUBJECT] = argv[1];
		text[ENTRY_VALUE] = argv[2];
		if (entry_read(text, &en, &f) == -1)
			opt_usage(cmd, "%s %s", f.where, f.why);
	}
	if ((db = ctl_database(&status)) == NULL)
		return status;
	ctl_arena(&a, ARENA_SIZE);
	status = n == 3 ? drop_entry(db, &a, &en) : drop(db, &a, argv[0]);
	ctl_arena_free(&a);
	db_close(db);
	return status;
}

int
entry_show(const struct command *cmd, int argc, char **argv)
{
	struct filter filter = { .limit = LIMIT_DEFAULT };
	bool json = false;
	const struct opt opts[] = {
		{ "kind", "KIND", "only block, allow or watch", OPT_TEXT,
		    &filter.kind, 0, 0 },
		{ "subject", "SUBJECT",
		    "only user, device, fingerprint, ip, phone, bin or country",
		    OPT_TEXT, &filter.subject, 0, 0 },
		{ "value", "VALUE", "only of this value; needs --subject",
		    OPT_TEXT, &filter.value, 0, 0 },
		{ "limit", "N", "at most N entries; default 50", OPT_NUMBER,
		    &filter.limit, 1, LIMIT_MAX },
		{ "offset", "N", "skip the newest N", OPT_NUMBER,
		    &filter.offset, 0, INT64_MAX },
		{ "json", NULL, "print one line of JSON for each entry",
		    OPT_FLAG, &json, 0, 0 },
	};
	struct arena a;
	struct db *db;
	int status;

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 0, 0 }, argc, argv);
	filter_check(cmd, &filter);
	if ((db = ctl_database(&status)) == NULL)
		return status;
	ctl_arena(&a, ARENA_SIZE);
	status = show(db, &a, &filter, json);
	ctl_arena_free(&a);
	db_close(db);
	return status;
}

/* Add one entry, or change the one that stands there. */
static int
put(struct db *db, struct arena *a, const struct entry *en)
{
	const char *kind = list_kind_name(en->en_kind);
	const char *subject = list_subject_name(en->en_subject);
	const char *value = en->en_value, *id;
	char new_id[CRYPT_ID_SIZE];
	struct fail f = { 0 };
	struct params p;
	struct rows rows;

	crypt_id("lst_", clock_now(), new_id);
	id = new_id;
	params_init(&p, a);
	params_texts(&p, &id, 1);
	params_texts(&p, &kind, 1);
	params_texts(&p, &subject, 1);
	params_texts(&p, &value, 1);
	params_texts(&p, &en->en_reason, 1);
	params_times(&p, &en->en_expires, 1);
	params_text(&p, ENTRY_CREATED_BY);
	if (db_run(db, a, STMT_LIST_PUT, &p, &rows, &f) == -1)
		return ctl_failed("lists add", &f);
	if (rows.ro_n == 1) {
		printf("%s %s\n",
		    rows_get_bool(&rows, "made") ? "added" : "updated",
		    rows_get_text(&rows, "id"));
		return EX_OK;
	}
	if (find(db, a, en, &rows, &f) == -1)
		return ctl_failed("lists add", &f);
	printf("unchanged%s%s\n", rows.ro_n == 0 ? "" : " ",
	    rows.ro_n == 0 ? "" : rows_text(&rows, 0, rows_col(&rows, "id")));
	return EX_OK;
}

/* The entry of a kind, or those of every kind, with this subject and value. */
static int
find(struct db *db, struct arena *a, const struct entry *en, struct rows *ret,
    struct fail *f)
{
	struct params p;

	params_init(&p, a);
	params_text(&p, list_subject_name(en->en_subject));
	params_text(&p, en->en_value);
	if (en->en_kind == LIST_KIND__NONE)
		params_null(&p);
	else
		params_text(&p, list_kind_name(en->en_kind));
	return db_run(db, a, STMT_LIST_FIND, &p, ret, f);
}

/* Remove the entry of that id. */
static int
drop(struct db *db, struct arena *a, const char *id)
{
	struct fail f = { 0 };
	struct params p;
	struct rows rows;

	params_init(&p, a);
	params_text(&p, id);
	if (db_one(db, a, STMT_LIST_REMOVE, &p, &rows, &f) == -1)
		return ctl_failed("lists remove", &f);
	if (!rows_get_bool(&rows, "found")) {
		ctl_say("there is no entry %s; 'assayctl lists show' shows "
			"the ids",
		    id);
		return EX_DATAERR;
	}
	printf("removed %s\n", id);
	return EX_OK;
}

/* Remove the entry of that kind, subject and value. */
static int
drop_entry(struct db *db, struct arena *a, const struct entry *en)
{
	struct fail f = { 0 };
	struct rows rows;

	if (find(db, a, en, &rows, &f) == -1)
		return ctl_failed("lists remove", &f);
	if (rows.ro_n == 0) {
		ctl_say("there is no such entry; 'assayctl lists show "
			"--subject %s --value VALUE' shows what there is",
		    list_subject_name(en->en_subject));
		return EX_DATAERR;
	}
	return drop(db, a, rows_text(&rows, 0, rows_col(&rows, "id")));
}

/* Print the entries that a filter lets through, newest first. */
static int
show(struct db *db, struct arena *a, const struct filter *filter, bool json)
{
	struct fail f = { 0 };
	struct params p;
	struct rows rows;
	int i;

	params_init(&p, a);
	if (filter->value != NULL) {
		params_text(&p, filter->subject);
		params_text(&p, filter->value);
		params_text(&p, filter->kind);
	} else {
		params_text(&p, filter->kind);
		params_text(&p, filter->subject);
		params_int(&p, filter->limit);
		params_int(&p, filter->offset);
	}
	if (db_run(db, a,
		filter->value != NULL ? STMT_LIST_FIND : STMT_LIST_SHOW, &p,
		&rows, &f) == -1)
		return ctl_failed("lists show", &f);
	if (!json)
		show_table(&rows);
	for (i = 0; json && i < rows.ro_n; i++)
		printf("%s\n", rows_text(&rows, i, rows_col(&rows, "entry")));
	if (filter->value == NULL && rows.ro_n == filter->limit)
		ctl_say("there may be more: --offset %" PRId64,
		    filter->offset + filter->limit);
	return EX_OK;
}

/* Refuse a filter that can match nothing; bring the value into its form. */
static void
filter_check(const struct command *cmd, struct filter *filter)
{
	static char value[LIST_VALUE_SIZE];
	enum list_subject subject = LIST_SUBJECT__NONE;

	if (filter->kind != NULL &&
	    list_kind_parse(filter->kind) == LIST_KIND__NONE)
		opt_usage(cmd, "--kind " LIST_KIND_RULE);
	if (filter->subject != NULL &&
	    (subject = list_subject_parse(filter->subject)) ==
		LIST_SUBJECT__NONE)
		opt_usage(cmd, "--subject " LIST_SUBJECT_RULE);
	if (filter->value == NULL)
		return;
	if (subject == LIST_SUBJECT__NONE)
		opt_usage(cmd, "--value needs --subject");
	if (list_value(subject, filter->value, value) == -1)
		opt_usage(cmd, "--value %s", list_value_rule(subject));
	filter->value = value;
}

static void
show_table(const struct rows *rows)
{
	const int entry = rows_col(rows, "entry"),
		  created = rows_col(rows, "created_at");
	char now[CLOCK_TEXT_SIZE], at[CLOCK_TEXT_SIZE];
	struct json_object *json;
	int i;

	clock_text(clock_now(), now);
	printf("%-30s  %-5s  %-11s  %-10s  %-10s  %-24s  %s\n", "ID", "KIND",
	    "SUBJECT", "EXPIRES", "CREATED", "VALUE", "REASON");
	for (i = 0; i < rows->ro_n; i++) {
		json = json_tokener_parse(rows_text(rows, i, entry));
		clock_text(rows_time(rows, i, created), at);
		show_entry(json, at, now);
		json_object_put(json);
	}
}

/* One line of the table; times of one form compare as texts. */
static void
show_entry(struct json_object *json, const char *created, const char *now)
{
	const char *const names[] = { "id", "kind", "subject", "value",
		"reason", "expiresAt" };
	const char *text[nitems(names)];
	size_t i;

	for (i = 0; i < nitems(names); i++)
		text[i] = json_object_get_string(
		    json_object_object_get(json, names[i]));
	if (text[5] == NULL)
		text[5] = "never";
	else if (strcmp(text[5], now) <= 0)
		text[5] = "expired";
	printf("%-30s  %-5s  %-11s  %-10.10s  %-10.10s  %-24s  %s\n", text[0],
	    text[1], text[2], text[5], created, text[3],
	    text[4] == NULL ? "" : text[4]);
}
