/* SPDX-License-Identifier: ISC */
/*
 * core/rule/: limits, memory, and how random rules are printed.  The cases of
 * t/rules/ test the language itself.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_warn.h"
#include "core/signal/signals.h"
#include "t/unit/made_up.h"
#include "t/unit/unit.h"

#define BLOCK_SIZE ((size_t)1 << 26)

/* The text of a rule before and after its condition. */
#define HEAD "rule a { when "
#define TAIL " then score += 1, tag t }"

static char *block;
static struct arena arena; /* memory of one test */
static struct str text;
static struct fail f;

static void
setup(void)
{
	block = aligned_alloc(16, BLOCK_SIZE);
	ck_assert_ptr_nonnull(block);
	arena_init(&arena, block, BLOCK_SIZE);
	str_init(&text, &arena);
	f = (struct fail) { 0 };
}

static void
teardown(void)
{
	arena_reset(&arena);
	free(block);
}

static struct ruleset *
compile(void)
{
	const char *t = str_text(&text);

	ck_assert_ptr_nonnull(t);
	return rule_compile(&arena, t, text.len, &f);
}

static void
refused(const char *where, const char *why)
{
	ck_assert_ptr_null(compile());
	ck_assert_int_eq(f.kind, FAIL_INPUT);
	ck_assert_int_eq(f.code, RULESET_INVALID);
	ck_assert_str_eq(f.where, where);
	ck_assert_str_eq(f.why, why);
}

static void
add_rules(int n)
{
	int i;

	for (i = 0; i < n; i++)
		str_addf(&text,
		    "rule r%d { when event.amount > %d then score += %d, "
		    "tag t%d }\n",
		    i, i, i % 101, i / 2);
}

/* Print a ruleset, one rule a line. */
static const char *
print(const struct ruleset *rs)
{
	struct str s;
	size_t i;

	str_init(&s, &arena);
	for (i = 0; i < rs->n_rules; i++) {
		rule_print(&s, &rs->rules[i]);
		str_addc(&s, '\n');
	}
	ck_assert_ptr_nonnull(str_text(&s));
	return str_text(&s);
}

START_TEST(ruleset_of_a_thousand_rules_compiles)
{
	static struct rule_hits hits;
	static struct signals sigs;
	struct event ev = { 0 };
	struct ruleset *rs;
	size_t i;

	add_rules(RULES_MAX);
	rs = compile();
	ck_assert_ptr_nonnull(rs);
	ck_assert_uint_eq(rs->n_rules, RULES_MAX);
	ck_assert_uint_eq(rs->n_tags, RULES_MAX / 2);
	for (i = 0; i < RULES_MAX; i++) {
		ck_assert_uint_eq(rs->rules[i].tag_index, i / 2);
		ck_assert_int_eq(rs->rules[i].points, (int)(i % 101));
	}

	/* All rules can fire at once. */
	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	sigs.event = &ev;
	sigs.value[SIGNAL_EVENT_AMOUNT] = value_number(RULES_MAX);
	rule_eval(rs, &sigs, &hits);
	ck_assert_uint_eq(hits.n, RULES_MAX);
	ck_assert_uint_eq(hits.index[RULES_MAX - 1], RULES_MAX - 1);
	sigs.value[SIGNAL_EVENT_AMOUNT] = value_number(1.5);
	rule_eval(rs, &sigs, &hits);
	ck_assert_uint_eq(hits.n, 2);
}
END_TEST

START_TEST(rule_1001_is_refused)
{
	struct rule_mistake list[RULE_MISTAKES_MAX];
	struct rule_mistakes mistakes = { .list = list, .max = nitems(list) };

	add_rules(RULES_MAX + 1);
	refused("line 1001, column 1", "a ruleset has at most 1000 rules");
	ck_assert_ptr_null(
	    rule_compile_all(&arena, str_text(&text), text.len, &mistakes));
	ck_assert_uint_eq(mistakes.n, 1);
}
END_TEST

