/* SPDX-License-Identifier: ISC */
/* lib/engine/velocity_history.c: its limit loses nothing that is in a window.
 */
#include "config.h"

#include <stdio.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "core/signal/signals.h"
#include "lib/engine/velocity_history.h"
#include "t/unit/unit.h"

#define START INT64_C(1790000000000000) /* when the tests begin */
#define EVENTS 60000
#define LIMIT ((size_t)256 << 10) /* bytes */

static const char *const definitions[] = {
	"count by userId over 1m",
	"distinct(ip) by userId over 90m",
	"count by userId, ip over 1h excluding current",
};

static char block[16 << 20];
static struct arena arena;
static struct velocity_history bounded, unbounded;
static struct event event;
static struct signals signals;

static void
setup(void)
{
	arena_init(&arena, block, sizeof(block));
	bounded = unbounded = (struct velocity_history) { .n = 0 };
}

static void
teardown(void)
{
	velocity_history_clear(&bounded);
	velocity_history_clear(&unbounded);
	arena_reset(&arena);
}

static void
take(struct velocity_history *h, const char *definition)
{
	struct fail f = { 0 };
	const struct velocity *v = velocity_compile(&arena, definition, &f);

	ck_assert_msg(v != NULL, "%s", f.why);
	ck_assert_int_eq(velocity_history_take(h, v, &f), 0);
}

/* Find and count an event.  Return the values, or NULL if it cannot count. */
static const struct velocity_values *
next(struct velocity_history *h, const struct velocity_event *ev, int64_t now,
    struct velocity_values *ret, struct fail *f)
{
	ck_assert_int_eq(
	    velocity_history_find(h, ev, now, &signals, ret, &arena, f), 0);
	return velocity_history_count(
		   h, ev, now, &signals, VERDICT_ALLOW, &arena, f) == 0
	    ? ret
	    : NULL;
}

/* The user number n, at one of seven addresses. */
static void
name_subjects(struct velocity_event *ev, int n)
{
	static char user[32], ip[32];

	snprintf(user, sizeof(user), "u%d", n);
	snprintf(ip, sizeof(ip), "192.0.2.%d", n % 7);
	ev->subject[SUBJECT_USER] = user;
	ev->subject[SUBJECT_IP] = ip;
}

/* The size has the packed states, the table of states and the keys. */
static void
size_has_all_states(const struct velocity_history *h)
{
	size_t packed = 0;
	uint32_t i;

	for (i = 0; i < h->keys.n; i++)
		packed += h->states[i].size;
	ck_assert_uint_gt(packed, 0);
	ck_assert_uint_ge(velocity_history_size(h),
	    packed + h->cap * sizeof(*h->states) + h->keys.len);
	ck_assert_uint_ge(h->packed, packed);
}

START_TEST(limit_changes_no_value)
{
	struct velocity_event ev = { .event = &event };
	struct velocity_values values, same;
	struct arena_mark mark;
	struct fail f = { 0 };
	uint32_t keys = 0;
	int64_t now;
	size_t i;
	int n;

	for (i = 0; i < nitems(definitions); i++) {
		take(&bounded, definitions[i]);
		take(&unbounded, definitions[i]);
	}
	bounded.limit = LIMIT;
	mark = arena_mark(&arena);
	for (n = 0; n < EVENTS; n++) {
		/* Each user is seen for a while, with several addresses. */
		now = START + n * VELOCITY_MINUTE / 4;
		name_subjects(&ev, n / 100 * 10 + n % 10);
		ck_assert_ptr_nonnull(next(&bounded, &ev, now, &values, &f));
		ck_assert_ptr_nonnull(next(&unbounded, &ev, now, &same, &f));
		for (i = 0; i < nitems(definitions); i++)
			ck_assert(values.list[i].value.number ==
			    same.list[i].value.number);
		ck_assert_uint_le(velocity_history_size(&bounded), LIMIT);
		if (bounded.keys.n < keys)
			size_has_all_states(&bounded);
		keys = bounded.keys.n;
		arena_rewind(&arena, mark);
	}
	ck_assert_uint_gt(unbounded.keys.n, 2 * bounded.keys.n);
	ck_assert_uint_gt(velocity_history_size(&unbounded), 2 * LIMIT);
}
END_TEST

/*
 * Count one event of each of many users, those after the first early ones two
 * minutes later.  Return how many fit.
 */
static int
count_users(const char *definition, int early)
{
	struct velocity_event ev = { .event = &event };
	struct velocity_values values;
	struct arena_mark mark;
	struct fail f = { 0 };
	int n;

	take(&bounded, definition);
	bounded.limit = LIMIT;
	mark = arena_mark(&arena);
	for (n = 0; n < EVENTS; n++) {
		name_subjects(&ev, n);
		if (next(&bounded, &ev,
			START + (n < early ? 0 : 2 * VELOCITY_MINUTE), &values,
			&f) == NULL)
			break;
		arena_rewind(&arena, mark);
	}
	ck_assert_int_lt(n, EVENTS);
	ck_assert_int_eq(f.code, INVALID_REQUEST);
	ck_assert_int_eq(f.kind, FAIL_INPUT);
	return n;
}

START_TEST(more_keys_than_the_limit_are_refused)
{
	const int all = count_users("count by userId over all", 0);

	ck_assert_int_gt(all, 1000);
	teardown();
	setup();
	ck_assert_int_eq(count_users("count by userId over 1h", all / 2), all);
}
END_TEST

/* If most of the keys are past their windows, there is room again. */
START_TEST(expired_keys_make_room)
{
	const int all = count_users("count by userId over 1m", 0);
	int more;

	teardown();
	setup();
	more = count_users("count by userId over 1m", all / 4 * 3);
	ck_assert_int_gt(more, all + all / 4);
}
END_TEST

/* Not enough: more than half of the limit is in use. */
START_TEST(few_expired_keys_make_no_room)
{
	const int all = count_users("count by userId over 1m", 0);

	teardown();
	setup();
	ck_assert_int_eq(count_users("count by userId over 1m", all / 3), all);
}
END_TEST

START_TEST(velocity_is_taken_once)
{
	take(&bounded, definitions[0]);
	take(&bounded, definitions[1]);
	take(&bounded, definitions[0]);
	ck_assert_uint_eq(bounded.n, 2);
}
END_TEST

Suite *
suite_velocity_history(void)
{
	Suite *s = suite_create("velocity_history");
	TCase *tc = tcase_create("velocity_history");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, limit_changes_no_value);
	tcase_add_test(tc, more_keys_than_the_limit_are_refused);
	tcase_add_test(tc, expired_keys_make_room);
	tcase_add_test(tc, few_expired_keys_make_no_room);
	tcase_add_test(tc, velocity_is_taken_once);
	suite_add_tcase(s, tc);
	return s;
}
