/* SPDX-License-Identifier: ISC */
/* Read rulesets from JSON: as text, as single rules, as trees. */
#include "config.h"

#include <json-c/json_object.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/rule/rule.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"

#define PATH_SIZE 192 /* of a path in a message, as in struct fail */
#define ATTR_PREFIX "attr."
#define OPERANDS_MAX 1000 /* a condition cannot have more */

/* The place of a value in the body: a chain up to "rules[3]". */
struct body_place {
	const struct body_place *up; /* NULL at the top */
	const char *name;
	int index; /* -1: not an element of an array */
};

/*
 * A tree while it is written as rule text.  The compiler reports a failure at a
 * place in the text.  To report the value in the tree instead, the tree is
 * written a second time, and path is set to the value at byte want.
 */
struct rules_tree {
	struct str text;
	size_t want;
	char path[PATH_SIZE];
	struct fail *f;
};

typedef int tree_fn(struct rules_tree *t, struct json_object *json,
    const struct body_place *at);

static const char *rules_text(
    struct arena *a, struct json_object *rules, struct fail *f);
static int append_rule_text(
    struct str *s, struct json_object *json, int index, struct fail *f);
static const struct rule *read_rule_text(struct arena *a,
    struct json_object *json, const struct body_place *at, struct fail *f);
static int check_members(struct json_object *json, const struct body_place *at,
    const struct rule *rule, struct fail *f);
static const struct rule *read_tree(struct arena *a, struct json_object *json,
    const struct body_place *at, struct fail *f);
static void tree_fail(struct arena *a, struct json_object *json,
    const struct body_place *at, const char *text, struct fail *f);
static tree_fn put_rule, put_condition, put_compare, put_all, put_any, put_not;
static int put_operands(struct rules_tree *t, struct json_object *json,
    const struct body_place *at, const char *name, const char *op);
static int put_signal_path(struct rules_tree *t, struct json_object *json,
    const struct body_place *at);
static int put_op(struct rules_tree *t, struct json_object *json,
    const struct body_place *at);
static void put_rule_value(struct rules_tree *t, struct json_object *json,
    const struct body_place *at);
static void put_word(struct rules_tree *t, struct json_object *json,
    const struct body_place *at, const char *name);
static void tree_begin(
    struct rules_tree *t, const struct body_place *at, const char *name);
static void path_text(const struct body_place *at, char ret[PATH_SIZE]);
static int refuse_rules(struct fail *f, const struct body_place *at,
    const char *name, const char *why);
static void place_of(const struct fail *f, size_t *ret_line, size_t *ret_col);
static size_t byte_of(const char *text, size_t column);

/* A rule with its text. */
static const struct body_field text_fields[] = {
	{ "dsl", BODY_STRING, BODY_REQUIRED, 1, RULE_TEXT_MAX },
	{ "id", BODY_LABEL, BODY_OPTIONAL, 0, 0 },
	{ "tag", BODY_LABEL, BODY_OPTIONAL, 0, 0 },
	{ "weight", BODY_INT, BODY_OPTIONAL, 0, RULE_POINTS_MAX },
};

/* A rule with a tree. */
static const struct body_field tree_fields[] = {
	{ "id", BODY_LABEL, BODY_REQUIRED, 0, 0 },
	{ "tag", BODY_LABEL, BODY_REQUIRED, 0, 0 },
	{ "weight", BODY_INT, BODY_REQUIRED, 0, RULE_POINTS_MAX },
	{ "condition", BODY_OBJECT, BODY_REQUIRED, 0, 0 },
};

#define KIND                                                                   \
	{                                                                      \
		"kind", BODY_STRING, BODY_REQUIRED, 1, 16                      \
	}

/* The kinds of conditions, and the members of each. */
static const struct {
	const char *name;
	tree_fn *put;
	struct body_field fields[4];
	size_t n;
} kinds[] = {
	{ "compare", put_compare,
	    { KIND, { "path", BODY_STRING, BODY_REQUIRED, 1, 256 },
		{ "op", BODY_STRING, BODY_REQUIRED, 1, 16 },
		{ "value", BODY_SCALAR, BODY_REQUIRED, 0, 0 } },
	    4 },
	{ "and", put_all,
	    { KIND, { "all", BODY_ARRAY, BODY_REQUIRED, 1, OPERANDS_MAX } },
	    2 },
	{ "or", put_any,
	    { KIND, { "any", BODY_ARRAY, BODY_REQUIRED, 1, OPERANDS_MAX } },
	    2 },
	{ "not", put_not, { KIND, { "not", BODY_OBJECT, BODY_REQUIRED, 0, 0 } },
	    2 },
};

