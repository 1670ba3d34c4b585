/* SPDX-License-Identifier: ISC */
/* lib/engine/rollout.c: the users of a rollout. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/decide/decide.h"
#include "core/event/event.h"
#include "lib/engine/rollout.h"
#include "t/unit/unit.h"

#define USERS 20000

static const uint8_t rollout_key[EVENT_DIGEST_KEY_SIZE] = { 1 };

/* Count the users of a shadow that has this percentage. */
static int
count_users(const char *id, int percent, const uint8_t *key)
{
	const struct shadow shadow = { .id = id, .percent = percent };
	char user[32];
	int i, n = 0;

	for (i = 0; i < USERS; i++) {
		snprintf(user, sizeof(user), "u-%d", i);
		n += rollout_arm_of(&shadow, key, user) == ARM_SHADOW;
	}
	return n;
}

/* The number is within five standard errors of the percentage. */
START_TEST(percent_of_users_is_in_rollout)
{
	static const int percents[] = { 1, 10, 50, 99 };
	const int percent = percents[_i];
	const int n = count_users("shd_1", percent, rollout_key);
	const double off = n - USERS * percent / 100.0;

	ck_assert(off * off < 25.0 * USERS * percent * (100 - percent) / 10000);
}
END_TEST

START_TEST(bounds_are_no_one_and_everyone)
{
	const struct shadow none = { .id = "shd_1" };
	const struct shadow one = { .id = "shd_1", .percent = 1 };

	ck_assert_int_eq(rollout_arm_of(&none, rollout_key, "u"), ARM_NONE);
	ck_assert_int_eq(rollout_arm_of(&one, rollout_key, "u"), ARM_LIVE);
	ck_assert_int_eq(count_users("shd_1", 0, rollout_key), 0);
	ck_assert_int_eq(count_users("shd_1", 100, rollout_key), USERS);
}
END_TEST

/* A raised percentage keeps its users; another shadow or key has other users.
 */
START_TEST(users_stay_and_differ_by_shadow_and_key)
{
	const uint8_t other_key[EVENT_DIGEST_KEY_SIZE] = { 2 };
	const struct shadow small = { .id = "shd_1", .percent = 20 };
	const struct shadow large = { .id = "shd_1", .percent = 21 };
	const struct shadow other = { .id = "shd_2", .percent = 20 };
	char user[32];
	int i, same_shadow = 0, same_key = 0;

	for (i = 0; i < USERS; i++) {
		snprintf(user, sizeof(user), "u-%d", i);
		if (rollout_arm_of(&small, rollout_key, user) != ARM_SHADOW)
			continue;
		ck_assert_int_eq(
		    rollout_arm_of(&large, rollout_key, user), ARM_SHADOW);
		same_shadow +=
		    rollout_arm_of(&other, rollout_key, user) == ARM_SHADOW;
		same_key +=
		    rollout_arm_of(&small, other_key, user) == ARM_SHADOW;
	}
	ck_assert_int_lt(same_shadow, USERS / 20);
	ck_assert_int_gt(same_shadow, USERS / 33);
	ck_assert_int_lt(same_key, USERS / 20);
	ck_assert_int_gt(same_key, USERS / 33);
}
END_TEST

START_TEST(longest_user_fits)
{
	const struct shadow shadow = { .id = "shd_1", .percent = 100 };
	char user[EVENT_ID_MAX + 1];

	memset(user, 'u', EVENT_ID_MAX);
	user[EVENT_ID_MAX] = '\0';
	ck_assert_int_eq(
	    rollout_arm_of(&shadow, rollout_key, user), ARM_SHADOW);
}
END_TEST

Suite *
suite_rollout(void)
{
	Suite *s = suite_create("rollout");
	TCase *tc = tcase_create("rollout");

	tcase_add_loop_test(tc, percent_of_users_is_in_rollout, 0, 4);
	tcase_add_test(tc, bounds_are_no_one_and_everyone);
	tcase_add_test(tc, users_stay_and_differ_by_shadow_and_key);
	tcase_add_test(tc, longest_user_fits);
	suite_add_tcase(s, tc);
	return s;
}
