/* SPDX-License-Identifier: ISC */
/* lib/sys/csv.c: rows, and refused texts with the line of the fault. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/sys/csv.h"
#include "t/unit/unit.h"

/* A text that is read in pieces of step bytes, then fails or ends. */
struct csv_source {
	const char *text;
	size_t left;
	size_t step;
	bool fails;
};

static struct csv cs;

static long
source_read(void *cookie, char *buf, size_t size)
{
	struct csv_source *src = cookie;
	size_t n = src->left < src->step ? src->left : src->step;

	if (n == 0 && src->fails)
		return -1;
	n = n < size ? n : size;
	memcpy(buf, src->text, n);
	src->text += n;
	src->left -= n;
	return (long)n;
}

/* The wanted rows: line number, ':', fields joined with '|', ';'. */
static const struct {
	const char *text;
	const char *want;
} good[] = {
	{ "", "" },
	{ "a,b\n1,2\n", "1:a|b;2:1|2;" },
	{ "a,b\r\n1,2", "1:a|b;2:1|2;" },
	{ "a,b\n1,", "1:a|b;2:1|;" },
	{ "a\n\nb\n", "1:a;2:;3:b;" },
	{ "\n\r\na,b\n\n1,2\r\n\r\n\n3,4\n\n", "3:a|b;5:1|2;8:3|4;" },
	{ "a,b;c\n1;2,3\n", "1:a|b;c;2:1;2|3;" },
	{ "\"a\",\"b,c\"\n", "1:a|b,c;" },
	{ "\"say \"\"hi\"\"\",\"\"\n", "1:say \"hi\"|;" },
	{ "\"two\nlines\",x\ny,z\n", "1:two\nlines|x;3:y|z;" },
	{ "\"cr\r\nlf\",x\r\n", "1:cr\r\nlf|x;" },
	{ "\xef\xbb\xbf"
	  "a,b\n",
	    "1:a|b;" },
	{ " a , b \n", "1: a | b ;" },
	{ "\"a\"", "1:a;" },
};

static const struct {
	const char *text;
	size_t size;
	const char *why;
} bad[] = {
	{ "a,b\n1\n", 6, "line 2 has 1 fields, the first row has 2" },
	{ "a\n1,2\n", 6, "line 2 has 2 fields, the first row has 1" },
	{ "a;b\n1;2\n", 8,
	    "line 1 has no comma, but a semicolon or a tab: separate the "
	    "fields by commas" },
	{ "a\tb\n1\t2\n", 8,
	    "line 1 has no comma, but a semicolon or a tab: separate the "
	    "fields by commas" },
	{ "a,b\n \n", 6, "line 2 has 1 fields, the first row has 2" },
	{ "a\n1\"2\n", 6, "line 2 has a quote inside a field without quotes" },
	{ "a\n\"1\"2\n", 7, "line 2 has text after a closing quote" },
	{ "a\n\n\"1\n\n", 7, "line 3 begins a quote never closed" },
	{ "a\rb\n", 4, "line 1 has a CR without LF" },
	{ "a\r", 2, "line 1 has a CR without LF" },
	{ "\"a\"\rb", 5, "line 1 has a CR without LF" },
	{ "a\0b\n", 4, "line 1 has a NUL byte" },
	{ "\"a\0b\"\n", 6, "line 1 has a NUL byte" },
};

/* Read all rows into got.  Return the last result of csv_next(). */
static int
read_all(struct csv_source *src, char *got, size_t size, struct fail *f)
{
	size_t i, n = 0;
	int rc;

	csv_init(&cs, source_read, src);
	got[0] = '\0';
	while ((rc = csv_next(&cs, f)) == 1) {
		n += (size_t)snprintf(
		    got + n, size - n, "%d:", (int)cs.row_line);
		for (i = 0; i < cs.n_fields; i++)
			n += (size_t)snprintf(got + n, size - n, "%s%c",
			    cs.field[i], i + 1 < cs.n_fields ? '|' : ';');
	}
	return rc;
}

