/* SPDX-License-Identifier: ISC */
/* lib/sys/log_journal.c: a line becomes fields, and no value becomes a field.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/array.h"
#include "lib/sys/log.h"
#include "lib/sys/log_journal.h"
#include "t/unit/unit.h"

#define QUEUE_MAX 100000 /* entries; the queue of a socket is shorter */
#define HEAD "SYSLOG_IDENTIFIER=p\nPRIORITY=4\nMESSAGE="

static const struct {
	const char *line, *fields;
} lines[] = {
	{ "event=a", "EVENT=a\n" },
	{ "event=a worker_pid=7", "EVENT=a\nWORKER_PID=7\n" },
	{ "event=a why=\"no \\\"x\\\" b=c\" n=1",
	    "EVENT=a\nWHY=no \\\"x\\\" b=c\nN=1\n" },
	{ "why=\"a\\nPRIORITY=0\"", "WHY=a\\nPRIORITY=0\n" },
	{ "why=\"a\\\\\" n=1", "WHY=a\\\\\nN=1\n" },
	{ "why=\"\" n=1", "WHY=\nN=1\n" },
	{ "why=\"", "WHY=\"\n" },
	{ "no pair", "" },
	{ "", "" },
};

START_TEST(pairs_are_fields)
{
	char got[LOG_JOURNAL_SIZE], want[LOG_JOURNAL_SIZE];
	const char *line = lines[_i].line;
	size_t n;

	n = log_journal_entry("p", 4, line, strlen(line), got, sizeof(got) - 1);
	got[n] = '\0';
	snprintf(want, sizeof(want), HEAD "%s\n%s", line, lines[_i].fields);
	ck_assert_str_eq(got, want);
}
END_TEST

START_TEST(fields_without_room_are_left_out)
{
	const char *line = "a=1 b=2 c=3", *want = HEAD "a=1 b=2 c=3\nA=1\n";
	char got[64];
	size_t n;

	n = log_journal_entry(
	    "p", 4, line, strlen(line), got, strlen(want) + 3);
	ck_assert_uint_eq(n, strlen(want));
	ck_assert_int_eq(memcmp(got, want, n), 0);
}
END_TEST

/* A journal of the test's own, and standard error as its stream. */
static struct sockaddr_un journal;
static char got[8192];
static int receiver, saved, out[2];

