/* SPDX-License-Identifier: ISC */
/* /v1/rules: the rulesets and their versions. */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analyse/rule_test.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_warn.h"
#include "core/rule/velocity.h"
#include "core/signal/signals.h"
#include "fcgi/access/capability.h"
#include "fcgi/ep/live_book.h"
#include "fcgi/ep/routes.h"
#include "fcgi/ep/ruleset_gate.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define ANSWER_MAX 512 /* bytes of what storing a version answers */

static int add_ruleset(
    struct str *s, const struct rows *rows, int i, struct fail *f);
static int add_rules(
    struct str *s, struct arena *a, const struct ruleset *rs, struct fail *f);
static int add_velocities_of(
    struct str *s, struct arena *a, const struct ruleset *rs, struct fail *f);
static int add_tests(
    struct str *s, struct arena *a, const struct ruleset *rs, struct fail *f);
static int check_type(struct req *req, const char *type);
static int add_version(struct str *s, const struct rows *rows, struct fail *f);
static int answer_type(struct req *req, struct resp *resp, enum stmt stmt);
static int find_type(struct req *req, const char **ret);
static int compile_arena(struct arena *ret, size_t len, struct fail *f);
static void compile_arena_free(struct arena *a);
static int add_check(struct str *s, struct arena *a, struct req *req,
    const char *type, const char *text);
static void add_mistakes(struct str *s, const struct rule_mistakes *mistakes);
static int run_tests(struct req *req, struct arena *a, const char *type,
    const struct ruleset *rs, struct rule_mistakes *ret);
static void add_facts(struct str *s, const struct ruleset *rs);
static void add_signal(
    struct str *s, const struct ruleset *rs, uint16_t signal);
static int store_version(struct req *req, struct resp *resp, enum stmt stmt,
    const struct params *p, const char *text, const struct ruleset *rs);
static void add_warnings(
    struct str *s, struct arena *a, const struct ruleset *rs);

static const struct body_field fields[] = {
	{ "eventType", BODY_STRING, BODY_REQUIRED, 1, 64 },
	{ "version", BODY_LABEL, BODY_REQUIRED, 0, 0 },
	{ "dsl", BODY_STRING, BODY_OPTIONAL, 1, RULE_TEXT_MAX },
	{ "rules", BODY_ARRAY, BODY_OPTIONAL, 0, RULES_MAX },
	{ "shadow", BODY_BOOL, BODY_OPTIONAL, 0, 0 },
};

static const struct body_field check_fields[] = {
	{ "eventType", BODY_STRING, BODY_OPTIONAL, 1, 64 },
	{ "dsl", BODY_STRING, BODY_REQUIRED, 0, RULE_TEXT_MAX },
};

static const struct body_field rollback_fields[] = {
	{ "toVersion", BODY_LABEL, BODY_REQUIRED, 0, 0 },
};

/*
 * GET /v1/rules.  200: the active ruleset of each event type, with its rules in
 * canonical text.
 */
