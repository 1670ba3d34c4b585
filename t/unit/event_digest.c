/* SPDX-License-Identifier: ISC */
/* lib/engine/event_digest.c: digests of equal and of different events. */
#include "config.h"

#include "core/base/arena.h"
#include "core/base/value.h"
#include "core/event/event.h"
#include "lib/engine/event_digest.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[1 << 16];

START_TEST(digest_depends_on_key_and_event)
{
	const uint8_t key[EVENT_DIGEST_KEY_SIZE] = { 1 };
	const uint8_t other[EVENT_DIGEST_KEY_SIZE] = { 2 };
	struct event ev = {
		.type = EVENT_ACCOUNT_LOGIN,
		.user = "u",
		.three_ds = value_unknown(),
	};
	struct arena a, full;
	size_t used;
	int64_t first;

	arena_init(&a, block, sizeof(block));
	used = a.used;
	first = event_digest(key, &a, &ev);
	ck_assert_uint_eq(a.used, used);
	ck_assert_int_eq(first & 0xff, EVENT_NORMAL_VERSION);
	ck_assert_int_eq(event_digest(key, &a, &ev), first);
	ck_assert(event_digest_differs(event_digest(other, &a, &ev), first));
	ev.user = "v";
	ck_assert(event_digest_differs(event_digest(key, &a, &ev), first));
	arena_reset(&a);
	arena_init(&full, block, 16);
	ck_assert_int_eq(event_digest(key, &full, &ev), 0);
	arena_reset(&full);
}
END_TEST

START_TEST(digests_of_two_versions_do_not_differ)
{
	ck_assert(!event_digest_differs(0x101, 0x101));
	ck_assert(event_digest_differs(0x101, 0x201));
	ck_assert(event_digest_differs(-0xff, 0x201));
	ck_assert(!event_digest_differs(0x101, 0x202));
	ck_assert(!event_digest_differs(0, 0x101));
	ck_assert(!event_digest_differs(0x101, 0));
}
END_TEST

Suite *
suite_event_digest(void)
{
	Suite *s = suite_create("event_digest");
	TCase *tc = tcase_create("event_digest");

	tcase_add_test(tc, digest_depends_on_key_and_event);
	tcase_add_test(tc, digests_of_two_versions_do_not_differ);
	suite_add_tcase(s, tc);
	return s;
}
