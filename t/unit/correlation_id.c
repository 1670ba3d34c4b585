/* SPDX-License-Identifier: ISC */
/* core/event/correlation_id.c: which ids of callers may be written to logs. */
#include "config.h"

#include <check.h>
#include <stdbool.h>
#include <string.h>

#include "core/event/correlation_id.h"
#include "t/unit/unit.h"

static const struct {
	const char *id;
	bool want;
} ids[] = {
	{ "order-1", true },
	{ "cor_01hf3k9q2v7m4n8p6r5t0w1x2y", true },
	{ "550e8400-e29b-41d4-a716-446655440000", true },
	{ "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true },
	{ "1795233912345", true },
	{ "till 7, 12:34:56", true },
	{ "2026-11-23T12:34:56.789Z", true },
	{ "orders::create::17", true },
	{ "v1.2.3.4", true },
	{ "1.2.3", true },
	{ "1.2.3.4.5", false },
	{ "1.2.3.400", true },
	{ "a+b+1", true },
	{ "4111111111111112", true },
	{ "", false },
	{ "two\nlines", false },
	{ "\xc3\xa9", false },
	{ "4111111111111111", false },
	{ "order 4111-1111-1111-1111", false },
	{ "ada@example.com", false },
	{ "203.0.113.7", false },
	{ "ip=203.0.113.7:443", false },
	{ "from 203.0.113.7.", false },
	{ "req-203.0.113.7-12", false },
	{ "2001:db8::1", false },
	{ "ip:2001:db8::1", false },
	{ "[2001:DB8::1]:443", false },
	{ "fe80::1%eth0", false },
	{ "::ffff:203.0.113.7", false },
	{ "2001:db8:1:2:3:4:5:6", false },
	{ "tel +251911234544", false },
};

START_TEST(id_like_personal_data_is_not_harmless)
{
	ck_assert_msg(correlation_id_harmless(ids[_i].id) == ids[_i].want, "%s",
	    ids[_i].id);
}
END_TEST

START_TEST(too_long_id_is_not_harmless)
{
	char id[CORRELATION_ID_MAX + 2];

	memset(id, 'a', sizeof(id));
	id[CORRELATION_ID_MAX + 1] = '\0';
	ck_assert(!correlation_id_harmless(id));
	id[CORRELATION_ID_MAX] = '\0';
	ck_assert(correlation_id_harmless(id));
}
END_TEST

Suite *
suite_correlation_id(void)
{
	Suite *s = suite_create("correlation_id");
	TCase *tc = tcase_create("correlation_id");

	tcase_add_loop_test(
	    tc, id_like_personal_data_is_not_harmless, 0, (int)nitems(ids));
	tcase_add_test(tc, too_long_id_is_not_harmless);
	suite_add_tcase(s, tc);
	return s;
}
