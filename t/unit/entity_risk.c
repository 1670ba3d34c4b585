/* SPDX-License-Identifier: ISC */
/* core/state/entity_risk.c: days, windows and rates, and the packed form. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/state/entity_risk.h"
#include "t/unit/unit.h"

#define TODAY 20000
#define DAY INT64_C(86400000000)

static struct entity_risk_days days;

static void
setup(void)
{
	memset(&days, 0, sizeof(days));
}

static void
add(int32_t day, int32_t events, int32_t fraud, int32_t labels)
{
	const struct entity_risk_day more = { day, events, fraud, labels };

	entity_risk_add(&days, &more);
}

static void
check_day(size_t i, int32_t day, int32_t events, int32_t fraud, int32_t labels)
{
	const struct entity_risk_day want = { day, events, fraud, labels };

	ck_assert_uint_lt(i, days.n);
	ck_assert_mem_eq(&days.day[i], &want, sizeof(want));
}

/* Times and their days. */
static const struct {
	int64_t at;
	int32_t day;
} times[] = {
	{ 0, 0 },
	{ DAY - 1, 0 },
	{ DAY, 1 },
	{ TODAY * DAY, TODAY },
	{ TODAY * DAY - 1, TODAY - 1 },
	{ -1, -1 },
	{ -DAY, -1 },
	{ -DAY - 1, -2 },
};

START_TEST(time_has_its_utc_day)
{
	ck_assert_int_eq(entity_risk_day_of(times[_i].at), times[_i].day);
}
END_TEST

START_TEST(days_are_kept_newest_first)
{
	add(TODAY, 1, 0, 0);
	add(TODAY - 2, 2, 1, 1);
	add(TODAY - 1, 3, 0, 0);
	add(TODAY, 4, 1, 2);
	ck_assert_uint_eq(days.n, 3);
	check_day(0, TODAY, 5, 1, 2);
	check_day(1, TODAY - 1, 3, 0, 0);
	check_day(2, TODAY - 2, 2, 1, 1);
}
END_TEST

START_TEST(counts_are_clamped)
{
	add(TODAY, 5, 1, 1);
	add(TODAY, -2, -2, -1);
	check_day(0, TODAY, 3, 0, 0);
	add(TODAY, INT32_MAX, INT32_MAX, INT32_MAX);
	check_day(0, TODAY, INT32_MAX, INT32_MAX, INT32_MAX);
}
END_TEST

START_TEST(oldest_day_is_dropped_at_the_cap)
{
	int32_t i;

	for (i = 0; i < ENTITY_RISK_DAYS_MAX; i++)
		add(TODAY - i, i + 1, 0, 0);
	add(TODAY - ENTITY_RISK_DAYS_MAX, 1, 1, 1);
	ck_assert_uint_eq(days.n, ENTITY_RISK_DAYS_MAX);
	check_day(ENTITY_RISK_DAYS_MAX - 1, TODAY - ENTITY_RISK_DAYS_MAX + 1,
	    ENTITY_RISK_DAYS_MAX, 0, 0);
	add(TODAY + 1, 7, 0, 0);
	ck_assert_uint_eq(days.n, ENTITY_RISK_DAYS_MAX);
	check_day(0, TODAY + 1, 7, 0, 0);
	check_day(ENTITY_RISK_DAYS_MAX - 1, TODAY - ENTITY_RISK_DAYS_MAX + 2,
	    ENTITY_RISK_DAYS_MAX - 1, 0, 0);
}
END_TEST

START_TEST(days_outside_every_window_are_removed)
{
	const int32_t oldest =
	    TODAY - ENTITY_RISK_DELAY_MAX - ENTITY_RISK_WINDOW;

	add(TODAY, 1, 0, 0);
	add(oldest, 2, 0, 0);
	add(oldest - 1, 3, 0, 0);
	entity_risk_forget(&days, TODAY);
	ck_assert_uint_eq(days.n, 2);
	check_day(1, oldest, 2, 0, 0);
	ck_assert(
	    entity_risk_rates(&days, TODAY, ENTITY_RISK_DELAY_MAX).rate < 0.01);
	entity_risk_forget(&days, TODAY + ENTITY_RISK_DAYS_MAX);
	ck_assert_uint_eq(days.n, 0);
}
END_TEST

START_TEST(rates_without_events_are_the_prior)
{
	const struct entity_risk_rates r = entity_risk_rates(NULL, TODAY, 7);

	ck_assert_double_eq(r.rate, 0.01);
	ck_assert_double_eq(r.rate_1d, 0.01);
	ck_assert_double_eq(r.rate_7d, 0.01);
	ck_assert_int_eq(r.labels, 0);
}
END_TEST

/*
 * One day has 3 events, 2 of them with a label, one of these fraud.  This many
 * days later, which windows contain it with a delay of 7 days?
 */
static const struct {
	int32_t later;
	bool in_1d, in_7d, in_30d;
} windows[] = {
	{ 0, false, false, false },
	{ 7, false, false, false },
	{ 8, true, true, true },
	{ 9, false, true, true },
	{ 14, false, true, true },
	{ 15, false, false, true },
	{ 37, false, false, true },
	{ 38, false, false, false },
};

