/* SPDX-License-Identifier: ISC */
/* /v1/decisions/{id}/explain: why a decision has its verdict. */
#include "config.h"

#include <string.h>

#include <json-c/json_object.h>

#include "core/analyse/explain.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/decide.h"
#include "core/decide/sample.h"
#include "core/rule/rule.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/engine/active_model.h"
#include "lib/engine/tag_weight_cache.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"
#include "lib/sys/clock.h"

#define DEGRADED "engine.degraded" /* the reason of a degraded decision */

/* Why a decision cannot be recomputed. */
enum explain_gap {
	GAP_LISTED = 1,
	GAP_DEGRADED,
	GAP_SAMPLE_REMOVED,
	GAP_SAMPLE_UNREADABLE,
	GAP_SCORER_UNKNOWN,
	GAP_RULESET_REMOVED,
	GAP_RULESET_UNREADABLE,
	GAP_POLICY_REMOVED,
	GAP_POLICY_UNREADABLE,
	GAP_MODEL_REMOVED,
	GAP_MODEL_UNREADABLE,
	GAP_DIFFERS,
	GAP__MAX
};

/* One explanation; pointers are NULL where nothing was found. */
struct explanation {
	struct rows rows; /* the decision */
	const char *type;
	const char *policy_version;
	enum verdict verdict;
	int score;
	struct reason *reasons; /* as recorded */
	size_t n_reasons;
	bool has_sample;
	struct sample sample;
	bool has_policy;
	struct policy policy;
	struct ruleset *ruleset;
	struct rulebook book;
	struct scoring scoring;
	struct active_model active_model;
	struct tag_weight_cache current_weights;
	struct tag_weights tag_weights;
	bool decided;
	struct decision decision;
	struct counterfactuals changes;
	enum explain_gap gap; /* 0: recomputed, with the same result */
};

static int read_decision(struct req *req, struct explanation *ex);
static int read_reasons(struct req *req, struct explanation *ex);
static int recompute_decision(struct req *req, struct explanation *ex);
static int read_sample(struct req *req, struct explanation *ex);
static int read_ruleset(struct req *req, struct explanation *ex);
static int read_policy(struct req *req, struct explanation *ex);
static int read_model(struct req *req, struct explanation *ex);
static int find_version(struct req *req, const struct explanation *ex,
    enum stmt stmt, const char *version, struct rows *ret);
static int decide_again(struct req *req, struct explanation *ex);
static int load_tag_weights(struct req *req, struct explanation *ex);
static void set_gap(struct explanation *ex, enum explain_gap gap);
static void print_explanation(struct str *s, const struct explanation *ex);
static void print_decision(struct str *s, const struct explanation *ex);
static void print_context(struct str *s, const struct explanation *ex);
static void print_scoring(struct str *s, const struct explanation *ex);
static void print_why(struct str *s, const struct explanation *ex);
static void print_learned(struct str *s, const struct explanation *ex);

/* Programs depend on these words, so they must not change. */
static const struct {
	const char *word;
	const char *text;
} gaps[GAP__MAX] = {
	[GAP_LISTED] = { "listed",
	    "an entry of a list decided; nothing was scored" },
	[GAP_DEGRADED] = { "degraded",
	    "the service could not decide, so the verdict is that of onError" },
	[GAP_SAMPLE_REMOVED] = { "sample_gone",
	    "its sample was removed: by retention or by an erasure" },
	[GAP_SAMPLE_UNREADABLE] = { "sample_unreadable",
	    "this release cannot read its sample" },
	[GAP_SCORER_UNKNOWN] = { "scorer_unknown",
	    "this release does not know its scorer" },
	[GAP_RULESET_REMOVED] = { "ruleset_gone",
	    "the version of its ruleset is no longer stored" },
	[GAP_RULESET_UNREADABLE] = { "ruleset_unreadable",
	    "this release cannot read the version of its ruleset" },
	[GAP_POLICY_REMOVED] = { "policy_gone",
	    "the version of its policy is no longer stored" },
	[GAP_POLICY_UNREADABLE] = { "policy_unreadable",
	    "this release cannot read the version of its policy" },
	[GAP_MODEL_REMOVED] = { "model_gone",
	    "its model is not stored and is not the bundled model" },
	[GAP_MODEL_UNREADABLE] = { "model_unreadable",
	    "its model needs other features than this release has" },
	[GAP_DIFFERS] = { "differs",
	    "recomputing the decision gives a different one" },
};

