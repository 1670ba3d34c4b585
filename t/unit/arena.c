/* SPDX-License-Identifier: ISC */
/* core/base/arena.c: allocation, overflow, rewind, deferred calls. */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "core/base/arena.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[4096];

static void
count(void *ptr)
{
	int *n = ptr;

	(*n)++;
}

START_TEST(memory_is_zeroed_and_aligned)
{
	struct arena a;
	char *p, *q;

	memset(block, 'x', sizeof(block));
	arena_init(&a, block, sizeof(block));
	p = arena_alloc(&a, 3);
	q = arena_alloc(&a, 5);
	ck_assert_ptr_nonnull(p);
	ck_assert_ptr_nonnull(q);
	ck_assert_uint_eq((uintptr_t)p % 16, 0);
	ck_assert_uint_eq((uintptr_t)q % 16, 0);
	ck_assert_int_eq(p[0] | p[2] | q[0] | q[4], 0);
	arena_reset(&a);
}
END_TEST

START_TEST(overflow_lasts_until_reset)
{
	struct arena a;

	arena_init(&a, block, sizeof(block));
	ck_assert_ptr_null(arena_alloc(&a, sizeof(block) + 1));
	ck_assert(a.overflow);
	ck_assert_ptr_null(arena_alloc(&a, 1));
	arena_reset(&a);
	ck_assert(!a.overflow);
	ck_assert_ptr_nonnull(arena_alloc(&a, 1));
	arena_reset(&a);
}
END_TEST

START_TEST(rewind_clears_overflow_after_the_mark)
{
	struct arena a;
	struct arena_mark before, after;

	arena_init(&a, block, sizeof(block));
	before = arena_mark(&a);
	ck_assert_ptr_null(arena_alloc(&a, sizeof(block) + 1));
	after = arena_mark(&a);
	arena_rewind(&a, after);
	ck_assert(a.overflow);
	arena_rewind(&a, before);
	ck_assert(!a.overflow);
	ck_assert_ptr_nonnull(arena_alloc(&a, 1));
	arena_reset(&a);
}
END_TEST

START_TEST(huge_sizes_are_refused)
{
	struct arena a;
	volatile size_t huge = SIZE_MAX;

	arena_init(&a, block, sizeof(block));
	ck_assert_ptr_null(arena_array(&a, huge / 2, 3));
	arena_reset(&a);
	ck_assert_ptr_null(arena_alloc(&a, huge - 3));
	arena_reset(&a);
}
END_TEST

START_TEST(deferred_call_runs_once)
{
	struct arena a;
	struct arena_mark mark;
	int outer = 0, inner = 0;

	arena_init(&a, block, sizeof(block));
	ck_assert_int_eq(arena_defer(&a, count, &outer), 0);
	mark = arena_mark(&a);
	ck_assert_int_eq(arena_defer(&a, count, &inner), 0);
	arena_rewind(&a, mark);
	ck_assert_int_eq(outer, 0);
	ck_assert_int_eq(inner, 1);
	arena_reset(&a);
	ck_assert_int_eq(outer, 1);
	ck_assert_int_eq(inner, 1);
}
END_TEST

START_TEST(defer_in_full_arena_calls_at_once)
{
	struct arena a;
	int n = 0;

	arena_init(&a, block, 16);
	ck_assert_int_eq(arena_defer(&a, count, &n), -1);
	ck_assert_int_eq(n, 1);
	arena_reset(&a);
	ck_assert_int_eq(n, 1);
}
END_TEST

Suite *
suite_arena(void)
{
	Suite *s = suite_create("arena");
	TCase *tc = tcase_create("arena");

	tcase_add_test(tc, memory_is_zeroed_and_aligned);
	tcase_add_test(tc, overflow_lasts_until_reset);
	tcase_add_test(tc, rewind_clears_overflow_after_the_mark);
	tcase_add_test(tc, huge_sizes_are_refused);
	tcase_add_test(tc, deferred_call_runs_once);
	tcase_add_test(tc, defer_in_full_arena_calls_at_once);
	suite_add_tcase(s, tc);
	return s;
}
