/* SPDX-License-Identifier: ISC */
/*
 * cron/delivery_sign.c: signatures of deliveries, compared with published ones.
 */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "cron/delivery_sign.h"
#include "t/unit/unit.h"

#define BODY "{\"test\": 2432232314}"

static struct arena arena;
static _Alignas(16) char block[4096];

static void
setup(void)
{
	arena_init(&arena, block, sizeof(block));
}

static void
teardown(void)
{
	arena_reset(&arena);
}

/* The example of the Standard Webhooks specification. */
START_TEST(standard_signature_equals_its_example)
{
	char got[DELIVERY_SIGN_STANDARD_SIZE];

	ck_assert_int_eq(delivery_sign_standard(&arena,
			     "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
			     "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, BODY,
			     strlen(BODY), got),
	    0);
	ck_assert_str_eq(
	    got, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}
END_TEST

/* RFC 4231, test case 2: the bytes of the text are the key. */
START_TEST(body_signature_equals_the_rfc)
{
	static const char data[] = "what do ya want for nothing?";
	char got[DELIVERY_SIGN_BODY_SIZE];

	delivery_sign_body("Jefe", data, strlen(data), got);
	ck_assert_str_eq(got,
	    "sha256=5bdcc146bf60754e6a042426089575c7"
	    "5a003f089d2739839dec58b964ec3843");
}
END_TEST

START_TEST(malformed_secret_is_refused)
{
	static const char *const secrets[] = { "", "whsec_",
		"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8",
		"whsec_!!!!", "whsec_====", "whsec_A===", "whsec_AA=A" };
	char got[DELIVERY_SIGN_STANDARD_SIZE];
	size_t i;

	for (i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
		ck_assert_int_eq(delivery_sign_standard(&arena, secrets[i],
				     "id", 1, BODY, strlen(BODY), got),
		    -1);
}
END_TEST

Suite *
suite_delivery_sign(void)
{
	Suite *s = suite_create("delivery_sign");
	TCase *tc = tcase_create("delivery_sign");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, standard_signature_equals_its_example);
	tcase_add_test(tc, body_signature_equals_the_rfc);
	tcase_add_test(tc, malformed_secret_is_refused);
	suite_add_tcase(s, tc);
	return s;
}
