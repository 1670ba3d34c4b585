/* SPDX-License-Identifier: ISC */
/* fcgi/access/rate_limit.c: budgets, which are exact even among processes. */
#include "config.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fcgi/access/rate_limit.h"
#include "fcgi/worker/worker.h"
#include "lib/sys/clock.h"
#include "t/unit/shm_fixture.h"

#define NOW (INT64_C(1795233900) * CLOCK_SECOND) /* the start of a minute */
#define MINUTE (60 * CLOCK_SECOND)
#define PROCESSES 8
#define TAKES 10000
#define BUDGET 20000
#define SECRET "6f0b1d9a4c7e2835f19d0c6ba7e4825d31f8"

static struct worker alone;

static void
setup(void)
{
	map_shm();
	alone.shm = shm;
}

START_TEST(budget_is_refused_when_used_up)
{
	struct rate_limit_result r;
	int i;

	for (i = 2; i >= 0; i--) {
		rate_limit_take(&alone, LIMIT_KEY, hash(1), NOW + 500, 3, &r);
		ck_assert(r.allowed);
		ck_assert_int_eq(r.limit, 3);
		ck_assert_int_eq(r.remaining, i);
		ck_assert_int_eq(r.retry_after, 60);
	}
	rate_limit_take(&alone, LIMIT_KEY, hash(1), NOW + MINUTE - 1, 3, &r);
	ck_assert(!r.allowed);
	ck_assert_int_eq(r.remaining, 0);
	ck_assert_int_eq(r.retry_after, 1);

	/* Each key, each kind of limit and each minute has its own budget. */
	rate_limit_take(&alone, LIMIT_KEY, hash(2), NOW, 3, &r);
	ck_assert(r.allowed);
	rate_limit_take(&alone, LIMIT_LOGIN, hash(1), NOW, 3, &r);
	ck_assert(r.allowed);
	rate_limit_take(&alone, LIMIT_LABELS, hash(1), NOW, 3, &r);
	ck_assert(r.allowed);
	ck_assert_int_eq(r.remaining, 2);
	rate_limit_take(&alone, LIMIT_KEY, hash(1), NOW + MINUTE, 3, &r);
	ck_assert(r.allowed);
	ck_assert_int_eq(r.remaining, 2);

	/* A worker whose clock is behind counts in the newer minute. */
	rate_limit_take(&alone, LIMIT_KEY, hash(1), NOW + MINUTE - 1, 3, &r);
	ck_assert_int_eq(r.remaining, 1);
}
END_TEST

START_TEST(only_counted_keys_are_known)
{
	struct rate_limit_result r;

	ck_assert(!rate_limit_known(shm, hash(1)));
	rate_limit_take(&alone, LIMIT_LOGIN, hash(1), NOW, 3, &r);
	ck_assert(!rate_limit_known(shm, hash(1)));
	rate_limit_take(&alone, LIMIT_KEY, hash(1), NOW, 3, &r);
	ck_assert(rate_limit_known(shm, hash(1)));
}
END_TEST

START_TEST(full_key_table_refuses_until_next_minute)
{
	struct rate_limit_result r;
	uint64_t i;

	for (i = 0; i < 4 * SHM_KEYS; i++)
		rate_limit_take(&alone, LIMIT_KEY, hash(i), NOW, 1, &r);
	rate_limit_take(&alone, LIMIT_KEY, hash(i), NOW, 1, &r);
	ck_assert(!r.allowed);
	ck_assert_int_eq(r.remaining, 0);
	rate_limit_take(&alone, LIMIT_KEY, hash(i), NOW + 2 * MINUTE, 1, &r);
	ck_assert(r.allowed);
	rate_limit_take(&alone, LIMIT_KEY, hash(i), NOW + 2 * MINUTE, 1, &r);
	ck_assert(!r.allowed);
}
END_TEST

/*
 * More addresses in a minute than the table has slots, each using up its
 * budget.
 */
