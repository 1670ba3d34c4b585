/* SPDX-License-Identifier: ISC */
/* lib/json/body_rules.c and body_policy.c: rules and bands in JSON. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/policy.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"
#include "t/unit/unit.h"

#define BLOCK_SIZE ((size_t)1 << 26)

static char *block;
static struct arena arena;
static struct fail f;

static void
setup(void)
{
	block = aligned_alloc(16, BLOCK_SIZE);
	ck_assert_ptr_nonnull(block);
	arena_init(&arena, block, BLOCK_SIZE);
	f = (struct fail) { 0 };
}

static void
teardown(void)
{
	arena_reset(&arena);
	free(block);
}

static struct json_object *
parse(const char *text)
{
	struct json_object *json = body_parse(&arena, text, strlen(text), &f);

	ck_assert_msg(json != NULL, "%s: %s", text, f.why);
	return json;
}

#define RULE(condition)                                                        \
	"{\"rules\":[{\"id\":\"r\",\"tag\":\"t\",\"weight\":5,"                \
	"\"condition\":" condition "}]}"
#define IS(path, op, value)                                                    \
	"{\"kind\":\"compare\",\"path\":\"" path "\",\"op\":\"" op             \
	"\",\"value\":" value "}"
#define A IS("event.amount", "gt", "1")
#define B IS("device.firstSeen", "eq", "true")
#define C IS("attr.x", "neq", "\"y\"")
#define WHEN(condition) "rule r { when " condition " then score += 5, tag t }\n"
#define COND "rules[0].condition"
#define DSL "rule r { when device.firstSeen then score += 5, tag t }"

static const struct {
	const char *json;
	const char *text; /* NULL: refused */
	const char *where;
	const char *why; /* NULL: any */
} rules[] = {
	/* The operators and the types. */
	{ RULE(A), WHEN("event.amount > 1"), NULL, NULL },
	{ RULE(IS("event.amount", "gte", "1.50")), WHEN("event.amount >= 1.5"),
	    NULL, NULL },
	{ RULE(IS("event.amount", "lt", "-1e3")), WHEN("event.amount < -1000"),
	    NULL, NULL },
	{ RULE(IS("event.amount", "lte", "0.1")), WHEN("event.amount <= 0.1"),
	    NULL, NULL },
	{ RULE(IS("geo.country", "eq", "\"DE\"")),
	    WHEN("geo.country == \"DE\""), NULL, NULL },
	{ RULE(IS("geo.country", "neq", "\"DE\"")),
	    WHEN("geo.country != \"DE\""), NULL, NULL },
	{ RULE(B), WHEN("device.firstSeen == true"), NULL, NULL },
	{ RULE(IS("attr.vip", "eq", "false")), WHEN("attr.vip == false"), NULL,
	    NULL },

	/* Strings and names that must be quoted. */
	{ RULE(IS("attr.x", "eq", "\"a\\\" || true == \\\"\\\\\"")),
	    WHEN("attr.x == \"a\\\" || true == \\\"\\\\\""), NULL, NULL },
	{ RULE(IS("attr.x", "eq", "\"#\\n// \\u0001\\u007f \\u00e9\"")),
	    WHEN("attr.x == \"#\\u000a// \\u0001\\u007f \xc3\xa9\""), NULL,
	    NULL },
	{ RULE(IS("attr.plan name", "eq", "1")),
	    WHEN("attr.\"plan name\" == 1"), NULL, NULL },
	{ RULE(IS("attr.a\\\" > 1 || attr.\\\"b", "eq", "1")),
	    WHEN("attr.\"a\\\" > 1 || attr.\\\"b\" == 1"), NULL, NULL },

	/* Groups. */
	{ RULE("{\"kind\":\"and\",\"all\":[" A "," B "," C "]}"),
	    WHEN("event.amount > 1 && device.firstSeen == true && "
		 "attr.x != \"y\""),
	    NULL, NULL },
	{ RULE("{\"kind\":\"or\",\"any\":[" A "," B "]}"),
	    WHEN("event.amount > 1 || device.firstSeen == true"), NULL, NULL },
	{ RULE("{\"kind\":\"or\",\"any\":[" A "]}"), WHEN("event.amount > 1"),
	    NULL, NULL },
	{ RULE("{\"kind\":\"not\",\"not\":" A "}"), WHEN("!(event.amount > 1)"),
	    NULL, NULL },
	{ RULE("{\"kind\":\"and\",\"all\":[" A ",{\"kind\":\"or\",\"any\":[" B
	       ",{\"kind\":\"not\",\"not\":{\"kind\":\"and\",\"all\":[" A "," C
	       "]}}]}]}"),
	    WHEN("event.amount > 1 && (device.firstSeen == true || "
		 "!(event.amount > 1 && attr.x != \"y\"))"),
	    NULL, NULL },

	/* Text. */
	{ "{\"rules\":[]}", "", NULL, NULL },
	{ "{\"dsl\":\"# all\\n" DSL "\"}", "# all\n" DSL, NULL, NULL },
	{ "{\"rules\":[{\"dsl\":\"// one\\n" DSL "# end\"}]}", DSL "\n", NULL,
	    NULL },
	{ "{\"rules\":[{\"id\":\"r\",\"tag\":\"t\",\"weight\":5.0,"
	  "\"dsl\":\"" DSL "\"}]}",
	    DSL "\n", NULL, NULL },
	{ "{\"rules\":[{\"dsl\":\"" DSL "\"},{\"id\":\"s\",\"tag\":\"t\","
	  "\"weight\":100,\"condition\":" A "}]}",
	    DSL "\nrule s { when event.amount > 1 then score += 100, tag t "
		"}\n",
	    NULL, NULL },

	/* Errors in text. */
	{ "{\"dsl\":\"rule r {\\n when x\"}", NULL, "line 2, column 7", NULL },
	{ "{\"rules\":[{\"dsl\":\"" DSL "\"},{\"dsl\":\"\\nrule é\"}]}", NULL,
	    "rules[1].dsl, line 2, column 6:", NULL },
	{ "{\"rules\":[{\"dsl\":\"# none\"}]}", NULL, "rules[0].dsl",
	    "must be one rule" },
	{ "{\"rules\":[{\"dsl\":\"" DSL "\\nrule s { when attr.x then score "
	  "+= 1, tag t }\"}]}",
	    NULL, "rules[0].dsl", "must be one rule" },
	{ "{\"rules\":[{\"dsl\":\"rule r { when attr.x\"},"
	  "{\"dsl\":\"then score += 1, tag t }\"}]}",
	    NULL, "rules[0].dsl, line 1, column 21:", NULL },
	{ "{\"rules\":[{\"dsl\":\"" DSL "\"},{\"dsl\":\"" DSL "\"}]}", NULL,
	    "rules[1]:", "an earlier rule has the id \"r\" already" },
	{ "{\"rules\":[{\"id\":\"q\",\"dsl\":\"" DSL "\"}]}", NULL,
	    "rules[0].id", "is another in dsl" },
	{ "{\"rules\":[{\"tag\":\"q\",\"dsl\":\"" DSL "\"}]}", NULL,
	    "rules[0].tag", "is another in dsl" },
	{ "{\"rules\":[{\"weight\":6,\"dsl\":\"" DSL "\"}]}", NULL,
	    "rules[0].weight", "is another in dsl" },

	/* Errors in members. */
	{ "{}", NULL, "", "the ruleset must be in one of dsl and rules" },
	{ "{\"dsl\":\"" DSL "\",\"rules\":[]}", NULL, "", NULL },
	{ "{\"rules\":[1]}", NULL, "rules[0]", "must be an object" },
	{ "{\"rules\":[null]}", NULL, "rules[0]", "must be an object" },
	{ "{\"rules\":[{}]}", NULL, "rules[0].id", "is required" },
	{ "{\"rules\":[{\"dsl\":\"" DSL "\",\"points\":5}]}", NULL,
	    "rules[0].points", "is an unknown field" },
	{ "{\"rules\":[{\"dsl\":\"" DSL "\",\"condition\":{}}]}", NULL,
	    "rules[0].condition", "is an unknown field" },
	{ "{\"rules\":[{\"dsl\":7}]}", NULL, "rules[0].dsl", NULL },
	{ "{\"rules\":[{\"id\":\"r r\",\"tag\":\"t\",\"weight\":1,"
	  "\"condition\":" A "}]}",
	    NULL, "rules[0].id", "must be 1 to 64 letters, digits and ._@+-" },
	{ "{\"rules\":[{\"id\":\"r\",\"tag\":\"t }\",\"weight\":1,"
	  "\"condition\":" A "}]}",
	    NULL, "rules[0].tag", NULL },
	{ "{\"rules\":[{\"id\":\"r\",\"tag\":\"t\",\"weight\":1.5,"
	  "\"condition\":" A "}]}",
	    NULL, "rules[0].weight", "must be an integer from 0 to 100" },
	{ "{\"rules\":[{\"id\":\"r\",\"tag\":\"t\",\"weight\":101,"
	  "\"condition\":" A "}]}",
	    NULL, "rules[0].weight", NULL },

	/* Errors in trees. */
	{ RULE("[]"), NULL, COND, "must be an object" },
	{ RULE("{}"), NULL, COND ".kind", "must be compare, and, or or not" },
	{ RULE("{\"kind\":\"xor\"}"), NULL, COND ".kind", NULL },
	{ RULE("{\"kind\":7}"), NULL, COND ".kind", NULL },
	{ RULE("{\"kind\":\"and\",\"all\":[]}"), NULL, COND ".all",
	    "must be an array of 1 to 1000 elements" },
	{ RULE("{\"kind\":\"and\",\"any\":[" A "]}"), NULL, COND ".any",
	    "is an unknown field" },
	{ RULE("{\"kind\":\"or\",\"any\":[" A ",null]}"), NULL, COND ".any[1]",
	    "must be an object" },
	{ RULE("{\"kind\":\"not\"}"), NULL, COND ".not", "is required" },
	{ RULE("{\"kind\":\"not\",\"not\":[" A "]}"), NULL, COND ".not",
	    "must be an object" },
	{ RULE(IS("event.amount", "in", "1")), NULL, COND ".op",
	    "must be gt, gte, lt, lte, eq or neq" },
	{ RULE("{\"kind\":\"compare\",\"path\":\"event.amount\",\"op\":\"gt\","
	       "\"value\":null}"),
	    NULL, COND ".value", "must be a string, a number, true or false" },
	{ RULE(IS("event.amount", "eq", "[1]")), NULL, COND ".value", NULL },
	{ RULE(IS("event.amount > 1 || event.amount", "gt", "1")), NULL,
	    COND ".path", NULL },
	{ RULE(IS("event.amout", "gt", "1")), NULL, COND ".path",
	    "found \"event.amout\", expected a signal: event has type, "
	    "channel, amount, currency" },
	{ RULE(IS("25", "gt", "1")), NULL, COND ".path", NULL },
	{ RULE(IS("attr.", "gt", "1")), NULL, COND ".path",
	    "the name of an attribute has 1 to 64 bytes" },
	{ RULE(IS("event.amount", "gt", "\"1\"")), NULL, COND ".value",
	    "found a string, but event.amount is a number" },
	{ RULE(IS("device.firstSeen", "gt", "1")), NULL, COND ".op", NULL },
	{ RULE("{\"kind\":\"and\",\"all\":[" A
	       "," IS("geo.country", "lt", "\"DE\"") "]}"),
	    NULL, COND ".all[1].op", NULL },
	{ RULE("{\"kind\":\"or\",\"any\":[{\"kind\":\"not\",\"not\":"
	       "{\"kind\":\"and\",\"all\":[" C "," IS("attr.é", "eq",
		   "\"é\"") "," IS("geo.land", "eq", "1") "]}}," A "]}"),
	    NULL, COND ".any[0].not.all[2].path", NULL },
	{ RULE("{\"kind\":\"and\",\"all\":[" IS("attr.é", "eq", "\"é\"") "," IS(
	      "event.amount", "eq", "\"é\"") "]}"),
	    NULL, COND ".all[1].value", NULL },
};