static const struct {
	const char *name;
	const char *text;
} ops[] = {
	{ "gt", " > " },
	{ "gte", " >= " },
	{ "lt", " < " },
	{ "lte", " <= " },
	{ "eq", " == " },
	{ "neq", " != " },
};

struct ruleset *
body_ruleset(struct arena *a, struct json_object *json, const char **ret_text,
    struct fail *f)
{
	const char *text = body_string(json, "dsl");
	struct json_object *rules = NULL;
	struct ruleset *rs;
	size_t line, column;
	char where[PATH_SIZE];

	json_object_object_get_ex(json, "rules", &rules);
	if ((text == NULL) == (rules == NULL)) {
		fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "the ruleset must be in one of dsl and rules");
		return NULL;
	}
	if (rules != NULL && (text = rules_text(a, rules, f)) == NULL)
		return NULL;
	rs = rule_compile(a, text, strlen(text), f);
	if (rs == NULL && rules != NULL && f->kind == FAIL_INPUT) {
		/* Each rule is valid alone and has one line. */
		place_of(f, &line, &column);
		snprintf(where, sizeof(where), "rules[%zu]:", line - 1);
		memcpy(f->where, where, sizeof(where));
	}
	*ret_text = text;
	return rs;
}

/* Write an array of rules as canonical text, one rule a line. */
static const char *
rules_text(struct arena *a, struct json_object *rules, struct fail *f)
{
	const int n = (int)json_object_array_length(rules);
	struct str s;
	int i;

	str_init(&s, a);
	for (i = 0; i < n; i++)
		if (append_rule_text(&s,
			json_object_array_get_idx(rules, (size_t)i), i,
			f) == -1)
			return NULL;
	if (str_text(&s) == NULL)
		fail_memory(f);
	return str_text(&s);
}

/* Append one rule, after checking it alone. */
static int
append_rule_text(
    struct str *s, struct json_object *json, int index, struct fail *f)
{
	const struct body_place at = { NULL, "rules", index };
	const bool text = json_object_is_type(json, json_type_object) &&
	    body_has(json, "dsl");
	const struct rule *rule;
	char where[PATH_SIZE];

	path_text(&at, where);
	if (body_check_in(json, text ? text_fields : tree_fields,
		text ? nitems(text_fields) : nitems(tree_fields),
		RULESET_INVALID, where, f) == -1)
		return -1;
	rule = text ? read_rule_text(s->arena, json, &at, f)
		    : read_tree(s->arena, json, &at, f);
	if (rule == NULL)
		return -1;
	rule_print(s, rule);
	str_addc(s, '\n');
	if (s->len > RULE_TEXT_MAX)
		return refuse_rules(f, &at, NULL, "makes the ruleset too long");
	return 0;
}

/* Compile a text with exactly one rule; NULL with f set. */
static const struct rule *
read_rule_text(struct arena *a, struct json_object *json,
    const struct body_place *at, struct fail *f)
{
	const char *text = body_string(json, "dsl");
	const struct ruleset *rs = rule_compile(a, text, strlen(text), f);
	char where[PATH_SIZE], path[PATH_SIZE];

	if (rs == NULL) {
		path_text(at, path);
		snprintf(
		    where, sizeof(where), "%.64s.dsl, %.64s:", path, f->where);
		memcpy(f->where, where, sizeof(where));
		return NULL;
	}
	if (rs->n_rules != 1) {
		refuse_rules(f, at, "dsl", "must be one rule");
		return NULL;
	}
	return check_members(json, at, &rs->rules[0], f) == -1 ? NULL
							       : rs->rules;
}

