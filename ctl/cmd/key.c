/* SPDX-License-Identifier: ISC */
/* assayctl key: create, list and revoke API keys, in the database. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "core/event/pan.h"
#include "ctl/cmd/audit_entry.h"
#include "ctl/ctl.h"
#include "ctl/request/id_lookup.h"
#include "ctl/term_text.h"
#include "lib/auth/apikey.h"
#include "lib/db/db.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define ARENA_SIZE ((size_t)1 << 20)
#define CREATED_BY "assayctl"
#define DAYS_MAX 36500
#define NAME_MAX_BYTES 128

/* The scopes by name. */
static const struct {
	const char *name;
	unsigned bit;
} scopes[] = {
	{ "decisions", SCOPE_DECISIONS },
	{ "labels", SCOPE_LABELS },
};

static int find_service_key(
    struct db *db, struct arena *a, const char *typed, const char **ret);
static unsigned scope_bits(
    const struct command *cmd, const struct opt_list *wanted);
static int add_service_key(struct db *db, struct arena *a, const char *name,
    unsigned bits, int64_t days);
static void key_print(struct json_object *key);
static const char *key_text(struct json_object *key, const char *name);

int
key_create(const struct command *cmd, int argc, char **argv)
{
	struct opt_list wanted = { 0 };
	int64_t days = 0;
	const struct opt opts[] = {
		{ .name = "scope",
		    .arg = "SCOPE",
		    .help =
			"decisions or labels; may be repeated; default both",
		    .type = OPT_LIST,
		    .ret = &wanted },
		{ .name = "expires-in-days",
		    .arg = "N",
		    .help = "the key ends after N days; default never",
		    .type = OPT_NUMBER,
		    .ret = &days,
		    .min = 1,
		    .max = DAYS_MAX },
	};
	struct arena a;
	struct db *db;
	unsigned bits;
	int status;

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 1, 1 }, argc, argv);
	if (strlen(argv[0]) > NAME_MAX_BYTES || !event_name(argv[0]))
		opt_usage(cmd,
		    "NAME must be one line, not blank, without blanks at "
		    "its ends, of 1 to %d bytes",
		    NAME_MAX_BYTES);
	if (pan_in_text(argv[0], strlen(argv[0])))
		opt_usage(cmd, "NAME must not contain a full card number");
	bits = scope_bits(cmd, &wanted);
	if ((db = ctl_database(&status)) == NULL)
		return status;
	ctl_arena(&a, ARENA_SIZE);
	status = add_service_key(db, &a, argv[0], bits, days);
	ctl_arena_free(&a);
	db_close(db);
	return status;
}

int
key_list(const struct command *cmd, int argc, char **argv)
{
	struct json_object *keys;
	struct fail f = { 0 };
	struct rows rows;
	struct arena a;
	struct db *db;
	size_t i;
	int status;

	opt_parse(cmd, NULL, 0, (struct operands) { 0, 0 }, argc, argv);
	if ((db = ctl_database(&status)) == NULL)
		return status;
	ctl_arena(&a, ARENA_SIZE);
	status = EX_OK;
	if (db_one(db, &a, STMT_SERVICE_KEY_LIST, NULL, &rows, &f) == -1) {
		status = ctl_failed("key list", &f);
	} else {
		keys = json_tokener_parse(rows_text(&rows, 0, "keys"));
		printf("%-31s %-18s %-17s %-20s %-24s %s\n", "ID", "PREFIX",
		    "SCOPES", "EXPIRES", "CREATED", "NAME");
		for (i = 0; i < json_object_array_length(keys); i++)
			key_print(json_object_array_get_idx(keys, i));
		json_object_put(keys);
	}
	ctl_arena_free(&a);
	db_close(db);
	return status;
}

int
key_revoke(const struct command *cmd, int argc, char **argv)
{
	struct audit_entry_param noted;
	struct fail f = { 0 };
	const char *id;
	struct params p;
	struct rows rows;
	struct arena a;
	struct db *db;
	int status;

	opt_parse(cmd, NULL, 0, (struct operands) { 1, 1 }, argc, argv);
	if ((db = ctl_database(&status)) == NULL)
		return status;
	ctl_arena(&a, ARENA_SIZE);
	if ((status = find_service_key(db, &a, argv[0], &id)) != EX_OK)
		goto out;
	noted = (struct audit_entry_param) { "id", id };
	params_init(&p, &a);
	params_text(&p, id);
	if (audit_entry_begin(db, &a, &f) == -1 ||
	    db_one(db, &a, STMT_SERVICE_KEY_REVOKE, &p, &rows, &f) == -1) {
		status = ctl_failed("key revoke", &f);
	} else if (!rows_bool(&rows, 0, "found")) {
		ctl_say("there is no key %s; 'assayctl key list' shows the ids",
		    id);
		status = EX_DATAERR;
	} else if (audit_entry_commit(db, &a, cmd->name, &noted, 1, &f) == -1) {
		status = ctl_failed("key revoke", &f);
	} else {
		printf("revoked %s\n", id);
	}
out:
	ctl_arena_free(&a);
	db_close(db);
	return status;
}

