/* SPDX-License-Identifier: ISC */
/* lib/db/db_abandoned.c: sessions that were given up. */
#include "config.h"

#include "lib/db/db_abandoned.h"
#include "t/unit/unit.h"

START_TEST(added_and_dropped)
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

START_TEST(full)
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
	TCase *tc = tcase_create("db_left");

	tcase_add_test(tc, added_and_dropped);
	tcase_add_test(tc, full);
	suite_add_tcase(s, tc);
	return s;
}
