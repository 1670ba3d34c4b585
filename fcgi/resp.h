/* SPDX-License-Identifier: ISC */
/* One reply: status, headers and a JSON (or text) body. */
#ifndef FCGI_RESP_H
#define FCGI_RESP_H

#include <stddef.h>

struct req;

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

/* Answer status with a JSON text that lives in the request's arena. */
int resp_json(struct req *req, struct resp *resp, int status, const char *json);

/* Add one header. */
void resp_header(struct req *req, struct resp *resp, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Answer with the envelope for req->fail. */
void resp_fail(struct req *req, struct resp *resp);

#endif
