/* SPDX-License-Identifier: ISC */
/* lib/txn/txn_idempotency.c: events with the same key in one transaction. */
#include "config.h"

#include "core/base/array.h"
#include "lib/txn/txn_int.h"
#include "t/unit/unit.h"

/* State and key of the first event, and whether the last event repeats it. */
static const struct {
	enum txn_state state;
	const char *first, *last;
	bool want;
} repeats[] = {
	{ TXN_STATE_OPEN, "a", "a", true },
	{ TXN_STATE_REPLAYS, "a", "a", true },
	{ TXN_STATE_BUSY, "a", "a", true },
	/* The first event has no decision that the last one could get. */
	{ TXN_STATE_REFUSED, "a", "a", false },
	{ TXN_STATE_DEQUEUED, "a", "a", false },
	{ TXN_STATE_OPEN, "a", "b", false },
	{ TXN_STATE_OPEN, NULL, "a", false },
	{ TXN_STATE_OPEN, "a", NULL, false },
};

START_TEST(last_event_repeats_one_with_a_decision)
{
	struct txn_event events[] = {
		{ .state = repeats[_i].state, .key = repeats[_i].first },
		{ .state = TXN_STATE_OPEN, .key = "other" },
		{ .state = TXN_STATE_OPEN, .key = repeats[_i].last },
	};
	const struct txn txn = { .events = events, .n = nitems(events) };

	ck_assert_ptr_eq(txn_find_same(&txn, &events[2]),
	    repeats[_i].want ? &events[0] : NULL);
}
END_TEST

START_TEST(each_repeat_finds_the_first_event)
{
	struct txn_event events[] = {
		{ .state = TXN_STATE_DEQUEUED, .key = "a" },
		{ .state = TXN_STATE_OPEN, .key = "a" },
		{ .state = TXN_STATE_REPEATS, .key = "a" },
		{ .state = TXN_STATE_OPEN, .key = "a" },
	};
	const struct txn txn = { .events = events, .n = nitems(events) };

	ck_assert_ptr_null(txn_find_same(&txn, &events[1]));
	ck_assert_ptr_eq(txn_find_same(&txn, &events[2]), &events[1]);
	ck_assert_ptr_eq(txn_find_same(&txn, &events[3]), &events[1]);
}
END_TEST

Suite *
suite_txn_idempotency(void)
{
	Suite *s = suite_create("txn_idempotency");
	TCase *tc = tcase_create("txn_idempotency");

	tcase_add_loop_test(tc, last_event_repeats_one_with_a_decision, 0,
	    (int)nitems(repeats));
	tcase_add_test(tc, each_repeat_finds_the_first_event);
	suite_add_tcase(s, tc);
	return s;
}