int
rule_list(struct req *req, struct resp *resp)
{
	struct rows rows;
	struct str s;
	int i;

	if (db_run(req->db, req->arena, STMT_RULESET_LIST, NULL, &rows,
		&req->fail) == -1)
		return -1;
	str_init(&s, req->arena);
	writer_array(&s, NULL);
	for (i = 0; i < rows.n; i++)
		if (add_ruleset(&s, &rows, i, &req->fail) == -1)
			return -1;
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * POST /v1/rules.  200: the version is active from now on, or the shadow if
 * "shadow" is true; 400: a field is wrong, or the ruleset, or one of its tests
 * fails (RULESET_INVALID); 403: an author may only start a shadow; 409: the
 * label is used.
 */
int
rule_publish(struct req *req, struct resp *resp)
{
	char id[CRYPT_ID_SIZE];
	const struct ruleset *rs;
	const char *text, *type;
	struct params p;
	bool shadow;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	shadow = body_int(req->json, "shadow", 0) != 0;
	if (!shadow &&
	    !capability_held(req->operator.role, CAPABILITY_RULES_PUBLISH))
		return fail_set(&req->fail, FAIL_DENIED, FORBIDDEN, NULL,
		    "only an admin may publish; propose the ruleset, or send "
		    "\"shadow\": true");
	type = body_string(req->json, "eventType");
	if (check_type(req, type) == -1)
		return -1;
	rs = body_ruleset(req->arena, req->json, &text, &req->fail);
	if (rs == NULL || ruleset_gate(req, type, rs, !shadow) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, type);
	params_text(&p, body_string(req->json, "version"));
	params_text(&p, text);
	params_int(&p, (int64_t)rs->n_rules);
	params_text(&p, req->change->author);
	if (!shadow)
		return store_version(
		    req, resp, STMT_RULESET_PUBLISH, &p, text, rs);
	crypt_id("shd_", clock_now(), id);
	params_text(&p, id);
	return store_version(req, resp, STMT_SHADOW_RULESET, &p, text, rs);
}

/*
 * POST /v1/rules/check.  Change nothing.  200: all mistakes of the ruleset, or
 * its canonical text, its rules and warnings about them; with an event type
 * also the tests that fail; 400: a field is wrong.
 */
int
rule_check(struct req *req, struct resp *resp)
{
	const char *text, *type;
	struct arena a;
	struct str s;
	int r;

	if (body_check(req->json, check_fields, nitems(check_fields),
		&req->fail) == -1)
		return -1;
	type = body_string(req->json, "eventType");
	if (type != NULL && check_type(req, type) == -1)
		return -1;
	text = body_string(req->json, "dsl");
	if (compile_arena(&a, strlen(text), &req->fail) == -1)
		return -1;
	str_init(&s, req->arena);
	r = add_check(&s, &a, req, type, text);
	compile_arena_free(&a);
	return r == -1 ? -1 : resp_json(req, resp, 200, str_text(&s));
}

/*
 * GET /v1/rules/{eventType}/history.  200: the labels of all versions, newest
 * first; 404: unknown event type.
 */
int
rule_history(struct req *req, struct resp *resp)
{
	return answer_type(req, resp, STMT_RULESET_HISTORY);
}

/*
 * GET /v1/rules/{eventType}/versions.  200: the newest 1000 versions, newest
 * first, with who published them when; 404: unknown event type.
 */
int
rule_versions(struct req *req, struct resp *resp)
{
	return answer_type(req, resp, STMT_RULESET_VERSIONS);
}

/*
 * GET /v1/rules/{eventType}/versions/{version}.  200: that version with its
 * text and its rules; 404: unknown event type or version.
 */
int
rule_version(struct req *req, struct resp *resp)
{
	struct params p;
	struct rows rows;
	struct str s;
	const char *type;

	if (find_type(req, &type) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, type);
	params_text(&p, req->arg[1]);
	if (db_run(req->db, req->arena, STMT_RULESET_VERSION, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (rows.n == 0)
		return fail_set(&req->fail, FAIL_INPUT, NOT_FOUND, "version",
		    "is no version of this ruleset");
	str_init(&s, req->arena);
	if (add_version(&s, &rows, &req->fail) == -1)
		return -1;
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * POST /v1/rules/{eventType}/rollback.  200: that version is active from now
 * on; 400: a field is wrong, or this release cannot compile the version
 * (RULESET_INVALID); 404: unknown event type or version.
 */
int
rule_rollback(struct req *req, struct resp *resp)
{
	const char *text, *type;
	struct params p;
	struct rows rows;

	if (body_check(req->json, rollback_fields, nitems(rollback_fields),
		&req->fail) == -1 ||
	    find_type(req, &type) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, type);
	params_text(&p, body_string(req->json, "toVersion"));
	if (db_run(req->db, req->arena, STMT_RULESET_FIND, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (rows.n == 0)
		return fail_set(&req->fail, FAIL_INPUT, NOT_FOUND, "toVersion",
		    "is not a version of this ruleset");

	/* A ruleset that no worker can load must not be active. */
	text = rows_text(&rows, 0, "text");
	if (rule_compile(req->arena, text, strlen(text), &req->fail) == NULL)
		return -1;
	return sql_reply_read(req, resp, STMT_RULESET_ACTIVATE, &p);
}

/* Check the event type of a body. */
static int
check_type(struct req *req, const char *type)
{
	if (event_type_parse(type) != EVENT_TYPE__NONE)
		return 0;
	return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "eventType",
	    "must be a type of event, such as card.authorize");
}

/* Answer with a statement about the event type of the path. */
static int
answer_type(struct req *req, struct resp *resp, enum stmt stmt)
{
	struct params p;
	const char *type;

	if (find_type(req, &type) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, type);
	return sql_reply_read(req, resp, stmt, &p);
}

/* Read the event type of the path. */
static int
find_type(struct req *req, const char **ret)
{
	*ret = req->arg[0];
	if (event_type_parse(*ret) != EVENT_TYPE__NONE)
		return 0;
	return fail_set(&req->fail, FAIL_INPUT, NOT_FOUND, NULL,
	    "there is no such event type");
}

/* Append one ruleset. */
static int
add_ruleset(struct str *s, const struct rows *rows, int i, struct fail *f)
{
	const char *text = rows_text(rows, i, "text");
	const struct ruleset *rs;
	struct arena a;
	int r;

	if (compile_arena(&a, strlen(text), f) == -1)
		return -1;
	writer_object(s, NULL);
	writer_text(s, "eventType", rows_text(rows, i, "event_type"));
	writer_text(s, "version", rows_text(rows, i, "version"));
	rs = rule_compile(&a, text, strlen(text), f);
	r = rs != NULL ? add_rules(s, &a, rs, f)
		       : fail_set(f, FAIL_US, INTERNAL, NULL,
			     "a ruleset that decides does not compile");
	if (r == 0 && rs->n_tests > 0)
		r = add_tests(s, &a, rs, f);
	if (r == 0 && rs->n_velocities > 0)
		r = add_velocities_of(s, &a, rs, f);
	writer_end(s);
	compile_arena_free(&a);
	return r;
}

/*
 * Append a version; its rules, tests and velocities are null if this release
 * cannot compile it.
 */
static int
add_version(struct str *s, const struct rows *rows, struct fail *f)
{
	const char *text = rows_text(rows, 0, "text");
	const struct ruleset *rs;
	struct arena a;
	int r = 0;

	if (compile_arena(&a, strlen(text), f) == -1)
		return -1;
	writer_object(s, NULL);
	writer_text(s, "version", rows_text(rows, 0, "version"));
	writer_text(s, "author", rows_text(rows, 0, "author"));
	writer_text(s, "publishedAt", rows_text(rows, 0, "published_at"));
	writer_bool(s, "active", rows_bool(rows, 0, "active"));
	writer_bool(s, "shadow", rows_bool(rows, 0, "shadow"));
	writer_text(s, "text", text);
	rs = rule_compile(&a, text, strlen(text), NULL);
	if (rs == NULL) {
		writer_null(s, "rules");
		writer_null(s, "tests");
		writer_null(s, "velocities");
	} else if ((r = add_rules(s, &a, rs, f)) == 0 &&
	    (r = add_tests(s, &a, rs, f)) == 0)
		r = add_velocities_of(s, &a, rs, f);
	writer_end(s);
	compile_arena_free(&a);
	return r;
}

/*
 * Make memory to compile and print len bytes of rule text: a request's memory
 * has no room for several rulesets.
 */
static int
compile_arena(struct arena *ret, size_t len, struct fail *f)
{
	const size_t size = RULE_ARENA_SIZE(2 * len);
	void *block = malloc(size);

	if (block == NULL)
		return fail_memory(f);
	arena_init(ret, block, size);
	return 0;
}

static void
compile_arena_free(struct arena *a)
{
	arena_reset(a);
	free(a->base);
}

/*
 * Append the result of a check, with memory from arena a.  type may be NULL:
 * then no test runs.
 */
static int
add_check(struct str *s, struct arena *a, struct req *req, const char *type,
    const char *text)
{
	struct rule_mistake list[RULE_MISTAKES_MAX];
	struct rule_mistakes mistakes = { list, nitems(list), 0, false };
	const struct ruleset *rs;
	struct str canonical;

	rs = rule_compile_all(a, text, strlen(text), &mistakes);
	if (mistakes.no_memory)
		return fail_memory(&req->fail);
	if (rs != NULL && type != NULL &&
	    run_tests(req, a, type, rs, &mistakes) == -1)
		return -1;
	writer_object(s, NULL);
	writer_bool(s, "ok", mistakes.n == 0);
	add_mistakes(s, &mistakes);
	str_init(&canonical, a);
	if (rs != NULL)
		rule_print_all(&canonical, rs);
	if (str_text(&canonical) == NULL)
		return fail_memory(&req->fail);
	writer_text(s, "text", rs == NULL ? NULL : str_text(&canonical));
	add_facts(s, rs);
	writer_int(s, "tests", rs == NULL ? 0 : (int64_t)rs->n_tests);
	add_warnings(s, a, rs);
	writer_end(s);
	return 0;
}

static void
add_mistakes(struct str *s, const struct rule_mistakes *mistakes)
{
	const struct rule_mistake *one;

	writer_array(s, "errors");
	for (one = mistakes->list; one < mistakes->list + mistakes->n; one++) {
		writer_object(s, NULL);
		writer_int(s, "line", one->line);
		writer_int(s, "column", one->column);
		writer_int(s, "endColumn", one->end_column);
		writer_text(s, "message", one->why);
		writer_end(s);
	}
	writer_end(s);
}

/* Run the tests of a ruleset with the active policy of the event type. */
static int
run_tests(struct req *req, struct arena *a, const char *type,
    const struct ruleset *rs, struct rule_mistakes *ret)
{
	const enum event_type event_type = event_type_parse(type);
	struct policy policy;

	if (rs->n_tests == 0)
		return 0;
	if (live_book_load_policy(req, event_type, &policy) == -1)
		return -1;
	return rule_test_run(rs, event_type, &policy, a, ret, &req->fail);
}

/* Append what each rule is about; nothing if rs is NULL. */
static void
add_facts(struct str *s, const struct ruleset *rs)
{
	uint16_t signals[RULE_VALUES_MAX];
	const struct rule *rule;
	size_t i, k, n;

	writer_array(s, "rules");
	for (i = 0; rs != NULL && i < rs->n_rules; i++) {
		rule = &rs->rules[i];
		writer_object(s, NULL);
		writer_text(s, "id", rule->id);
		writer_text(s, "tag", rule->tag);
		writer_int(s, "weight", rule->points);
		writer_int(s, "line", rule->line);
		writer_array(s, "signals");
		n = rule_signals(rule, signals);
		for (k = 0; k < n; k++)
			add_signal(s, rs, signals[k]);
		writer_end(s);
		writer_end(s);
	}
	writer_end(s);
}

/* Append the name of a value that conditions read as JSON. */
static void
add_signal(struct str *s, const struct ruleset *rs, uint16_t signal)
{
	char name[RULE_VALUE_NAME_SIZE];

	rule_value_name(rs, signal, name);
	writer_text(s, NULL, name);
}

/* Store a version by a statement, and answer what that does, with warnings. */
static int
store_version(struct req *req, struct resp *resp, enum stmt stmt,
    const struct params *p, const char *text, const struct ruleset *rs)
{
	struct arena a;
	struct rows rows;
	struct str s;

	/* After the version is stored, nothing may fail for want of memory. */
	if (compile_arena(&a, strlen(text), &req->fail) == -1)
		return -1;
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	add_warnings(&s, &a, rs);
	str_addc(&s, ',');
	compile_arena_free(&a);
	if (str_reserve(&s, ANSWER_MAX) == -1)
		return fail_memory(&req->fail);
	if (db_one(req->db, req->arena, stmt, p, &rows, &req->fail) == -1 ||
	    sql_reply_refused(req, &rows) == -1)
		return -1;
	str_add(&s, rows_text(&rows, 0, "body") + 1);
	return resp_json(req, resp, 200, str_text(&s));
}

/* Append the warnings about the rules; nothing if rs is NULL. */
static void
add_warnings(struct str *s, struct arena *a, const struct ruleset *rs)
{
	struct arena_mark mark;
	struct str why;
	size_t i;

	writer_array(s, "warnings");
	for (i = 0; rs != NULL && i < rs->n_rules; i++) {
		mark = arena_mark(a);
		str_init(&why, a);
		rule_warn(&why, rs, i);
		if (why.len > 0) {
			writer_object(s, NULL);
			writer_int(s, "line", rs->rules[i].line);
			writer_text(s, "rule", rs->rules[i].id);
			writer_text(s, "message", str_text(&why));
			writer_end(s);
		}
		arena_rewind(a, mark);
	}
	writer_end(s);
}

/* Append the rules, each with its canonical text, printed in arena a. */
static int
add_rules(
    struct str *s, struct arena *a, const struct ruleset *rs, struct fail *f)
{
	const struct rule *rule;
	struct arena_mark mark;
	struct str dsl;

	writer_array(s, "rules");
	for (rule = rs->rules; rule < rs->rules + rs->n_rules; rule++) {
		mark = arena_mark(a);
		str_init(&dsl, a);
		rule_print(&dsl, rule);
		if (str_text(&dsl) == NULL)
			return fail_memory(f);
		writer_object(s, NULL);
		writer_text(s, "id", rule->id);
		writer_text(s, "tag", rule->tag);
		writer_int(s, "weight", rule->points);
		writer_text(s, "dsl", str_text(&dsl));
		writer_end(s);
		arena_rewind(a, mark);
	}
	writer_end(s);
	return 0;
}

/* Append the velocities, each with its definition, printed in arena a. */
static int
add_velocities_of(
    struct str *s, struct arena *a, const struct ruleset *rs, struct fail *f)
{
	struct arena_mark mark;
	char id[24];
	struct str text;
	size_t i;

	writer_array(s, "velocities");
	for (i = 0; i < rs->n_velocities; i++) {
		mark = arena_mark(a);
		str_init(&text, a);
		velocity_print(&text, &rs->velocities[i]);
		if (str_text(&text) == NULL)
			return fail_memory(f);
		snprintf(id, sizeof(id), "%" PRId64, rs->velocities[i].id);
		writer_object(s, NULL);
		writer_text(s, "name", rs->velocities[i].name);
		writer_text(s, "id", id);
		writer_text(s, "definition", str_text(&text));
		writer_end(s);
		arena_rewind(a, mark);
	}
	writer_end(s);
	return 0;
}

/* Append the tests, each with its canonical text, printed in arena a. */
static int
add_tests(
    struct str *s, struct arena *a, const struct ruleset *rs, struct fail *f)
{
	const struct rule_test *test;
	struct arena_mark mark;
	struct str dsl;

	writer_array(s, "tests");
	for (test = rs->tests; test < rs->tests + rs->n_tests; test++) {
		mark = arena_mark(a);
		str_init(&dsl, a);
		rule_print_test(&dsl, test);
		if (str_text(&dsl) == NULL)
			return fail_memory(f);
		writer_object(s, NULL);
		writer_text(s, "id", test->id);
		writer_text(s, "dsl", str_text(&dsl));
		writer_end(s);
		arena_rewind(a, mark);
	}
	writer_end(s);
	return 0;
}