/*
 * GET /v1/decisions/{id}/explain.  200: the decision of GET /v1/decisions/{id},
 * its request, case and label, the versions that made it, and which change of a
 * signal would give another verdict, or why it cannot be recomputed; 404:
 * unknown id, or not decided yet.
 */
int
explain_get(struct req *req, struct resp *resp)
{
	struct explanation *ex = arena_alloc(req->arena, sizeof(*ex));
	struct str s;
	int r;

	if (ex == NULL)
		return fail_memory(&req->fail);
	r = read_decision(req, ex);
	if (r == 0)
		r = recompute_decision(req, ex);
	tag_weight_cache_clear(&ex->current_weights);
	if (r == -1)
		return -1;
	str_init(&s, req->arena);
	print_explanation(&s, ex);
	return resp_json(req, resp, 200, str_text(&s));
}

/* Read the decision from the verdict log. */
static int
read_decision(struct req *req, struct explanation *ex)
{
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	if (db_one(req->db, req->arena, STMT_EXPLAIN_FIND, &p, &ex->rows,
		&req->fail) == -1)
		return -1;
	ex->type = rows_text(&ex->rows, 0, "event_type");
	ex->policy_version = rows_text(&ex->rows, 0, "policy_version");
	ex->verdict = verdict_parse(rows_text(&ex->rows, 0, "verdict"));
	ex->score = (int)rows_int(&ex->rows, 0, "score");
	return read_reasons(req, ex);
}

static int
read_reasons(struct req *req, struct explanation *ex)
{
	const char *text = rows_text(&ex->rows, 0, "reasons");
	struct json_object *all, *one;
	size_t i;

	all = body_parse(req->arena, text, strlen(text), &req->fail);
	if (all == NULL)
		return -1;
	ex->n_reasons = json_object_array_length(all);
	ex->reasons =
	    arena_array(req->arena, ex->n_reasons + 1, sizeof(*ex->reasons));
	if (ex->reasons == NULL)
		return fail_memory(&req->fail);
	for (i = 0; i < ex->n_reasons; i++) {
		one = json_object_array_get_idx(all, i);
		ex->reasons[i] = (struct reason) {
			.tag = body_string(one, "tag"),
			.points = json_object_get_int(
			    json_object_object_get(one, "points")),
		};
	}
	return 0;
}

/*
 * Find everything that the decision was made with, and decide again if nothing
 * is missing.
 */
static int
recompute_decision(struct req *req, struct explanation *ex)
{
	if (ex->score == SCORE_SHORT_CIRCUIT) {
		set_gap(ex,
		    ex->n_reasons > 0 &&
			    strcmp(ex->reasons[0].tag, DEGRADED) == 0
			? GAP_DEGRADED
			: GAP_LISTED);
		return read_policy(req, ex);
	}
	if (read_sample(req, ex) == -1 || read_policy(req, ex) == -1)
		return -1;
	if (!ex->has_sample)
		return 0;
	if (read_ruleset(req, ex) == -1 || read_model(req, ex) == -1)
		return -1;
	return ex->gap == 0 ? decide_again(req, ex) : 0;
}

static int
read_sample(struct req *req, struct explanation *ex)
{
	const char *text;
	size_t len;

	if (rows_null(&ex->rows, 0, "sample")) {
		set_gap(ex, GAP_SAMPLE_REMOVED);
		return 0;
	}
	text = rows_bytes(&ex->rows, 0, "sample", &len);
	ex->has_sample = sample_read(req->arena, text, len, &ex->sample) == 0;
	if (!ex->has_sample)
		set_gap(ex, GAP_SAMPLE_UNREADABLE);
	else if (ex->sample.scorer == 0)
		set_gap(ex, GAP_SCORER_UNKNOWN);
	return 0;
}

static int
read_ruleset(struct req *req, struct explanation *ex)
{
	struct fail refusal = { 0 };
	const char *text;
	struct rows rows;

	if (find_version(
		req, ex, STMT_RULESET_FIND, ex->sample.ruleset, &rows) == -1)
		return -1;
	if (rows.n == 0) {
		set_gap(ex, GAP_RULESET_REMOVED);
		return 0;
	}
	text = rows_text(&rows, 0, "text");
	ex->ruleset = rule_compile(req->arena, text, strlen(text), &refusal);
	if (ex->ruleset == NULL)
		set_gap(ex, GAP_RULESET_UNREADABLE);
	else
		ex->ruleset->version = ex->sample.ruleset;
	return 0;
}

