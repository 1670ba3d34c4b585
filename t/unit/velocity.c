/* SPDX-License-Identifier: ISC */
/*
 * core/rule/velocity.c: texts and ids of velocities, their keys, and what
 * events add to them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/rule/velocity.h"
#include "core/signal/signals.h"
#include "t/unit/unit.h"

#define SUM_WHERE "sum(attr.n) by userId over 1h where "

static _Alignas(16) char block[1 << 20];
static struct arena arena;
static struct fail f;
static struct signals sigs;

static void
setup(void)
{
	size_t i;

	arena_init(&arena, block, sizeof(block));
	f = (struct fail) { 0 };
	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
}

static void
teardown(void)
{
	arena_reset(&arena);
}

static const struct velocity *
compiled_velocity(const char *text)
{
	const struct velocity *v = velocity_compile(&arena, text, &f);

	ck_assert_msg(v != NULL, "%s: %s in %s", f.where, f.why, text);
	ck_assert_int_ne(v->id, 0);
	return v;
}

static const char *
printed_velocity(const struct velocity *v)
{
	struct str s;

	str_init(&s, &arena);
	velocity_print(&s, v);
	ck_assert_ptr_nonnull(str_text(&s));
	return str_text(&s);
}

/* Texts of one velocity, and its canonical text. */
static const struct {
	const char *text, *want;
} same_texts[] = {
	{ "count by userId over 1h", "count by userId over 1h" },
	{ "count\tby #x\n userId\nover 60m", "count by userId over 1h" },
	{ "sum( event.amount )by ip over 90d",
	    "sum(event.amount) by ip over 90d" },
	{ "avg(attr.\"n\") by phone over 25h",
	    "avg(attr.n) by phone over 25h" },
	{ "min(attr.n) by userId over 999m",
	    "min(attr.n) by userId over 999m" },
	{ "max(attr.\"\\u00e9\") by fingerprint over all",
	    "max(attr.\"\xc3\xa9\") by fingerprint over all" },
	{ "stddev(attr.userId) by deviceId over 000024h",
	    "stddev(attr.userId) by deviceId over 1d" },
	{ "distinct(userId) by ip, deviceId over 1h",
	    "distinct(userId) by deviceId, ip over 1h" },
	{ "distinct(event.type) by instrument.bin, phone over 1h",
	    "distinct(event.type) by phone, instrument.bin over 1h" },
	{ "count by attr.b, attr.a over 1h",
	    "count by attr.a, attr.b over 1h" },
	{ "count by attr.a, instrument.bin over 1h",
	    "count by instrument.bin, attr.a over 1h" },
	{ "count by attr.\"a b\", attr.\"userId\" over 1h",
	    "count by attr.\"a b\", attr.userId over 1h" },
	{ "count by userId over 1h where attr.x==1.0||(attr.y&&attr.z)",
	    "count by userId over 1h where attr.x == 1 || attr.y && attr.z" },
	{ "count by userId over 1h where verdict in [\"deny\", \"allow\"]",
	    "count by userId over 1h where verdict in [\"allow\", \"deny\"] "
	    "excluding current" },
	{ "count by userId over 1h where !(verdict == \"deny\" && attr.x) "
	  "excluding current",
	    "count by userId over 1h where !(verdict == \"deny\" && attr.x) "
	    "excluding current" },
	{ "count by userId over 1h where attr.x excluding current",
	    "count by userId over 1h where attr.x excluding current" },
	{ "count by userId over 1h excluding current",
	    "count by userId over 1h excluding current" },
};

START_TEST(text_is_printed_and_keeps_its_id)
{
	const struct velocity *v = compiled_velocity(same_texts[_i].text);
	const struct velocity *again;

	ck_assert_str_eq(printed_velocity(v), same_texts[_i].want);
	again = compiled_velocity(same_texts[_i].want);
	ck_assert_str_eq(printed_velocity(again), same_texts[_i].want);
	ck_assert_int_eq(again->id, v->id);
	ck_assert_int_eq(again->window, v->window);
	ck_assert_int_eq(again->current, v->current);
	ck_assert_uint_eq(again->n_keys, v->n_keys);
}
END_TEST

