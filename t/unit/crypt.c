/* SPDX-License-Identifier: ISC */
/* lib/sys/crypt.c: published results of the primitives; ids and passwords. */
#include "config.h"

#include <libscrypt.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "lib/sys/crypt.h"
#include "t/unit/unit.h"

/* FIPS 180-4 examples; the last is a million times "a". */
static const struct {
	const char *text;
	int repeat;
	const char *want;
} hashes[] = {
	{ "", 1,
	    "e3b0c44298fc1c149afbf4c8996fb924"
	    "27ae41e4649b934ca495991b7852b855" },
	{ "abc", 1,
	    "ba7816bf8f01cfea414140de5dae2223"
	    "b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	    "248d6a61d20638b8e5c026930c3e6039"
	    "a33ce45964ff2167f6ecedd419db06c1" },
	{ "aaaaaaaaaa", 100000,
	    "cdc76e5c9914fb9281a1c7e284d73e67"
	    "f1809a48a497200e046d39ccc7112cd0" },
};

/* RFC 4231, test cases 1, 2 and 6; a key of one byte is repeated. */
static const struct {
	const char *key;
	size_t key_repeat;
	const char *data;
	const char *want;
} macs[] = {
	{ "\x0b", 20, "Hi There",
	    "b0344c61d8db38535ca8afceaf0bf12b"
	    "881dc200c9833da726e9376c2e32cff7" },
	{ "Jefe", 1, "what do ya want for nothing?",
	    "5bdcc146bf60754e6a042426089575c7"
	    "5a003f089d2739839dec58b964ec3843" },
	{ "\xaa", 131, "Test Using Larger Than Block-Size Key - Hash Key First",
	    "60e431591ee0b67f0d8a26aacbf5b77f"
	    "8e0bc6213728c5140546040f0ee37f54" },
};

/* RFC 5869, test case 3: no salt and no label; the first 32 bytes. */
START_TEST(derived_key_equals_published_key)
{
	const char *want = "8da4e775a563c18f715f802a063c5a31"
			   "b8a11f5c5ee1879ec3454e5f3c738d2d";
	uint8_t secret[22], key[CRYPT_KEY_SIZE];
	char hex[2 * CRYPT_KEY_SIZE + 1];

	memset(secret, 0x0b, sizeof(secret));
	crypt_derive(secret, sizeof(secret), "", key);
	crypt_hex(key, sizeof(key), hex);
	ck_assert_str_eq(hex, want);
	crypt_derive(secret, sizeof(secret), "label", key);
	crypt_hex(key, sizeof(key), hex);
	ck_assert_str_ne(hex, want);
}
END_TEST

START_TEST(sealed_data_opens_only_whole_for_key_and_owner)
{
	const uint8_t key[CRYPT_KEY_SIZE] = { 1 },
		      other[CRYPT_KEY_SIZE] = { 2 };
	uint8_t sealed[CRYPT_SEALED_SIZE(5)], again[CRYPT_SEALED_SIZE(5)];
	char text[5];
	size_t i;

	crypt_seal(key, "ana", "hello", 5, sealed);
	crypt_seal(key, "ana", "hello", 5, again);
	ck_assert_mem_ne(sealed, again, sizeof(sealed));
	ck_assert_int_eq(crypt_open(key, "ana", sealed, 5, text), 0);
	ck_assert_mem_eq(text, "hello", 5);
	ck_assert_int_eq(crypt_open(key, "bob", sealed, 5, text), -1);
	ck_assert_int_eq(crypt_open(key, "", sealed, 5, text), -1);
	ck_assert_int_eq(crypt_open(other, "ana", sealed, 5, text), -1);
	for (i = 0; i < sizeof(sealed); i++) {
		sealed[i] ^= 1;
		ck_assert_int_eq(crypt_open(key, "ana", sealed, 5, text), -1);
		sealed[i] ^= 1;
	}
	ck_assert_int_eq(crypt_open(key, "ana", sealed, 5, text), 0);
}
END_TEST

/* RFC 7914, section 12. */
static const struct {
	const char *password;
	const char *salt;
	uint64_t n;
	uint32_t r;
	uint32_t p;
	const char *want;
} scrypts[] = {
	{ "", "", 16, 1, 1,
	    "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
	    "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d1890"
	    "6" },
	{ "password", "NaCl", 1024, 8, 16,
	    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
	    "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc064"
	    "0" },
};

static const char *const bad_hashes[] = {
	"",
	"$s1$",
	"$s2$0a0801$MDEyMzQ1Njc4OWFiY2RlZg==$x",
	"$s1$1f0801$MDEyMzQ1Njc4OWFiY2RlZg=="
	"$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	"A"
	"AAAAAAAAAAAAAAAA==",
	"$s1$0a0001$MDEyMzQ1Njc4OWFiY2RlZg=="
	"$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	"A"
	"AAAAAAAAAAAAAAAA==",
	"$s1$0a0801$short==$x",
};

