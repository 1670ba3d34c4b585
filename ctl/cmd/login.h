/* SPDX-License-Identifier: ISC */
/* Requests with the session's token, and sessions that answers begin. */
#ifndef CTL_CMD_LOGIN_H
#define CTL_CMD_LOGIN_H

struct command;
struct http_client;
struct json_object;

/*
 * Send one request without a body, with the session's token, and give the
 * answer to next().  Return EX_OK, what next() returns, or an exit status after
 * an error message.
 */
int login_ask(const struct command *cmd, const char *method, const char *path,
    int (*next)(struct http_client *sv, struct json_object *json));

/*
 * Store the session in an answer, and print its operator.  Return EX_OK, or an
 * exit status after an error message.
 */
int login_store(struct http_client *sv, struct json_object *json);

#endif
