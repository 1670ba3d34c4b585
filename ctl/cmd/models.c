/* SPDX-License-Identifier: ISC */
/*
 * assayctl models: check model files; publish, list and roll back models in the
 * database.  Also read a model file for offline scoring.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/model.h"
#include "ctl/cmd/audit_entry.h"
#include "ctl/cmd/models.h"
#include "ctl/ctl.h"
#include "ctl/term_text.h"
#include "lib/db/db.h"
#include "lib/json/model_file.h"
#include "lib/sys/crypt.h"

#define ARENA_SIZE ((size_t)64 << 20)
#define LIST_MAX 1000
#define HASH_SHOWN 16 /* digits of the hash, as in samples */
#define BUNDLED "bundled"
#define SHADOW "shadow"

static char *load_model_file(struct arena *a, const char *path,
    struct model *ret, size_t *ret_size, struct fail *f);
static void list_print(struct arena *a, const struct rows *rows, int row);
static int reactivate_model(struct db *db, struct arena *a, const char *origin,
    const char *hash, bool *ret_activated, struct fail *f);
static int reactivate_number(struct db *db, struct arena *a, int64_t number,
    bool *ret_activated, struct fail *f);
static int64_t parse_number(
    const struct command *cmd, const char *text, const char *word);
static int print_card(const struct rows *rows, int64_t number, bool shadow);
static int report_refusal(const char *path, const struct fail *f);
static int report_activation(const char *what, bool activated);

int
models_check(const struct command *cmd, int argc, char **argv)
{
	struct model m = { 0 };
	int i, n, status = EX_OK;
	char hash[MODELS_HASH_SIZE];
	struct fail f;
	struct arena a;
	size_t size;
	char *text;

	n = opt_parse(cmd, NULL, 0, (struct operands) { 1, 1000 }, argc, argv);
	ctl_arena(&a, ARENA_SIZE);
	for (i = 0; i < n; i++) {
		memset(&f, 0, sizeof(f));
		if ((text = load_model_file(&a, argv[i], &m, &size, &f)) ==
		    NULL) {
			status = report_refusal(argv[i], &f);
		} else {
			models_hash(text, size, hash);
			printf("%s: %.*s, trained %s on %" PRId64
			       " samples, AUC %.4f\n",
			    argv[i], HASH_SHOWN, hash, m.trained_at,
			    m.metrics.samples, m.metrics.auc);
		}
		arena_reset(&a);
	}
	ctl_arena_free(&a);
	return status;
}

int
models_list(const struct command *cmd, int argc, char **argv)
{
	int64_t limit = 20;
	const struct opt opts[] = {
		{ .name = "limit",
		    .arg = "N",
		    .help = "print at most N; default 20",
		    .type = OPT_NUMBER,
		    .ret = &limit,
		    .min = 1,
		    .max = LIST_MAX },
	};
	struct fail f = { 0 };
	struct params p;
	struct rows rows;
	struct arena a;
	struct db *db;
	int i, status;

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 0, 0 }, argc, argv);
	if ((db = ctl_database(&status)) == NULL)
		return status;
	ctl_arena(&a, ARENA_SIZE);
	params_init(&p, &a);
	params_int(&p, limit);
	status = EX_OK;
	if (db_run(db, &a, STMT_MODEL_LIST, &p, &rows, &f) == -1) {
		status = ctl_failed(cmd->name, &f);
	} else {
		printf("%-6s  %-24s  %-9s  %-16s  %-20s  %-6s  %s\n", "NUMBER",
		    "ACTIVATED (UTC)", "ORIGIN", "HASH", "TRAINED", "AUC",
		    "BY");
		for (i = 0; i < rows.n; i++)
			list_print(&a, &rows, i);
	}
	ctl_arena_free(&a);
	db_close(db);
	return status;
}

int
models_card(const struct command *cmd, int argc, char **argv)
{
	const bool given = opt_parse(cmd, NULL, 0, (struct operands) { 0, 1 },
			       argc, argv) == 1;
	const bool shadow = given && strcmp(argv[0], SHADOW) == 0;
	const int64_t number =
	    given && !shadow ? parse_number(cmd, argv[0], SHADOW) : 0;
	struct fail f = { 0 };
	struct params p;
	struct rows rows;
	struct arena a;
	struct db *db;
	int status;

	if ((db = ctl_database(&status)) == NULL)
		return status;
	ctl_arena(&a, ARENA_SIZE);
	params_init(&p, &a);
	if (number == 0 && !shadow)
		params_null(&p);
	else if (!shadow)
		params_int(&p, number);
	if (db_run(db, &a, shadow ? STMT_MODEL_CARD_SHADOW : STMT_MODEL_CARD,
		shadow ? NULL : &p, &rows, &f) == -1)
		status = ctl_failed(cmd->name, &f);
	else
		status = print_card(&rows, number, shadow);
	ctl_arena_free(&a);
	db_close(db);
	return status;
}