START_TEST(rules_become_text_or_are_refused)
{
	const char *text = NULL;
	struct ruleset *rs =
	    body_ruleset(&arena, parse(rules[_i].json), &text, &f);

	if (rules[_i].text != NULL) {
		ck_assert_msg(
		    rs != NULL, "%s: %s %s", rules[_i].json, f.where, f.why);
		ck_assert_str_eq(text, rules[_i].text);
		return;
	}
	ck_assert_msg(rs == NULL, "%s", rules[_i].json);
	ck_assert_int_eq(f.kind, FAIL_INPUT);
	ck_assert_int_eq(f.code,
	    rules[_i].where[0] == '\0' ? INVALID_REQUEST : RULESET_INVALID);
	ck_assert_str_eq(f.where, rules[_i].where);
	if (rules[_i].why != NULL)
		ck_assert_str_eq(f.why, rules[_i].why);
}
END_TEST

/*
 * Append a rule that compares an attribute n times with a value, joined by or.
 */
static void
add_rule(struct str *s, const char *id, int n, const char *value)
{
	int i;

	str_addf(s,
	    "{\"id\":\"%s\",\"tag\":\"t\",\"weight\":5,"
	    "\"condition\":{\"kind\":\"or\",\"any\":[",
	    id);
	for (i = 0; i < n; i++)
		str_addf(s,
		    "%s{\"kind\":\"compare\",\"path\":\"attr.x\","
		    "\"op\":\"eq\",\"value\":\"%s\"}",
		    i == 0 ? "" : ",", value);
	str_add(s, "]}}");
}