/* Other members of a rule with text must agree with the text. */
static int
check_members(struct json_object *json, const struct body_place *at,
    const struct rule *rule, struct fail *f)
{
	const char *id = body_string(json, "id"),
		   *tag = body_string(json, "tag"), *name = NULL;

	if (id != NULL && strcmp(id, rule->id) != 0)
		name = "id";
	else if (tag != NULL && strcmp(tag, rule->tag) != 0)
		name = "tag";
	else if (body_int(json, "weight", rule->points) != rule->points)
		name = "weight";
	return name == NULL ? 0
			    : refuse_rules(f, at, name, "is another in dsl");
}

/* Compile a tree; NULL with f set. */
static const struct rule *
read_tree(struct arena *a, struct json_object *json,
    const struct body_place *at, struct fail *f)
{
	struct rules_tree t = { .f = f };
	const struct ruleset *rs;

	str_init(&t.text, a);
	if (put_rule(&t, json, at) == -1)
		return NULL;
	if (str_text(&t.text) == NULL) {
		fail_memory(f);
		return NULL;
	}
	rs = rule_compile(a, str_text(&t.text), t.text.len, f);
	if (rs != NULL)
		return rs->rules;
	if (f->kind == FAIL_INPUT)
		tree_fail(a, json, at, str_text(&t.text), f);
	return NULL;
}

/* Set the failure to the place in the tree instead of its text. */
static void
tree_fail(struct arena *a, struct json_object *json,
    const struct body_place *at, const char *text, struct fail *f)
{
	struct rules_tree again = { .f = NULL };
	size_t line, column;

	place_of(f, &line, &column);
	str_init(&again.text, a);
	again.want = byte_of(text, column);
	(void)put_rule(&again, json, at);
	memcpy(f->where, again.path, sizeof(again.path));
}

static int
put_rule(
    struct rules_tree *t, struct json_object *json, const struct body_place *at)
{
	const struct body_place condition = { at, "condition", -1 };

	tree_begin(t, at, NULL);
	str_add(&t->text, "rule ");
	put_word(t, json, at, "id");
	str_add(&t->text, " { when ");
	if (put_condition(
		t, json_object_object_get(json, "condition"), &condition) == -1)
		return -1;
	str_addf(&t->text, " then score += %d, tag ",
	    (int)body_int(json, "weight", 0));
	put_word(t, json, at, "tag");
	str_add(&t->text, " }");
	return 0;
}

/* Write a condition, in parentheses if it needs them. */
static int
put_condition(
    struct rules_tree *t, struct json_object *json, const struct body_place *at)
{
	char where[PATH_SIZE];
	const char *kind = NULL;
	size_t i;

	if (json_object_is_type(json, json_type_object) &&
	    json_object_is_type(
		json_object_object_get(json, "kind"), json_type_string))
		kind = body_string(json, "kind");
	for (i = 0; kind != NULL && i < nitems(kinds); i++) {
		if (strcmp(kind, kinds[i].name) != 0)
			continue;
		path_text(at, where);
		if (body_check_in(json, kinds[i].fields, kinds[i].n,
			RULESET_INVALID, where, t->f) == -1)
			return -1;
		return kinds[i].put(t, json, at);
	}
	if (!json_object_is_type(json, json_type_object))
		return refuse_rules(t->f, at, NULL, "must be an object");
	return refuse_rules(
	    t->f, at, "kind", "must be compare, and, or or not");
}

static int
put_compare(
    struct rules_tree *t, struct json_object *json, const struct body_place *at)
{
	if (put_signal_path(t, json, at) == -1 || put_op(t, json, at) == -1)
		return -1;
	put_rule_value(t, json, at);
	return 0;
}

static int
put_all(
    struct rules_tree *t, struct json_object *json, const struct body_place *at)
{
	return put_operands(t, json, at, "all", " && ");
}

static int
put_any(
    struct rules_tree *t, struct json_object *json, const struct body_place *at)
{
	return put_operands(t, json, at, "any", " || ");
}

static int
put_not(
    struct rules_tree *t, struct json_object *json, const struct body_place *at)
{
	const struct body_place operand = { at, "not", -1 };

	tree_begin(t, at, NULL);
	str_add(&t->text, "!(");
	if (put_condition(t, json_object_object_get(json, "not"), &operand) ==
	    -1)
		return -1;
	str_addc(&t->text, ')');
	return 0;
}

