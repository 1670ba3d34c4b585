/* SPDX-License-Identifier: ISC */
/*
 * lib/shared/runtime_setting.c: the settings that the processes of a host
 * share.
 */
#include "config.h"

#include "lib/conf/conf.h"
#include "lib/shared/runtime_setting.h"
#include "t/unit/shm_fixture.h"

#define LIMIT_MAX 2147483647
#define EPOCH_MAX (INT64_C(1) << 32)

static void
setup(void)
{
	conf.RATE_LIMIT_DECISIONS_PER_MIN = 600;
	conf.RATE_LIMIT_LOGIN_PER_MIN = 10;
	map_shm();
}

/* Overrides of every shared setting, and the values in effect. */
static const struct {
	const char *decisions, *logins, *anomaly;
	int64_t want_decisions, want_logins;
	double want_anomaly;
} cases[] = {
	{ NULL, NULL, NULL, 600, 10, 3 },
	{ "1", NULL, NULL, 1, 10, 3 },
	{ NULL, "2147483647", NULL, 600, LIMIT_MAX, 3 },
	{ "2147483647", "1", "1000", LIMIT_MAX, 1, 1000 },
	{ NULL, NULL, "3.1", 600, 10, 3.1 },
	{ NULL, NULL, "1e-06", 600, 10, 0.000001 },
	{ "1000000", NULL, "2.718282", 1000000, 10, 2.718282 },
};

START_TEST(overrides_are_shared)
{
	const struct runtime_settings s = {
		.epoch = EPOCH_MAX,
		.text = {
			[SETTING_DECISIONS] = cases[_i].decisions,
			[SETTING_LOGINS] = cases[_i].logins,
			[SETTING_ANOMALY] = cases[_i].anomaly,
		},
	};

	runtime_setting_publish(shm, &s, 1);
	ck_assert_int_eq(runtime_setting_limit(shm, SETTING_DECISIONS),
	    cases[_i].want_decisions);
	ck_assert_int_eq(
	    runtime_setting_limit(shm, SETTING_LOGINS), cases[_i].want_logins);
	ck_assert(runtime_setting_anomaly(shm) == cases[_i].want_anomaly);
	ck_assert(runtime_setting_shared(shm, EPOCH_MAX));
	ck_assert(!runtime_setting_shared(shm, EPOCH_MAX + 1));
	ck_assert(!runtime_setting_shared(shm, EPOCH_MAX - 1));
}
END_TEST

START_TEST(defaults_hold_before_first_publish)
{
	ck_assert_int_eq(runtime_setting_limit(shm, SETTING_DECISIONS), 600);
	ck_assert_int_eq(runtime_setting_limit(shm, SETTING_LOGINS), 10);
	ck_assert(runtime_setting_anomaly(shm) == 3);
	ck_assert(!runtime_setting_shared(shm, 1));
}
END_TEST

START_TEST(settings_are_due_every_five_seconds)
{
	const struct runtime_settings s = { .epoch = 1 };
	const int64_t second = 1000000, start = 7 * second;

	ck_assert(runtime_setting_due(shm, start));
	ck_assert(!runtime_setting_due(shm, start));
	ck_assert(!runtime_setting_due(shm, start + 5 * second - 1));
	ck_assert(runtime_setting_due(shm, start + 5 * second));
	runtime_setting_publish(shm, &s, start + 6 * second);
	ck_assert(!runtime_setting_due(shm, start + 10 * second));
	ck_assert(runtime_setting_due(shm, start + 11 * second));
}
END_TEST

/* A slow worker may publish settings of an older epoch. */
START_TEST(settings_of_old_epoch_are_not_current)
{
	const struct runtime_settings old = { .epoch = 4 };
	struct runtime_settings now = { .epoch = 5 };

	now.text[SETTING_LOGINS] = "7";
	runtime_setting_publish(shm, &now, 1);
	runtime_setting_publish(shm, &old, 1);
	ck_assert(!runtime_setting_shared(shm, 5));
	runtime_setting_publish(shm, &now, 1);
	ck_assert(runtime_setting_shared(shm, 5));
	ck_assert_int_eq(runtime_setting_limit(shm, SETTING_LOGINS), 7);
}
END_TEST

START_TEST(override_replaces_the_default)
{
	struct runtime_settings s = { .epoch = 1 };

	conf.RETENTION_REPLAY_DAYS = 90;
	ck_assert(runtime_setting_value(&s, SETTING_REPLAY) == 90);
	s.text[SETTING_REPLAY] = "0";
	ck_assert(runtime_setting_value(&s, SETTING_REPLAY) == 0);
	ck_assert_str_eq(
	    runtime_setting_name(SETTING_REPLAY), "retention.replay");
}
END_TEST

Suite *
suite_runtime_setting(void)
{
	Suite *s = suite_create("runtime_setting");
	TCase *tc = tcase_create("runtime_setting");

	tcase_add_checked_fixture(tc, setup, unmap_shm);
	tcase_add_loop_test(tc, overrides_are_shared, 0, nitems(cases));
	tcase_add_test(tc, defaults_hold_before_first_publish);
	tcase_add_test(tc, settings_are_due_every_five_seconds);
	tcase_add_test(tc, settings_of_old_epoch_are_not_current);
	tcase_add_test(tc, override_replaces_the_default);
	suite_add_tcase(s, tc);
	return s;
}
