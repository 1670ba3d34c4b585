/* SPDX-License-Identifier: ISC */
/*
 * lib/spool/spool.c: appended records are read back complete, even after
 * crashes, a full disk and concurrent writers.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "lib/shared/shm.h"
#include "lib/spool/spool.h"
#include "t/unit/unit.h"

#define NOW INT64_C(1795233900123456)
#define WRITERS 4
#define EACH 50
#define FAILED_MAX 100 /* appends of one writer that time out */

static _Alignas(16) char block[8 << 20];
static char dir[] = "/tmp/spoolXXXXXX";
static struct arena arena;
static struct shm *shm;
static struct spool *spool;

static void
setup(void)
{
	arena_init(&arena, block, sizeof(block));
	ck_assert_ptr_nonnull(mkdtemp(dir));
	shm = shm_new(NULL);
	spool = spool_open(dir, shm, NULL);
	ck_assert_ptr_nonnull(spool);
}

static void
teardown(void)
{
	struct dirent *de;
	DIR *d = opendir(dir);
	char path[512];

	arena_reset(&arena);
	spool_close(spool);
	shm_free(shm);
	while ((de = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
		unlink(path);
	}
	closedir(d);
	rmdir(dir);
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
}

/* Return a record with this id. */
static struct spool_record
record(const char *id)
{
	return (struct spool_record) {
		.decided_at = NOW,
		.id = id,
		.event_id = "e \"quoted\"\n\x7f",
		.event_type = "account.login",
		.verdict = "allow",
		.score = -1,
		.reasons = "[{\"tag\":\"engine.degraded\",\"points\":0}]",
		.policy_id = "pol_account_login",
		.policy_version = "v0.4.0",
		.correlation_id = "cor_1",
		.user = "\xc3\xbc",
		.request = "{\"type\":\"account.login\"}",
	};
}

static int
append(const char *id, struct fail *f)
{
	const struct spool_record r = record(id);

	return spool_append(spool, &arena, &r, 1, f);
}

/* Put raw bytes at the end of a file of the spool. */
static void
scribble(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_ptr_nonnull(file = fopen(path, "ae"));
	fputs(text, file);
	fclose(file);
}

/* Take the file to drain, and read up to max records from an offset. */
static void
take(struct spool_file *file, int64_t offset, size_t max,
    struct spool_piece *piece)
{
	ck_assert_int_eq(spool_take(spool, file, NULL), 1);
	ck_assert_int_eq(spool_read(file, offset, max, &arena, piece, NULL), 0);
}

START_TEST(records_are_read_back_as_written)
{
	const struct spool_record r[] = { record("vd_1"), record("vd_2") };
	const struct spool_record *got;
	struct spool_piece piece;
	struct spool_file file;

	ck_assert_int_eq(spool_append(spool, &arena, r, 2, NULL), 0);
	ck_assert_int_eq(atomic_load(&shm->spool_records), 2);
	ck_assert_int_eq(atomic_load(&shm->spool_oldest), NOW);
	take(&file, 0, 10, &piece);
	ck_assert_uint_eq(piece.n, 2);
	ck_assert_uint_eq(piece.partial, 0);
	got = &piece.records[0];
	ck_assert_int_eq(got->decided_at, r->decided_at);
	ck_assert_int_eq(got->score, -1);
	ck_assert_str_eq(got->id, "vd_1");
	ck_assert_str_eq(got->event_id, r->event_id);
	ck_assert_str_eq(got->event_type, r->event_type);
	ck_assert_str_eq(got->verdict, r->verdict);
	ck_assert_str_eq(got->reasons, r->reasons);
	ck_assert_str_eq(got->policy_id, r->policy_id);
	ck_assert_str_eq(got->policy_version, r->policy_version);
	ck_assert_str_eq(got->correlation_id, r->correlation_id);
	ck_assert_str_eq(got->user, r->user);
	ck_assert_ptr_null(got->idempotency_key);
	ck_assert_str_eq(got->request, r->request);
	ck_assert_str_eq(piece.records[1].id, "vd_2");
	spool_leave(spool, &file);
}
END_TEST

/* A file is read in pieces, and exists until spool_remove(). */
START_TEST(drain_continues_where_it_stopped)
{
	struct spool_piece piece;
	struct spool_file file;
	char name[SPOOL_NAME_SIZE];

	append("vd_1", NULL);
	append("vd_2", NULL);
	append("vd_3", NULL);
	take(&file, 0, 2, &piece);
	ck_assert_uint_eq(piece.n, 2);
	memcpy(name, file.name, sizeof(name));
	spool_leave(spool, &file);

	/* Records that are appended during a drain go into another file. */
	append("vd_4", NULL);
	take(&file, piece.ends[1], 2, &piece);
	ck_assert_str_eq(file.name, name);
	ck_assert_uint_eq(piece.n, 1);
	spool_drained(spool, 9, NOW + 1);
	ck_assert_str_eq(piece.records[0].id, "vd_3");
	ck_assert_int_eq(
	    spool_read(&file, piece.end, 2, &arena, &piece, NULL), 0);
	ck_assert_uint_eq(piece.n, 0);
	ck_assert_int_eq(spool_remove(spool, &file, NULL), 0);
	take(&file, 0, 2, &piece);
	ck_assert_str_ne(file.name, name);
	ck_assert_str_eq(piece.records[0].id, "vd_4");
	ck_assert_int_eq(spool_remove(spool, &file, NULL), 0);

	/* spool_take() sets the counters to 0 only if the spool is empty. */
	ck_assert_int_eq(atomic_load(&shm->spool_records), 1);
	ck_assert_int_eq(atomic_load(&shm->spool_oldest), NOW + 1);
	ck_assert_int_eq(spool_take(spool, &file, NULL), 0);
	ck_assert_int_eq(atomic_load(&shm->spool_records), 0);
	ck_assert_int_eq(atomic_load(&shm->spool_oldest), 0);
}
END_TEST

START_TEST(only_one_process_drains_at_a_time)
{
	struct spool *other = spool_open(dir, shm, NULL);
	struct spool_file file, none;

	append("vd_1", NULL);
	ck_assert_int_eq(spool_take(spool, &file, NULL), 1);
	ck_assert_int_eq(spool_take(other, &none, NULL), 0);
	ck_assert_int_eq(atomic_load(&shm->spool_records), 1);
	spool_leave(spool, &file);
	ck_assert_int_eq(spool_take(other, &none, NULL), 1);
	spool_leave(other, &none);
	spool_close(other);
}
END_TEST

static const struct {
	const char *text; /* text that a killed writer left */
	size_t partial;
} tails[] = {
	{ "", 0 },
	{ "0123456789abcdef {\"id\":\"vd_", 1 },
	{ "0123456789abcdef {\"id\":\"vd_9\"}\n", 1 },
	{ "0", 1 },
	{ "\n", 1 },
	{ "\n\n0123456789abcdef\n{}\n", 4 },
};

START_TEST(partial_line_is_skipped)
{
	struct spool_piece piece;
	struct spool_file file;

	append("vd_1", NULL);
	scribble("active", tails[_i].text);
	append("vd_2", NULL);
	append("vd_3", NULL);
	take(&file, 0, 10, &piece);
	ck_assert_uint_eq(piece.n, 3);
	ck_assert_uint_eq(piece.partial, tails[_i].partial);
	ck_assert_str_eq(piece.records[1].id, "vd_2");
	ck_assert_str_eq(piece.records[2].id, "vd_3");
	spool_leave(spool, &file);
}
END_TEST

START_TEST(partial_last_line_is_not_read_again)
{
	struct spool_piece piece;
	struct spool_file file;
	int64_t end;

	append("vd_1", NULL);
	scribble("active", "0123456789abcdef {\"id\":\"vd_");
	take(&file, 0, 10, &piece);
	ck_assert_uint_eq(piece.n, 1);
	ck_assert_uint_eq(piece.partial, 1);
	end = piece.end;
	ck_assert_int_eq(spool_read(&file, end, 10, &arena, &piece, NULL), 0);
	ck_assert_int_eq(piece.end, end);
	spool_leave(spool, &file);
}
END_TEST

/* The checksum covers every byte of a record. */
START_TEST(changed_byte_is_noticed)
{
	const struct spool_record r = record("vd_1");
	struct spool_record got;
	struct str s;
	char *line;
	size_t i, n;

	str_init(&s, &arena);
	spool_print(&s, &r);
	line = arena_strdup(&arena, str_text(&s));
	n = s.len - 1;
	ck_assert_int_eq(spool_parse(&arena, line, n, &got), 1);
	for (i = 0; i < n; i++) {
		line[i] ^= 1;
		ck_assert_int_eq(spool_parse(&arena, line, n, &got), 0);
		line[i] ^= 1;
	}
	ck_assert_int_eq(spool_parse(&arena, line, n - 1, &got), 0);
}
END_TEST

/*
 * A later version wrote this line: its checksum is right, its members are
 * unknown.
 */
START_TEST(unknown_record_is_not_partial)
{
	struct spool_record got;

	ck_assert_int_eq(
	    spool_parse(&arena, "44136fa355b3678a {}", 19, &got), -1);
}
END_TEST

/* Twelve lines that together fill more than two chunks. */
START_TEST(lines_across_chunks_are_read)
{
	char *request = arena_alloc(&arena, SPOOL_CHUNK / 5 + 1);
	struct spool_record r = record("vd_1");
	struct arena_mark mark;
	struct spool_piece piece;
	struct spool_file file;
	int64_t at = 0;
	size_t n = 0;
	int i;

	memset(request, 'x', SPOOL_CHUNK / 5);
	r.request = request;
	mark = arena_mark(&arena);
	for (i = 0; i < 12; i++) {
		ck_assert_int_eq(spool_append(spool, &arena, &r, 1, NULL), 0);
		arena_rewind(&arena, mark);
	}
	ck_assert_int_eq(spool_take(spool, &file, NULL), 1);
	do {
		ck_assert_int_eq(
		    spool_read(&file, at, 200, &arena, &piece, NULL), 0);
		ck_assert_uint_eq(piece.partial, 0);
		n += piece.n;
		at = piece.end;
		arena_rewind(&arena, mark);
	} while (piece.n > 0);
	ck_assert_uint_eq(n, 12);
	spool_leave(spool, &file);
}
END_TEST

/*
 * A failed append leaves no bytes in the file, and later records are complete.
 */
START_TEST(append_to_full_disk_leaves_no_bytes)
{
	struct spool_piece piece;
	struct spool_file file;
	struct fail f = { 0 };
	struct rlimit none, limit;
	struct stat st;
	char path[512];
	off_t size;
	int r;

	append("vd_1", NULL);
	snprintf(path, sizeof(path), "%s/active", dir);
	ck_assert_int_eq(stat(path, &st), 0);
	size = st.st_size;
	signal(SIGXFSZ, SIG_IGN);

	/*
	 * Check itself writes to a file, so no assertion runs under the limit.
	 */
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &none), 0);
	limit = (struct rlimit) { (rlim_t)(size + _i), none.rlim_max };
	setrlimit(RLIMIT_FSIZE, &limit);
	r = append("vd_2", &f);
	setrlimit(RLIMIT_FSIZE, &none);
	ck_assert_int_eq(r, -1);
	ck_assert_int_eq(f.code, UNAVAILABLE);
	ck_assert_int_eq(atomic_load(&shm->spool_records), 1);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, size);
	ck_assert_int_eq(append("vd_3", NULL), 0);
	take(&file, 0, 10, &piece);
	ck_assert_uint_eq(piece.n, 2);
	ck_assert_uint_eq(piece.partial, 0);
	ck_assert_str_eq(piece.records[1].id, "vd_3");
	spool_leave(spool, &file);
}
END_TEST