/* The name, the place and the other parts of a ruleset are not in the id. */
START_TEST(id_is_that_of_the_text_alone)
{
	static const char *const rules =
	    "rule r { when attr.c == 1 && velocity.two > 1 then score += 1, "
	    "tag t }\n"
	    "velocity one = sum(attr.b) by attr.a, attr.c over 1h where "
	    "attr.d\n"
	    "velocity two = sum(attr.b) by attr.c, attr.a over 60m where "
	    "attr.d";
	const struct velocity *v = compiled_velocity(
	    "sum(attr.b) by attr.a, attr.c over 1h where attr.d");
	const struct ruleset *rs;

	rs = rule_compile(&arena, rules, strlen(rules), &f);
	ck_assert_ptr_nonnull(rs);
	ck_assert_uint_eq(rs->n_velocities, 2);
	ck_assert_str_eq(rs->velocities[0].name, "two");
	ck_assert_int_eq(rs->velocities[0].line, 3);
	ck_assert_int_eq(rs->velocities[0].id, v->id);
	ck_assert_int_eq(rs->velocities[1].id, v->id);
}
END_TEST

/* Velocities of which no two are the same. */
static const char *const different[] = {
	"sum(attr.b) by userId over 1h",
	"avg(attr.b) by userId over 1h",
	"sum(attr.c) by userId over 1h",
	"sum(attr.b) by deviceId over 1h",
	"sum(attr.b) by userId, ip over 1h",
	"sum(attr.b) by attr.userId over 1h",
	"sum(attr.b) by userId over 2h",
	"sum(attr.b) by userId over all",
	"sum(attr.b) by userId over 1h excluding current",
	"sum(attr.b) by userId over 1h where attr.b",
	"sum(attr.b) by userId over 1h where attr.b == 1",
	"sum(attr.b) by userId over 1h where attr.b == \"1\"",
	"sum(attr.b) by userId over 1h where !(attr.b == 1)",
	"sum(attr.b) by userId over 1h where attr.b == 1 excluding current",
	"sum(attr.b) by userId over 1h where verdict == \"deny\"",
	"sum(attr.b) by userId over 1h where attr.verdict == \"deny\"",
	"count by userId over 1h",
	"distinct(userId) by userId over 1h",
	"distinct(attr.userId) by userId over 1h",
};

START_TEST(other_velocity_has_another_id)
{
	const int64_t id = compiled_velocity(different[_i])->id;
	int i;

	for (i = 0; i < (int)nitems(different); i++)
		ck_assert_int_eq(
		    compiled_velocity(different[i])->id == id, i == _i);
}
END_TEST

/* The parts of keys, and of an event that lacks them: NULL. */
static const struct {
	const char *key;
	struct attr attr;
	const char *want;
} key_parts[] = {
	{ "userId", { 0 }, "userId:u 1" },
	{ "deviceId", { 0 }, "deviceId:d,1" },
	{ "fingerprint", { 0 }, "fingerprint:f:1" },
	{ "ip", { 0 }, "ip:2001:db8::1" },
	{ "phone", { 0 }, NULL },
	{ "instrument.bin", { 0 }, "instrument.bin:411111" },
	{ "attr.a", { 0 }, NULL },
	{ "attr.a", { "a", NULL, { .type = VALUE_UNKNOWN } }, NULL },
	{ "attr.a", { "a", NULL, { .type = VALUE_STRING, .string = "1" } },
	    "attr.a:\"1\"" },
	{ "attr.a", { "a", NULL, { .type = VALUE_STRING, .string = "" } },
	    "attr.a:\"\"" },
	{ "attr.a", { "a", NULL, { .type = VALUE_NUMBER, .number = 1 } },
	    "attr.a:1" },
	{ "attr.a", { "a", NULL, { .type = VALUE_NUMBER, .number = 0.1 } },
	    "attr.a:0.1" },
	{ "attr.a", { "a", NULL, { .type = VALUE_BOOL, .flag = true } },
	    "attr.a:true" },
	{ "attr.\"a b\"", { "a b", NULL, { .type = VALUE_BOOL } },
	    "attr.\"a b\":false" },
};

