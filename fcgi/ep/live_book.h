/* SPDX-License-Identifier: ISC */
/* The rulebook of an event type as it is active now, for one request. */
#ifndef FCGI_EP_LIVE_BOOK_H
#define FCGI_EP_LIVE_BOOK_H

#include "core/decide/decide.h"
#include "core/event/event.h"
#include "lib/engine/active_model.h"
#include "lib/engine/tag_weight_cache.h"

struct req;

/* What the current scorer needs.  Do not move it: it points into itself. */
struct live_scoring {
	struct scoring scoring;
	struct tag_weight_cache tag_weights;
	struct active_model model;
};

/* The active ruleset and policy with the scorer.  Do not move it. */
struct live_book {
	struct rulebook book;
	struct policy policy;
	struct live_scoring scoring;
};

/*
 * Load what the current scorer needs, in the request's arena and memory that
 * live_book_clear_scoring() frees.  Return 0, or -1 with req->fail set.
 */
int live_book_load_scoring(struct req *req, struct live_scoring *ret)
    __attribute__((warn_unused_result));

/* Free its memory; harmless if it is zeroed. */
void live_book_clear_scoring(struct live_scoring *ls);

/*
 * Load only the active policy of an event type.  Return 0, or -1 with req->fail
 * set.
 */
int live_book_load_policy(struct req *req, enum event_type type,
    struct policy *ret) __attribute__((warn_unused_result));

/*
 * Load the active ruleset, policy and scorer of an event type.  Free the
 * scoring afterwards, also if this fails.  Return 0, or -1 with req->fail set.
 */
int live_book_load(struct req *req, enum event_type type, struct live_book *ret)
    __attribute__((warn_unused_result));

#endif
