/* SPDX-License-Identifier: ISC */
/* One request: from the parameters of libfcgi to what handlers read. */
#ifndef FCGI_HTTP_REQ_H
#define FCGI_HTTP_REQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "fcgi/http/query.h"
#include "lib/auth/token.h"
#include "lib/sys/crypt.h"

struct FCGX_Stream;
struct db;
struct decision_request;
struct event;
struct json_object;
struct req;
struct resp;
struct route;
struct worker;

enum method {
	METHOD_GET = 1, /* also HEAD, whose body is not sent */
	METHOD_POST,
	METHOD_PUT,
	METHOD_PATCH,
	METHOD_DELETE,
	METHOD_OTHER,
	METHOD__MAX
};

/* The operator who sent a request; filled by auth_operator(). */
struct operator
{
	const char *email;
	enum role role;
	bool temporary; /* set by another operator */
	bool second_factor; /* enabled */
	const char *token_id; /* what a logout ends: jti or sid */
	int64_t expires_at; /* microseconds UTC */
	int64_t session; /* number in the token (sn) and database */
	int64_t given_at; /* when the session's password was entered */
	bool web; /* a browser's session: the token came in a cookie */
};

/* A rehearsal checks a request and ends before anything is committed. */
enum rehearsal {
	REHEARSAL_NONE = 0,
	REHEARSAL_RUNS,
	REHEARSAL_DONE, /* the handler wanted to commit */
	REHEARSAL__MAX
};

/*
 * A change that an operator makes.  The request of a proposal shares it with
 * the request that approves the proposal.
 */
struct req_change {
	const char *author; /* the operator's email, or that of the author of
			       an approved proposal */
	struct json_object *audited; /* for the entry; NULL: the json */
	bool suspended; /* audit_suspend() has committed something */
	bool part_committed; /* part of the work */
	enum rehearsal rehearsal; /* of a proposed request */
	bool approved; /* a second operator has approved it, or it is rehearsed
			  as if so */
	void (*committed)(struct req *req); /* runs after the commit */
};

#define REQ_PATH_ARGS_MAX 2

/* One request.  Its arena holds everything. */
struct req {
	struct worker *worker; /* connection, engine, shared memory */
	struct db *db; /* that of the worker, or of its standby */
	struct arena *arena;
	struct fail fail; /* set by handlers and by route_run.c */

	enum method method;
	bool head;
	const char *path; /* as sent, still percent-encoded, no query */
	const char *query; /* after the "?", as sent, or "" */
	const char *content_type;
	const char *content_encoding;
	int64_t content_length; /* -1 when absent or malformed */
	const char *api_key;
	const char *bearer; /* Authorization without "Bearer ", or NULL */
	const char *idempotency_key;
	const char *mode; /* X-Engine-Mode */
	bool foreign_mode; /* X-Verdict-Mode was sent */
	const char *correlation_id; /* from the caller, or a new cor_ id */
	const char *client_ip; /* after TRUST_PROXY; personal */
	int64_t received_at; /* nginx's $msec as us UTC, 0 if absent */
	int64_t began; /* clock_ticks() when this worker took it */

	const struct route *route;
	const char *arg[REQ_PATH_ARGS_MAX]; /* decoded {parameters} */
	struct query params; /* decoded query */
	uint8_t
	    key_hash[CRYPT_SHA256_SIZE]; /* of api_key, or of a revoked key */
	bool key_verified; /* the key exists and has the scope */
	struct operator operator; /* only with an operator token */
	struct req_change *change; /* the same; else NULL */

	int connection; /* descriptor to nginx */
	char **fcgi_params; /* "NAME=value", for what few routes need */
	struct FCGX_Stream *in; /* source of the body */
	const char *body; /* raw bytes, NUL-terminated; "" if none */
	size_t body_size;
	struct json_object *json; /* parsed body, on routes with JSON */
	struct decision_request *item; /* of a single decision */
	/* Fills resp after the transaction of item.  Returns as a handler. */
	int (*answer)(struct req *req, struct resp *resp);
};

/*
 * Fill req from FastCGI's parameters, which must outlive it, with what routes
 * of service callers need; session_cookie.c reads the rest.  now is the time
 * for the correlation id; hops is TRUST_PROXY.  This cannot fail: an absent or
 * malformed parameter is stored as absent, and route_run.c refuses the request.
 */
void req_init(struct req *req, struct worker *worker, struct arena *arena,
    char **params, struct FCGX_Stream *in, int64_t hops, int64_t now);

/*
 * Read CONTENT_LENGTH bytes of body into req->body; none if it is absent.
 * Return 0, or -1 with req->fail set: PAYLOAD_TOO_LARGE if there are more than
 * max bytes, before reading; INVALID_REQUEST if the stream ends early; INTERNAL
 * if the arena is full.
 */
int req_body(struct req *req, size_t max) __attribute__((warn_unused_result));

/*
 * Set *ret to whether X-Engine-Mode asks for a dry run: "shadow" does; "live",
 * "enforce" and no header do not.  Return 0, or -1 with req->fail set for any
 * other value, and if X-Verdict-Mode was sent, the header of another service: a
 * mistake in a header must not make a decision real.
 */
int req_dry_run(struct req *req, bool *ret) __attribute__((warn_unused_result));

/* Count what an event has lost: an unreadable phone, masked card numbers. */
void req_count_event(const struct req *req, const struct event *ev);

/* Return whether nginx has closed the connection: no caller waits any more. */
bool req_abandoned(const struct req *req);

/*
 * Find a cookie of the request by its name.  Return its value in the arena, or
 * NULL if the request has no such cookie, or has it twice.
 */
const char *req_cookie(const struct req *req, const char *name);

/* Return the name of a method for the log; "OTHER" if it is not served. */
const char *req_method_name(enum method method);

#endif