/* Add tests with other names than before; one of them in ten has a mistake. */
static void
add_tests(int n, bool mistakes)
{
	static int number;
	int i;

	for (i = 0; i < n; i++, number++)
		str_addf(&text,
		    "test t%d { given event.amount == %d expect %s }\n", number,
		    i, mistakes && i % 10 == 0 ? "nothing" : "allow");
}

START_TEST(test_1001_is_refused)
{
	struct ruleset *rs;

	add_tests(RULE_TESTS_MAX, false);
	rs = compile();
	ck_assert_ptr_nonnull(rs);
	ck_assert_uint_eq(rs->n_tests, RULE_TESTS_MAX);
	add_tests(1, false);
	refused("line 1001, column 1", "a ruleset has at most 1000 tests");
}
END_TEST

START_TEST(tests_with_mistakes_count)
{
	struct rule_mistake list[RULE_MISTAKES_MAX];
	struct rule_mistakes mistakes = { .list = list, .max = nitems(list) };

	add_tests(400, true);
	add_tests(RULE_TESTS_MAX, false);
	ck_assert_ptr_null(
	    rule_compile_all(&arena, str_text(&text), text.len, &mistakes));
	ck_assert_uint_eq(mistakes.n, 41);
	ck_assert_int_eq(list[40].line, RULE_TESTS_MAX + 1);
}
END_TEST

START_TEST(too_long_text_is_refused)
{
	int i;

	add_rules(1);
	for (i = (int)text.len; i < RULE_TEXT_MAX; i++)
		str_addc(&text, '\n');
	ck_assert_ptr_nonnull(compile());
	str_addc(&text, '\n');
	refused("line 1, column 1", "the text is longer than 1048576 bytes");
}
END_TEST

START_TEST(number_of_terms_is_limited)
{
	int i;

	/* The && group counts as one term. */
	str_add(&text, HEAD "attr.x");
	for (i = 2; i < RULE_TERMS_MAX; i++)
		str_add(&text, "\n&& attr.x");
	str_add(&text, TAIL);
	ck_assert_ptr_nonnull(compile());

	text.len -= strlen(TAIL);
	str_add(&text, "\n&& attr.x" TAIL);
	refused("line 1000, column 4", "a condition has at most 1000 terms");
}
END_TEST

START_TEST(late_group_counts_as_a_term)
{
	int i;

	/* The parser sees the group at the || after the last term that fits. */
	str_add(&text, HEAD "attr.x");
	for (i = 2; i < RULE_TERMS_MAX; i++)
		str_add(&text, "&& attr.x");
	str_add(&text, "\n|| attr.x" TAIL);
	refused("line 2, column 1", "a condition has at most 1000 terms");
}
END_TEST

START_TEST(long_list_finds_each_member)
{
	static struct rule_hits hits;
	static struct signals sigs;
	struct attr attr = { .name = "x" };
	struct event ev = { .attrs = &attr, .n_attrs = 1 };
	struct ruleset *rs;
	int i;

	str_add(&text, HEAD "attr.x in [");
	for (i = 0; i < RULE_LIST_MAX; i++)
		str_addf(&text, "%s%d", i == 0 ? "" : ",",
		    (i * 37) % RULE_LIST_MAX * 2);
	str_add(&text, "]" TAIL);
	rs = compile();
	ck_assert_ptr_nonnull(rs);
	sigs.event = &ev;
	for (i = -1; i <= RULE_LIST_MAX * 2; i++) {
		attr.value = value_number(i);
		rule_eval(rs, &sigs, &hits);
		ck_assert_uint_eq(
		    hits.n, i >= 0 && i < RULE_LIST_MAX * 2 && i % 2 == 0);
	}
}
END_TEST