START_TEST(part_of_a_key_is_text)
{
	const struct event event = { .bin = "411111",
		.attrs = &key_parts[_i].attr,
		.n_attrs = key_parts[_i].attr.name != NULL };
	const struct velocity_event ev = {
		.subject = { "u 1", "d,1", "f:1", "2001:db8::1", NULL },
		.event = &event,
	};
	const struct velocity *v;
	char text[64];
	struct str s;

	snprintf(text, sizeof(text), "count by %s over 1h", key_parts[_i].key);
	v = compiled_velocity(text);
	str_init(&s, &arena);
	ck_assert_int_eq(
	    velocity_key_part(&s, v, 0, &ev), key_parts[_i].want != NULL);
	if (key_parts[_i].want != NULL)
		ck_assert_str_eq(str_text(&s), key_parts[_i].want);
	ck_assert_int_eq(
	    velocity_by_user(v), strcmp(key_parts[_i].key, "userId") == 0);
}
END_TEST

START_TEST(event_without_a_bin_lacks_that_key)
{
	const struct event event = { 0 };
	const struct velocity_event ev = { .event = &event };
	const struct velocity *v =
	    compiled_velocity("count by instrument.bin, userId over 1h");
	struct str s;

	str_init(&s, &arena);
	ck_assert(velocity_by_user(v));
	ck_assert(!velocity_key_part(&s, v, 0, &ev));
	ck_assert(!velocity_key_part(&s, v, 1, &ev));
}
END_TEST

/* Whether an event counts that is denied, and one without a verdict. */
static const struct {
	const char *where;
	bool denied, open;
} filters[] = {
	{ "attr.n == 2.5", true, true },
	{ "attr.n == 2", false, false },
	{ "attr.none", false, false },
	{ "!attr.none", false, false },
	{ "event.type == \"card.authorize\"", true, true },
	{ "event.amount > 7 || attr.vip", true, true },
	{ "verdict == \"deny\"", true, false },
	{ "verdict != \"deny\"", false, false },
	{ "verdict in [\"allow\", \"deny\"]", true, false },
	{ "!(verdict == \"allow\")", true, false },
	{ "verdict == \"deny\" && attr.vip", true, false },
	{ "attr.vip || verdict == \"allow\"", true, true },
	{ "verdict == \"deny\" || verdict != \"deny\"", true, false },
};

static const struct attr item_attrs[] = {
	{ "n", NULL, { .type = VALUE_NUMBER, .number = 2.5 } },
	{ "vip", NULL, { .type = VALUE_BOOL, .flag = true } },
};

START_TEST(filter_reads_the_event_and_its_verdict)
{
	const struct event event = { .attrs = item_attrs,
		.n_attrs = nitems(item_attrs) };
	const struct velocity_event ev = { .event = &event };
	struct velocity_item item;
	const struct velocity *v;
	char text[128];

	sigs.event = &event;
	sigs.value[SIGNAL_EVENT_TYPE] = value_string("card.authorize");
	sigs.value[SIGNAL_EVENT_AMOUNT] = value_number(7);
	snprintf(text, sizeof(text), SUM_WHERE "%s", filters[_i].where);
	v = compiled_velocity(text);
	velocity_item(v, &ev, &sigs, VERDICT_DENY, &item);
	ck_assert_int_eq(item.counts, filters[_i].denied);
	ck_assert_int_eq(item.number, filters[_i].denied ? 2500 : 0);
	velocity_item(v, &ev, &sigs, VERDICT__NONE, &item);
	ck_assert_int_eq(item.counts, filters[_i].open);
}
END_TEST

/* What an attribute adds to each function of numbers, in thousandths. */
static const struct {
	struct value value;
	bool counts;
	int64_t number;
} item_numbers[] = {
	{ { .type = VALUE_NUMBER, .number = 0 }, true, 0 },
	{ { .type = VALUE_NUMBER, .number = -0.0 }, true, 0 },
	{ { .type = VALUE_NUMBER, .number = 0.1 }, true, 100 },
	{ { .type = VALUE_NUMBER, .number = 0.0004 }, true, 0 },
	{ { .type = VALUE_NUMBER, .number = 0.0006 }, true, 1 },
	{ { .type = VALUE_NUMBER, .number = -0.0006 }, true, -1 },
	{ { .type = VALUE_NUMBER, .number = -19.99 }, true, -19990 },
	{ { .type = VALUE_NUMBER, .number = 5e-324 }, true, 0 },
	{ { .type = VALUE_NUMBER, .number = 1e15 }, true,
	    INT64_C(1000000000000000000) },
	{ { .type = VALUE_NUMBER, .number = -1e15 }, true,
	    INT64_C(-1000000000000000000) },
	{ { .type = VALUE_NUMBER, .number = 1000000000000000.25 }, false, 0 },
	{ { .type = VALUE_NUMBER, .number = 1e300 }, false, 0 },
	{ { .type = VALUE_NUMBER, .number = -1e300 }, false, 0 },
	{ { .type = VALUE_STRING, .string = "1" }, false, 0 },
	{ { .type = VALUE_BOOL, .flag = true }, false, 0 },
	{ { .type = VALUE_UNKNOWN }, false, 0 },
};