/* The first example of FIPS 180-4 for SHA-512. */
START_TEST(sha512_equals_the_published_hash)
{
	char hex[2 * CRYPT_SHA512_SIZE + 1];
	uint8_t got[CRYPT_SHA512_SIZE];

	crypt_sha512("abc", 3, got);
	crypt_hex(got, sizeof(got), hex);
	ck_assert_str_eq(hex,
	    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea2"
	    "0a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
	    "454d4423643ce80e2a9ac94fa54ca49f");
}
END_TEST

START_TEST(sha256_equals_published_hashes)
{
	static char text[1000001];
	uint8_t got[CRYPT_SHA256_SIZE];
	char hex[2 * CRYPT_SHA256_SIZE + 1];
	size_t size = strlen(hashes[_i].text);
	int i;

	for (i = 0; i < hashes[_i].repeat; i++)
		memcpy(text + size * (size_t)i, hashes[_i].text, size);
	crypt_sha256(text, size * (size_t)hashes[_i].repeat, got);
	crypt_hex(got, sizeof(got), hex);
	ck_assert_str_eq(hex, hashes[_i].want);
}
END_TEST

START_TEST(hmac_equals_published_macs)
{
	char key[160];
	uint8_t got[CRYPT_SHA256_SIZE];
	char hex[2 * CRYPT_SHA256_SIZE + 1];
	size_t size = strlen(macs[_i].key), i;

	for (i = 0; i < macs[_i].key_repeat; i++)
		memcpy(key + size * i, macs[_i].key, size);
	crypt_hmac(key, size * macs[_i].key_repeat, macs[_i].data,
	    strlen(macs[_i].data), got);
	crypt_hex(got, sizeof(got), hex);
	ck_assert_str_eq(hex, macs[_i].want);
}
END_TEST

START_TEST(scrypt_equals_published_keys)
{
	uint8_t got[64];
	char hex[2 * sizeof(got) + 1];

	ck_assert_int_eq(
	    libscrypt_scrypt((const uint8_t *)scrypts[_i].password,
		strlen(scrypts[_i].password), (const uint8_t *)scrypts[_i].salt,
		strlen(scrypts[_i].salt), scrypts[_i].n, scrypts[_i].r,
		scrypts[_i].p, got, sizeof(got)),
	    0);
	crypt_hex(got, sizeof(got), hex);
	ck_assert_str_eq(hex, scrypts[_i].want);
}
END_TEST

/* RFC 4648, section 10, and bytes whose digits are + and /. */
START_TEST(base64_equals_published_texts)
{
	char got[CRYPT_BASE64_SIZE(6)];

	ck_assert_uint_eq(sizeof(got), sizeof("Zm9vYmFy"));
	crypt_base64("foobar", 6, got);
	ck_assert_str_eq(got, "Zm9vYmFy");
	crypt_base64("fooba", 5, got);
	ck_assert_str_eq(got, "Zm9vYmE=");
	crypt_base64("foob", 4, got);
	ck_assert_str_eq(got, "Zm9vYg==");
	crypt_base64("\xfb\xff\xbf", 3, got);
	ck_assert_str_eq(got, "+/+/");
}
END_TEST

START_TEST(random_bytes_differ)
{
	uint8_t a[32] = { 0 }, b[32] = { 0 };

	crypt_random(a, sizeof(a));
	crypt_random(b, sizeof(b));
	ck_assert(!crypt_equal(a, b, sizeof(a)));
	crypt_wipe(b, sizeof(b));
	crypt_wipe(a, sizeof(a));
	ck_assert(crypt_equal(a, b, sizeof(a)));
	ck_assert_int_eq(a[31], 0);
}
END_TEST

START_TEST(ids_sort_by_time)
{
	char first[CRYPT_ID_SIZE], later[CRYPT_ID_SIZE];
	int64_t now = INT64_C(1795000000000000);
	int64_t step;

	for (step = 1000; step < INT64_C(4000000000000); step *= 7) {
		crypt_id("vd_", now, first);
		crypt_id("vd_", now + step, later);
		ck_assert_int_lt(strcmp(first, later), 0);
	}
	ck_assert_uint_eq(strlen(first), 29);
	ck_assert_uint_eq(
	    strspn(first + 3, "0123456789abcdefghijklmnopqrstuv"), 26);
}
END_TEST

/* The first 45 of the 48 bits of the time fill nine characters. */
START_TEST(id_begins_with_its_time)
{
	char a[CRYPT_ID_SIZE], b[CRYPT_ID_SIZE];

	crypt_id("evt_", INT64_C(0xffffffffffff) * 1000, a);
	ck_assert_int_eq(strncmp(a, "evt_vvvvvvvvv", 13), 0);
	crypt_id("evt_", 0, b);
	ck_assert_int_eq(strncmp(b, "evt_000000000", 13), 0);
	ck_assert_str_ne(a + 14, b + 14);
}
END_TEST