START_TEST(number_of_attributes_is_limited)
{
	int i;

	for (i = 0; i < RULE_ATTRS_MAX; i++)
		str_addf(&text, "rule r%d { when attr.a%d > 1" TAIL "\n", i, i);
	str_add(&text, "rule again { when attr.a7 > 1" TAIL "\n");
	ck_assert_ptr_nonnull(compile());
	str_add(&text, "rule more { when attr.b > 1" TAIL "\n");
	refused("line 130, column 18",
	    "a ruleset reads at most 128 different attributes");
}
END_TEST

START_TEST(rules_read_the_attribute_they_name)
{
	static struct rule_hits hits;
	static struct signals sigs;
	struct attr attrs[EVENT_ATTRS_MAX];
	struct event ev = { .attrs = attrs };
	struct ruleset *rs;
	char names[EVENT_ATTRS_MAX][16];
	size_t i;

	/* The rules read every second attribute of the event. */
	for (i = 0; i < EVENT_ATTRS_MAX; i++)
		str_addf(&text, "rule r%zu { when attr.n%zu == %zu" TAIL, i,
		    i * 2, i * 2);
	rs = compile();
	ck_assert_ptr_nonnull(rs);
	for (i = 0; i < EVENT_ATTRS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "n%zu", i);
		attrs[i].name = names[i];
		attrs[i].value = value_number((double)i);
	}
	ev.n_attrs = EVENT_ATTRS_MAX;
	sigs.event = &ev;
	rule_eval(rs, &sigs, &hits);
	ck_assert_uint_eq(hits.n, EVENT_ATTRS_MAX / 2);
	for (i = 0; i < hits.n; i++)
		ck_assert_uint_eq(hits.index[i], i);
}
END_TEST

START_TEST(nan_is_unknown)
{
	static struct rule_hits hits;
	static struct signals sigs;
	struct event ev = { 0 };
	struct ruleset *rs;

	str_add(&text, "rule a { when event.amount != 1" TAIL);
	str_add(&text, "rule b { when !(event.amount == 1)" TAIL);
	str_add(&text, "rule c { when !(event.amount in [1])" TAIL);
	rs = compile();
	ck_assert_ptr_nonnull(rs);
	sigs.event = &ev;
	sigs.value[SIGNAL_EVENT_AMOUNT] = value_number(strtod("nan", NULL));
	rule_eval(rs, &sigs, &hits);
	ck_assert_uint_eq(hits.n, 0);
}
END_TEST

START_TEST(silenced_rules_do_not_fire)
{
	static const struct {
		struct rule_silence silence[2];
		size_t n, fired[3], n_fired;
	} cases[] = {
		{ { { NULL, false } }, 0, { 0, 1, 2 }, 3 },
		{ { { "a", false } }, 1, { 1, 2 }, 2 },
		{ { { "two", true } }, 1, { 0 }, 1 },
		{ { { "a", false }, { "two", true } }, 2, { 0 }, 0 },
		/* An id is no tag, a tag no id, and a rule may be unknown. */
		{ { { "a", true }, { "two", false } }, 2, { 0, 1, 2 }, 3 },
		{ { { "d", false }, { "e", false } }, 2, { 0, 1, 2 }, 3 },
	};
	const struct rule_silences silences = { cases[_i].silence,
		cases[_i].n };
	static struct rule_hits fired, silenced;
	static struct signals sigs;
	struct event ev = { 0 };
	struct ruleset *rs;
	size_t i;

	str_add(&text,
	    "rule a { when event.amount > 0 then score += 1, tag one }"
	    "rule b { when event.amount > 1 then score += 1, tag two }"
	    "rule c { when event.amount > 2 then score += 1, tag two }"
	    "rule d { when event.amount > 9 then score += 1, tag one }");
	rs = compile();
	ck_assert_ptr_nonnull(rs);
	sigs.event = &ev;
	sigs.value[SIGNAL_EVENT_AMOUNT] = value_number(5);
	sigs.silences = &silences;
	rule_eval(rs, &sigs, &fired);
	rule_eval_silenced(rs, &sigs, &silenced);
	ck_assert_uint_eq(fired.n, cases[_i].n_fired);
	ck_assert_uint_eq(silenced.n, 3 - fired.n);
	for (i = 0; i < fired.n; i++)
		ck_assert_uint_eq(fired.index[i], cases[_i].fired[i]);
	for (i = 0; i < silenced.n; i++)
		ck_assert(
		    rule_silenced(&rs->rules[silenced.index[i]], &silences));
	sigs.silences = NULL;
	rule_eval_silenced(rs, &sigs, &silenced);
	ck_assert_uint_eq(silenced.n, 0);
}
END_TEST

