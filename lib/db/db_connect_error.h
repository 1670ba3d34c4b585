/* SPDX-License-Identifier: ISC */
/* Why a connection to the database failed. */
#ifndef LIB_DB_DB_CONNECT_ERROR_H
#define LIB_DB_DB_CONNECT_ERROR_H

#define DB_SQLSTATE_SIZE 6 /* five characters and NUL */

enum db_connect_error {
	DB_CONNECT_ERROR__NONE,
#define WHY(id, name, text, help) DB_CONNECT_ERROR_##id,
#include "lib/db/db_connect_error.tbl"
#undef WHY
	DB_CONNECT_ERROR__MAX
};

/*
 * Classify an error message of libpq: by the SQLSTATE of the server, which
 * PQERRORS_VERBOSE puts into it, else by the words of the client library, which
 * are English because no program sets LC_MESSAGES.  sqlstate gets the SQLSTATE,
 * or "".
 */
enum db_connect_error db_connect_error_parse(
    const char *words, char sqlstate[DB_SQLSTATE_SIZE]);

/* The columns of lib/db/db_connect_error.tbl. */
const char *db_connect_error_name(enum db_connect_error why);
const char *db_connect_error_text(enum db_connect_error why);
const char *db_connect_error_help(enum db_connect_error why);

#endif