START_TEST(number_of_terms_is_limited)
{
	const char *text;
	struct str s;

	str_init(&s, &arena);
	str_add(&s, "{\"rules\":[");
	add_rule(&s, "r", 1000, "");
	str_add(&s, "]}");
	ck_assert_ptr_null(
	    body_ruleset(&arena, parse(str_text(&s)), &text, &f));
	ck_assert_str_eq(f.where, COND ".any[999].path");
	ck_assert_str_eq(f.why, "a condition has at most 1000 terms");
}
END_TEST

/* A line feed has two bytes in the body and six in the rule text. */
START_TEST(length_of_rule_text_is_limited)
{
	char value[2001] = "";
	const char *text;
	struct str s;
	int i;

	for (i = 0; i < 2000; i++)
		value[i] = i % 2 == 0 ? '\\' : 'n';
	str_init(&s, &arena);
	str_add(&s, "{\"rules\":[");
	add_rule(&s, "r", 100, value);
	str_addc(&s, ',');
	add_rule(&s, "s", 100, value);
	str_add(&s, "]}");
	ck_assert_ptr_null(
	    body_ruleset(&arena, parse(str_text(&s)), &text, &f));
	ck_assert_str_eq(f.where, "rules[1]");
	ck_assert_str_eq(f.why, "makes the ruleset too long");
}
END_TEST

