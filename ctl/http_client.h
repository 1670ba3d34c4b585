/* SPDX-License-Identifier: ISC */
/* The service as assayctl sees it: where, as whom, and what it answers. */
#ifndef CTL_HTTP_CLIENT_H
#define CTL_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/net/http.h"

struct arena;
struct json_object;
struct str;

/* What goes with a request. */
enum http_client_access {
	ACCESS_NONE = 1,
	ACCESS_TOKEN,
	ACCESS_KEY,
	ACCESS__MAX
};

struct http_client {
	const char *url; /* as it was named, without a slash at its end */
	const char *base; /* what paths are put after */
	const char *socket; /* of a unix: address, else NULL */
	const char *header; /* with the token or key, NULL for none */
	bool own_token; /* from ASSAY_TOKEN */
	struct http *http;
	struct http_call call;
	struct arena *arena;
};

/* One request. */
struct client_request {
	const char *what; /* the command, for messages */
	const char *method;
	const char *path; /* with its query */
	const char *type; /* of the body; NULL: JSON */
	const char *body; /* NULL for none */
	bool slow; /* may take minutes */
	const char *watch; /* what tells a terminal how far it is, or NULL */
	const char *about; /* the event type that it is about */
	bool patient; /* may be sent again, as late as the service says */
	const char *missing; /* said when it is not found; NULL: the
				   service's words */
	bool quiet; /* nothing is said of a refusal */
	bool *missed; /* if set, a 404 sets it and is no failure */
};

/*
 * Find the service: url (of --url, may be NULL), else ASSAY_URL, else for a
 * token that of its session, for anything else as http_client_url() says.  A
 * token is only ever sent to the service that gave it.  All memory comes from
 * arena a.  Returns EX_OK, or an exit status after having said what to do.
 */
int http_client_open(struct http_client *sv, const char *url,
    enum http_client_access access, struct arena *a);

/* NULL inside is harmless. */
void http_client_close(struct http_client *sv);

/*
 * Ask, and wait for the answer, until Ctrl-C.  Returns EX_OK with the answer
 * of a success parsed in *ret, which lives as long as the arena, its text in
 * sv_call until the next one; or an exit status after having said what the
 * service answered and what to do about it.  With ak_missed, *ret is NULL
 * after a 404.
 */
int http_client_call(struct http_client *sv, const struct client_request *ask,
    struct json_object **ret);

/*
 * Split an address into what libcurl needs: "http://host:port" or
 * "https://...", or "unix:/path/of/socket".  Returns 0, or -1 for any other.
 */
int http_client_address(const char *url, struct arena *a, const char **ret_base,
    const char **ret_socket) __attribute__((warn_unused_result));

/* Append text as one segment of a path or one value of a query. */
void http_client_escape(struct str *s, const char *text);

/*
 * The address that an API key or a login is sent to, into *ret: url, else
 * ASSAY_URL, else BASE_URL, else that of the session, else this machine's.
 * Returns EX_OK, or an exit status after having said what is wrong with the
 * session's file; *ret is this machine's then.
 */
int http_client_url(struct arena *a, const char *url, const char **ret);

/* The certificates that are trusted, NULL for the system's. */
const char *http_client_ca_file(void);

#endif
