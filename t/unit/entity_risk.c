/* SPDX-License-Identifier: ISC */
/* core/state/entity_risk.c: slots, windows and rates, and the packed form. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/state/entity_risk.h"
#include "t/unit/unit.h"

#define DAY ENTITY_RISK_DAY_SLOTS
#define NOW (20000 * DAY + 5) /* in the sixth slot of a day */
#define SLOT INT64_C(10800000000) /* microseconds */
#define DELAY 7

static struct entity_risk_history history;

static void
setup(void)
{
	memset(&history, 0, sizeof(history));
}

static void
add(int32_t slot, int32_t events, int32_t fraud, int32_t labels)
{
	const struct entity_risk_slot more = { slot, events, fraud, labels };

	entity_risk_add(&history, &more, DELAY);
}

static void
check_slot(
    size_t i, int32_t slot, int32_t events, int32_t fraud, int32_t labels)
{
	const struct entity_risk_slot want = { slot, events, fraud, labels };

	ck_assert_uint_lt(i, history.n);
	ck_assert_int_eq(history.slots[i].slot, slot);
	ck_assert_mem_eq(&history.slots[i], &want, sizeof(want));
}

/* Times and their slots. */
static const struct {
	int64_t at;
	int32_t slot;
} times[] = {
	{ 0, 0 },
	{ SLOT - 1, 0 },
	{ SLOT, 1 },
	{ NOW * SLOT, NOW },
	{ NOW * SLOT - 1, NOW - 1 },
	{ -1, -1 },
	{ -SLOT, -1 },
	{ -SLOT - 1, -2 },
};

START_TEST(time_has_its_slot)
{
	ck_assert_int_eq(entity_risk_slot_of(times[_i].at), times[_i].slot);
}
END_TEST

START_TEST(slots_are_kept_newest_first)
{
	add(NOW, 1, 0, 0);
	add(NOW - 2, 2, 1, 1);
	add(NOW - 1, 3, 0, 0);
	add(NOW, 4, 1, 2);
	ck_assert_uint_eq(history.n, 3);
	check_slot(0, NOW, 5, 1, 2);
	check_slot(1, NOW - 1, 3, 0, 0);
	check_slot(2, NOW - 2, 2, 1, 1);
}
END_TEST

START_TEST(counts_are_clamped)
{
	add(NOW, 5, 1, 1);
	add(NOW, -2, -2, -1);
	check_slot(0, NOW, 3, 0, 0);
	add(NOW, INT32_MAX, INT32_MAX, INT32_MAX);
	check_slot(0, NOW, INT32_MAX, INT32_MAX, INT32_MAX);
}
END_TEST

/* The oldest day that keeps its slots while NOW is the newest slot. */
#define FINE ((NOW / DAY - DELAY - 8) * DAY)

START_TEST(days_before_the_short_windows_have_one_slot)
{
	add(FINE + 1, 1, 0, 1);
	add(FINE, 2, 0, 0);
	add(FINE - 1, 4, 1, 1);
	add(FINE - 3, 8, 0, 0);
	add(FINE - DAY, 16, 0, 0);
	add(NOW, 32, 0, 0);
	ck_assert_uint_eq(history.n, 4);
	check_slot(1, FINE + 1, 1, 0, 1);
	check_slot(2, FINE, 2, 0, 0);
	check_slot(3, FINE - DAY, 28, 1, 1);
	add(FINE - 2, 1, 0, 0);
	ck_assert_uint_eq(history.n, 4);
	check_slot(3, FINE - DAY, 29, 1, 1);
}
END_TEST

START_TEST(label_finds_its_event_in_the_slot_of_the_day)
{
	add(FINE - 1, 4, 1, 1);
	add(NOW, 1, 0, 0);
	add(FINE - 1, 0, -1, 0);
	ck_assert_uint_eq(history.n, 2);
	check_slot(1, FINE - DAY, 4, 0, 1);
	add(NOW, 0, 1, 1);
	check_slot(0, NOW, 1, 1, 1);
}
END_TEST

START_TEST(oldest_slot_is_dropped_at_the_cap)
{
	struct entity_risk_slot more = { .events = 1 };
	int32_t i;

	for (i = 0; i < ENTITY_RISK_SLOTS_MAX; i++) {
		history.slots[i].slot = NOW - i;
		history.slots[i].events = i + 1;
	}
	history.n = ENTITY_RISK_SLOTS_MAX;
	more.slot = NOW - ENTITY_RISK_SLOTS_MAX;
	entity_risk_add(&history, &more, ENTITY_RISK_DELAY_MAX);
	ck_assert_uint_eq(history.n, ENTITY_RISK_SLOTS_MAX);
	check_slot(ENTITY_RISK_SLOTS_MAX - 1, NOW - ENTITY_RISK_SLOTS_MAX + 1,
	    ENTITY_RISK_SLOTS_MAX, 0, 0);
	more.slot = NOW + 1;
	entity_risk_add(&history, &more, ENTITY_RISK_DELAY_MAX);
	check_slot(0, NOW + 1, 1, 0, 0);
	check_slot(1, NOW, 1, 0, 0);
}
END_TEST

