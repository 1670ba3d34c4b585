/* SPDX-License-Identifier: ISC */
/* /v1/model: the tag weights, which the scorer "learned" adds up. */
#include "config.h"

#include "core/decide/score.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/sql_reply.h"
#include "lib/conf/conf.h"

/*
 * GET /v1/model.  200: the labels and the weight of each labelled tag, and
 * what the tags of rules add now: "learned" for these weights, "weighted" for
 * the points of the rules (also with the scorer ml).
 */
int
tag_weights_get(struct req *req, struct resp *resp)
{
	const enum scorer scorer = scorer_parse(conf.SCORER);
	struct params p;

	params_init(&p, req->arena);
	params_text(&p,
	    scorer_name(
		scorer == SCORER_LEARNED ? SCORER_LEARNED : SCORER_WEIGHTED));
	return sql_reply_read(req, resp, STMT_TAG_WEIGHTS_JSON, &p);
}
