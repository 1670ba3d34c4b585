/* SPDX-License-Identifier: ISC */
/* lib/txn/txn_key.c: which event of a transaction repeats which. */
#include "config.h"

#include "core/base/array.h"
#include "lib/txn/txn_int.h"
#include "t/unit/unit.h"

/* Which event the last one repeats, by the state and key of the first. */
static const struct {
	enum txn_state state;
	const char *first, *last;
	bool want;
} repeats[] = {
	{ TXN_STATE_OPEN, "a", "a", true },
	{ TXN_STATE_REPLAYS, "a", "a", true },
	{ TXN_STATE_BUSY, "a", "a", true },
	/* It has no decision that the last event could get. */
	{ TXN_STATE_REFUSED, "a", "a", false },
	{ TXN_STATE_DEQUEUED, "a", "a", false },
	{ TXN_STATE_OPEN, "a", "b", false },
	{ TXN_STATE_OPEN, NULL, "a", false },
	{ TXN_STATE_OPEN, "a", NULL, false },
};

START_TEST(repeats_first)
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

/* Of several repeats each finds the first event. */
START_TEST(finds_first)
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
suite_txn_key(void)
{
	Suite *s = suite_create("txn_key");
	TCase *tc = tcase_create("repeats");

	tcase_add_loop_test(tc, repeats_first, 0, (int)nitems(repeats));
	tcase_add_test(tc, finds_first);
	suite_add_tcase(s, tc);
	return s;
}
