/* SPDX-License-Identifier: ISC */
/* core/event/placeholder.c: identifiers that identify no one. */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "core/event/placeholder.h"
#include "t/unit/unit.h"

#define SETTING                                                                \
	"device:Kiosk-7,fingerprint:f:1,phone:+44 (0)20 7946 0123,"            \
	"ip:198.51.100.0/24,ip:2001:db8::/32,ip:203.0.113.9"

static const struct {
	enum list_subject subject;
	const char *value; /* in normal form */
	bool ships;
	bool set; /* by SETTING */
} values[] = {
	{ LIST_DEVICE, "00000000-0000-0000-0000-000000000000", true, false },
	{ LIST_DEVICE, "0", true, false },
	{ LIST_DEVICE, "00:00:00:00:00:00", true, false },
	{ LIST_DEVICE, "Unknown", true, false },
	{ LIST_DEVICE, "[object Object]", true, false },
	{ LIST_DEVICE, "unknown-7", false, false },
	{ LIST_DEVICE, "00000000-0000-0000-0000-000000000001", false, false },
	{ LIST_DEVICE, "Kiosk-7", false, true },
	{ LIST_DEVICE, "kiosk-7", false, false },
	{ LIST_DEVICE, "f:1", false, false },
	{ LIST_FINGERPRINT, "D41D8CD98F00B204E9800998ECF8427E", true, false },
	{ LIST_FINGERPRINT, "f:1", false, true },
	{ LIST_USER, "unknown", false, false },
	{ LIST_PHONE, "442079460123", false, true },
	{ LIST_PHONE, "442079460124", false, false },
	{ LIST_IP, "10.0.0.7", true, false },
	{ LIST_IP, "11.0.0.7", false, false },
	{ LIST_IP, "100.64.0.1", true, false },
	{ LIST_IP, "100.128.0.1", false, false },
	{ LIST_IP, "127.0.0.1", true, false },
	{ LIST_IP, "169.254.169.254", true, false },
	{ LIST_IP, "172.16.0.1", true, false },
	{ LIST_IP, "172.32.0.1", false, false },
	{ LIST_IP, "192.168.1.1", true, false },
	{ LIST_IP, "0.0.0.0", true, false },
	{ LIST_IP, "::", true, false },
	{ LIST_IP, "::1", true, false },
	{ LIST_IP, "::2", false, false },
	{ LIST_IP, "fd00::7", true, false },
	{ LIST_IP, "fe80::1", true, false },
	{ LIST_IP, "2a00:1450::7", false, false },
	{ LIST_IP, "198.51.100.255", false, true },
	{ LIST_IP, "198.51.101.0", false, false },
	{ LIST_IP, "2001:db8:1::9", false, true },
	{ LIST_IP, "203.0.113.9", false, true },
	{ LIST_IP, "203.0.113.8", false, false },
};

static const char *const wrong[] = {
	"",
	"kiosk-7",
	"device:",
	"device:a,",
	",device:a",
	"device:a,,device:b",
	"user:guest",
	"country:DE",
	"bin:411111",
	"phone:12",
	"ip:198.51.100.9/24",
	"ip:198.51.100.0/33",
	"ip:198.51.100.0/",
	"ip:198.51.100.0/024",
	"ip:198.51.100.0/-1",
	"ip:2001:db8::/129",
	"ip:somewhere",
};

START_TEST(placeholder_is_found)
{
	static struct placeholders more;

	ck_assert_int_eq(placeholders_read(SETTING, &more), 0);
	ck_assert_uint_eq(more.n, 6);
	ck_assert_int_eq(
	    placeholder_is(NULL, values[_i].subject, values[_i].value),
	    values[_i].ships);
	ck_assert_int_eq(
	    placeholder_is(&more, values[_i].subject, values[_i].value),
	    values[_i].ships || values[_i].set);
}
END_TEST

START_TEST(wrong_setting_is_refused)
{
	static struct placeholders more;

	ck_assert_int_eq(placeholders_read(wrong[_i], &more), -1);
}
END_TEST

START_TEST(setting_has_a_limit)
{
	static struct placeholders more;
	static const char one[] = ",device:a";
	const size_t size = sizeof(one) - 1;
	char setting[(PLACEHOLDERS_MAX + 1) * sizeof(one)];
	size_t i;

	for (i = 0; i <= PLACEHOLDERS_MAX; i++)
		memcpy(setting + i * size, one, sizeof(one));
	ck_assert_int_eq(placeholders_read(setting + 1, &more), -1);
	setting[PLACEHOLDERS_MAX * size] = '\0';
	ck_assert_int_eq(placeholders_read(setting + 1, &more), 0);
	ck_assert_uint_eq(more.n, PLACEHOLDERS_MAX);
	ck_assert_int_eq(placeholders_read(NULL, &more), 0);
	ck_assert_uint_eq(more.n, 0);
}
END_TEST

/* They are found by bisection. */
START_TEST(table_is_sorted)
{
	static const char *const rows[] = {
#define PLACEHOLDER(value) value,
#include "core/event/placeholders.tbl"
#undef PLACEHOLDER
	};
	size_t i;

	for (i = 0; i < nitems(rows); i++) {
		ck_assert(placeholder_is(NULL, LIST_DEVICE, rows[i]));
		ck_assert(i == 0 || strcasecmp(rows[i - 1], rows[i]) < 0);
	}
}
END_TEST

Suite *
suite_placeholder(void)
{
	Suite *s = suite_create("placeholder");
	TCase *tc = tcase_create("placeholder");

	tcase_add_loop_test(tc, placeholder_is_found, 0, (int)nitems(values));
	tcase_add_loop_test(
	    tc, wrong_setting_is_refused, 0, (int)nitems(wrong));
	tcase_add_test(tc, setting_has_a_limit);
	tcase_add_test(tc, table_is_sorted);
	suite_add_tcase(s, tc);
	return s;
}