START_TEST(numbers_are_thousandths)
{
	const struct attr attr = { "n", NULL, item_numbers[_i].value };
	const struct event event = { .attrs = &attr, .n_attrs = 1 };
	const struct velocity_event ev = { .event = &event };
	struct velocity_item item;
	unsigned int fn;
	char text[64];

	sigs.event = &event;
	for (fn = VELOCITY_SUM; fn < VELOCITY_DISTINCT; fn++) {
		snprintf(text, sizeof(text), "%s(attr.n) by ip over 1h",
		    velocity_function_name((enum velocity_function)fn));
		velocity_item(
		    compiled_velocity(text), &ev, &sigs, VERDICT__NONE, &item);
		ck_assert_int_eq(item.counts, item_numbers[_i].counts);
		ck_assert_int_eq(item.number, item_numbers[_i].number);
	}
	velocity_item(compiled_velocity("distinct(attr.n) by ip over 1h"), &ev,
	    &sigs, VERDICT__NONE, &item);
	ck_assert_int_eq(item.counts, attr.value.type != VALUE_UNKNOWN);
	ck_assert_int_eq(item.distinct.type, attr.value.type);
	velocity_item(compiled_velocity("count by ip over 1h"), &ev, &sigs,
	    VERDICT__NONE, &item);
	ck_assert(item.counts);
}
END_TEST

START_TEST(distinct_values_are_of_any_part)
{
	const struct event event = { 0 };
	const struct velocity_event ev = { .subject = { "u", NULL },
		.event = &event };
	struct velocity_item item;

	sigs.event = &event;
	sigs.value[SIGNAL_EVENT_CURRENCY] = value_string("EUR");
	velocity_item(compiled_velocity("distinct(userId) by ip over 1h"), &ev,
	    &sigs, VERDICT_ALLOW, &item);
	ck_assert(item.counts);
	ck_assert_str_eq(item.distinct.string, "u");
	velocity_item(compiled_velocity("distinct(deviceId) by ip over 1h"),
	    &ev, &sigs, VERDICT_ALLOW, &item);
	ck_assert(!item.counts);
	velocity_item(
	    compiled_velocity("distinct(event.currency) by ip over 1h"), &ev,
	    &sigs, VERDICT_ALLOW, &item);
	ck_assert(item.counts);
	ck_assert_str_eq(item.distinct.string, "EUR");
	velocity_item(compiled_velocity("sum(event.amount) by ip over 1h"), &ev,
	    &sigs, VERDICT_ALLOW, &item);
	ck_assert(!item.counts);
	sigs.value[SIGNAL_EVENT_AMOUNT] = value_number(1.5);
	velocity_item(compiled_velocity("sum(event.amount) by ip over 1h"), &ev,
	    &sigs, VERDICT_ALLOW, &item);
	ck_assert_int_eq(item.number, 1500);
}
END_TEST

/* The text of a velocity with a filter that makes it that long. */
static const char *
long_text(size_t len)
{
	struct str s;

	str_init(&s, &arena);
	str_add(&s, "count by ip over 1h where attr.x");
	while (s.len + 64 < len)
		str_add(&s, " || attr.x == \"aaaaaaaa\"");
	str_add(&s, " || attr.x == \"");
	while (s.len + 1 < len)
		str_addc(&s, 'b');
	str_addc(&s, '"');
	ck_assert_uint_eq(s.len, len);
	return str_text(&s);
}

