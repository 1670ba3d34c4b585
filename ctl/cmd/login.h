/* SPDX-License-Identifier: ISC */
/* Store the session that an answer of the service begins. */
#ifndef CTL_CMD_LOGIN_H
#define CTL_CMD_LOGIN_H

struct http_client;
struct json_object;

/*
 * Store the session in an answer, and print its operator.  Return EX_OK, or an
 * exit status after an error message.
 */
int login_store(const struct http_client *sv, struct json_object *json);

#endif