int
models_publish(const struct command *cmd, int argc, char **argv)
{
	struct model m = { 0 };
	struct fail f = { 0 };
	struct arena a;
	struct db *db;
	bool activated;
	size_t size;
	char *text;
	int status;

	opt_parse(cmd, NULL, 0, (struct operands) { 1, 1 }, argc, argv);
	ctl_arena(&a, ARENA_SIZE);
	if ((text = load_model_file(&a, argv[0], &m, &size, &f)) == NULL) {
		status = report_refusal(argv[0], &f);
	} else if ((db = ctl_database(&status)) != NULL) {
		if (models_put(db, &a, cmd->name, text, size, NULL, &activated,
			&f) == -1)
			status = ctl_failed(cmd->name, &f);
		else
			status = report_activation(argv[0], activated);
		db_close(db);
	}
	ctl_arena_free(&a);
	return status;
}

int
models_rollback(const struct command *cmd, int argc, char **argv)
{
	struct fail f = { 0 };
	int64_t number = 0;
	struct arena a;
	struct db *db;
	bool activated;
	int status;

	opt_parse(cmd, NULL, 0, (struct operands) { 1, 1 }, argc, argv);
	if (strcmp(argv[0], BUNDLED) != 0)
		number = parse_number(cmd, argv[0], BUNDLED);
	if ((db = ctl_database(&status)) == NULL)
		return status;
	ctl_arena(&a, ARENA_SIZE);
	if ((number == 0
		    ? reactivate_model(db, &a, BUNDLED, NULL, &activated, &f)
		    : reactivate_number(db, &a, number, &activated, &f)) == -1)
		status = ctl_failed(cmd->name, &f);
	else
		status = report_activation(argv[0], activated);
	ctl_arena_free(&a);
	db_close(db);
	return status;
}

int
models_put(struct db *db, struct arena *a, const char *command,
    const char *text, size_t size, const char *card, bool *ret_activated,
    struct fail *f)
{
	struct audit_entry_param noted;
	struct model m = { 0 };
	char hash[MODELS_HASH_SIZE];
	struct params p;
	struct rows rows;

	if (model_file_read(a, text, size, &m, f) == -1)
		return -1;
	models_hash(text, size, hash);
	params_init(&p, a);
	params_text(&p, hash);
	params_text(&p, arena_strndup(a, text, size));
	if (audit_entry_begin(db, a, f) == -1 ||
	    db_one(db, a, STMT_MODEL_PUBLISH, &p, &rows, f) == -1)
		return -1;
	*ret_activated = rows_bool(&rows, 0, "activated");
	params_init(&p, a);
	params_text(&p, hash);
	params_text(&p, card);
	if (card != NULL &&
	    db_one(db, a, STMT_MODEL_CARD_KEEP, &p, &rows, f) == -1)
		return -1;
	noted = (struct audit_entry_param) { "hash", hash };
	return audit_entry_commit(db, a, command, &noted, 1, f);
}

int
models_read(
    struct arena *a, const char *path, struct model *ret, struct fail *f)
{
	char hash[MODELS_HASH_SIZE], why[FAIL_TEXT_SIZE];
	size_t size;
	char *text;

	ret->source = path;
	ret->provenance = MODEL_OPERATOR;
	if ((text = load_model_file(a, path, ret, &size, f)) == NULL)
		return fail_set(
		    f, f->kind, f->code, path, "%s", fail_text(f, why));
	models_hash(text, size, hash);
	if ((ret->version = arena_strndup(a, hash, HASH_SHOWN)) == NULL)
		return fail_set(f, FAIL_US, INTERNAL, path, "out of memory");
	return 0;
}

/*
 * Read and check a model file, and warn if it is extreme.  Return its text, or
 * NULL with f set.
 */
static char *
load_model_file(struct arena *a, const char *path, struct model *ret,
    size_t *ret_size, struct fail *f)
{
	enum feature feature;
	double reach;
	char *text;

	text = ctl_read_file(a, path, MODEL_FILE_MAX, ret_size, f);
	if (text == NULL) {
		f->where[0] = '\0'; /* the caller names the file */
		return NULL;
	}
	if (model_file_read(a, text, *ret_size, ret, f) == -1)
		return NULL;
	if ((reach = model_reach(ret, &feature)) > MODEL_REACH_MAX)
		ctl_say("warning: %s: %s can move the log odds by %.0f, more "
			"than %d",
		    path, feature_name(feature), reach, MODEL_REACH_MAX);
	return text;
}

