/* SPDX-License-Identifier: ISC */
/* /v1/config/model: the scorer that decides, and the active model. */
#include "config.h"

#include "core/base/str.h"
#include "core/decide/model.h"
#include "core/decide/score.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/active_model.h"

static int add_refusal(struct req *req, struct str *s);

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
	if (active_model_refresh(
		&active, req->worker->db, req->arena, 1, &req->fail) == -1)
		return -1;
	str_init(&s, req->arena);
	str_addf(&s, "{\"scorer\":\"%s\",\"ml\":{\"active\":%s,",
	    scorer_name(scorer), scorer == SCORER_ML ? "true" : "false");
	model_json(&s, &active.model);
	if (add_refusal(req, &s) == -1)
		return -1;
	str_add(&s, "}}");
	return resp_json(req, resp, 200, str_text(&s));
}

static int
add_refusal(struct req *req, struct str *s)
{
	struct rows rows;

	if (db_run(req->worker->db, req->arena, STMT_MODEL_REFUSED, NULL, &rows,
		&req->fail) == -1)
		return -1;
	if (rows.n == 0)
		return 0;
	str_add(s, ",\"refused\":{\"source\":");
	str_json(s, rows_get_text(&rows, "source"));
	str_add(s, ",\"since\":");
	str_json(s, rows_get_text(&rows, "refused_at"));
	str_add(s, ",\"at\":");
	str_json(s, rows_get_text(&rows, "polled_at"));
	str_add(s, ",\"why\":");
	str_json(s, rows_get_text(&rows, "refusal"));
	str_addc(s, '}');
	return 0;
}
