/* SPDX-License-Identifier: ISC */
/* The rulebook of an event type as it is active now, for one request. */
#ifndef FCGI_EP_LIVE_BOOK_H
#define FCGI_EP_LIVE_BOOK_H

#include "core/decide/decide.h"
#include "core/event/event.h"
#include "lib/engine/live_scoring.h"

struct req;

/* The active ruleset and policy with the scorer.  Do not move it. */
struct live_book {
	struct rulebook book;
	struct policy policy;
	struct live_scoring scoring;
};

/*
 * Load only the active policy of an event type.  Return 0, or -1 with req->fail
 * set.
 */
int live_book_load_policy(struct req *req, enum event_type type,
    struct policy *ret) __attribute__((warn_unused_result));

/*
 * Load the active ruleset, policy and scorer of an event type.  Clear the
 * scoring afterwards, also if this fails.  Return 0, or -1 with req->fail set.
 */
int live_book_load(struct req *req, enum event_type type, struct live_book *ret)
    __attribute__((warn_unused_result));

#endif
