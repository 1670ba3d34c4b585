/* SPDX-License-Identifier: ISC */
/* Requests that may take minutes. */
#ifndef FCGI_GATE_LONG_REQUEST_H
#define FCGI_GATE_LONG_REQUEST_H

#include "fcgi/http/route_type.h"

/*
 * Run a function for a long request.  Long requests leave two workers of the
 * operator group free, or one if the group has two.  Return what the function
 * returned, or -1 with UNAVAILABLE in req->fail if too many run.
 */
int long_request_run(struct req *req, struct resp *resp, route_fn *fn)
    __attribute__((warn_unused_result));

#endif
