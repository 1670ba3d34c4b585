/* SPDX-License-Identifier: ISC */
/* One request, from libfcgi's parameters to what handlers read. */
#ifndef FCGI_HTTP_REQ_H
#define FCGI_HTTP_REQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "fcgi/http/query.h"
#include "lib/net/token.h"
#include "lib/sys/crypt.h"

struct FCGX_Stream;
struct decision_request;
struct json_object;
struct resp;
struct route;
struct worker;

enum method {
	METHOD_GET = 1, /* HEAD is GET whose body is not sent */
	METHOD_POST,
	METHOD_PUT,
	METHOD_PATCH,
	METHOD_DELETE,
	METHOD_OTHER,
	METHOD__MAX
};

/* Who sent an operator request; filled by the gate. */
struct operator
{
	const char *email;
	enum role role;
	bool temporary; /* another has set the password */
	const char *token_id; /* jti */
	int64_t expires_at; /* microseconds UTC */
	int64_t session; /* sn: as the token has it and the database too */
	int64_t given_at; /* when the session's password was given */
};

#define REQ_PATH_ARGS_MAX 2

/* One request in hand.  Everything hangs off its arena. */
struct req {
	struct worker *worker; /* connection, engine, shared region */
	struct arena *arena;
	struct fail fail; /* what handlers and the gate fill */

	enum method method;
	bool head;
	const char *path; /* as sent, still percent-encoded, no query */
	const char *query; /* after the "?", as sent, or "" */
	const char *content_type;
	int64_t content_length; /* -1 when absent or malformed */
	const char *api_key;
	const char *bearer; /* Authorization without "Bearer ", or NULL */
	const char *idempotency_key;
	const char *mode; /* X-Engine-Mode */
	bool foreign_mode; /* X-Verdict-Mode was sent, which is not ours */
	const char *correlation_id; /* the caller's, or a fresh cor_ id */
	const char *client_ip; /* after TRUST_PROXY; personal */
	int64_t received_at; /* nginx's $msec as us UTC, 0 if absent */

	const struct route *route;
	const char *arg[REQ_PATH_ARGS_MAX]; /* decoded {parameters} */
	struct query params; /* of the query, decoded */
	uint8_t
	    key_hash[CRYPT_SHA256_SIZE]; /* of api_key, or of a revoked one */
	bool key_verified; /* the database knows the key, for this route */
	struct operator operator; /* operator and admin routes */

	int connection; /* to nginx; what hangs up when the caller does */
	struct FCGX_Stream *in; /* where the body comes from, once */
	const char *body; /* raw bytes, NUL-terminated; "" without */
	size_t body_size;
	struct json_object *json; /* parsed, on routes that take a body */
	bool part_committed; /* audited routes: a part of the work stands */
	void (*committed)(struct req *req); /* audited routes: NULL, or what
					       to do when it is */
	struct decision_request
	    *item; /* a single decision: what its set decides */
};

/*
 * Fill req from FastCGI's parameters, which must outlive it.  now is the time
 * for the correlation id; hops is TRUST_PROXY.  Nothing here can fail: what
 * is absent or malformed reads as absent, and the gate refuses it.
 */
void req_init(struct req *req, struct worker *worker, struct arena *arena,
    char **params, struct FCGX_Stream *in, int64_t hops, int64_t now);

/*
 * Read the body into req->body: CONTENT_LENGTH bytes, none without it.
 * Returns 0, or -1 with req->fail set: PAYLOAD_TOO_LARGE beyond max bytes,
 * before reading any; INVALID_REQUEST when the stream ends early; INTERNAL
 * when the arena is full.
 */
int req_body(struct req *req, size_t max) __attribute__((warn_unused_result));

/*
 * Whether a shadow is asked for, by X-Engine-Mode: "shadow", or "live" (also
 * written "enforce") as it is without.  Returns 0, or -1 with req->fail set
 * where it says anything else, or where another service's header for this was
 * sent: what is mistyped or misdirected must not make a decision real.
 */
int req_dry_run(struct req *req, bool *ret) __attribute__((warn_unused_result));

/* Whether nobody waits for the answer any more, as far as nginx has told. */
bool req_abandoned(const struct req *req);

/* The method's name as it is logged, "OTHER" for what we do not serve. */
const char *req_method_name(enum method method);

#endif
