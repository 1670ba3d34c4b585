/* SPDX-License-Identifier: ISC */
/* lib/sys/log.c: each message is one line, whatever its values contain. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sys/log.h"
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

/* Return the line in got without time and pid. */
static const char *
pairs(void)
{
	const char *at = strstr(got, "Z ");

	ck_assert_ptr_nonnull(at);
	return at + 2;
}

START_TEST(message_is_one_line)
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
	ck_assert_str_eq(
	    pairs(), "n=7 why=\"a \\\"b\\\"\\nlevel=error\\ufffd\"\n");
}
END_TEST

static const struct {
	const char *value, *want;
} quoting[] = {
	{ "plain", "why=plain\n" },
	{ "x;y:/.", "why=x;y:/.\n" },
	{ "two words", "why=\"two words\"\n" },
	{ " around ", "why=\" around\"\n" },
	{ "a=b", "why=\"a=b\"\n" },
	{ "a\\b", "why=\"a\\\\b\"\n" },
	{ "a\tb", "why=\"a\\u0009b\"\n" },
	{ "\xc3\xa9", "why=\"\\u00e9\"\n" },
	{ "\xf0\x9f\x98\x80", "why=\"\\ud83d\\ude00\"\n" },
	{ "x level=error", "why=\"x level=error\"\n" },
};

START_TEST(values_are_quoted)
{
	capture();
	log_init("test", LOG_LEVEL_INFO);
	log_info("why=%s", quoting[_i].value);
	collect();
	ck_assert_str_eq(pairs(), quoting[_i].want);
}
END_TEST

START_TEST(empty_values_are_omitted)
{
	capture();
	log_init("test", LOG_LEVEL_INFO);
	log_info("event=step_failed where=%s why=%s %s", "", "", "no policy");
	collect();
	ck_assert_str_eq(pairs(), "event=step_failed why=\"no policy\"\n");
}
END_TEST

START_TEST(all_conversions_are_printed)
{
	const struct log_number numbers[] = { { "signal", 9 }, { "left", -1 } };

	capture();
	log_init("test", LOG_LEVEL_INFO);
	log_numbers(LOG_LEVEL_INFO, numbers, 2,
	    "a=%s b=%d c=%ld d=%lld e=%zu f=%.1f g=%s: %s; the rest h=no", "x",
	    -1, -2L, -3LL, (size_t)4, 0.25, "y", "z");
	collect();
	ck_assert_str_eq(pairs(),
	    "a=x b=-1 c=-2 d=-3 e=4 f=0.2 g=\"y: z; the rest\" h=no signal=9 "
	    "left=-1\n");
}
END_TEST

START_TEST(context_is_added_until_removed)
{
	capture();
	log_init("test", LOG_LEVEL_INFO);
	log_context("req", "a status=500");
	log_warn("n=%d", 1);
	log_context("req", NULL);
	log_warn("n=%d", 2);
	collect();
	ck_assert_ptr_nonnull(strstr(got, "Z req=\"a status=500\" n=1\n"));
	ck_assert_ptr_nonnull(strstr(got, "Z n=2\n"));
}
END_TEST

/* Set JOURNAL_STREAM to standard error if real, or else to another stream. */
static void
journal_is(bool real)
{
	char text[64];
	struct stat st;

	ck_assert_int_eq(fstat(STDERR_FILENO, &st), 0);
	snprintf(text, sizeof(text), "%llu:%llu", (unsigned long long)st.st_dev,
	    (unsigned long long)st.st_ino + !real);
	setenv("JOURNAL_STREAM", text, 1);
}

START_TEST(journal_lines_have_priorities)
{
	capture();
	journal_is(true);
	log_init_at("test", LOG_LEVEL_DEBUG, "/nonexistent");
	log_context("req", "r");
	log_error("n=%d", 1);
	log_context("req", NULL);
	log_warn("n=%d", 2);
	log_info("n=%d", 3);
	log_debug("n=%d", 4);
	collect();
	unsetenv("JOURNAL_STREAM");
	ck_assert_str_eq(got,
	    "<3>level=error req=r n=1\n<4>level=warn n=2\n"
	    "<6>level=info n=3\n<7>level=debug n=4\n");
}
END_TEST