START_TEST(longer_text_is_refused)
{
	const struct velocity *v =
	    compiled_velocity(long_text(VELOCITY_TEXT_MAX));

	ck_assert_uint_eq(strlen(printed_velocity(v)), VELOCITY_TEXT_MAX);
	ck_assert_ptr_null(
	    velocity_compile(&arena, long_text(VELOCITY_TEXT_MAX + 1), &f));
	ck_assert_int_eq(f.code, RULESET_INVALID);
	ck_assert_str_eq(f.where, "line 1, column 10");
	ck_assert_str_eq(f.why, "the velocity v is longer than 4096 bytes");
}
END_TEST

START_TEST(number_of_velocities_is_limited)
{
	struct str s;
	int i, n;

	for (n = RULE_VELOCITIES_MAX; n <= RULE_VELOCITIES_MAX + 1; n++) {
		str_init(&s, &arena);
		for (i = 0; i < n; i++)
			str_addf(&s, "velocity v%d = count by ip over 1h\n", i);
		ck_assert_int_eq(
		    rule_compile(&arena, str_text(&s), s.len, &f) != NULL,
		    n == RULE_VELOCITIES_MAX);
	}
	ck_assert_int_eq(f.code, RULESET_INVALID);
	ck_assert_str_eq(f.where, "line 33, column 1");
	ck_assert_str_eq(f.why, "a ruleset has at most 32 velocities");
}
END_TEST

/* With every size of the arena it either succeeds or fails cleanly. */
START_TEST(velocity_compile_fails_cleanly_in_full_arena)
{
	static _Alignas(16) char small[8192];
	struct arena a;
	size_t size;
	bool good = false;

	for (size = 0; size < sizeof(small); size += 16) {
		arena_init(&a, small, size);
		f = (struct fail) { 0 };
		if (velocity_compile(&a, same_texts[13].text, &f) == NULL) {
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

/* RULE_ARENA_SIZE() is enough for velocities, whose texts are printed. */
START_TEST(arena_size_is_enough_for_velocities)
{
	static const struct {
		const char *first, *more, *last;
	} filters_of[] = {
		{ "", "", "" },
		{ " where attr.x in[0", ",9e14", "]" },
		{ " where attr.x", "||attr.x==9e14", "" },
		{ " where attr.x", "&&!attr.x", "" },
		{ " where attr.x", "&&attr.x==\"\"", "" },
	};
	struct arena a;
	struct str s;
	size_t size;
	char *room;
	int i, k;

	str_init(&s, &arena);
	for (i = 0; i < (_i == 0 ? RULE_VELOCITIES_MAX : 4); i++) {
		str_addf(&s, "velocity %d=count by ip over all%s", i,
		    filters_of[_i].first);
		for (k = 0; k < 135; k++)
			str_add(&s, filters_of[_i].more);
		str_add(&s, filters_of[_i].last);
		str_add(&s, "\n");
	}
	size = RULE_ARENA_SIZE(s.len) / 16 * 16;
	room = aligned_alloc(16, size);
	ck_assert_ptr_nonnull(room);
	arena_init(&a, room, size);
	ck_assert_msg(rule_compile(&a, str_text(&s), s.len, &f) != NULL,
	    "%s: %s", f.where, f.why);
	arena_reset(&a);
	free(room);
}
END_TEST

Suite *
suite_velocity(void)
{
	Suite *s = suite_create("velocity");
	TCase *tc = tcase_create("velocity");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(
	    tc, text_is_printed_and_keeps_its_id, 0, nitems(same_texts));
	tcase_add_test(tc, id_is_that_of_the_text_alone);
	tcase_add_loop_test(
	    tc, other_velocity_has_another_id, 0, nitems(different));
	tcase_add_loop_test(tc, part_of_a_key_is_text, 0, nitems(key_parts));
	tcase_add_test(tc, event_without_a_bin_lacks_that_key);
	tcase_add_loop_test(
	    tc, filter_reads_the_event_and_its_verdict, 0, nitems(filters));
	tcase_add_loop_test(
	    tc, numbers_are_thousandths, 0, nitems(item_numbers));
	tcase_add_test(tc, distinct_values_are_of_any_part);
	tcase_add_test(tc, longer_text_is_refused);
	tcase_add_test(tc, number_of_velocities_is_limited);
	tcase_add_test(tc, velocity_compile_fails_cleanly_in_full_arena);
	tcase_add_loop_test(tc, arena_size_is_enough_for_velocities, 0, 5);
	suite_add_tcase(s, tc);
	return s;
}