START_TEST(rows_are_split_into_fields)
{
	struct fail f = { 0 };
	struct csv_source src;
	char got[256];
	size_t step;

	/* The result does not depend on the size of the pieces. */
	for (step = 1; step < 8; step++) {
		src = (struct csv_source) { good[_i].text,
			strlen(good[_i].text), step, false };
		ck_assert_int_eq(read_all(&src, got, sizeof(got), &f), 0);
		ck_assert_str_eq(got, good[_i].want);
	}
}
END_TEST

START_TEST(malformed_text_is_refused_with_its_line)
{
	struct fail f = { 0 };
	struct csv_source src = { bad[_i].text, bad[_i].size, 1, false };
	char got[256];

	ck_assert_int_eq(read_all(&src, got, sizeof(got), &f), -1);
	ck_assert_str_eq(f.why, bad[_i].why);
	ck_assert_int_eq(f.kind, FAIL_INPUT);
}
END_TEST

START_TEST(size_of_a_row_is_limited)
{
	static char text[CSV_ROW_MAX + 1];
	struct fail f = { 0 };
	struct csv_source src = { text, CSV_ROW_MAX - 1, 4096, false };
	size_t i;

	/* The largest row, then one byte more. */
	memset(text, 'x', sizeof(text));
	csv_init(&cs, source_read, &src);
	ck_assert_int_eq(csv_next(&cs, &f), 1);
	ck_assert_uint_eq(strlen(cs.field[0]), CSV_ROW_MAX - 1);
	src = (struct csv_source) { text, CSV_ROW_MAX, 4096, false };
	csv_init(&cs, source_read, &src);
	ck_assert_int_eq(csv_next(&cs, &f), -1);
	ck_assert_str_eq(f.why, "line 1 is too long");

	/* One field too many. */
	for (i = 0; i < CSV_FIELDS_MAX; i++)
		text[i] = ',';
	src = (struct csv_source) { text, CSV_FIELDS_MAX - 1, 4096, false };
	csv_init(&cs, source_read, &src);
	ck_assert_int_eq(csv_next(&cs, &f), 1);
	ck_assert_uint_eq(cs.n_fields, CSV_FIELDS_MAX);
	src = (struct csv_source) { text, CSV_FIELDS_MAX, 4096, false };
	csv_init(&cs, source_read, &src);
	ck_assert_int_eq(csv_next(&cs, &f), -1);
	ck_assert_str_eq(f.why, "line 1 has too many fields");
}
END_TEST

START_TEST(failed_read_is_reported)
{
	static const char *const texts[] = { "", "a", "\"a", "\"a\"", "a,\"" };
	struct fail f = { 0 };
	struct csv_source src = { texts[_i], strlen(texts[_i]), 1, true };
	char got[64];

	ck_assert_int_eq(read_all(&src, got, sizeof(got), &f), -1);
	ck_assert_str_eq(f.why, "line 1 could not be read");
}
END_TEST

START_TEST(column_is_found_by_exact_name)
{
	struct fail f = { 0 };
	struct csv_source src = { "id,userId\n", 10, 10, false };

	csv_init(&cs, source_read, &src);
	ck_assert_int_eq(csv_next(&cs, &f), 1);
	ck_assert_int_eq(csv_find(&cs, "userId"), 1);
	ck_assert_int_eq(csv_find(&cs, "userid"), -1);
}
END_TEST

Suite *
suite_csv(void)
{
	Suite *s = suite_create("csv");
	TCase *tc = tcase_create("csv");

	tcase_add_loop_test(
	    tc, rows_are_split_into_fields, 0, (int)nitems(good));
	tcase_add_loop_test(
	    tc, malformed_text_is_refused_with_its_line, 0, (int)nitems(bad));
	tcase_add_test(tc, size_of_a_row_is_limited);
	tcase_add_loop_test(tc, failed_read_is_reported, 0, 5);
	tcase_add_test(tc, column_is_found_by_exact_name);
	suite_add_tcase(s, tc);
	return s;
}
