/* SPDX-License-Identifier: ISC */
/* core/base/writer.c: JSON member by member. */
#include "config.h"

#include <math.h>

#include "core/base/arena.h"
#include "core/base/value.h"
#include "core/base/writer.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[16384];

static void write_empty(struct str *s);
static void write_members(struct str *s);
static void write_elements(struct str *s);
static void write_nested(struct str *s);
static void write_escapes(struct str *s);
static void write_own_values(struct str *s);
static void write_lines(struct str *s);

static const struct {
	void (*add)(struct str *);
	const char *want;
} texts[] = {
	{ write_empty, "[{},[],{\"o\":{},\"a\":[]}]" },
	{ write_members,
	    "{\"text\":\"x\",\"none\":null,\"int\":-7,\"number\":0.1,"
	    "\"nan\":null,\"yes\":true,\"no\":false,\"null\":null,"
	    "\"value\":\"v\",\"unknown\":null,\"json\":[1],\"missing\":null}" },
	{ write_elements, "[\"x\",2,0.5,true,null,{\"a\":1},[],3]" },
	{ write_nested,
	    "{\"a\":{\"b\":[{\"c\":1},{\"c\":2}],\"d\":3},\"e\":4}" },
	{ write_escapes, "{\"a\\\"b\":\"{\\u000a\",\"c\":\"[:\",\"d\":0}" },
	{ write_own_values, "{\"a\":01,\"b\":[{\"c\":02},{}]}" },
	{ write_lines, "{\n\"a\":1, \"b\":2\n}\n{}" },
};

static void
write_empty(struct str *s)
{
	writer_array(s, NULL);
	writer_object(s, NULL);
	writer_end(s);
	writer_array(s, NULL);
	writer_end(s);
	writer_object(s, NULL);
	writer_object(s, "o");
	writer_end(s);
	writer_array(s, "a");
	writer_end(s);
	writer_end(s);
	writer_end(s);
}

static void
write_members(struct str *s)
{
	const struct value text = value_string("v"), unknown = value_unknown();

	writer_object(s, NULL);
	writer_text(s, "text", "x");
	writer_text(s, "none", NULL);
	writer_int(s, "int", -7);
	writer_number(s, "number", 0.1);
	writer_number(s, "nan", NAN);
	writer_bool(s, "yes", true);
	writer_bool(s, "no", false);
	writer_null(s, "null");
	writer_value(s, "value", &text);
	writer_value(s, "unknown", &unknown);
	writer_json(s, "json", "[1]");
	writer_json(s, "missing", NULL);
	writer_end(s);
}

static void
write_elements(struct str *s)
{
	writer_array(s, NULL);
	writer_text(s, NULL, "x");
	writer_int(s, NULL, 2);
	writer_number(s, NULL, 0.5);
	writer_bool(s, NULL, true);
	writer_null(s, NULL);
	writer_json(s, NULL, "{\"a\":1}");
	writer_array(s, NULL);
	writer_end(s);
	writer_int(s, NULL, 3);
	writer_end(s);
}

static void
write_nested(struct str *s)
{
	writer_object(s, NULL);
	writer_object(s, "a");
	writer_array(s, "b");
	writer_object(s, NULL);
	writer_int(s, "c", 1);
	writer_end(s);
	writer_object(s, NULL);
	writer_int(s, "c", 2);
	writer_end(s);
	writer_end(s);
	writer_int(s, "d", 3);
	writer_end(s);
	writer_int(s, "e", 4);
	writer_end(s);
}

/* A text may end with a byte after which no comma would follow. */
static void
write_escapes(struct str *s)
{
	writer_object(s, NULL);
	writer_text(s, "a\"b", "{\n");
	writer_text(s, "c", "[:");
	writer_int(s, "d", 0);
	writer_end(s);
}

static void
write_own_values(struct str *s)
{
	writer_object(s, NULL);
	writer_name(s, "a");
	str_add(s, "01");
	writer_name(s, "b");
	writer_array(s, NULL);
	writer_object(s, NULL);
	writer_name(s, "c");
	str_add(s, "02");
	writer_end(s);
	writer_object(s, NULL);
	writer_end(s);
	writer_end(s);
	writer_end(s);
}

static void
write_lines(struct str *s)
{
	writer_object(s, NULL);
	str_add(s, "\n");
	writer_int(s, "a", 1);
	str_add(s, ", ");
	writer_int(s, "b", 2);
	str_add(s, "\n");
	writer_end(s);
	str_add(s, "\n");
	writer_object(s, NULL);
	writer_end(s);
}

START_TEST(json_has_its_commas_and_ends)
{
	struct arena a;
	struct str s;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	texts[_i].add(&s);
	ck_assert_str_eq(str_text(&s), texts[_i].want);
	ck_assert_uint_eq(s.depth, 0);
	arena_reset(&a);
}
END_TEST

START_TEST(lists_nest_to_64_levels)
{
	struct arena a;
	struct str s;
	int i;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	for (i = 0; i < 64; i++)
		if (i % 3 == 0)
			writer_object(&s, NULL);
		else
			writer_array(&s, NULL);
	for (i = 0; i < 64; i++)
		writer_end(&s);
	ck_assert_uint_eq(s.len, 128);
	for (i = 0; i < 64; i++)
		ck_assert_int_eq(str_text(&s)[127 - i], i % 3 == 0 ? '}' : ']');
	arena_reset(&a);
}
END_TEST

START_TEST(a_full_arena_leaves_no_text)
{
	struct arena a;
	struct str s;
	int i;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	writer_array(&s, NULL);
	for (i = 0; i < 5000; i++)
		writer_text(&s, NULL, "full");
	writer_end(&s);
	ck_assert_ptr_null(str_text(&s));
	arena_reset(&a);
}
END_TEST

Suite *
suite_writer(void)
{
	Suite *s = suite_create("writer");
	TCase *tc = tcase_create("writer");

	tcase_add_loop_test(
	    tc, json_has_its_commas_and_ends, 0, (int)nitems(texts));
	tcase_add_test(tc, lists_nest_to_64_levels);
	tcase_add_test(tc, a_full_arena_leaves_no_text);
	suite_add_tcase(s, tc);
	return s;
}
