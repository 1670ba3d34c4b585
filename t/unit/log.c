/* SPDX-License-Identifier: ISC */
/* lib/log.c: one line each, and nothing from outside can break it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "t/unit/unit.h"

static char got[8192];
static int out[2], saved;

/* Point standard error at a pipe. */
static void
capture(void)
{
	ck_assert_int_eq(pipe(out), 0);
	saved = dup(STDERR_FILENO);
	dup2(out[1], STDERR_FILENO);
	close(out[1]);
}

/* Read what was logged since capture() into got. */
static void
collect(void)
{
	ssize_t n;

	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(out[0], got, sizeof(got) - 1);
	got[n < 0 ? 0 : n] = '\0';
	close(out[0]);
}

START_TEST(one_line)
{
	capture();
	log_init("test", LOG_LEVEL_INFO);
	errno = EPERM;
	log_info("n=%d why=%s", 7, "a \"b\"\nlevel=error\xc3");
	ck_assert_int_eq(errno, EPERM);
	log_debug("n=8");
	collect();
	ck_assert_ptr_nonnull(strstr(got, "program=test pid="));
	ck_assert_ptr_nonnull(strstr(got, " level=info time=2"));
	ck_assert_ptr_nonnull(
	    strstr(got, "Z n=7 why=a \\x22b\\x22\\x0alevel=error\\xc3\n"));
	ck_assert_ptr_eq(strchr(got, '\n'), got + strlen(got) - 1);
}
END_TEST

START_TEST(context)
{
	capture();
	log_init("test", LOG_LEVEL_INFO);
	log_context("req", "a status=500");
	log_warn("n=%d", 1);
	log_context("req", NULL);
	log_warn("n=%d", 2);
	collect();
	ck_assert_ptr_nonnull(strstr(got, "Z req=a\\x20status\\x3d500 n=1\n"));
	ck_assert_ptr_nonnull(strstr(got, "Z n=2\n"));
}
END_TEST

START_TEST(long_lines_are_cut)
{
	char text[3000];

	memset(text, 1, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	capture();
	log_init("test", LOG_LEVEL_INFO);
	log_context("req", text);
	log_error("why=%s", text);
	collect();
	log_context("req", NULL);
	ck_assert_uint_le(strlen(got), 2048);
	ck_assert_int_eq(got[strlen(got) - 1], '\n');
}
END_TEST

START_TEST(levels)
{
	ck_assert_int_eq(log_level_parse("warn"), LOG_LEVEL_WARN);
	ck_assert_int_eq(log_level_parse("WARN"), 0);
	ck_assert_int_eq(log_level_parse(""), 0);
}
END_TEST

Suite *
suite_log(void)
{
	Suite *s = suite_create("log");
	TCase *tc = tcase_create("log");

	tcase_add_test(tc, one_line);
	tcase_add_test(tc, context);
	tcase_add_test(tc, long_lines_are_cut);
	tcase_add_test(tc, levels);
	suite_add_tcase(s, tc);
	return s;
}
