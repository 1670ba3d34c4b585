/* SPDX-License-Identifier: ISC */
/* assayctl admin: create admins and let them in again, in the database. */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "core/event/pan.h"
#include "ctl/cmd/audit_entry.h"
#include "ctl/ctl.h"
#include "ctl/prompt_secret.h"
#include "lib/db/db.h"
#include "lib/sys/crypt.h"

#define ARENA_SIZE ((size_t)1 << 16)
#define EMAIL_MAX 254
#define PASSWORD_MIN 8
#define PASSWORD_MAX 256

/* One command: a statement that takes an email. */
struct admin_act {
	const char *name; /* of the command */
	enum stmt stmt; /* returns no row if it refuses */
	bool password; /* it takes the hash of a password too */
	const char *before; /* text before the email after success */
	const char *after; /* text after the email after success */
	const char *refused; /* text before the email after a refusal */
};

static int admin_run(const struct command *cmd, const struct admin_act *act,
    int argc, char **argv);
static int admin_store(struct db *db, const struct admin_act *act,
    const char *email, const char *password);
static void email_lower(const struct command *cmd, char *email);

int
admin_create(const struct command *cmd, int argc, char **argv)
{
	static const struct admin_act act = { "admin create", STMT_ADMIN_CREATE,
		true, "created admin ", "", "this operator exists already:" };

	return admin_run(cmd, &act, argc, argv);
}

int
admin_password(const struct command *cmd, int argc, char **argv)
{
	static const struct admin_act act = { "admin password",
		STMT_ADMIN_PASSWORD, true, "",
		" has a temporary password; the admin's sessions have ended",
		"there is no active admin" };

	return admin_run(cmd, &act, argc, argv);
}

int
admin_reset_factor(const struct command *cmd, int argc, char **argv)
{
	static const struct admin_act act = { "admin reset-factor",
		STMT_ADMIN_SECOND_FACTOR, false, "",
		" has no second factor any more; the admin's sessions have "
		"ended",
		"there is no active admin with a second factor" };

	return admin_run(cmd, &act, argc, argv);
}

/* Read the operand and the password, and run the command. */
static int
admin_run(const struct command *cmd, const struct admin_act *act, int argc,
    char **argv)
{
	char password[PASSWORD_MAX + 2]; /* with its line end and NUL */
	struct db *db;
	int status;

	opt_parse(cmd, NULL, 0, (struct operands) { 1, 1 }, argc, argv);
	email_lower(cmd, argv[0]);
	if ((db = ctl_database(&status)) == NULL)
		return status;
	if (act->password &&
	    (prompt_secret_read("Password", password, sizeof(password)) == -1 ||
		strlen(password) < PASSWORD_MIN)) {
		ctl_say("the password must be one line of %d to %d bytes",
		    PASSWORD_MIN, PASSWORD_MAX);
		status = EX_DATAERR;
	} else {
		status = admin_store(
		    db, act, argv[0], act->password ? password : NULL);
	}
	crypt_wipe(password, sizeof(password));
	db_close(db);
	return status;
}

/*
 * Run the statement, with the hash of the password unless that is NULL, and add
 * the audit entry, in one transaction.
 */
static int
admin_store(struct db *db, const struct admin_act *act, const char *email,
    const char *password)
{
	const struct audit_entry_param noted = { "email", email };
	char hash[CRYPT_PASSWORD_SIZE];
	struct fail f = { 0 };
	struct params p;
	struct rows rows;
	struct arena a;
	int status = EX_OK;

	if (password != NULL && crypt_password_hash(password, hash, &f) == -1)
		return ctl_failed(act->name, &f);
	ctl_arena(&a, ARENA_SIZE);
	params_init(&p, &a);
	params_text(&p, email);
	if (password != NULL)
		params_text(&p, hash);
	if (audit_entry_begin(db, &a, &f) == -1 ||
	    db_run(db, &a, act->stmt, &p, &rows, &f) == -1) {
		status = ctl_failed(act->name, &f);
	} else if (rows.n == 0) {
		ctl_say("%s %s", act->refused, email);
		status = EX_DATAERR;
	} else if (audit_entry_commit(db, &a, act->name, &noted, 1, &f) == -1) {
		status = ctl_failed(act->name, &f);
	} else {
		printf("%s%s%s\n", act->before, email, act->after);
	}
	ctl_arena_free(&a);
	return status;
}

/* Convert an email to lower case; exit if it is not an email address. */
static void
email_lower(const struct command *cmd, char *email)
{
	const char *at = strchr(email, '@');
	char *p;

	for (p = email; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	if (at == NULL || at == email || at[1] == '\0' ||
	    strchr(email, ' ') != NULL || !event_line(email) ||
	    pan_in_text(email, strlen(email)) || strlen(email) > EMAIL_MAX)
		opt_usage(cmd, "'%s' is not an email address", email);
}
