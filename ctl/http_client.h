/* SPDX-License-Identifier: ISC */
/* Send requests to the service: its address, the credentials, its answers. */
#ifndef CTL_HTTP_CLIENT_H
#define CTL_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/net/http.h"

struct arena;
struct json_object;
struct str;

/* The credential that a request sends. */
enum http_client_access {
	ACCESS_NONE = 1,
	ACCESS_TOKEN,
	ACCESS_KEY,
	ACCESS__MAX
};

struct http_client {
	const char *url; /* as given, for messages */
	const char *base; /* the prefix of every path */
	const char *socket; /* of a unix: address, else NULL */
	const char *header; /* with the token or API key, or NULL */
	bool own_token; /* the token is from ASSAY_TOKEN */
	struct http *http;
	struct http_call call;
	struct arena *arena;
};

/* One request. */
struct client_request {
	const char *what; /* the command, for messages */
	const char *method;
	const char *path; /* with its query */
	const char *type; /* the Content-Type header, NULL: JSON */
	const char *body; /* or NULL */
	bool slow; /* may take minutes */
	const char *watch; /* path to poll its progress, or NULL */
	const char *about; /* the event type to look up there */
	bool patient; /* after 429 or 503, wait as the service says and retry */
	const char *missing; /* replaces the message of a not-found error,
				or NULL */
	bool quiet; /* do not print errors of the service */
	bool *missed; /* if not NULL, a 404 sets it and is not a failure */
	bool *code_needed; /* the same for the error CODE_REQUIRED */
};

/*
 * Choose the service and read the credential.  The service is url, the value of
 * --url or NULL, else ASSAY_URL, else for a token the service of the session,
 * otherwise that of http_client_url().  The token of a session is never sent to
 * another service than the one that issued it.  All memory comes from arena a.
 * Return EX_OK, or an exit status after an error message.
 */
int http_client_open(struct http_client *sv, const char *url,
    enum http_client_access access, struct arena *a);

/* Close what http_client_open() opened, also if it failed. */
void http_client_close(struct http_client *sv);

/*
 * Send a request and wait for its answer.  After success, return EX_OK with the
 * parsed answer in *ret, which lives as long as the arena; its text is in
 * sv->call until the next request.  Otherwise print the error and advice, and
 * return an exit status.  With req->missed, a 404 returns EX_OK, and *ret is
 * NULL; so does the error of req->code_needed.
 */
int http_client_call(struct http_client *sv, const struct client_request *req,
    struct json_object **ret);

/*
 * Split an address, "http://host:port", "https://..." or
 * "unix:/path/of/socket", into a base URL and a socket, NULL without one, for
 * libcurl.  Return 0, or -1 for any other address.
 */
int http_client_address(const char *url, struct arena *a, const char **ret_base,
    const char **ret_socket) __attribute__((warn_unused_result));

/* Append text, escaped for a path segment or a query value. */
void http_client_escape(struct str *s, const char *text);

/*
 * Choose the address for an API key or a login: url, else ASSAY_URL, else
 * BASE_URL, else that of the session, else http://127.0.0.1:4000.  Return
 * EX_OK, or an exit status after an error message if the session cannot be
 * read; then *ret is the last of these.
 */
int http_client_url(struct arena *a, const char *url, const char **ret);

/* Return the file of trusted certificates, NULL for those of the system. */
const char *http_client_ca_file(void);

#endif
