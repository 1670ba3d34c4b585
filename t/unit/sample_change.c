/* SPDX-License-Identifier: ISC */
/* core/analyse/sample_change.c: which values signals take. */
#include "config.h"

#include "core/analyse/sample_change.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/sample.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[262144];

#define NUMBER(n)                                                              \
	{                                                                      \
		.type = VALUE_NUMBER, .number = (n)                            \
	}
#define TEXT(s)                                                                \
	{                                                                      \
		.type = VALUE_STRING, .string = (s)                            \
	}
#define BOOL(b)                                                                \
	{                                                                      \
		.type = VALUE_BOOL, .flag = (b)                                \
	}
#define UNKNOWN                                                                \
	{                                                                      \
		.type = VALUE_UNKNOWN                                          \
	}

static const struct {
	const char *name;
	struct value to;
	int result;
	const char *where;
} cases[] = {
	{ "event.amount", NUMBER(1000.01), 0, "" },
	{ "event.amount", NUMBER(-1), -1, "event.amount" },
	{ "event.amount", NUMBER(1e16), -1, "event.amount" },
	{ "event.amount", TEXT("10"), -1, "event.amount" },
	{ "event.amount", UNKNOWN, 0, "" },
	{ "event.type", TEXT("order.place"), -1, "event.type" },
	{ "velocity.attemptsLast2m", NUMBER(3), 0, "" },
	{ "velocity.attemptsLast2m", NUMBER(3.5), -1,
	    "velocity.attemptsLast2m" },
	{ "velocity.attemptsLast2m", UNKNOWN, -1, "velocity.attemptsLast2m" },
	{ "device.firstSeen", BOOL(true), 0, "" },
	{ "device.firstSeen", NUMBER(1), -1, "device.firstSeen" },
	{ "instrument.kind", TEXT("wallet"), 0, "" },
	{ "instrument.kind", TEXT("cheque"), -1, "instrument.kind" },
	{ "geo.country", TEXT("FR"), 0, "" },
	{ "geo.country", UNKNOWN, 0, "" },
	{ "geo.planet", TEXT("FR"), -1, "set" },
	{ "amount", NUMBER(1), -1, "set" },
	{ "attr.who", TEXT("a"), 0, "" },
	{ "attr.who", BOOL(false), 0, "" },
};

START_TEST(signals_take_possible_values)
{
	struct sample *sample;
	struct fail f = { 0 };
	struct arena a;

	arena_init(&a, block, sizeof(block));
	sample = arena_alloc(&a, sizeof(*sample));
	sample->signals.event = &sample->event;
	ck_assert_int_eq(
	    sample_change(sample, NULL, cases[_i].name, cases[_i].to, &a, &f),
	    cases[_i].result);
	ck_assert_str_eq(f.where, cases[_i].where);
	arena_reset(&a);
}
END_TEST

START_TEST(attributes_are_changed_in_a_copy)
{
	static const struct attr recorded[] = {
		{ .name = "x", .value = NUMBER(1) },
		{ .name = "y", .value = NUMBER(2) },
	};
	static const struct value seven = NUMBER(7), eight = NUMBER(8);
	struct fail f = { 0 };
	struct sample *sample;
	struct arena a;

	arena_init(&a, block, sizeof(block));
	sample = arena_alloc(&a, sizeof(*sample));
	sample->event.attrs = recorded;
	sample->event.n_attrs = 2;
	ck_assert_int_eq(
	    sample_change(sample, NULL, "attr.y", seven, &a, &f), 0);
	ck_assert_int_eq(
	    sample_change(sample, NULL, "attr.z", eight, &a, &f), 0);
	ck_assert_uint_eq(sample->event.n_attrs, 3);
	ck_assert(event_attr(&sample->event, "x")->value.number == 1);
	ck_assert(event_attr(&sample->event, "y")->value.number == 7);
	ck_assert(event_attr(&sample->event, "z")->value.number == 8);
	ck_assert(recorded[1].value.number == 2);
	arena_reset(&a);
}
END_TEST

START_TEST(an_event_takes_no_more_attributes_than_it_may_have)
{
	static const struct value one = NUMBER(1);
	static char names[EVENT_ATTRS_MAX][8];
	struct fail f = { 0 };
	struct sample *sample;
	struct arena a;
	size_t i;

	arena_init(&a, block, sizeof(block));
	sample = arena_alloc(&a, sizeof(*sample));
	for (i = 0; i < EVENT_ATTRS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "attr.%zu", i);
		ck_assert_int_eq(
		    sample_change(sample, NULL, names[i], one, &a, &f), 0);
	}
	ck_assert_int_eq(sample_change(sample, NULL, "attr.0", one, &a, &f), 0);
	ck_assert_int_eq(
	    sample_change(sample, NULL, "attr.more", one, &a, &f), -1);
	ck_assert_int_eq(f.code, INVALID_REQUEST);
	arena_reset(&a);
}
END_TEST

Suite *
suite_sample_change(void)
{
	Suite *s = suite_create("sample_change");
	TCase *tc = tcase_create("sample_change");

	tcase_add_loop_test(
	    tc, signals_take_possible_values, 0, (int)nitems(cases));
	tcase_add_test(tc, attributes_are_changed_in_a_copy);
	tcase_add_test(tc, an_event_takes_no_more_attributes_than_it_may_have);
	suite_add_tcase(s, tc);
	return s;
}
