/* SPDX-License-Identifier: ISC */
/* One reply: status, headers and a JSON (or text) body. */
#ifndef FCGI_HTTP_RESP_H
#define FCGI_HTTP_RESP_H

#include <stddef.h>

struct FCGX_Stream;
struct req;

/* Sent with the decision of another event under the same key. */
#define RESP_MISMATCH "X-Engine-Idempotent-Mismatch: true"

#define RESP_HEADERS_MAX 12

struct resp {
	int status;
	const char *content_type; /* NULL: application/json */
	const char *body;
	size_t body_size;
	const char *header[RESP_HEADERS_MAX]; /* "Name: value", arena */
	size_t n_headers;
	const char *set_cookie; /* Set-Cookie, arena; NULL: none */
	const char *verdict; /* for the log, or NULL */
};

/*
 * Answer with a status and a JSON text that lives in the request's arena.
 * Return 0, or -1 with req->fail set if json is NULL because the arena was
 * full.
 */
int resp_json(struct req *req, struct resp *resp, int status, const char *json);

/* Add one header.  Control characters in it become spaces. */
void resp_header(struct req *req, struct resp *resp, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Answer with the error in req->fail, and with Retry-After if it is
 * UNAVAILABLE.  Headers that were added before remain, but not set_cookie.
 */
void resp_fail(struct req *req, struct resp *resp);

/*
 * Write the reply: Status, Content-Type, Content-Length, X-Correlation-Id,
 * X-Route (which nginx logs and removes), the headers, Set-Cookie, and the body
 * except for HEAD.  A closed connection is not an error.
 */
void resp_write(
    const struct req *req, const struct resp *resp, struct FCGX_Stream *out);

#endif