/* The bytes that wait for the next ids are not those of another process. */
START_TEST(child_makes_other_ids_than_its_parent)
{
	char id[CRYPT_ID_SIZE], of_child[CRYPT_ID_SIZE];
	int fd[2], status;
	pid_t child;

	crypt_id("vd_", 0, id);
	ck_assert_int_eq(pipe(fd), 0);
	if ((child = fork()) == 0) {
		crypt_id("vd_", 0, id);
		_exit(write(fd[1], id, sizeof(id)) != sizeof(id));
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(read(fd[0], of_child, sizeof(id)), sizeof(id));
	crypt_id("vd_", 0, id);
	ck_assert_str_ne(id, of_child);
	close(fd[0]);
	close(fd[1]);
}
END_TEST

START_TEST(time_is_read_from_its_id)
{
	static const int64_t times[] = { 0, 1000, INT64_C(1795253113345000),
		INT64_C(0xffffffffffff) * 1000 };
	char id[CRYPT_ID_SIZE];
	int64_t got;

	crypt_id("vd_", times[_i] + 999, id);
	ck_assert_int_eq(crypt_id_time(id, "vd_", &got), 0);
	ck_assert_int_eq(got, times[_i]);
	ck_assert_int_eq(crypt_id_time(id, "evt_", &got), -1);
	ck_assert_int_eq(crypt_id_time(id, "vd", &got), -1);
	id[28] = 'w';
	ck_assert_int_eq(crypt_id_time(id, "vd_", &got), -1);
	id[28] = '\0';
	ck_assert_int_eq(crypt_id_time(id, "vd_", &got), -1);
	ck_assert_int_eq(crypt_id_time("", "vd_", &got), -1);
}
END_TEST

START_TEST(right_password_matches_its_hash)
{
	struct fail f = { 0 };
	char hash[CRYPT_PASSWORD_SIZE], copy[CRYPT_PASSWORD_SIZE];
	bool match, stale;

	ck_assert_int_eq(crypt_password_hash("s3cret pass", hash, &f), 0);
	ck_assert_int_eq(strncmp(hash, "$s1$100802$", 11), 0);
	ck_assert_int_eq(
	    crypt_password_check("s3cret pass", hash, &match, &stale, &f), 0);
	ck_assert(match && !stale);
	ck_assert_int_eq(
	    crypt_password_check("s3cret pasS", hash, &match, &stale, &f), 0);
	ck_assert(!match);

	/*
	 * libscrypt itself accepts the hash.  It changes its argument, hence a
	 * copy.
	 */
	memcpy(copy, hash, sizeof(copy));
	ck_assert_int_gt(libscrypt_check(copy, "s3cret pass"), 0);
}
END_TEST

/*
 * A hash of libscrypt with lower cost still matches, but is reported as stale.
 */
START_TEST(password_hash_of_lower_cost_is_stale)
{
	struct fail f = { 0 };
	char hash[CRYPT_PASSWORD_SIZE];
	bool match, stale;

	ck_assert_int_ne(libscrypt_hash(hash, "correct horse", 1024, 8, 1), 0);
	ck_assert_int_eq(
	    crypt_password_check("correct horse", hash, &match, &stale, &f), 0);
	ck_assert(match && stale);
	hash[strlen(hash) - 4] ^= 1;
	ck_assert_int_eq(
	    crypt_password_check("correct horse", hash, &match, &stale, &f), 0);
	ck_assert(!match);
}
END_TEST

START_TEST(password_without_hash_does_not_match)
{
	struct fail f = { 0 };
	bool match = true, stale = true;

	ck_assert_int_eq(crypt_password_check("", NULL, &match, &stale, &f), 0);
	ck_assert(!match && !stale);
}
END_TEST

START_TEST(damaged_password_hash_is_a_failure)
{
	struct fail f = { 0 };
	bool match, stale;

	ck_assert_int_eq(
	    crypt_password_check("x", bad_hashes[_i], &match, &stale, &f), -1);
	ck_assert_int_eq(f.code, INTERNAL);
}
END_TEST

Suite *
suite_crypt(void)
{
	Suite *s = suite_create("crypt");
	TCase *tc = tcase_create("crypt");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, sha512_equals_the_published_hash);
	tcase_add_loop_test(
	    tc, sha256_equals_published_hashes, 0, (int)nitems(hashes));
	tcase_add_loop_test(
	    tc, hmac_equals_published_macs, 0, (int)nitems(macs));
	tcase_add_loop_test(
	    tc, scrypt_equals_published_keys, 0, (int)nitems(scrypts));
	tcase_add_test(tc, derived_key_equals_published_key);
	tcase_add_test(tc, sealed_data_opens_only_whole_for_key_and_owner);
	tcase_add_test(tc, base64_equals_published_texts);
	tcase_add_test(tc, random_bytes_differ);
	tcase_add_test(tc, ids_sort_by_time);
	tcase_add_test(tc, id_begins_with_its_time);
	tcase_add_test(tc, child_makes_other_ids_than_its_parent);
	tcase_add_loop_test(tc, time_is_read_from_its_id, 0, 4);
	tcase_add_test(tc, right_password_matches_its_hash);
	tcase_add_test(tc, password_hash_of_lower_cost_is_stale);
	tcase_add_test(tc, password_without_hash_does_not_match);
	tcase_add_loop_test(
	    tc, damaged_password_hash_is_a_failure, 0, (int)nitems(bad_hashes));
	suite_add_tcase(s, tc);
	return s;
}