/* Write the operands of an array with op between them. */
static int
put_operands(struct rules_tree *t, struct json_object *json,
    const struct body_place *at, const char *name, const char *op)
{
	struct json_object *list = json_object_object_get(json, name);
	struct body_place operand = { at, name, 0 };
	const int n = (int)json_object_array_length(list);

	tree_begin(t, at, NULL);
	str_addc(&t->text, '(');
	for (; operand.index < n; operand.index++) {
		str_add(&t->text, operand.index == 0 ? "" : op);
		if (put_condition(t,
			json_object_array_get_idx(list, (size_t)operand.index),
			&operand) == -1)
			return -1;
	}
	str_addc(&t->text, ')');
	return 0;
}

/*
 * Write a signal: a word, or an attribute, whose name may need quotes.  Refuse
 * anything else, so that a path cannot add other rule text.
 */
static int
put_signal_path(
    struct rules_tree *t, struct json_object *json, const struct body_place *at)
{
	const char *path = body_string(json, "path");
	const size_t prefix = strlen(ATTR_PREFIX);

	tree_begin(t, at, "path");
	if (rule_ident(path)) {
		str_add(&t->text, path);
		return 0;
	}
	if (strncmp(path, ATTR_PREFIX, prefix) != 0)
		return refuse_rules(t->f, at, "path", "is no signal's name");
	str_add(&t->text, ATTR_PREFIX);
	str_json(&t->text, path + prefix);
	return 0;
}

static int
put_op(
    struct rules_tree *t, struct json_object *json, const struct body_place *at)
{
	const char *op = body_string(json, "op");
	size_t i;

	tree_begin(t, at, "op");
	for (i = 0; i < nitems(ops); i++) {
		if (strcmp(op, ops[i].name) != 0)
			continue;
		str_add(&t->text, ops[i].text);
		return 0;
	}
	return refuse_rules(
	    t->f, at, "op", "must be gt, gte, lt, lte, eq or neq");
}

static void
put_rule_value(
    struct rules_tree *t, struct json_object *json, const struct body_place *at)
{
	struct json_object *value = json_object_object_get(json, "value");

	tree_begin(t, at, "value");
	if (json_object_is_type(value, json_type_string))
		str_json(&t->text, json_object_get_string(value));
	else if (json_object_is_type(value, json_type_boolean))
		str_add(&t->text,
		    json_object_get_boolean(value) ? "true" : "false");
	else
		str_number(&t->text, json_object_get_double(value));
}

/* Write a member that must be a word of the rule language. */
static void
put_word(struct rules_tree *t, struct json_object *json,
    const struct body_place *at, const char *name)
{
	tree_begin(t, at, name);
	str_add(&t->text, body_string(json, name));
}

/* From here on the text comes from a member of at, or from at itself. */
static void
tree_begin(struct rules_tree *t, const struct body_place *at, const char *name)
{
	const struct body_place member = { at, name, -1 };

	if (t->text.len <= t->want)
		path_text(name == NULL ? at : &member, t->path);
}

/* Write the path, such as "rules[3].condition.all[1].path". */
static void
path_text(const struct body_place *at, char ret[PATH_SIZE])
{
	size_t len = 0;

	if (at->up != NULL) {
		path_text(at->up, ret);
		len = strlen(ret);
	}
	if (at->index == -1)
		snprintf(ret + len, PATH_SIZE - len, "%s%s",
		    len == 0 ? "" : ".", at->name);
	else
		snprintf(ret + len, PATH_SIZE - len, "%s%s[%d]",
		    len == 0 ? "" : ".", at->name, at->index);
}

static int
refuse_rules(struct fail *f, const struct body_place *at, const char *name,
    const char *why)
{
	const struct body_place member = { at, name, -1 };
	char where[PATH_SIZE];

	path_text(name == NULL ? at : &member, where);
	return fail_set(f, FAIL_INPUT, RULESET_INVALID, where, "%s", why);
}

/* Read line and column from a failure of the compiler. */
static void
place_of(const struct fail *f, size_t *ret_line, size_t *ret_col)
{
	*ret_line = *ret_col = 1;
	sscanf(f->where, "line %zu, column %zu", ret_line, ret_col);
}

/* The byte at which a column of a line begins; columns count characters. */
static size_t
byte_of(const char *text, size_t column)
{
	size_t i;

	for (i = 0; text[i] != '\0'; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80 && --column == 0)
			break;
	return i;
}