START_TEST(day_counts_after_the_delay)
{
	const double none = 0.01, some = 1.01 / 4;
	struct entity_risk_rates r;

	add(TODAY, 3, 1, 2);
	r = entity_risk_rates(&days, TODAY + windows[_i].later, 7);
	ck_assert_double_eq(r.rate, windows[_i].in_30d ? some : none);
	ck_assert_double_eq(r.rate_1d, windows[_i].in_1d ? some : none);
	ck_assert_double_eq(r.rate_7d, windows[_i].in_7d ? some : none);
	ck_assert_int_eq(r.labels, windows[_i].in_30d ? 2 : 0);
}
END_TEST

START_TEST(window_sums_its_days)
{
	struct entity_risk_rates r;
	int32_t i;

	for (i = 0; i < ENTITY_RISK_DAYS_MAX; i++)
		add(TODAY - i, 10, 1, 2);
	for (i = 1; i <= ENTITY_RISK_DELAY_MAX; i++) {
		r = entity_risk_rates(&days, TODAY, i);
		ck_assert_double_eq(r.rate, 30.01 / 301);
		ck_assert_double_eq(r.rate_1d, 1.01 / 11);
		ck_assert_double_eq(r.rate_7d, 7.01 / 71);
		ck_assert_int_eq(r.labels, 60);
	}
}
END_TEST

static void
check_packs(void)
{
	uint8_t packed[ENTITY_RISK_PACKED_MAX], again[ENTITY_RISK_PACKED_MAX];
	struct entity_risk_days got;
	struct fail f = { 0 };
	const size_t size = entity_risk_pack(&days, packed);

	ck_assert_uint_le(size, sizeof(packed));
	ck_assert_int_eq(entity_risk_unpack(packed, size, &got, &f), 0);
	ck_assert_uint_eq(got.n, days.n);
	ck_assert_mem_eq(got.day, days.day, days.n * sizeof(days.day[0]));
	ck_assert_uint_eq(entity_risk_pack(&got, again), size);
	ck_assert_mem_eq(again, packed, size);
}

START_TEST(packed_days_are_read_back)
{
	int32_t i;

	check_packs();
	add(0, 0, 0, 0);
	check_packs();
	add(TODAY, 127, 1, 128);
	add(TODAY - 300, 16383, 0, 16384);
	check_packs();
	add(INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX);
	check_packs();
	setup();
	for (i = 0; i < ENTITY_RISK_DAYS_MAX; i++)
		add(INT32_MAX - i * (INT32_MAX / ENTITY_RISK_DAYS_MAX),
		    INT32_MAX, INT32_MAX, INT32_MAX);
	check_packs();
}
END_TEST

/* Bytes that are not packed days, and why. */
static const struct {
	const char *bytes;
	size_t size;
} bad[] = {
	{ "\0", 1 }, /* unknown layout */
	{ "\2", 1 }, { "\1\1", 2 }, /* cut short */
	{ "\1\1\1\1", 4 }, { "\1\1\1\1\200", 5 }, { "\1\1\1\1\1\1", 6 },
	{ "\1\1\1\1\200\0", 6 }, /* longer than needed */
	{ "\1\377\377\377\377\10\1\1\1", 9 }, /* too large */
	{ "\1\200\200\200\200\200\1\1\1\1", 10 },
	{ "\1\5\1\1\1\0\1\1\1", 9 }, /* the same day again */
	{ "\1\5\1\1\1\6\1\1\1", 9 }, /* before day 0 */
};

START_TEST(invalid_bytes_are_refused)
{
	struct entity_risk_days got;
	struct fail f = { 0 };

	ck_assert_int_eq(
	    entity_risk_unpack(bad[_i].bytes, bad[_i].size, &got, &f), -1);
	ck_assert_int_eq(f.kind, FAIL_US);
}
END_TEST

START_TEST(too_many_days_are_refused)
{
	uint8_t packed[1 + 4 * (ENTITY_RISK_DAYS_MAX + 1)];
	struct entity_risk_days got;
	struct fail f = { 0 };
	const size_t size = sizeof(packed);

	memset(packed, 1, size);
	packed[1] = 127;
	ck_assert_int_eq(entity_risk_unpack(packed, size - 4, &got, &f), 0);
	ck_assert_uint_eq(got.n, ENTITY_RISK_DAYS_MAX);
	ck_assert_int_eq(entity_risk_unpack(packed, size, &got, &f), -1);
}
END_TEST

Suite *
suite_entity_risk(void)
{
	Suite *s = suite_create("entity_risk");
	TCase *tc = tcase_create("entity_risk");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, time_has_its_utc_day, 0, (int)nitems(times));
	tcase_add_test(tc, days_are_kept_newest_first);
	tcase_add_test(tc, counts_are_clamped);
	tcase_add_test(tc, oldest_day_is_dropped_at_the_cap);
	tcase_add_test(tc, days_outside_every_window_are_removed);
	tcase_add_test(tc, rates_without_events_are_the_prior);
	tcase_add_loop_test(
	    tc, day_counts_after_the_delay, 0, (int)nitems(windows));
	tcase_add_test(tc, window_sums_its_days);
	tcase_add_test(tc, packed_days_are_read_back);
	tcase_add_loop_test(tc, invalid_bytes_are_refused, 0, (int)nitems(bad));
	tcase_add_test(tc, too_many_days_are_refused);
	suite_add_tcase(s, tc);
	return s;
}