static int
read_policy(struct req *req, struct explanation *ex)
{
	struct fail refusal = { 0 };
	struct rows rows;

	if (find_version(
		req, ex, STMT_EXPLAIN_POLICY, ex->policy_version, &rows) == -1)
		return -1;
	if (rows.n == 0) {
		set_gap(ex, GAP_POLICY_REMOVED);
		return 0;
	}
	ex->has_policy =
	    body_policy_text(req->arena, rows_text(&rows, 0, "policy"),
		&ex->policy, &refusal) == 0;
	if (!ex->has_policy)
		set_gap(ex, GAP_POLICY_UNREADABLE);
	ex->policy.id = rows_text(&ex->rows, 0, "policy_id");
	ex->policy.version = ex->policy_version;
	return 0;
}

/* Find the model, if a model scored the decision. */
static int
read_model(struct req *req, struct explanation *ex)
{
	enum active_model_result found = ACTIVE_MODEL_REMOVED;

	if (ex->sample.scorer != SCORER_ML)
		return 0;
	if (ex->sample.model != NULL &&
	    active_model_find(&ex->active_model, req->db, req->arena,
		ex->sample.model, &found, &req->fail) == -1)
		return -1;
	if (found == ACTIVE_MODEL_FOUND)
		ex->scoring.model = &ex->active_model.model;
	else
		set_gap(ex,
		    found == ACTIVE_MODEL_REMOVED ? GAP_MODEL_REMOVED
						  : GAP_MODEL_UNREADABLE);
	return 0;
}

/*
 * Find a version of a ruleset or policy of the event's type. *ret has no row if
 * it does not exist.
 */
static int
find_version(struct req *req, const struct explanation *ex, enum stmt stmt,
    const char *version, struct rows *ret)
{
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, ex->type);
	params_text(&p, version);
	return db_run(req->db, req->arena, stmt, &p, ret, &req->fail);
}

/*
 * Decide again.  If the result is the same, search for the changes that give
 * another verdict.
 */
static int
decide_again(struct req *req, struct explanation *ex)
{
	ex->book = (struct rulebook) {
		.ruleset = ex->ruleset,
		.scoring = &ex->scoring,
		.policy = &ex->policy,
	};
	if (ex->sample.scorer == SCORER_LEARNED &&
	    load_tag_weights(req, ex) == -1)
		return -1;
	ex->scoring.scorer = ex->sample.scorer;
	if (explain_decide(&ex->book, &ex->sample, req->arena, &ex->decision,
		&req->fail) == -1)
		return -1;
	ex->decided = true;
	if (ex->verdict == ex->sample.verdict &&
	    ex->score == ex->sample.score &&
	    explain_same(
		&ex->decision, &ex->sample, ex->reasons, ex->n_reasons))
		return counterfactual_find(&ex->book, &ex->sample, req->arena,
		    &ex->changes, &req->fail);
	set_gap(ex, GAP_DIFFERS);
	return 0;
}

/*
 * Restore the tag weights of the decision: those of its reasons, and the
 * current ones for other tags, whose earlier weights are not recorded.
 */
static int
load_tag_weights(struct req *req, struct explanation *ex)
{
	struct score rules;

	rule_eval(ex->ruleset, &ex->sample.signals, &ex->decision.hits);
	if (score_weighted(req->arena, ex->ruleset, &ex->decision.hits, &rules,
		&req->fail) == -1 ||
	    tag_weight_cache_load(
		&ex->current_weights, req->db, req->arena, &req->fail) == -1)
		return -1;
	ex->scoring.tag_weights = &ex->tag_weights;
	return explain_tag_weights(req->arena, &rules, ex->reasons,
	    ex->n_reasons, &ex->current_weights.tag_weights, &ex->tag_weights,
	    &req->fail);
}

/* Record why the decision cannot be recomputed.  The first reason stays. */
static void
set_gap(struct explanation *ex, enum explain_gap gap)
{
	if (ex->gap == 0)
		ex->gap = gap;
}

