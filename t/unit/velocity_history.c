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
}

static void
teardown(void)
{
	velocity_history_clear(&bounded);
	velocity_history_clear(&unbounded);
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

START_TEST(limit_changes_no_value)
{
	struct velocity_event ev = { .event = &event };
	struct velocity_values values, same;
	char user[32], ip[32];
	struct arena_mark mark;
	struct fail f = { 0 };
	size_t i, most = 0;
	int64_t now;
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
		snprintf(user, sizeof(user), "u%d", n / 100 * 10 + n % 10);
		snprintf(ip, sizeof(ip), "192.0.2.%d", n % 7);
		ev.subject[SUBJECT_USER] = user;
		ev.subject[SUBJECT_IP] = ip;
		ck_assert_ptr_nonnull(next(&bounded, &ev, now, &values, &f));
		ck_assert_ptr_nonnull(next(&unbounded, &ev, now, &same, &f));
		for (i = 0; i < nitems(definitions); i++)
			ck_assert(values.list[i].value.number ==
			    same.list[i].value.number);
		if (bounded.packed > most)
			most = bounded.packed;
		arena_rewind(&arena, mark);
	}
	ck_assert_uint_gt(unbounded.keys.n, 2 * bounded.keys.n);
	ck_assert_uint_gt(unbounded.packed, LIMIT);
	ck_assert_uint_lt(most, LIMIT);
}
END_TEST

START_TEST(more_keys_than_the_limit_are_refused)
{
	struct velocity_event ev = { .event = &event };
	struct velocity_values values;
	struct arena_mark mark;
	struct fail f = { 0 };
	char user[32];
	int n;

	take(&bounded, "count by userId over all");
	bounded.limit = LIMIT;
	mark = arena_mark(&arena);
	for (n = 0; n < EVENTS; n++) {
		snprintf(user, sizeof(user), "u%d", n);
		ev.subject[SUBJECT_USER] = user;
		if (next(&bounded, &ev, START + n, &values, &f) == NULL)
			break;
		arena_rewind(&arena, mark);
	}
	ck_assert_int_gt(n, 1000);
	ck_assert_int_lt(n, EVENTS);
	ck_assert_int_eq(f.code, UNAVAILABLE);
	ck_assert_int_eq(f.kind, FAIL_DENIED);
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
	tcase_add_test(tc, velocity_is_taken_once);
	suite_add_tcase(s, tc);
	return s;
}