START_TEST(journal_of_other_stream_is_ignored)
{
	capture();
	journal_is(false);
	log_init("test", LOG_LEVEL_DEBUG);
	log_error("n=%d", 1);
	collect();
	unsetenv("JOURNAL_STREAM");
	ck_assert_int_eq(strncmp(got, "program=test ", 13), 0);
}
END_TEST

START_TEST(exit_message_has_program_or_priority)
{
	pid_t pid;
	int status;

	capture();
	if (_i == 1)
		journal_is(true);
	if ((pid = fork()) == 0)
		log_exit(78, "%s: %s", "A", "is wrong");
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	collect();
	unsetenv("JOURNAL_STREAM");
	ck_assert_int_eq(WEXITSTATUS(status), 78);
	ck_assert_str_eq(
	    got, _i == 1 ? "<3>A: is wrong\n" : "unit: A: is wrong\n");
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
	ck_assert_str_eq(got + strlen(got) - 2, "\"\n");
}
END_TEST

/* How many bytes standard error has got since capture(). */
static int
bytes_written(void)
{
	int n = -1;

	ck_assert_int_eq(ioctl(out[0], FIONREAD, &n), 0);
	return n;
}

START_TEST(held_lines_are_written_at_their_release)
{
	capture();
	journal_is(true);
	log_init_at("test", LOG_LEVEL_DEBUG, "/nonexistent");
	log_info("n=%d", 1);
	log_hold();
	log_info("n=%d", 2);
	log_debug("n=%d", 3);
	ck_assert_int_eq(bytes_written(), (int)strlen("<6>level=info n=1\n"));
	errno = EPERM;
	log_release();
	ck_assert_int_eq(errno, EPERM);
	log_info("n=%d", 4);
	collect();
	unsetenv("JOURNAL_STREAM");
	ck_assert_str_eq(got,
	    "<6>level=info n=1\n<6>level=info n=2\n"
	    "<7>level=debug n=3\n<6>level=info n=4\n");
}
END_TEST

START_TEST(warnings_and_errors_are_not_held)
{
	const char *want = _i == 1 ? "<6>level=info n=1\n<4>level=warn n=2\n"
				   : "<6>level=info n=1\n<3>level=error n=2\n";

	capture();
	journal_is(true);
	log_init_at("test", LOG_LEVEL_INFO, "/nonexistent");
	log_hold();
	log_info("n=%d", 1);
	if (_i == 1)
		log_warn("n=%d", 2);
	else
		log_error("n=%d", 2);
	log_info("n=%d", 3);
	ck_assert_int_eq(bytes_written(), (int)strlen(want));
	log_release();
	collect();
	unsetenv("JOURNAL_STREAM");
	ck_assert_int_eq(strncmp(got, want, strlen(want)), 0);
	ck_assert_str_eq(got + strlen(want), "<6>level=info n=3\n");
}
END_TEST

START_TEST(a_full_buffer_writes_whole_lines)
{
	char text[1000];
	int i, n;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	capture();
	log_init("test", LOG_LEVEL_INFO);
	log_hold();
	for (i = 0; i < 4; i++)
		log_info("why=%s", text);
	n = bytes_written();
	log_release();
	collect();
	ck_assert_int_gt(n, 3000);
	ck_assert_int_le(n, PIPE_BUF);
	ck_assert_int_eq(strncmp(got + n - 2, "x\nprogram=", 10), 0);
}
END_TEST

START_TEST(only_exact_level_names_are_read)
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

	tcase_add_test(tc, message_is_one_line);
	tcase_add_loop_test(tc, values_are_quoted, 0,
	    (int)(sizeof(quoting) / sizeof(quoting[0])));
	tcase_add_test(tc, empty_values_are_omitted);
	tcase_add_test(tc, all_conversions_are_printed);
	tcase_add_test(tc, context_is_added_until_removed);
	tcase_add_test(tc, journal_lines_have_priorities);
	tcase_add_test(tc, journal_of_other_stream_is_ignored);
	tcase_add_loop_test(tc, exit_message_has_program_or_priority, 0, 2);
	tcase_add_test(tc, long_lines_are_cut);
	tcase_add_test(tc, held_lines_are_written_at_their_release);
	tcase_add_loop_test(tc, warnings_and_errors_are_not_held, 0, 2);
	tcase_add_test(tc, a_full_buffer_writes_whole_lines);
	tcase_add_test(tc, only_exact_level_names_are_read);
	suite_add_tcase(s, tc);
	return s;
}