void
models_hash(const char *text, size_t size, char ret[MODELS_HASH_SIZE])
{
	uint8_t hash[CRYPT_SHA256_SIZE];

	crypt_sha256(text, size, hash);
	crypt_hex(hash, sizeof(hash), ret);
}

/*
 * Print one line of the list, with "-" for what this version cannot read of a
 * model.
 */
static void
list_print(struct arena *a, const struct rows *rows, int row)
{
	const char *hash = rows_text(rows, row, "hash");
	const char *body = rows_text(rows, row, "body");
	struct model m = *model_bundled();
	struct fail f = { 0 };
	char auc[16] = "-";

	if (body != NULL &&
	    model_file_read(a, body, strlen(body), &m, &f) == -1)
		m.trained_at = "-";
	else
		snprintf(auc, sizeof(auc), "%.4f", m.metrics.auc);
	printf("%-6" PRId64 "  %-24s  %-9s  %-16.*s  %-20s  %-6s  ",
	    rows_int(rows, row, "number"), rows_text(rows, row, "activated_at"),
	    rows_text(rows, row, "origin"), HASH_SHOWN,
	    hash == NULL ? "-" : hash, m.trained_at, auc);
	term_text_put(rows_text(rows, row, "activated_by"));
	putchar('\n');
}

/* Make a stored or the bundled model active again. */
static int
reactivate_model(struct db *db, struct arena *a, const char *origin,
    const char *hash, bool *ret_activated, struct fail *f)
{
	struct audit_entry_param noted[2];
	struct params p;
	struct rows rows;

	params_init(&p, a);
	params_text(&p, origin);
	params_text(&p, hash);
	if (audit_entry_begin(db, a, f) == -1 ||
	    db_one(db, a, STMT_MODEL_REACTIVATE, &p, &rows, f) == -1)
		return -1;
	*ret_activated = rows_bool(&rows, 0, "activated");
	noted[0] = (struct audit_entry_param) { "origin", origin };
	noted[1] = (struct audit_entry_param) { "hash", hash };
	return audit_entry_commit(
	    db, a, "models rollback", noted, hash == NULL ? 1 : 2, f);
}

/* The same by its number in the list, if this version can read it. */
static int
reactivate_number(struct db *db, struct arena *a, int64_t number,
    bool *ret_activated, struct fail *f)
{
	struct model m = { 0 };
	struct params p;
	struct rows rows;
	const char *body;

	params_init(&p, a);
	params_int(&p, number);
	if (db_run(db, a, STMT_MODEL_LOADED, &p, &rows, f) == -1)
		return -1;
	if (rows.n == 0)
		return fail_set(f, FAIL_INPUT, NOT_FOUND, NULL,
		    "there is no such number; 'assayctl models list' shows the "
		    "numbers");
	body = rows_text(&rows, 0, "body");
	if (body != NULL && model_file_read(a, body, strlen(body), &m, f) == -1)
		return -1;
	return reactivate_model(db, a, rows_text(&rows, 0, "origin"),
	    rows_text(&rows, 0, "hash"), ret_activated, f);
}

static int64_t
parse_number(const struct command *cmd, const char *text, const char *word)
{
	long long n;
	char *end;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || n == 0)
		opt_usage(cmd,
		    "'%s' is neither a number of 'assayctl models list' nor "
		    "'%s'",
		    text, word);
	return n;
}

/* Print the card in the row; if the row has none, print why. */
static int
print_card(const struct rows *rows, int64_t number, bool shadow)
{
	const char *hash = rows->n == 0 ? NULL : rows_text(rows, 0, "hash");
	const char *card = rows->n == 0 ? NULL : rows_text(rows, 0, "card");

	if (card != NULL) {
		fputs(card, stdout);
		return EX_OK;
	}
	if (rows->n == 0 && shadow)
		ctl_say("no model decides as a shadow");
	else if (rows->n == 0 && number != 0)
		ctl_say("there is no such number; 'assayctl models list' shows "
			"the numbers");
	else if (hash == NULL)
		ctl_say("the bundled model has no card; assay-model(5) says "
			"what it is");
	else
		ctl_say(
		    "the model %.*s has no card; 'assayctl train --publish' "
		    "and the companion's job train keep one",
		    HASH_SHOWN, hash);
	return EX_DATAERR;
}

/* Print why a file is refused, as compilers do. */
static int
report_refusal(const char *path, const struct fail *f)
{
	char why[FAIL_TEXT_SIZE];

	fflush(stdout);
	fprintf(stderr, "%s: %s\n", path, fail_text(f, why));
	return EX_DATAERR;
}

static int
report_activation(const char *what, bool activated)
{
	printf("%s is %sactive\n", what, activated ? "" : "already ");
	return EX_OK;
}