START_TEST(days_outside_every_window_are_removed)
{
	const int32_t oldest = (NOW / DAY - ENTITY_RISK_DAYS_MAX + 1) * DAY;

	add(oldest - 1, 3, 0, 0);
	add(oldest, 2, 0, 0);
	add(NOW, 1, 0, 0);
	ck_assert_uint_eq(history.n, 2);
	check_slot(1, oldest, 2, 0, 0);
	ck_assert(entity_risk_rates(&history, NOW, ENTITY_RISK_DELAY_MAX).rate <
	    0.01);
}
END_TEST

START_TEST(rates_without_events_are_the_prior)
{
	const struct entity_risk_rates r = entity_risk_rates(NULL, NOW, DELAY);

	ck_assert_double_eq(r.rate, 0.01);
	ck_assert_double_eq(r.rate_1d, 0.01);
	ck_assert_double_eq(r.rate_7d, 0.01);
	ck_assert_int_eq(r.labels, 0);
}
END_TEST

/*
 * One slot, the sixth of its day, has 3 events, 2 of them with a label, one of
 * these fraud.  So many slots later, which windows contain it?
 */
static const struct {
	int32_t later;
	bool in_1d, in_7d, in_30d;
} windows[] = {
	{ 0, false, false, false }, { 7 * DAY, false, false, false },
	{ 7 * DAY + 1, true, true, true }, { 8 * DAY, true, true, true },
	{ 8 * DAY + 1, false, true, true }, { 14 * DAY, false, true, true },
	{ 14 * DAY + 1, false, false, true }, { 37 * DAY, false, false, true },
	{ 37 * DAY + 2, false, false, true },
	{ 37 * DAY + 3, false, false, false }, /* its day is too old */
};

START_TEST(slot_counts_after_the_delay)
{
	const double none = 0.01, some = 1.01 / 4;
	struct entity_risk_rates r;

	add(NOW, 3, 1, 2);
	r = entity_risk_rates(&history, NOW + windows[_i].later, DELAY);
	ck_assert_double_eq(r.rate, windows[_i].in_30d ? some : none);
	ck_assert_double_eq(r.rate_1d, windows[_i].in_1d ? some : none);
	ck_assert_double_eq(r.rate_7d, windows[_i].in_7d ? some : none);
	ck_assert_int_eq(r.labels, windows[_i].in_30d ? 2 : 0);
}
END_TEST

START_TEST(window_sums_its_slots)
{
	const int32_t more = NOW % DAY; /* of the day that begins the longest */
	struct entity_risk_slot s = { 0, 10, 1, 2 };
	struct entity_risk_rates r;
	int32_t i, n;

	for (i = 1; i <= ENTITY_RISK_DELAY_MAX; i++) {
		setup();
		for (n = ENTITY_RISK_DAYS_MAX * DAY; n >= 0; n--) {
			s.slot = NOW - n;
			entity_risk_add(&history, &s, i);
		}
		r = entity_risk_rates(&history, NOW, i);
		n = ENTITY_RISK_WINDOW * DAY + more;
		ck_assert_double_eq(r.rate, (n + 0.01) / (10 * n + 1));
		ck_assert_double_eq(r.rate_1d, (DAY + 0.01) / (10 * DAY + 1));
		ck_assert_double_eq(
		    r.rate_7d, (7 * DAY + 0.01) / (70 * DAY + 1));
		ck_assert_int_eq(r.labels, 2 * n);
		ck_assert_uint_le(history.n, ENTITY_RISK_SLOTS_MAX);
	}
}
END_TEST

static void
check_packs(void)
{
	uint8_t packed[ENTITY_RISK_PACKED_MAX], again[ENTITY_RISK_PACKED_MAX];
	struct entity_risk_history got;
	struct fail f = { 0 };
	const size_t size = entity_risk_pack(&history, packed);

	ck_assert_uint_le(size, sizeof(packed));
	ck_assert_int_eq(entity_risk_unpack(packed, size, &got, &f), 0);
	ck_assert_uint_eq(got.n, history.n);
	ck_assert_mem_eq(
	    got.slots, history.slots, history.n * sizeof(history.slots[0]));
	ck_assert_uint_eq(entity_risk_pack(&got, again), size);
	ck_assert_mem_eq(again, packed, size);
}