/*
 * With every size of the arena rule_compile() either succeeds or fails cleanly.
 */
START_TEST(compile_fails_cleanly_in_full_arena)
{
	const char *const rules =
	    "rule a { when attr.\"b c\" in [\"x\", \"y\"] && attr.z == \"q\" "
	    "then score += 1, tag t } rule b { when !attr.x then score += 2, "
	    "tag \"u\" }";
	static _Alignas(16) char small[4096];
	struct arena a;
	size_t size;
	bool good = false;

	for (size = 0; size < sizeof(small); size += 16) {
		arena_init(&a, small, size);
		f = (struct fail) { 0 };
		if (rule_compile(&a, rules, strlen(rules), &f) == NULL) {
			ck_assert(!good);
			ck_assert_int_eq(f.kind, FAIL_US);
			ck_assert_int_eq(f.code, INTERNAL);
		} else
			good = true;
		arena_reset(&a);
	}
	ck_assert(good);
}
END_TEST

/* RULE_ARENA_SIZE is enough for the texts that need the most memory a byte. */
START_TEST(rule_arena_size_is_enough)
{
	static const char *const greedy[] = {
		"rule %d{when !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!attr.x then "
		"score+=1,tag t}",
		"rule %d{when attr.x in[1,2,3,4,5,6,7,8,9,0]then "
		"score+=1,tag t}",
		"rule %d{when attr.x in[\"\",\"a\",\"b\",\"c\",\"d\"]then "
		"score+=1,tag t}",
		"rule %d{when attr.a||attr.b&&attr.c then score+=1,tag t}",
	};
	struct arena a;
	size_t size;
	char *room;
	int i;

	for (i = 0; i < RULES_MAX; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		str_addf(&text, greedy[_i], i);
#pragma GCC diagnostic pop
	}
	size = RULE_ARENA_SIZE(text.len);
	room = aligned_alloc(16, size / 16 * 16);
	ck_assert_ptr_nonnull(room);
	arena_init(&a, room, size / 16 * 16);
	ck_assert_ptr_nonnull(rule_compile(&a, str_text(&text), text.len, &f));
	arena_reset(&a);
	free(room);
}
END_TEST

