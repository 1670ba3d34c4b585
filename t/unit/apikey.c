/* SPDX-License-Identifier: ISC */
/* lib/auth/apikey.c: the form of a key, its prefix and its hash. */
#include "config.h"

#include <string.h>

#include "lib/auth/apikey.h"
#include "t/unit/unit.h"

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcde"

/* Texts that are not keys.  DIGITS is one digit short. */
static const char *const bad[] = {
	NULL,
	"",
	"ak_live_",
	"ak_live_" DIGITS,
	"ak_live_" DIGITS "ff",
	"ak_live_" DIGITS "F",
	"ak_live_" DIGITS " ",
	"ak_test_" DIGITS "f",
};

START_TEST(new_keys_have_their_own_hash)
{
	struct apikey one, two;
	uint8_t hash[CRYPT_SHA256_SIZE];

	apikey_new(&one);
	apikey_new(&two);
	ck_assert_str_ne(one.text, two.text);
	ck_assert_uint_eq(strlen(one.text), APIKEY_SIZE - 1);
	ck_assert_uint_eq(strlen(one.prefix), 16);
	ck_assert_int_eq(strncmp(one.text, one.prefix, 16), 0);
	ck_assert(apikey_hash(one.text, hash));
	ck_assert_mem_eq(hash, one.hash, sizeof(hash));
	ck_assert(apikey_hash(two.text, hash));
	ck_assert_mem_ne(hash, one.hash, sizeof(hash));
}
END_TEST

START_TEST(malformed_key_is_refused)
{
	uint8_t hash[CRYPT_SHA256_SIZE];

	ck_assert(!apikey_hash(bad[_i], hash));
}
END_TEST

Suite *
suite_apikey(void)
{
	Suite *s = suite_create("apikey");
	TCase *tc = tcase_create("apikey");

	tcase_add_test(tc, new_keys_have_their_own_hash);
	tcase_add_loop_test(tc, malformed_key_is_refused, 0, (int)nitems(bad));
	suite_add_tcase(s, tc);
	return s;
}
