/* SPDX-License-Identifier: ISC */
/* fcgi/worker/watchdog.c: late workers are condemned and begin nothing. */
#include "config.h"

#include "fcgi/worker/watchdog.h"
#include "t/unit/unit.h"

#define S CLOCK_SECOND

static const struct {
	int64_t due, term_at, limit;
	bool condemned;
	int64_t awake_at;
} at_100[] = {
	{ WATCHDOG_IDLE, 0, 0, false, 0 },
	{ 101 * S, 0, 0, false, 0 },
	{ 95 * S, 0, 0, false, 0 },
	{ 95 * S - 1, 0, 0, true, 0 },
	{ 50 * S, 0, 0, false, 95 * S },
	{ 50 * S, 0, 0, true, 95 * S - 1 },
	/*
	 * After TERM an idle worker has only the grace, from TERM or from the
	 * end of its last work; a busy one has its deadline.
	 */
	{ WATCHDOG_IDLE, 95 * S, 0, false, 0 },
	{ WATCHDOG_IDLE, 95 * S - 1, 0, true, 0 },
	{ -95 * S, 1 * S, 0, false, 0 },
	{ -95 * S + 1, 1 * S, 0, true, 0 },
	{ -50 * S, 95 * S, 0, false, 0 },
	/* Without TERM an idle worker that wakes is never late. */
	{ -70 * S, 0, 0, false, 0 },
	{ -70 * S + 1, 0, 0, true, 0 },
	{ -50 * S, 0, 0, false, 70 * S },
	{ -50 * S, 0, 0, true, 70 * S - 1 },
	{ -100 * S, 80 * S, 100 * S, false, 0 },
	{ -100 * S, 80 * S, 100 * S - 1, true, 0 },
	{ 600 * S, 1 * S, 0, false, 0 },
	{ 600 * S, 80 * S, 100 * S, false, 0 },
	{ 600 * S, 80 * S, 100 * S - 1, true, 0 },
	{ WATCHDOG_CONDEMNED, 1 * S, 1 * S, false, 0 },
};

START_TEST(late_worker_is_condemned_once)
{
	const struct watchdog_times times = {
		.now = 100 * S,
		.awake_at = at_100[_i].awake_at,
		.term_at = at_100[_i].term_at,
		.limit = at_100[_i].limit,
	};
	_Atomic int64_t word = at_100[_i].due;

	ck_assert_int_eq(watchdog_condemn(&word, &times), at_100[_i].condemned);
	ck_assert_int_eq(watchdog_condemn(&word, &times), false);
	ck_assert_int_eq(watchdog_set(&word, 7 * S),
	    !at_100[_i].condemned && at_100[_i].due != WATCHDOG_CONDEMNED);
}
END_TEST

START_TEST(condemned_worker_begins_nothing)
{
	const struct watchdog_times times = { .now = 100 * S };
	_Atomic int64_t word = 1 * S;

	ck_assert(watchdog_condemn(&word, &times));
	ck_assert(!watchdog_set(&word, 200 * S));
	ck_assert(!watchdog_set(&word, WATCHDOG_IDLE));
	ck_assert_int_eq(word, WATCHDOG_CONDEMNED);
}
END_TEST

Suite *
suite_watchdog(void)
{
	Suite *s = suite_create("watchdog");
	TCase *tc = tcase_create("watchdog");

	tcase_add_loop_test(
	    tc, late_worker_is_condemned_once, 0, nitems(at_100));
	tcase_add_test(tc, condemned_worker_begins_nothing);
	suite_add_tcase(s, tc);
	return s;
}