/* Conditions of a rule b after a rule a, and the warning about b. */
static const struct {
	const char *when;
	const char *warning;
} warned[] = {
	{ "event.amount > 5", "" },
	{ "event.amount > 5 && event.amount < 5.0000001", "" },
	{ "attr.x == 1 || attr.x == 2", "" },
	{ "!(attr.x == 1) && attr.x == 1", "" },
	{ "attr.x != 1 && attr.x != 2", "" },
	{ "attr.x in [1, 2] && attr.x in [1, 3]", "" },
	{ "velocity.attemptsLast2m < 1", "" },
	{ "event.amount < 0", "" },
	{ "event.amount > 1", "has the same condition as the rule a" },
	{ "event.amount > 5 && event.amount < 5",
	    "never fires: event.amount < 5 contradicts an earlier comparison" },
	{ "event.amount > 6 && event.amount <= 6 && device.firstSeen",
	    "never fires: event.amount <= 6 contradicts an earlier "
	    "comparison" },
	{ "velocity.attemptsLast2m > 3 && velocity.attemptsLast2m < 4",
	    "never fires: velocity.attemptsLast2m < 4 contradicts an earlier "
	    "comparison" },
	{ "geo.country == \"DE\" && geo.country == \"ET\"",
	    "never fires: geo.country == \"ET\" contradicts an earlier "
	    "comparison" },
	{ "geo.country != \"DE\" && geo.country == \"DE\"",
	    "never fires: geo.country == \"DE\" contradicts an earlier "
	    "comparison" },
	{ "attr.x == 1 && attr.x == \"1\"",
	    "never fires: attr.x == \"1\" contradicts an earlier comparison" },
	{ "device.firstSeen && device.firstSeen == false",
	    "never fires: device.firstSeen == false contradicts an earlier "
	    "comparison" },
	{ "graph.usersOnDevice > 500",
	    "never fires: graph.usersOnDevice > 500 is never true" },
	{ "risk.deviceFraudRate > 1",
	    "never fires: risk.deviceFraudRate > 1 is never true" },
	{ "risk.ipFraudRate >= 1", "" },
	{ "event.currency == \"usd\"",
	    "event.currency is never \"usd\" (write \"USD\")" },
	{ "device.firstSeen || event.currency != \"XQQ\"",
	    "event.currency is never \"XQQ\" (it is a code of ISO 4217)" },
	{ "instrument.issuerCountry == \"UK\"",
	    "instrument.issuerCountry is never \"UK\" (write \"GB\")" },
	{ "!(geo.country in [\"us\", \"EU\", \"DE\", \" fr\"])",
	    "geo.country is never \" fr\" (write \"FR\") or \"EU\" (it is a "
	    "code "
	    "of ISO 3166) or \"us\" (write \"US\")" },
	{ "instrument.kind == \"Card\"",
	    "instrument.kind is never \"Card\" (write \"card\")" },
	{ "instrument.kind == \"iban\"",
	    "instrument.kind is never \"iban\" (it is card, wallet or bank)" },
	{ "instrument.bin == \"4111 11\"",
	    "instrument.bin is never \"4111 11\" (write \"411111\")" },
	{ "instrument.bin == \"41111\"",
	    "instrument.bin is never \"41111\" (it is 6 to 8 digits)" },
	{ "event.type == \"card\"",
	    "event.type is never \"card\" (it is an event type)" },
	{ "attr.tier == \"gold \"", "\"gold \" begins or ends with a blank" },
	{ "attr.country == \"UK\"", "" },
	{ "event.channel == \"Web\"", "" },
	{ "graph.ringSize < 1",
	    "never fires: graph.ringSize < 1 is never true" },
	{ "attr.x in [1, 2] || (attr.y && attr.x in [2, 1] && attr.y)",
	    "repeats attr.y" },
	{ "attr.z || attr.z && attr.y || attr.z", "repeats attr.z" },
};

START_TEST(rule_that_is_probably_a_mistake_is_warned_about)
{
	const struct ruleset *rs;
	struct str why;

	str_add(&text, "rule a { when event.amount > 1" TAIL);
	str_addf(&text, "rule b { when %s" TAIL, warned[_i].when);
	rs = compile();
	ck_assert_ptr_nonnull(rs);
	str_init(&why, &arena);
	rule_warn(&why, rs, 0);
	ck_assert_str_eq(str_text(&why), "");
	rule_warn(&why, rs, 1);
	ck_assert_str_eq(str_text(&why), warned[_i].warning);
}
END_TEST

/* A rule reads each signal once in the list, those in "!" and lists too. */
START_TEST(signals_of_a_rule_are_listed)
{
	uint16_t signals[RULE_VALUES_MAX];
	const struct ruleset *rs;

	str_add(&text, "rule a { when attr.other" TAIL);
	str_add(&text,
	    "\nrule b { when attr.x in [1] || !(geo.country == \"DE\") && "
	    "event.amount > 1 && event.amount < 9" TAIL);
	rs = compile();
	ck_assert_ptr_nonnull(rs);
	ck_assert_uint_eq(rule_signals(&rs->rules[1], signals), 3);
	ck_assert_uint_eq(signals[0], SIGNAL_EVENT_AMOUNT);
	ck_assert_uint_eq(signals[1], SIGNAL_GEO_COUNTRY);
	ck_assert_uint_eq(signals[2], SIGNAL__MAX + 1);
	ck_assert_int_eq(rs->rules[0].line, 1);
	ck_assert_int_eq(rs->rules[1].line, 2);
}
END_TEST