static void
open_own_journal(void)
{
	char dir[] = "/tmp/assay-journal.XXXXXX", text[64];
	struct stat st;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	journal.sun_family = AF_UNIX;
	snprintf(journal.sun_path, sizeof(journal.sun_path), "%s/socket", dir);
	receiver = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	ck_assert_int_eq(
	    bind(receiver, (const struct sockaddr *)&journal, sizeof(journal)),
	    0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, out), 0);
	saved = dup(STDERR_FILENO);
	dup2(out[1], STDERR_FILENO);
	close(out[1]);
	ck_assert_int_eq(fstat(STDERR_FILENO, &st), 0);
	snprintf(text, sizeof(text), "%llu:%llu", (unsigned long long)st.st_dev,
	    (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", text, 1);
}

static void
remove_own_journal(void)
{
	unsetenv("JOURNAL_STREAM");
	unlink(journal.sun_path);
	*strrchr(journal.sun_path, '/') = '\0';
	rmdir(journal.sun_path);
}

/* Read one entry, or "" if there is none. */
static const char *
received(void)
{
	ssize_t n = recv(receiver, got, sizeof(got) - 1, 0);

	got[n < 0 ? 0 : n] = '\0';
	return got;
}

/* Read what standard error got, and give it back. */
static const char *
stderr_got(void)
{
	ssize_t n;

	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(out[0], got, sizeof(got) - 1);
	got[n < 0 ? 0 : n] = '\0';
	close(out[0]);
	return got;
}

START_TEST(lines_go_to_the_socket)
{
	open_own_journal();
	log_init_at("p", LOG_LEVEL_INFO, journal.sun_path);
	log_context("req", "a EVENT=x\nROUTE=/");
	errno = EPERM;
	log_warn("event=b status=%d", 500);
	ck_assert_int_eq(errno, EPERM);
	log_context("req", NULL);
	ck_assert_str_eq(received(),
	    HEAD "level=warn req=\"a EVENT=x\\nROUTE=/\" event=b status=500\n"
		 "LEVEL=warn\nREQ=a EVENT=x\\nROUTE=/\nEVENT=b\nSTATUS=500\n");
	log_debug("event=c");
	ck_assert_str_eq(received(), "");
	ck_assert_str_eq(stderr_got(), "");
	remove_own_journal();
}
END_TEST

START_TEST(the_socket_gets_held_lines_at_once)
{
	open_own_journal();
	log_init_at("p", LOG_LEVEL_INFO, journal.sun_path);
	log_hold();
	log_info("event=b");
	ck_assert_str_ne(received(), "");
	close(receiver);
	log_info("event=c");
	ck_assert_str_eq(stderr_got(), "<6>level=info event=c\n");
	log_release();
	remove_own_journal();
}
END_TEST

START_TEST(longest_line_has_room)
{
	char text[3000];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	open_own_journal();
	log_init_at("assay-cron", LOG_LEVEL_INFO, journal.sun_path);
	log_info("event=%s why=%s where=%s", text, text, text);
	received();
	ck_assert_ptr_nonnull(strstr(got, "\nEVENT=aaa"));
	ck_assert_ptr_nonnull(strstr(got, "\nWHY=aaa"));
	ck_assert_int_eq(got[strlen(got) - 1], '\n');
	stderr_got();
	remove_own_journal();
}
END_TEST

/* Send entries without reading any until the queue of the socket is full. */
static void
fill_journal(void)
{
	int fd = log_journal_open(journal.sun_path), i;

	ck_assert_int_ne(fd, -1);
	for (i = 0; i < QUEUE_MAX && log_journal_send(fd, "A=1\n", 4) == 0; i++)
		continue;
	ck_assert_int_lt(i, QUEUE_MAX);
	close(fd);
}

START_TEST(journal_that_refuses_leaves_the_line_to_stderr)
{
	open_own_journal();
	log_init_at("p", LOG_LEVEL_INFO, journal.sun_path);
	if (_i == 0)
		close(receiver);
	else
		fill_journal();
	log_warn("event=lost");
	ck_assert_str_eq(stderr_got(), "<4>level=warn event=lost\n");
	remove_own_journal();
}
END_TEST

START_TEST(missing_journal_leaves_the_line_to_stderr)
{
	open_own_journal();
	unlink(journal.sun_path);
	log_init_at("p", LOG_LEVEL_INFO, journal.sun_path);
	log_warn("event=lost");
	ck_assert_str_eq(stderr_got(), "<4>level=warn event=lost\n");
	remove_own_journal();
}
END_TEST

START_TEST(program_waits_until_its_lines_are_read)
{
	pid_t pid;
	int fd;

	open_own_journal();
	stderr_got();
	ck_assert_int_ne(fd = log_journal_open(journal.sun_path), -1);
	ck_assert_int_eq(log_journal_send(fd, "A=1\n", 4), 0);
	if ((pid = fork()) == 0) {
		usleep(50000);
		_exit(recv(receiver, got, sizeof(got), 0) == 4 ? 0 : 1);
	}
	log_journal_wait(fd);
	ck_assert_str_eq(received(), "");
	close(fd);
	remove_own_journal();
}
END_TEST

Suite *
suite_log_journal(void)
{
	Suite *s = suite_create("log_journal");
	TCase *tc = tcase_create("log_journal");

	tcase_add_loop_test(tc, pairs_are_fields, 0, (int)nitems(lines));
	tcase_add_test(tc, fields_without_room_are_left_out);
	tcase_add_test(tc, lines_go_to_the_socket);
	tcase_add_test(tc, the_socket_gets_held_lines_at_once);
	tcase_add_test(tc, longest_line_has_room);
	tcase_add_loop_test(
	    tc, journal_that_refuses_leaves_the_line_to_stderr, 0, 2);
	tcase_add_test(tc, missing_journal_leaves_the_line_to_stderr);
	tcase_add_test(tc, program_waits_until_its_lines_are_read);
	suite_add_tcase(s, tc);
	return s;
}
