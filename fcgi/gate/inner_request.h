/* SPDX-License-Identifier: ISC */
/* Requests inside the body of another one: read them, and make them requests.
 */
#ifndef FCGI_GATE_INNER_REQUEST_H
#define FCGI_GATE_INNER_REQUEST_H

#include "fcgi/http/req.h"

struct json_object;
struct route;

/* A request that another one contains. */
struct inner_request {
	const struct route *route;
	const char *path;
	const char *arg[REQ_PATH_ARGS_MAX]; /* decoded {parameters} */
	struct json_object *json; /* the body; a string of CSV; NULL: none */
	const char *text; /* json as it is stored, or NULL */
};

/*
 * Read the request with this action, such as "POST /v1/rules", and body (NULL:
 * none) into *ret, in the arena of req.  Return 0; or -1 with req->fail set:
 * INVALID_REQUEST at "action" if no route serves it, at "body" if that does not
 * fit its route; PAYLOAD_TOO_LARGE.
 */
int inner_request_read(struct req *req, const char *action,
    struct json_object *json, struct inner_request *ret)
    __attribute__((warn_unused_result));

/*
 * Return the request for its handler, in the connection, memory and for the
 * operator of req.  It shares req->change, and so the audit entry, with req.
 */
struct req inner_request_for(
    const struct req *req, const struct inner_request *inner);

#endif