/* The list of mistakes is not longer than its room. */
START_TEST(mistakes_after_the_last_place_are_not_noted)
{
	struct rule_mistake list[2];
	struct rule_mistakes mistakes = { list, nitems(list), 0, false };
	int i;

	for (i = 0; i < 3; i++)
		str_addf(&text, "rule r%d { when amount > 1" TAIL "\n", i);
	ck_assert_ptr_null(
	    rule_compile_all(&arena, str_text(&text), text.len, &mistakes));
	ck_assert_uint_eq(mistakes.n, 2);
	ck_assert_int_eq(list[1].line, 2);
	ck_assert_int_eq(list[1].column, 16);
	ck_assert_int_eq(list[1].end_column, 22);
}
END_TEST

/*
 * A printed ruleset compiles, prints the same text, and fires the same rules.
 */
START_TEST(printed_rules_mean_the_same)
{
	static struct rule_hits before, after;
	static struct signals sigs;
	struct attr attrs[MADE_UP_ATTRS];
	struct event ev = { .attrs = attrs, .n_attrs = nitems(attrs) };
	struct ruleset *rs, *again;
	const char *canon;
	int i;

	made_up_seed((uint32_t)_i);
	made_up_rules(&text, 20);
	rs = compile();
	if (rs == NULL)
		ck_abort_msg("%s: %s in %s", f.where, f.why, str_text(&text));
	canon = print(rs);
	again = rule_compile(&arena, canon, strlen(canon), &f);
	if (again == NULL)
		ck_abort_msg("%s: %s in %s", f.where, f.why, canon);
	ck_assert_str_eq(print(again), canon);

	sigs.event = &ev;
	for (i = 0; i < 50; i++) {
		made_up_signals(&sigs, attrs);
		rule_eval(rs, &sigs, &before);
		rule_eval(again, &sigs, &after);
		ck_assert_uint_eq(before.n, after.n);
		ck_assert_mem_eq(before.index, after.index,
		    before.n * sizeof(before.index[0]));
	}
}
END_TEST

Suite *
suite_rule(void)
{
	Suite *s = suite_create("rule");
	TCase *tc = tcase_create("rule");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, ruleset_of_a_thousand_rules_compiles);
	tcase_add_test(tc, rule_1001_is_refused);
	tcase_add_test(tc, test_1001_is_refused);
	tcase_add_test(tc, tests_with_mistakes_count);
	tcase_add_test(tc, too_long_text_is_refused);
	tcase_add_test(tc, number_of_terms_is_limited);
	tcase_add_test(tc, late_group_counts_as_a_term);
	tcase_add_test(tc, long_list_finds_each_member);
	tcase_add_test(tc, number_of_attributes_is_limited);
	tcase_add_test(tc, rules_read_the_attribute_they_name);
	tcase_add_test(tc, nan_is_unknown);
	tcase_add_loop_test(tc, silenced_rules_do_not_fire, 0, 6);
	tcase_add_test(tc, compile_fails_cleanly_in_full_arena);
	tcase_add_loop_test(tc, rule_arena_size_is_enough, 0, 4);
	tcase_add_loop_test(tc, rule_that_is_probably_a_mistake_is_warned_about,
	    0, (int)nitems(warned));
	tcase_add_test(tc, signals_of_a_rule_are_listed);
	tcase_add_test(tc, mistakes_after_the_last_place_are_not_noted);
	tcase_add_loop_test(tc, printed_rules_mean_the_same, 0, 100);
	suite_add_tcase(s, tc);
	return s;
}
