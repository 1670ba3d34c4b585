/* SPDX-License-Identifier: ISC */
/*
 * /v1/model: the tag weights, which the scorer "learned" adds up.
 * /v1/config/model: the scorer that decides, and the active model.
 */
#include "config.h"

#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/model.h"
#include "core/decide/score.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/active_model.h"

static int add_refusal(struct req *req, struct str *s);

/*
 * GET /v1/model.  200: the labels and the weight of each labelled tag, and
 * what the tags of rules add now: "learned" for these weights, "weighted" for
 * the points of the rules (also with the scorer ml).
 */
int
model_tag_weights(struct req *req, struct resp *resp)
{
	const enum scorer scorer = scorer_parse(conf.SCORER);
	struct params p;

	params_init(&p, req->arena);
	params_text(&p,
	    scorer_name(
		scorer == SCORER_LEARNED ? SCORER_LEARNED : SCORER_WEIGHTED));
	return sql_reply_read(req, resp, STMT_TAG_WEIGHTS_JSON, &p);
}

/*
 * GET /v1/config/model.  200: the scorer; the active model, also if it does not
 * score; and if the last model of the source was refused or not available, why.
 */
int
model_status(struct req *req, struct resp *resp)
{
	const enum scorer scorer = scorer_parse(conf.SCORER);
	struct active_model active;
	struct str s;

	active_model_init(&active);
	if (active_model_refresh(&active, req->db, req->arena, 1, &req->fail) ==
	    -1)
		return -1;
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "scorer", scorer_name(scorer));
	writer_object(&s, "ml");
	writer_bool(&s, "active", scorer == SCORER_ML);
	model_json(&s, &active.model);
	if (add_refusal(req, &s) == -1)
		return -1;
	writer_end(&s);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

static int
add_refusal(struct req *req, struct str *s)
{
	struct rows rows;

	if (db_run(req->db, req->arena, STMT_MODEL_REFUSED, NULL, &rows,
		&req->fail) == -1)
		return -1;
	if (rows.n == 0)
		return 0;
	writer_object(s, "refused");
	writer_text(s, "source", rows_text(&rows, 0, "source"));
	writer_text(s, "since", rows_text(&rows, 0, "refused_at"));
	writer_text(s, "at", rows_text(&rows, 0, "polled_at"));
	writer_text(s, "why", rows_text(&rows, 0, "refusal"));
	writer_end(s);
	return 0;
}
