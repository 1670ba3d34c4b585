/* SPDX-License-Identifier: ISC */
/* Audit entries of commands that change the database directly. */
#include "config.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/str.h"
#include "core/base/writer.h"
#include "ctl/cmd/audit_entry.h"
#include "lib/audit/audit_redact.h"
#include "lib/db/db.h"

#define ACTOR_SIZE 128

static void actor_name(char ret[ACTOR_SIZE]);

int
audit_entry_begin(struct db *db, struct arena *a, struct fail *f)
{
	return db_run(db, a, STMT_BEGIN, NULL, NULL, f);
}

int
audit_entry_commit(struct db *db, struct arena *a, const char *command,
    const struct audit_entry_param *params, size_t n, struct fail *f)
{
	char actor[ACTOR_SIZE];
	struct str action, body;
	struct params p;
	size_t i;

	actor_name(actor);
	str_init(&action, a);
	str_addf(&action, "assayctl %s", command);
	str_init(&body, a);
	writer_object(&body, NULL);
	for (i = 0; i < n; i++) {
		writer_name(&body, params[i].name);
		audit_redact_text(&body, params[i].text);
	}
	writer_end(&body);
	params_init(&p, a);
	params_text(&p, actor);
	params_text(&p, str_text(&action));
	params_text(&p, str_text(&body));
	if (db_run(db, a, STMT_AUDIT_WRITE, &p, NULL, f) == -1)
		return -1;
	return db_run(db, a, STMT_COMMIT, NULL, NULL, f);
}

/* Store "assayctl:" and the name of the system user, or the user id. */
static void
actor_name(char ret[ACTOR_SIZE])
{
	const struct passwd *pw = getpwuid(getuid());

	if (pw != NULL)
		snprintf(ret, ACTOR_SIZE, "assayctl:%s", pw->pw_name);
	else
		snprintf(
		    ret, ACTOR_SIZE, "assayctl:%lu", (unsigned long)getuid());
}