START_TEST(packed_slots_are_read_back)
{
	int32_t i;

	check_packs();
	add(0, 0, 0, 0);
	check_packs();
	add(NOW, 127, 1, 128);
	add(NOW - 1, 31, 0, 31);
	add(NOW - 2, 32, 32, 32);
	add(NOW - 300, 16383, 0, 16384);
	check_packs();
	add(INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX);
	check_packs();
	for (i = 0; i < ENTITY_RISK_SLOTS_MAX; i++)
		history.slots[i] = (struct entity_risk_slot) { INT32_MAX -
			    i * (INT32_MAX / ENTITY_RISK_SLOTS_MAX),
			INT32_MAX, INT32_MAX - 1, INT32_MAX };
	history.n = ENTITY_RISK_SLOTS_MAX;
	check_packs();
}
END_TEST

START_TEST(days_of_the_first_layout_are_read)
{
	struct fail f = { 0 };

	ck_assert_int_eq(
	    entity_risk_unpack("\1\12\5\2\1\3\4\0\0", 9, &history, &f), 0);
	ck_assert_uint_eq(history.n, 2);
	check_slot(0, 10 * DAY, 5, 1, 2);
	check_slot(1, 7 * DAY, 4, 0, 0);
	check_packs();
}
END_TEST

/* Bytes that are not a packed history, and why. */
static const struct {
	const char *bytes;
	size_t size;
} bad[] = {
	{ "\0", 1 }, /* unknown layout */
	{ "\3", 1 },
	{ "\2\1", 2 }, /* cut short */
	{ "\2\1\7\1", 4 },
	{ "\2\1\7\1\200", 5 },
	{ "\2\1\4\1", 4 },
	{ "\1\1\1\1", 4 },
	{ "\2\1\204\0", 4 }, /* longer than needed */
	{ "\2\377\377\377\377\10\4", 7 }, /* too large */
	{ "\1\377\377\377\377\7\1\1\1", 9 },
	{ "\2\1\200\200\200\200\40", 7 },
	{ "\2\5\4\0\4", 5 }, /* the same slot again */
	{ "\2\5\4\6\4", 5 }, /* before slot 0 */
	{ "\2\1\7\0\0", 5 }, /* a kind that needs no numbers */
	{ "\2\1\7\1\1", 5 },
	{ "\2\1\1", 3 },
	{ "\2\1\2", 3 },
};

START_TEST(invalid_bytes_are_refused)
{
	struct entity_risk_history got;
	struct fail f = { 0 };

	ck_assert_int_eq(
	    entity_risk_unpack(bad[_i].bytes, bad[_i].size, &got, &f), -1);
	ck_assert_int_eq(f.kind, FAIL_US);
}
END_TEST

START_TEST(too_many_slots_are_refused)
{
	uint8_t packed[2 + 2 * (ENTITY_RISK_SLOTS_MAX + 1)];
	struct entity_risk_history got;
	struct fail f = { 0 };
	const size_t size = sizeof(packed);
	size_t i;

	for (i = 0; i < size; i++)
		packed[i] = i % 2 == 0 ? 1 : 4;
	memcpy(packed, "\2\377\7", 3); /* slot 1023 */
	ck_assert_int_eq(entity_risk_unpack(packed, size - 2, &got, &f), 0);
	ck_assert_uint_eq(got.n, ENTITY_RISK_SLOTS_MAX);
	ck_assert_int_eq(entity_risk_unpack(packed, size, &got, &f), -1);
}
END_TEST

Suite *
suite_entity_risk(void)
{
	Suite *s = suite_create("entity_risk");
	TCase *tc = tcase_create("entity_risk");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, time_has_its_slot, 0, (int)nitems(times));
	tcase_add_test(tc, slots_are_kept_newest_first);
	tcase_add_test(tc, counts_are_clamped);
	tcase_add_test(tc, days_before_the_short_windows_have_one_slot);
	tcase_add_test(tc, label_finds_its_event_in_the_slot_of_the_day);
	tcase_add_test(tc, oldest_slot_is_dropped_at_the_cap);
	tcase_add_test(tc, days_outside_every_window_are_removed);
	tcase_add_test(tc, rates_without_events_are_the_prior);
	tcase_add_loop_test(
	    tc, slot_counts_after_the_delay, 0, (int)nitems(windows));
	tcase_add_test(tc, window_sums_its_slots);
	tcase_add_test(tc, packed_slots_are_read_back);
	tcase_add_test(tc, days_of_the_first_layout_are_read);
	tcase_add_loop_test(tc, invalid_bytes_are_refused, 0, (int)nitems(bad));
	tcase_add_test(tc, too_many_slots_are_refused);
	suite_add_tcase(s, tc);
	return s;
}
