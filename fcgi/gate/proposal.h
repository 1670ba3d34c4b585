/* SPDX-License-Identifier: ISC */
/* Requests inside proposals: what can be proposed, and how it runs. */
#ifndef FCGI_GATE_PROPOSAL_H
#define FCGI_GATE_PROPOSAL_H

#include <stdbool.h>

#include "fcgi/gate/inner_request.h"
#include "fcgi/http/req.h"
#include "lib/conf/approval.h"

struct json_object;
struct resp;

/* A request that was proposed. */
struct proposal {
	struct inner_request request;
	enum approval subject;
	enum role role; /* the least one that may propose it */
	bool shadow; /* begins a shadow: what decides stays */
};

/*
 * Check that a request need not be a proposal.  Return 0, or -1 with
 * APPROVAL_REQUIRED in req->fail if FOUR_EYES names a subject of its route.
 */
int proposal_gate(struct req *req) __attribute__((warn_unused_result));

/*
 * Read the request with this action, such as "POST /v1/rules", and body (NULL:
 * none) into *ret, in the arena of req.  Return 0, or -1 with req->fail set:
 * INVALID_REQUEST if it cannot be proposed, PAYLOAD_TOO_LARGE, or FORBIDDEN if
 * the role of the sender may not propose it.
 */
int proposal_read(struct req *req, const char *action, struct json_object *json,
    struct proposal *ret) __attribute__((warn_unused_result));

/*
 * Run the handler of a proposed request as an admin would, up to its first
 * commit.  The caller undoes its changes.  *ret is the answer; without a body
 * if the handler has several transactions.  Return 0, or -1 with req->fail set.
 */
int proposal_rehearse(struct req *req, const struct proposal *p,
    struct resp *ret) __attribute__((warn_unused_result));

/*
 * Set *ret to what the request changes, in the arena; NULL if the table names
 * nothing.  answer is that of the rehearsal.  Return 0, or -1 with req->fail
 * set.
 */
int proposal_target(struct req *req, const struct proposal *p,
    const struct resp *answer, const char **ret)
    __attribute__((warn_unused_result));

/*
 * Run the handler of a proposed request in the transaction and with the change
 * of req, for its author.  *ret is the answer.  Return what the handler
 * returned.
 */
int proposal_run(struct req *req, const struct proposal *p, const char *author,
    struct resp *ret) __attribute__((warn_unused_result));

#endif
