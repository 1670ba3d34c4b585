/* SPDX-License-Identifier: ISC */
/*
 * lib/db/db_connect_error.c: the causes of failed connections to the database.
 */
#include "config.h"

#include <string.h>

#include "lib/db/db_connect_error.h"
#include "t/unit/unit.h"

#define TCP "connection to server at \"db.example\" (192.0.2.1), port 5432 "
#define SOCKET "connection to server on socket \"/run/.s.PGSQL.5432\" "

static const struct {
	const char *words;
	enum db_connect_error want;
	const char *sqlstate;
} cases[] = {
	{ TCP "failed: FATAL:  28P01: password authentication failed for user "
	      "\"x\"\nLOCATION:  auth_failed, auth.c:335\n",
	    DB_CONNECT_ERROR_AUTH, "28P01" },
	{ SOCKET "failed: FATAL:  28000: role \"root\" does not exist\n",
	    DB_CONNECT_ERROR_AUTH, "28000" },
	{ SOCKET "failed: SCHWERWIEGEND:  3D000: Datenbank \"x\" existiert "
		 "nicht\n",
	    DB_CONNECT_ERROR_DATABASE, "3D000" },
	{ TCP "failed: FATAL:  57P03: the database system is starting up\n",
	    DB_CONNECT_ERROR_STARTING, "57P03" },
	{ TCP "failed: FATAL:  53300: sorry, too many clients already\n",
	    DB_CONNECT_ERROR_FULL, "53300" },
	{ TCP "failed: FATAL:  42501: permission denied for database \"x\"\n",
	    DB_CONNECT_ERROR_OTHER, "42501" },
	{ TCP "failed: session is read-only\n", DB_CONNECT_ERROR_READONLY, "" },
	{ TCP "failed: server is in hot standby mode\n",
	    DB_CONNECT_ERROR_READONLY, "" },
	{ TCP "failed: Connection refused\n\tIs the server running on that "
	      "host and accepting TCP/IP connections?\n",
	    DB_CONNECT_ERROR_REFUSED, "" },
	{ SOCKET "failed: No such file or directory\n\tIs the server running "
		 "locally and accepting connections on that socket?\n",
	    DB_CONNECT_ERROR_REFUSED, "" },
	{ SOCKET "failed: Permission denied\n\tIs the server running locally "
		 "and accepting connections on that socket?\n",
	    DB_CONNECT_ERROR_DENIED, "" },
	{ TCP "failed: No route to host\n\tIs the server running on that "
	      "host and accepting TCP/IP connections?\n",
	    DB_CONNECT_ERROR_TIMEOUT, "" },
	{ "could not translate host name \"db.invalid\" to address: Name or "
	  "service not known\n",
	    DB_CONNECT_ERROR_NAME, "" },
	{ TCP "failed: server does not support SSL, but SSL was required\n",
	    DB_CONNECT_ERROR_TLS, "" },
	{ TCP "failed: root certificate file \"/x\" does not exist\n",
	    DB_CONNECT_ERROR_TLS, "" },
	{ TCP "failed: could not open certificate file \"/x\": Permission "
	      "denied\n",
	    DB_CONNECT_ERROR_TLS, "" },
	{ TCP "failed: private key file \"/x\" has group or world access; file "
	      "must have permissions u=rw (0600) or less\n",
	    DB_CONNECT_ERROR_TLS, "" },
	{ TCP "failed: fe_sendauth: no password supplied\n",
	    DB_CONNECT_ERROR_AUTH, "" },
	{ TCP "failed: received invalid response to GSSAPI negotiation: S\n",
	    DB_CONNECT_ERROR_TLS, "" },
	{ "what nobody has seen yet:  12: 345", DB_CONNECT_ERROR_OTHER, "" },
	{ "", DB_CONNECT_ERROR_OTHER, "" },
};

START_TEST(message_of_libpq_gives_the_cause)
{
	char sqlstate[DB_SQLSTATE_SIZE];

	ck_assert_int_eq(
	    db_connect_error_parse(cases[_i].words, sqlstate), cases[_i].want);
	ck_assert_str_eq(sqlstate, cases[_i].sqlstate);
}
END_TEST

START_TEST(each_cause_has_its_texts)
{
	enum db_connect_error why;

	for (why = 1; why < DB_CONNECT_ERROR__MAX; why++) {
		ck_assert_uint_gt(strlen(db_connect_error_name(why)), 0);
		ck_assert_uint_gt(strlen(db_connect_error_text(why)), 0);
		ck_assert_uint_gt(strlen(db_connect_error_help(why)), 0);
	}
}
END_TEST

Suite *
suite_db_connect_error(void)
{
	Suite *s = suite_create("db_connect_error");
	TCase *tc = tcase_create("db_connect_error");

	tcase_add_loop_test(
	    tc, message_of_libpq_gives_the_cause, 0, nitems(cases));
	tcase_add_test(tc, each_cause_has_its_texts);
	suite_add_tcase(s, tc);
	return s;
}