static void
print_explanation(struct str *s, const struct explanation *ex)
{
	const struct sample *sample = ex->has_sample ? &ex->sample : NULL;

	writer_object(s, NULL);
	print_decision(s, ex);
	print_context(s, ex);
	print_why(s, ex);
	writer_name(s, "signals");
	if (sample == NULL)
		str_add(s, "null");
	else
		explain_signals_json(s, ex->ruleset, &sample->signals);
	writer_name(s, "rules");
	if (ex->ruleset == NULL)
		str_add(s, "null");
	else
		explain_rules_json(s, ex->ruleset, &sample->signals);
	writer_name(s, "policy");
	if (!ex->has_policy)
		str_add(s, "null");
	else
		explain_policy_json(s, &ex->policy,
		    ex->score == SCORE_SHORT_CIRCUIT
			? NULL
			: policy_band(&ex->policy, ex->score));
	print_scoring(s, ex);
	writer_name(s, "changes");
	if (ex->gap == 0)
		explain_changes_json(s, &ex->changes);
	else
		str_add(s, "null");
	writer_end(s);
}

static void
print_decision(struct str *s, const struct explanation *ex)
{
	const struct sample *sample = ex->has_sample ? &ex->sample : NULL;
	char at[CLOCK_TEXT_SIZE];

	writer_text(s, "id", rows_text(&ex->rows, 0, "id"));
	writer_text(s, "eventId", rows_text(&ex->rows, 0, "event_id"));
	writer_text(s, "eventType", ex->type);
	writer_text(s, "verdict", verdict_name(ex->verdict));
	writer_int(s, "score", ex->score);
	writer_json(s, "reasons", rows_text(&ex->rows, 0, "reasons"));
	writer_text(s, "policyId", rows_text(&ex->rows, 0, "policy_id"));
	writer_text(s, "policyVersion", ex->policy_version);
	clock_text(rows_time(&ex->rows, 0, "decided_at"), at);
	writer_text(s, "decidedAt", at);
	writer_text(s, "scorer",
	    sample == NULL || sample->scorer == 0
		? NULL
		: scorer_name(sample->scorer));
	writer_text(
	    s, "rulesetVersion", sample == NULL ? NULL : sample->ruleset);
	writer_text(s, "modelVersion", sample == NULL ? NULL : sample->model);
	if (sample == NULL)
		writer_null(s, "watched");
	else
		writer_bool(s, "watched", sample->watched);
	if (sample == NULL || sample->rules_score < 0)
		writer_null(s, "rulesScore");
	else
		writer_int(s, "rulesScore", sample->rules_score);
}

/* Print the case, the label and the request of the event. */
static void
print_context(struct str *s, const struct explanation *ex)
{
	const char *label = rows_text(&ex->rows, 0, "label");
	char at[CLOCK_TEXT_SIZE];

	writer_json(s, "request", rows_text(&ex->rows, 0, "request"));
	writer_text(s, "caseId", rows_text(&ex->rows, 0, "case_id"));
	if (label == NULL) {
		writer_null(s, "label");
		return;
	}
	clock_text(rows_time(&ex->rows, 0, "label_at"), at);
	writer_object(s, "label");
	writer_text(s, "outcome", label);
	writer_text(s, "source", rows_text(&ex->rows, 0, "label_source"));
	writer_text(s, "at", at);
	writer_end(s);
}

/* Print how the model or the tag weights made the score, if they did. */
static void
print_scoring(struct str *s, const struct explanation *ex)
{
	const bool ml = ex->has_sample && ex->sample.scorer == SCORER_ML;

	writer_name(s, "model");
	if (ml)
		explain_model_json(s, ex->scoring.model, &ex->sample);
	else
		str_add(s, "null");
	if (ex->has_sample && ex->sample.scorer == SCORER_LEARNED)
		print_learned(s, ex);
	else
		writer_null(s, "learned");
}

static void
print_learned(struct str *s, const struct explanation *ex)
{
	writer_object(s, "learned");
	writer_text(s, "text",
	    "the tags that fired have the points that were recorded; other "
	    "tags have the points of today's labels");
	writer_name(s, "tags");
	explain_learned_json(s, ex->reasons, ex->n_reasons,
	    ex->decided ? &ex->decision.rules : NULL);
	writer_end(s);
}

static void
print_why(struct str *s, const struct explanation *ex)
{
	writer_bool(s, "recomputed", ex->gap == 0);
	if (ex->gap == 0) {
		writer_null(s, "why");
		return;
	}
	writer_object(s, "why");
	writer_text(s, "word", gaps[ex->gap].word);
	writer_text(s, "text", gaps[ex->gap].text);
	writer_end(s);
}
