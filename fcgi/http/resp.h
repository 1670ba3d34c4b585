/* SPDX-License-Identifier: ISC */
/* One reply: status, headers and a JSON (or text) body. */
#ifndef FCGI_HTTP_RESP_H
#define FCGI_HTTP_RESP_H

#include <stddef.h>

struct FCGX_Stream;
struct req;

/* A replay of another event than its key was used for. */
#define RESP_MISMATCH "X-Engine-Idempotent-Mismatch: true"

#define RESP_HEADERS_MAX 12

struct resp {
	int status;
	const char *content_type; /* NULL: application/json */
	const char *body;
	size_t body_size;
	const char *header[RESP_HEADERS_MAX]; /* "Name: value", arena */
	size_t n_headers;
	const char *verdict; /* for the request's log line, or NULL */
};

/*
 * Answer status with a JSON text that lives in the request's arena.  Returns
 * 0, or -1 with req->fail set when json is NULL, because the arena was full.
 */
int resp_json(struct req *req, struct resp *resp, int status, const char *json);

/* Add one header; control bytes in it become spaces. */
void resp_header(struct req *req, struct resp *resp, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Answer with the envelope for req->fail, and Retry-After with UNAVAILABLE;
 * headers that were added stay.
 */
void resp_fail(struct req *req, struct resp *resp);

/*
 * Write the reply: Status, Content-Type, Content-Length, X-Correlation-Id,
 * X-Route (nginx logs it and hides it), the headers, and the body unless
 * HEAD asked.  A caller that has gone away is not our failure.
 */
void resp_write(
    const struct req *req, const struct resp *resp, struct FCGX_Stream *out);

#endif
