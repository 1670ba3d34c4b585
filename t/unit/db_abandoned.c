/* SPDX-License-Identifier: ISC */
/* lib/db/db_abandoned.c: the list of abandoned sessions. */
#include "config.h"

#include "lib/db/db_abandoned.h"
#include "t/unit/unit.h"

START_TEST(dropped_sessions_are_not_listed)
{
	struct db_abandoned l = { 0 };
	int64_t names[DB_ABANDONED_MAX];

	ck_assert_uint_eq(db_abandoned_list(&l, names), 0);
	db_abandoned_add(&l, 7);
	db_abandoned_add(&l, -8);
	db_abandoned_add(&l, 9);
	db_abandoned_drop(&l, -8);
	db_abandoned_drop(&l, 5);
	ck_assert_uint_eq(db_abandoned_list(&l, names), 2);
	ck_assert_int_eq(names[0], 7);
	ck_assert_int_eq(names[1], 9);
	db_abandoned_add(&l, 10);
	ck_assert_uint_eq(db_abandoned_list(&l, names), 3);
	ck_assert_int_eq(names[1], 10);
}
END_TEST

START_TEST(full_list_ignores_further_sessions)
{
	struct db_abandoned l = { 0 };
	int64_t i;

	for (i = 1; i <= DB_ABANDONED_MAX + 1; i++)
		db_abandoned_add(&l, i);
	ck_assert_uint_eq(db_abandoned_list(&l, NULL), DB_ABANDONED_MAX);
	db_abandoned_drop(&l, 3);
	ck_assert_uint_eq(db_abandoned_list(&l, NULL), DB_ABANDONED_MAX - 1);
}
END_TEST

Suite *
suite_db_abandoned(void)
{
	Suite *s = suite_create("db_abandoned");
	TCase *tc = tcase_create("db_abandoned");

	tcase_add_test(tc, dropped_sessions_are_not_listed);
	tcase_add_test(tc, full_list_ignores_further_sessions);
	suite_add_tcase(s, tc);
	return s;
}