/* Complete a partial id of a key.  Return an exit status. */
static int
find_service_key(
    struct db *db, struct arena *a, const char *typed, const char **ret)
{
	static const struct id_lookup_list list = { "key_", NULL, "", "id" };
	struct json_object *keys;
	struct fail f = { 0 };
	struct rows rows;
	int status;

	if (db_one(db, a, STMT_SERVICE_KEY_LIST, NULL, &rows, &f) == -1)
		return ctl_failed("key list", &f);
	keys = json_tokener_parse(rows_text(&rows, 0, "keys"));
	status = id_lookup_match(&list, keys, "key revoke", typed, ret);
	if (status == EX_OK)
		*ret = arena_strdup(a, *ret);
	json_object_put(keys);
	return status;
}

/* Return the bits of the wanted scopes; all scopes if none is given. */
static unsigned
scope_bits(const struct command *cmd, const struct opt_list *wanted)
{
	unsigned bits = 0;
	size_t i, j;

	for (i = 0; i < wanted->n; i++) {
		for (j = 0; j < nitems(scopes); j++)
			if (strcmp(wanted->text[i], scopes[j].name) == 0)
				break;
		if (j == nitems(scopes))
			opt_usage(cmd,
			    "--scope must be decisions or labels, not %s",
			    wanted->text[i]);
		bits |= scopes[j].bit;
	}
	for (j = 0; j < nitems(scopes) && wanted->n == 0; j++)
		bits |= scopes[j].bit;
	return bits;
}

/* Create a key, and print only its text to standard output, for scripts. */
static int
add_service_key(struct db *db, struct arena *a, const char *name, unsigned bits,
    int64_t days)
{
	char id[CRYPT_ID_SIZE];
	const struct audit_entry_param noted[] = { { "id", id },
		{ "name", name } };
	struct apikey key;
	struct fail f = { 0 };
	struct params p;
	struct rows rows;

	apikey_new(&key);
	crypt_id("key_", clock_now(), id);
	params_init(&p, a);
	params_text(&p, id);
	params_bytes(&p, key.hash, sizeof(key.hash));
	params_text(&p, name);
	params_text(&p, key.prefix);
	params_int(&p, bits);
	if (days > 0)
		params_int(&p, days);
	else
		params_null(&p);
	params_text(&p, CREATED_BY);
	if (audit_entry_begin(db, a, &f) == -1 ||
	    db_one(db, a, STMT_SERVICE_KEY_CREATE, &p, &rows, &f) == -1 ||
	    audit_entry_commit(db, a, "key create", noted, nitems(noted), &f) ==
		-1) {
		crypt_wipe(&key, sizeof(key));
		return ctl_failed("key create", &f);
	}
	printf("%s\n", key.text);
	ctl_say("created key %s; the key itself cannot be shown again", id);
	ctl_say("a key may request 600 decisions per minute, unless "
		"RATE_LIMIT_DECISIONS_PER_MIN or the setting decisionsPerMin "
		"changes that");
	crypt_wipe(&key, sizeof(key));
	return EX_OK;
}

/* Print one line of the list. */
static void
key_print(struct json_object *key)
{
	struct json_object *list = json_object_object_get(key, "scopes");
	const char *expires = key_text(key, "expiresAt");
	char names[64] = "";
	size_t i, n = 0;

	for (i = 0; i < json_object_array_length(list); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s",
		    i == 0 ? "" : ",",
		    json_object_get_string(json_object_array_get_idx(list, i)));
	if (json_object_get_boolean(json_object_object_get(key, "revoked")))
		expires = "revoked";
	else if (json_object_get_boolean(
		     json_object_object_get(key, "expired")))
		expires = "expired";
	else if (expires == NULL)
		expires = "never";
	printf("%-31s %-18s %-17s %-20.10s %-24s ", key_text(key, "id"),
	    key_text(key, "prefix"), names, expires,
	    key_text(key, "createdAt"));
	term_text_put(key_text(key, "name"));
	putchar('\n');
}

/* Return a text member of a key, NULL for null. */
static const char *
key_text(struct json_object *key, const char *name)
{
	return json_object_get_string(json_object_object_get(key, name));
}
