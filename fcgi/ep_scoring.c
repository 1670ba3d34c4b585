/* SPDX-License-Identifier: ISC */
/* /v1/config/model: which scorer decides, and the model that is loaded. */
#include "config.h"

#include "core/model.h"
#include "core/score.h"
#include "core/str.h"
#include "fcgi/req.h"
#include "fcgi/resp.h"
#include "fcgi/route.h"
#include "lib/conf.h"

/*
 * GET /v1/config/model.  200: the scorer, and the model, which is loaded
 * whether or not it decides.
 */
int
scoring_status(struct req *req, struct resp *resp)
{
	const enum scorer scorer = scorer_parse(conf.SCORER);
	struct str s;

	str_init(&s, req->arena);
	str_addf(&s, "{\"scorer\":\"%s\",\"ml\":{\"active\":%s,",
	    scorer_name(scorer), scorer == SCORER_ML ? "true" : "false");
	model_json(&s, model_bundled());
	str_add(&s, "}}");
	return resp_json(req, resp, 200, str_text(&s));
}
