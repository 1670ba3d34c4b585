/* SPDX-License-Identifier: ISC */
/* lib/sys/clock.c: times to text and back. */
#include "config.h"

#include "lib/sys/clock.h"
#include "t/unit/unit.h"

static const struct {
	int64_t us;
	const char *want;
} texts[] = {
	{ 0, "1970-01-01T00:00:00.000Z" },
	{ INT64_C(1795233912345678), "2026-11-21T04:05:12.345Z" },
	{ INT64_C(951782400000000), "2000-02-29T00:00:00.000Z" },
	{ -1, "1969-12-31T23:59:59.999Z" },
	{ -1000, "1969-12-31T23:59:59.999Z" },
	{ -1000001, "1969-12-31T23:59:58.999Z" },
};

static const struct {
	const char *text;
	const char *want; /* NULL: refused */
} parses[] = {
	{ "2026-11-21T04:45:12Z", "2026-11-21T04:45:12.000Z" },
	{ "2026-11-21 04:45:12", "2026-11-21T04:45:12.000Z" },
	{ "2026-11-21T04:45:12.3456789Z", "2026-11-21T04:45:12.345Z" },
	{ "2026-11-21T04:45:12+02:00", "2026-11-21T02:45:12.000Z" },
	{ "2026-11-21T04:45:12.5-0530", "2026-11-21T10:15:12.500Z" },
	{ "2026-11-21T04:45:12+03", "2026-11-21T01:45:12.000Z" },
	{ "2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z" },
	{ "2025-02-29T00:00:00Z", NULL },
	{ "2026-04-31T00:00:00Z", NULL },
	{ "2026-13-01T00:00:00Z", NULL },
	{ "2026-00-01T00:00:00Z", NULL },
	{ "2026-11-21T24:00:00Z", NULL },
	{ "2026-11-21T04:60:00Z", NULL },
	{ "2026-11-21T04:45:60Z", NULL },
	{ "2026-11-21T23:59:61Z", NULL },
	{ "2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z" },
	{ "2016-12-31T15:59:60.5-08:00", "2017-01-01T00:00:00.500Z" },
	{ "2016-12-31T15:59:60Z", NULL },
	{ "2026-11-21t04:45:12z", "2026-11-21T04:45:12.000Z" },
	{ "2026-11-21T04:45Z", "2026-11-21T04:45:00.000Z" },
	{ "2026-11-21T04:45+02:00", "2026-11-21T02:45:00.000Z" },
	{ "2026-11-21T04:45:Z", NULL },
	{ "2026-11-21T04Z", NULL },
	{ "2026-11-21T04:45:12.Z", NULL },
	{ "2026-11-21T04:45:12Zx", NULL },
	{ "2026-11-21T04:45:12+0", NULL },
	{ "2026-11-21T04:45:12+24:00", NULL },
	{ "2026-11-21", NULL },
	{ "2026-1-21T04:45:12Z", NULL },
	{ "", NULL },
};

START_TEST(time_is_written_in_milliseconds)
{
	char got[CLOCK_TEXT_SIZE];

	clock_text(texts[_i].us, got);
	ck_assert_str_eq(got, texts[_i].want);
}
END_TEST

START_TEST(exact_time_is_written_in_microseconds)
{
	char got[CLOCK_EXACT_SIZE];

	clock_exact(INT64_C(1522540831000001), got);
	ck_assert_str_eq(got, "2018-04-01T00:00:31.000001Z");
	clock_exact(-1, got);
	ck_assert_str_eq(got, "1969-12-31T23:59:59.999999Z");
}
END_TEST

START_TEST(only_valid_times_are_read)
{
	char got[CLOCK_TEXT_SIZE];
	int64_t us;

	if (parses[_i].want == NULL) {
		ck_assert_int_eq(clock_parse(parses[_i].text, &us), -1);
		return;
	}
	ck_assert_int_eq(clock_parse(parses[_i].text, &us), 0);
	clock_text(us, got);
	ck_assert_str_eq(got, parses[_i].want);
}
END_TEST

START_TEST(clocks_do_not_run_backwards)
{
	const int64_t ticks = clock_ticks();

	ck_assert_int_ge(clock_ticks(), ticks);
	ck_assert_int_gt(clock_now(), INT64_C(1700000000) * CLOCK_SECOND);
}
END_TEST

Suite *
suite_clock(void)
{
	Suite *s = suite_create("clock");
	TCase *tc = tcase_create("clock");

	tcase_add_loop_test(
	    tc, time_is_written_in_milliseconds, 0, (int)nitems(texts));
	tcase_add_test(tc, exact_time_is_written_in_microseconds);
	tcase_add_loop_test(
	    tc, only_valid_times_are_read, 0, (int)nitems(parses));
	tcase_add_test(tc, clocks_do_not_run_backwards);
	suite_add_tcase(s, tc);
	return s;
}