START_TEST(full_login_table_refuses_no_new_address)
{
	struct rate_limit_result r;
	uint64_t i, wrong = 0;
	int n;

	for (i = 0; i < 4 * SHM_LOGINS; i++)
		for (n = 0; n < 2; n++) {
			rate_limit_take(
			    &alone, LIMIT_LOGIN, hash(i), NOW, 2, &r);
			wrong += !r.allowed || r.remaining != 1 - n;
		}
	ck_assert_uint_eq(wrong, 0);

	/* The last address still has its count. */
	rate_limit_take(&alone, LIMIT_LOGIN, hash(i - 1), NOW, 2, &r);
	ck_assert(!r.allowed);
}
END_TEST

START_TEST(full_login_table_keeps_busiest_address)
{
	struct rate_limit_result r;
	uint64_t i;

	for (i = 0; i < 10; i++)
		rate_limit_take(&alone, LIMIT_LOGIN, hash(0), NOW, 10, &r);
	for (i = 1; i < 4 * SHM_LOGINS; i++)
		rate_limit_take(&alone, LIMIT_LOGIN, hash(i), NOW, 10, &r);
	rate_limit_take(&alone, LIMIT_LOGIN, hash(0), NOW, 10, &r);
	ck_assert(!r.allowed);
}
END_TEST

START_TEST(count_is_exact_among_processes)
{
	struct rate_limit_result r;
	uint64_t granted = 0;
	int p, i, status;

	for (p = 0; p < PROCESSES; p++) {
		if (fork() != 0)
			continue;
		for (i = 0; i < TAKES; i++) {
			rate_limit_take(
			    &alone, LIMIT_KEY, hash(7), NOW, BUDGET, &r);
			if (r.allowed)
				metric_add(
				    &shm->slot[p], METRIC_ID_DEGRADED, 0, 0, 1);
		}
		_exit(0);
	}
	for (p = 0; p < PROCESSES; p++) {
		wait(&status);
		ck_assert_int_eq(status, 0);
	}
	for (p = 0; p < PROCESSES; p++)
		granted += atomic_load(shm->slot[p].metrics.DEGRADED);
	ck_assert_uint_eq(granted, BUDGET);
}
END_TEST

static const struct {
	const char *a, *b;
	bool same;
} addresses[] = {
	{ "192.0.2.1", "192.0.2.1", true },
	{ "192.0.2.1", "192.0.2.2", false },
	{ "192.0.2.1", "::ffff:192.0.2.1", true },
	{ "192.0.2.1", "::ffff:c000:201", true },
	{ "192.0.2.1", "::ffff:c000:202", false },
	{ "2001:db8::1", "2001:db8::2:1", true },
	{ "2001:db8::1", "2001:db8:0:1::1", false },
	{ "", "unknown", false },
};

START_TEST(address_hash_ignores_low_64_bits_of_ipv6)
{
	uint8_t a[CRYPT_SHA256_SIZE], b[CRYPT_SHA256_SIZE];

	rate_limit_address(SECRET, addresses[_i].a, a);
	rate_limit_address(SECRET, addresses[_i].b, b);
	ck_assert_int_eq(memcmp(a, b, sizeof(a)) == 0, addresses[_i].same);
}
END_TEST

Suite *
suite_rate_limit(void)
{
	Suite *s = suite_create("rate_limit");
	TCase *tc = tcase_create("rate_limit");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, unmap_shm);
	tcase_add_test(tc, budget_is_refused_when_used_up);
	tcase_add_test(tc, only_counted_keys_are_known);
	tcase_add_test(tc, full_key_table_refuses_until_next_minute);
	tcase_add_test(tc, full_login_table_refuses_no_new_address);
	tcase_add_test(tc, full_login_table_keeps_busiest_address);
	tcase_add_test(tc, count_is_exact_among_processes);
	tcase_add_loop_test(tc, address_hash_ignores_low_64_bits_of_ipv6, 0,
	    (int)nitems(addresses));
	suite_add_tcase(s, tc);
	return s;
}