START_TEST(concurrent_writers_lose_no_record)
{
	struct spool_piece piece;
	struct spool_file file;
	int w, i, status, failed = 0;

	for (w = 0; w < WRITERS; w++) {
		if (fork() != 0)
			continue;
		spool = spool_open(dir, shm, NULL);
		for (i = 0; i < EACH; i++) {
			/* On a slow disk the wait for the lock times out. */
			while (append("vd_1", NULL) == -1)
				if (++failed == FAILED_MAX)
					_exit(1);
		}
		_exit(0);
	}
	for (w = 0; w < WRITERS; w++) {
		wait(&status);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_int_eq(atomic_load(&shm->spool_records), WRITERS * EACH);
	take(&file, 0, SIZE_MAX, &piece);
	ck_assert_uint_eq(piece.n, WRITERS * EACH);
	ck_assert_uint_eq(piece.partial, 0);
	spool_leave(spool, &file);
}
END_TEST

/*
 * spool_count() counts the records in the active file and in the file of an
 * interrupted drain.
 */
START_TEST(records_of_earlier_runs_are_counted)
{
	struct spool_file file;

	append("vd_1", NULL);
	append("vd_2", NULL);
	ck_assert_int_eq(spool_take(spool, &file, NULL), 1);
	spool_leave(spool, &file);
	append("vd_3", NULL);
	scribble("active", "torn");
	atomic_store(&shm->spool_records, 77);
	atomic_store(&shm->spool_oldest, 0);
	spool_count(spool, &arena);
	ck_assert_int_eq(atomic_load(&shm->spool_records), 3);
	ck_assert_int_eq(atomic_load(&shm->spool_oldest), NOW);
}
END_TEST

START_TEST(refused_line_is_quarantined)
{
	struct spool_piece piece;
	struct spool_file file;
	char path[512], text[2048];
	FILE *quarantined;
	size_t n;

	append("vd_1", NULL);
	take(&file, 0, 1, &piece);
	ck_assert_int_eq(
	    spool_quarantine(spool, &file, piece.lines[0], NULL), 0);
	snprintf(path, sizeof(path), "%s/%s.quarantine", dir, file.name);
	ck_assert_ptr_nonnull(quarantined = fopen(path, "re"));
	n = fread(text, 1, sizeof(text), quarantined);
	fclose(quarantined);
	ck_assert_uint_gt(n, 1);
	ck_assert_int_eq(text[n - 1], '\n');
	ck_assert_int_eq(memcmp(text, piece.lines[0], n - 1), 0);
	spool_leave(spool, &file);
}
END_TEST

START_TEST(missing_directory_is_refused)
{
	struct fail f = { 0 };

	ck_assert_ptr_null(spool_open("/nonexistent/spool", shm, &f));
	ck_assert_int_ne(fcntl(STDIN_FILENO, F_GETFD), -1);
	ck_assert_str_eq(f.where, "/nonexistent/spool");
}
END_TEST

Suite *
suite_spool(void)
{
	Suite *s = suite_create("spool");
	TCase *tc = tcase_create("spool");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, records_are_read_back_as_written);
	tcase_add_test(tc, drain_continues_where_it_stopped);
	tcase_add_test(tc, only_one_process_drains_at_a_time);
	tcase_add_loop_test(tc, partial_line_is_skipped, 0, (int)nitems(tails));
	tcase_add_test(tc, partial_last_line_is_not_read_again);
	tcase_add_test(tc, changed_byte_is_noticed);
	tcase_add_test(tc, unknown_record_is_not_partial);
	tcase_add_test(tc, lines_across_chunks_are_read);
	tcase_add_loop_test(tc, append_to_full_disk_leaves_no_bytes, 0, 3);
	tcase_add_test(tc, concurrent_writers_lose_no_record);
	tcase_add_test(tc, records_of_earlier_runs_are_counted);
	tcase_add_test(tc, refused_line_is_quarantined);
	tcase_add_test(tc, missing_directory_is_refused);
	suite_add_tcase(s, tc);
	return s;
}