static const struct {
	const char *json;
	const char *bands; /* NULL: refused */
	const char *where;
	const char *why; /* NULL: any */
} policies[] = {
#define FAIL_OPEN(bands) "{\"onError\":\"fail_open\",\"bands\":" bands "}"
#define BAND(verdict, min, max)                                                \
	"{\"verdict\":\"" verdict "\",\"min\":" min ",\"max\":" max "}"
	{ FAIL_OPEN(
	      "[" BAND("allow", "0", "24") "," BAND("deny", "25.0", "1e2") "]"),
	    "[{\"verdict\":\"allow\",\"min\":0,\"max\":24},"
	    "{\"verdict\":\"deny\",\"min\":25,\"max\":100}]",
	    NULL, NULL },
	{ FAIL_OPEN("[{\"verdict\":\"review\",\"min\":0,\"max\":100,"
		    "\"reviewQueue\":\"a \\\"b\\\"\"}]"),
	    "[{\"verdict\":\"review\",\"min\":0,\"max\":100,"
	    "\"reviewQueue\":\"a \\\"b\\\"\"}]",
	    NULL, NULL },
	{ FAIL_OPEN("[{\"verdict\":\"review\",\"min\":0,\"max\":100,"
		    "\"reviewQueue\":null}]"),
	    "[{\"verdict\":\"review\",\"min\":0,\"max\":100}]", NULL, NULL },
	{ "{\"bands\":[]}", NULL, "policy.onError",
	    "must be \"fail_open\" or \"fail_closed\"" },
	{ "{\"onError\":\"allow\",\"bands\":[]}", NULL, "policy.onError",
	    NULL },
	{ "{\"onError\":null,\"bands\":[]}", NULL, "policy.onError", NULL },
	{ "{\"onError\":\"fail_closed\"}", NULL, "policy.bands",
	    "must be an array" },
	{ FAIL_OPEN("{}"), NULL, "policy.bands", NULL },
	{ FAIL_OPEN("[]"), NULL, "policy.bands", "must hold 1 to 101 bands" },
	{ FAIL_OPEN("[1]"), NULL, "policy.bands[0]", "must be an object" },
	{ FAIL_OPEN(
	      "[" BAND("allow", "0", "24") "," BAND("deny", "26", "100") "]"),
	    NULL, "policy.bands[1].min",
	    "must be one above the max of the band before" },
	{ FAIL_OPEN("[" BAND("block", "0", "100") "]"), NULL,
	    "policy.bands[0].verdict",
	    "must be allow, challenge, review or deny" },
	{ FAIL_OPEN("[" BAND("allow", "\"0\"", "100") "]"), NULL,
	    "policy.bands[0].min", "must be a number from 0 to 100" },
	{ FAIL_OPEN("[" BAND("allow", "0", "101") "]"), NULL,
	    "policy.bands[0].max", NULL },
	{ FAIL_OPEN("[" BAND("allow", "0", "49.5") "," BAND(
	      "deny", "50.5", "100") "]"),
	    NULL, "policy.bands[0].max", "must be a whole number" },
	{ FAIL_OPEN("[{\"verdict\":\"allow\",\"min\":0}]"), NULL,
	    "policy.bands[0].max", "is required" },
	{ FAIL_OPEN("[{\"verdict\":\"allow\",\"min\":0,\"max\":100,"
		    "\"queue\":\"q\"}]"),
	    NULL, "policy.bands[0].queue", "is an unknown field" },
	{ FAIL_OPEN("[{\"verdict\":\"review\",\"min\":0,\"max\":100,"
		    "\"reviewQueue\":\"\"}]"),
	    NULL, "policy.bands[0].reviewQueue", NULL },
	{ FAIL_OPEN("[{\"verdict\":\"review\",\"min\":0,\"max\":100,"
		    "\"reviewQueue\":\"a\\tb\"}]"),
	    NULL, "policy.bands[0].reviewQueue",
	    "must be one line, not blank, of 1 to 128 bytes" },
};

START_TEST(policy_is_read_or_refused)
{
	struct policy p = { 0 };
	struct str s;

	if (body_policy(&arena, parse(policies[_i].json), "policy", &p, &f) ==
	    0) {
		str_init(&s, &arena);
		body_bands(&s, &p);
		ck_assert_ptr_nonnull(policies[_i].bands);
		ck_assert_str_eq(str_text(&s), policies[_i].bands);
		return;
	}
	ck_assert_msg(policies[_i].bands == NULL, "%s %s", f.where, f.why);
	ck_assert_int_eq(f.code, POLICY_INVALID);
	ck_assert_str_eq(f.where, policies[_i].where);
	if (policies[_i].why != NULL)
		ck_assert_str_eq(f.why, policies[_i].why);
}
END_TEST

Suite *
suite_body_rules(void)
{
	Suite *s = suite_create("body_rules");
	TCase *tc = tcase_create("body_rules");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(
	    tc, rules_become_text_or_are_refused, 0, nitems(rules));
	tcase_add_test(tc, number_of_terms_is_limited);
	tcase_add_test(tc, length_of_rule_text_is_limited);
	tcase_add_loop_test(tc, policy_is_read_or_refused, 0, nitems(policies));
	suite_add_tcase(s, tc);
	return s;
}
