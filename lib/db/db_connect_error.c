/* SPDX-License-Identifier: ISC */
/* Why a connection to the database could not be made. */
#include "config.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "lib/db/db_connect_error.h"

#define SQLSTATE_LEN (DB_SQLSTATE_SIZE - 1)

static const char *find_sqlstate(const char *words);

/* The rows of db_connect_error.tbl. */
static const struct {
	const char *name;
	const char *text;
	const char *help;
} kinds[DB_CONNECT_ERROR__MAX] = {
#define WHY(id, name, text, help)                                              \
	[DB_CONNECT_ERROR_##id] = { name, text, help },
#include "lib/db/db_connect_error.tbl"
#undef WHY
};

/* Prefixes of the SQLSTATE of a refusal. */
static const struct {
	const char *prefix;
	enum db_connect_error why;
} states[] = {
	{ "28", DB_CONNECT_ERROR_AUTH },
	{ "3D000", DB_CONNECT_ERROR_DATABASE },
	{ "57P", DB_CONNECT_ERROR_STARTING },
	{ "53300", DB_CONNECT_ERROR_FULL },
	{ "25006", DB_CONNECT_ERROR_READONLY },
};

/*
 * Words of libpq; the first match counts.  What follows the name of a file may
 * be no text: findings/libpq-unreadable-certificate.sh.
 */
static const struct {
	const char *words;
	enum db_connect_error why;
} phrases[] = {
	{ "could not translate host name", DB_CONNECT_ERROR_NAME },
	{ "could not parse network address", DB_CONNECT_ERROR_NAME },
	{ "read-only", DB_CONNECT_ERROR_READONLY },
	{ "hot standby", DB_CONNECT_ERROR_READONLY },
	{ "Connection refused", DB_CONNECT_ERROR_REFUSED },
	{ "No such file or directory\n\tIs the server",
	    DB_CONNECT_ERROR_REFUSED },
	{ "No route to host", DB_CONNECT_ERROR_TIMEOUT },
	{ "unreachable", DB_CONNECT_ERROR_TIMEOUT },
	{ "timed out", DB_CONNECT_ERROR_TIMEOUT },
	{ "SSL", DB_CONNECT_ERROR_TLS },
	{ "certificate", DB_CONNECT_ERROR_TLS },
	{ "private key file", DB_CONNECT_ERROR_TLS },
	{ "Permission denied", DB_CONNECT_ERROR_DENIED },
	{ "GSSAPI", DB_CONNECT_ERROR_TLS },
	{ "password", DB_CONNECT_ERROR_AUTH },
	{ "authentication", DB_CONNECT_ERROR_AUTH },
	{ "SCRAM", DB_CONNECT_ERROR_AUTH },
};

enum db_connect_error
db_connect_error_parse(const char *words, char sqlstate[DB_SQLSTATE_SIZE])
{
	const char *state = find_sqlstate(words);
	size_t i;

	sqlstate[0] = '\0';
	if (state != NULL) {
		memcpy(sqlstate, state, SQLSTATE_LEN);
		sqlstate[SQLSTATE_LEN] = '\0';
		for (i = 0; i < nitems(states); i++)
			if (strncmp(state, states[i].prefix,
				strlen(states[i].prefix)) == 0)
				return states[i].why;
		return DB_CONNECT_ERROR_OTHER;
	}
	for (i = 0; i < nitems(phrases); i++)
		if (strstr(words, phrases[i].words) != NULL)
			return phrases[i].why;
	return DB_CONNECT_ERROR_OTHER;
}

const char *
db_connect_error_name(enum db_connect_error why)
{
	assert(why > DB_CONNECT_ERROR__NONE && why < DB_CONNECT_ERROR__MAX);
	return kinds[why].name;
}

const char *
db_connect_error_text(enum db_connect_error why)
{
	assert(why > DB_CONNECT_ERROR__NONE && why < DB_CONNECT_ERROR__MAX);
	return kinds[why].text;
}

const char *
db_connect_error_help(enum db_connect_error why)
{
	assert(why > DB_CONNECT_ERROR__NONE && why < DB_CONNECT_ERROR__MAX);
	return kinds[why].help;
}

/* Find the SQLSTATE in "FATAL:  28000: words"; NULL: none. */
static const char *
find_sqlstate(const char *words)
{
	static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *at = words;

	while ((at = strstr(at, ":  ")) != NULL) {
		at += strlen(":  ");
		if (strspn(at, letters) == SQLSTATE_LEN &&
		    at[SQLSTATE_LEN] == ':')
			return at;
	}
	return NULL;
}
