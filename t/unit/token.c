/* SPDX-License-Identifier: ISC */
/* lib/auth/token.c: issued tokens verify, all others are refused. */
#include "config.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/auth/token.h"
#include "lib/sys/crypt.h"
#include "t/unit/unit.h"

#define NOW INT64_C(1795000000123456)
#define SECRET "a secret for the tests and long enough"
#define OTHER "another secret for the tests and as long"

#define OURS "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"%s\"}"

/* Claims that verify, piece by piece. */
#define ISS "\"iss\":\"assay\""
#define AUD "\"aud\":\"assay-operator\""
#define SUB "\"sub\":\"a@example.com\""
#define ROLE "\"role\":\"admin\""
#define SN "\"sn\":3"
#define JTI "\"jti\":\"tok_1\""
#define IAT "\"iat\":1795000000"
#define EXP "\"exp\":1795043200"
#define WHO ISS "," AUD "," SUB ","
#define AT "\"at\":1794900000"
#define WEB ",\"use\":\"web\"," AT "," IAT ",\"exp\":1795001800"
#define GOOD "{" WHO ROLE "," SN "," JTI "," AT "," IAT "," EXP "}"
#define OLD "{" WHO ROLE "," SN "," JTI "," IAT "," EXP "}"
#define DAYS(n) (INT64_C(n) * 24 * 3600 * 1000000)
#define IDLE (INT64_C(1800) * 1000000)

static _Alignas(16) char block[1 << 18];
static struct arena a;
static struct token_keys keys;
static const struct token_limits week = { DAYS(7), IDLE };
static const struct token_limits six_days = { DAYS(6), IDLE };

/*
 * Headers that token_issue() does not write, in correctly signed tokens.  K
 * stands for the id of the key.
 */
static const char *const headers[] = {
	"{\"alg\":\"none\",\"typ\":\"JWT\",\"kid\":\"K\"}",
	"{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"K\"}",
	"{\"alg\":\"HS512\",\"typ\":\"JWT\",\"kid\":\"K\"}",
	"{\"alg\":\"hs256\",\"typ\":\"JWT\",\"kid\":\"K\"}",
	"{\"typ\":\"JWT\",\"alg\":\"HS256\",\"kid\":\"K\"}",
	"{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"K\",\"crit\":[]}",
	"{\"alg\":\"HS256\",\"typ\":\"JWT\", \"kid\":\"K\"}",
	"{\"alg\":\"HS256\",\"typ\":\"JWT\"}",
	"{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"0123456789abcdef\"}",
	"{}",
	"",
};

static const struct {
	const char *claims;
	bool good;
} bodies[] = {
	{ GOOD, true },
	/*
	 * Without "at", as an earlier version issued it; and with "at" twice.
	 */
	{ OLD, true },
	{ "{" WHO ROLE "," SN "," JTI "," AT "," AT "," IAT "," EXP "}",
	    false },
	/* The last second of a session, and the first after it. */
	{ "{" WHO ROLE "," SN "," JTI ",\"at\":1794395201," IAT "," EXP "}",
	    true },
	{ "{" WHO ROLE "," SN "," JTI ",\"at\":1794395200," IAT "," EXP "}",
	    false },
	/*
	 * "at" may be up to a minute ahead: the clock of the host that issued
	 * the first token may be ahead.
	 */
	{ "{" WHO ROLE "," SN "," JTI ",\"at\":1795000060," IAT "," EXP "}",
	    true },
	{ "{" WHO ROLE "," SN "," JTI ",\"at\":1795000061," IAT "," EXP "}",
	    false },
	{ "{" WHO ROLE "," SN "," JTI ",\"at\":\"1\"," IAT "," EXP "}", false },
	{ "{" WHO ROLE "," SN "," JTI ",\"at\":-1," IAT "," EXP "}", false },
	{ "{" WHO ROLE "," SN "," JTI ",\"at\":null," IAT "," EXP "}", false },
	/* The last second before "exp", and the first after it. */
	{ "{" WHO ROLE "," SN "," JTI ",\"iat\":1794956801,\"exp\":1795000001}",
	    true },
	{ "{" WHO ROLE "," SN "," JTI ",\"iat\":1794956800,\"exp\":1795000000}",
	    false },
	/* "iat" may be at most a minute ahead. */
	{ "{" WHO ROLE "," SN "," JTI ",\"iat\":1795000060,\"exp\":1795043260}",
	    true },
	{ "{" WHO ROLE "," SN "," JTI ",\"iat\":1795000061,\"exp\":1795043261}",
	    false },
	/*
	 * A lifetime that the end of the session shortens, and too long ones.
	 */
	{ "{" WHO ROLE "," SN "," JTI "," AT "," IAT ",\"exp\":1795000002}",
	    true },
	{ "{" WHO ROLE "," SN "," JTI "," IAT ",\"exp\":1795043201}", false },
	{ "{" WHO ROLE "," SN "," JTI "," IAT ",\"exp\":9223372036854775807}",
	    false },
	{ "{\"iss\":\"other\"," AUD "," SUB "," ROLE "," SN "," JTI "," IAT
	  "," EXP "}",
	    false },
	{ "{" ISS ",\"aud\":\"other\"," SUB "," ROLE "," SN "," JTI "," IAT
	  "," EXP "}",
	    false },
	{ "{" ISS ",\"aud\":[\"assay-operator\"]," SUB "," ROLE "," SN "," JTI
	  "," IAT "," EXP "}",
	    false },
	{ "{" WHO "\"role\":\"root\"," SN "," JTI "," IAT "," EXP "}", false },
	{ "{" WHO "\"role\":1," SN "," JTI "," IAT "," EXP "}", false },
	{ "{" WHO ROLE ",\"sn\":\"3\"," JTI "," IAT "," EXP "}", false },
	{ "{" WHO ROLE ",\"sn\":0," JTI "," IAT "," EXP "}", false },
	{ "{" WHO ROLE ",\"sn\":3.5," JTI "," IAT "," EXP "}", false },
	{ "{" WHO ROLE "," SN ",\"jti\":null," IAT "," EXP "}", false },
	{ "{" WHO ROLE "," SN "," JTI ",\"iat\":\"1795000000\"," EXP "}",
	    false },
	/* A claim is missing, unknown, or given twice. */
	{ "{" WHO ROLE "," SN "," IAT "," EXP "}", false },
	{ "{" WHO ROLE "," SN "," JTI "," IAT "," EXP ",\"x\":1}", false },
	{ "{" WHO ROLE "," ROLE "," SN "," JTI "," IAT "," EXP "}", false },
	/* A browser's session, idle for less than 30 minutes and for 30. */
	{ "{" WHO ROLE "," SN "," JTI ",\"use\":\"web\"," AT
	  ",\"iat\":1794998201,\"exp\":1795000001}",
	    true },
	{ "{" WHO ROLE "," SN "," JTI ",\"use\":\"web\"," AT
	  ",\"iat\":1794998200,\"exp\":1795000900}",
	    false },
	{ "{" WHO ROLE "," SN "," JTI ",\"use\":\"api\"," AT "," IAT "," EXP
	  "}",
	    false },
	{ "{" WHO ROLE "," SN "," JTI WEB ",\"sid\":\"tok_0\"}", true },
	{ "{" WHO ROLE "," SN "," JTI WEB ",\"sid\":0}", false },
	{ "{" WHO ROLE "," SN ",\"sid\":\"tok_0\"" WEB "}", false },
	{ "{" WHO ROLE "," SN "," JTI ",\"sid\":\"tok_0\"," AT "," IAT "," EXP
	  "}",
	    false },
	{ "[" ISS "]", false },
	{ "[]", false },
	{ "null", false },
	{ GOOD " ", true },
	{ GOOD "x", false },
	{ "", false },
};

static void
setup(void)
{
	arena_init(&a, block, sizeof(block));
	ck_assert_int_eq(token_keys_init(&keys, &a, SECRET, NULL, NULL), 0);
}

static void
teardown(void)
{
	arena_reset(&a);
}

/* Encode as base64url with OpenSSL.  Return the length. */
static size_t
base64url(const void *data, size_t size, char *ret)
{
	int i, n = EVP_EncodeBlock((uint8_t *)ret, data, (int)size);

	for (i = 0; i < n; i++)
		ret[i] = (char)(ret[i] == '+' ? '-'
			: ret[i] == '/'	      ? '_'
			: ret[i] == '='	      ? '\0'
					      : ret[i]);
	return strlen(ret);
}

/* Write a token of this header and claims, correctly signed with key 0. */
static void
forge(const char *head, const char *claims, char ret[4096])
{
	uint8_t mac[CRYPT_SHA256_SIZE];
	size_t n;

	n = base64url(head, strlen(head), ret);
	ret[n++] = '.';
	n += base64url(claims, strlen(claims), ret + n);
	crypt_hmac(SECRET, strlen(SECRET), ret, n, mac);
	ret[n++] = '.';
	base64url(mac, sizeof(mac), ret + n);
}

/*
 * Return whether a token verifies.  All refusals have the same code and no
 * message.
 */
static bool
verifies(const char *text)
{
	struct token t = { 0 };
	struct fail f = { 0 };

	if (token_verify(&keys, &a, text, &week, NOW, &t, &f) == 0)
		return true;
	ck_assert_int_eq(f.kind, FAIL_DENIED);
	ck_assert_int_eq(f.code, UNAUTHENTICATED);
	ck_assert_str_eq(f.why, "");
	return false;
}

/* An admin who gave the password this many microseconds ago. */
static struct token
admin(int64_t ago)
{
	return (struct token) { .email = "a@example.com",
		.role = ROLE_ADMIN,
		.session = 3,
		.given_at = NOW - ago };
}

static const char *
issue(void)
{
	const struct token t = admin(DAYS(1));
	const char *text = token_issue(&keys, &a, &t, &week, NOW);

	ck_assert_ptr_nonnull(text);
	return text;
}

START_TEST(issued_token_is_read_back)
{
	struct token t = { 0 };
	struct fail f = { 0 };

	ck_assert_int_eq(
	    token_verify(&keys, &a, issue(), &week, NOW, &t, &f), 0);
	ck_assert_str_eq(t.email, "a@example.com");
	ck_assert_int_eq(t.role, ROLE_ADMIN);
	ck_assert_int_eq(t.session, 3);
	ck_assert_int_eq(strncmp(t.id, "tok_", 4), 0);
	ck_assert_int_eq(t.issued_at, NOW / 1000000 * 1000000);
	ck_assert_int_eq(t.expires_at, t.issued_at + TOKEN_LIFETIME);
	ck_assert_int_eq(t.given_at, t.issued_at - DAYS(1));
}
END_TEST

/* A token issued an hour before the end of its session lives for an hour. */
START_TEST(token_expires_with_its_session)
{
	const struct token first = admin(DAYS(7) - 3600 * INT64_C(1000000));
	struct token t = { 0 };
	const char *text = token_issue(&keys, &a, &first, &week, NOW);

	ck_assert_int_eq(
	    token_verify(&keys, &a, text, &week, NOW, &t, NULL), 0);
	ck_assert_int_eq(t.expires_at, t.issued_at + 3600 * INT64_C(1000000));
	ck_assert_int_eq(token_expiry(&a, text), t.expires_at);
	ck_assert_int_eq(
	    token_verify(&keys, &a, text, &six_days, NOW, &t, NULL), -1);
	ck_assert_int_eq(token_expiry(&a, "a.b.c"), -1);
	ck_assert_int_eq(token_expiry(&a, ""), -1);
}
END_TEST

/* A browser's session ends after IDLE, or with the session. */
START_TEST(web_token_expires_when_idle)
{
	struct token first = admin(DAYS(1)), t = { 0 };
	const char *text;

	first.web = true;
	text = token_issue(&keys, &a, &first, &week, NOW);
	ck_assert_int_eq(
	    token_verify(&keys, &a, text, &week, NOW, &t, NULL), 0);
	ck_assert(t.web);
	ck_assert_int_eq(
	    token_verify(&keys, &a, text, &week, NOW + IDLE, &t, NULL), -1);
	ck_assert_int_eq(
	    token_verify(&keys, &a, text, &week, NOW, &t, NULL), 0);
	ck_assert_int_eq(t.expires_at, t.issued_at + IDLE);
	first.given_at = NOW - DAYS(7) + 60 * INT64_C(1000000);
	text = token_issue(&keys, &a, &first, &week, NOW);
	ck_assert_int_eq(
	    token_verify(&keys, &a, text, &week, NOW, &t, NULL), 0);
	ck_assert_int_eq(t.expires_at, t.issued_at + 60 * INT64_C(1000000));
}
END_TEST

/* Two tokens of one second differ; those of a browser's session share a sid. */
START_TEST(refreshed_token_is_another)
{
	struct token who = admin(DAYS(1)), t = { 0 };
	const char *text = issue();

	ck_assert_str_ne(text, issue());
	who.web = true;
	who.id = "tok_first";
	text = token_issue(&keys, &a, &who, &week, NOW);
	ck_assert_str_ne(text, token_issue(&keys, &a, &who, &week, NOW));
	ck_assert_int_eq(
	    token_verify(&keys, &a, text, &week, NOW, &t, NULL), 0);
	ck_assert_str_eq(t.id, "tok_first");
}
END_TEST

/* The longest email, of characters that JSON escapes. */
START_TEST(token_of_longest_email_verifies)
{
	char email[255];
	const struct token t = { .email = email,
		.role = ROLE_ANALYST,
		.session = 1,
		.given_at = NOW };

	memset(email, '"', sizeof(email) - 1);
	email[sizeof(email) - 1] = '\0';
	ck_assert(verifies(token_issue(&keys, &a, &t, &week, NOW)));
}
END_TEST

START_TEST(key_id_is_hash_of_secret)
{
	const char label[] = "assay token key\n" SECRET;
	uint8_t hash[CRYPT_SHA256_SIZE];
	char want[TOKEN_KID_SIZE];

	crypt_sha256(label, sizeof(label) - 1, hash);
	crypt_hex(hash, 8, want);
	ck_assert_str_eq(keys.key[0].kid, want);
}
END_TEST

START_TEST(previous_secrets_verify_tokens)
{
	const char *old = issue();

	ck_assert_int_eq(token_keys_init(&keys, &a, OTHER, NULL, NULL), 0);
	ck_assert(!verifies(old));
	ck_assert_int_eq(
	    token_keys_init(&keys, &a, OTHER, ",x,," SECRET ",y", NULL), 0);
	ck_assert_uint_eq(keys.n, 4);
	ck_assert(verifies(old));
	ck_assert(verifies(issue()));
}
END_TEST

START_TEST(number_of_previous_secrets_is_capped)
{
	ck_assert_int_eq(
	    token_keys_init(&keys, &a, OTHER, "a,b,c,d,e,f,g,h,i,j", NULL), 0);
	ck_assert_uint_eq(keys.n, TOKEN_KEYS_MAX);
}
END_TEST

START_TEST(foreign_header_is_refused)
{
	const char *k = strchr(headers[_i], 'K');
	char head[256], text[4096];

	snprintf(head, sizeof(head), OURS, keys.key[0].kid);
	forge(head, GOOD, text);
	ck_assert(verifies(text));
	if (k == NULL)
		snprintf(head, sizeof(head), "%s", headers[_i]);
	else
		snprintf(head, sizeof(head), "%.*s%s%s", (int)(k - headers[_i]),
		    headers[_i], keys.key[0].kid, k + 1);
	forge(head, GOOD, text);
	ck_assert(!verifies(text));
}
END_TEST

START_TEST(only_valid_claims_verify)
{
	char head[256], text[4096];

	snprintf(head, sizeof(head), OURS, keys.key[0].kid);
	forge(head, bodies[_i].claims, text);
	ck_assert_int_eq(verifies(text), bodies[_i].good);
}
END_TEST

START_TEST(token_with_flipped_bit_is_refused)
{
	const char *good = issue();
	struct arena_mark mark = arena_mark(&a);
	char bad[4096];
	size_t i;
	int bit;

	for (i = 0; i < strlen(good); i++)
		for (bit = 0; bit < 8; bit++) {
			snprintf(bad, sizeof(bad), "%s", good);
			bad[i] = (char)(bad[i] ^ 1 << bit);
			ck_assert_msg(
			    !verifies(bad), "byte %zu bit %d", i, bit);
			arena_rewind(&a, mark);
		}
}
END_TEST

START_TEST(cut_or_extended_token_is_refused)
{
	static const char *const tails[] = { "=", "==", ".", "A", " ", "\n" };
	const char *good = issue();
	struct arena_mark mark = arena_mark(&a);
	char bad[4096];
	size_t i;

	for (i = 0; i < strlen(good); i++) {
		snprintf(bad, sizeof(bad), "%.*s", (int)i, good);
		ck_assert(!verifies(bad));
		arena_rewind(&a, mark);
		ck_assert(!verifies(good + 1 + i));
		arena_rewind(&a, mark);
	}
	for (i = 0; i < nitems(tails); i++) {
		snprintf(bad, sizeof(bad), "%s%s", good, tails[i]);
		ck_assert(!verifies(bad));
	}
	memset(bad, 'A', sizeof(bad));
	bad[sizeof(bad) - 1] = '\0';
	memcpy(bad, good, strlen(good));
	ck_assert(!verifies(bad));
}
END_TEST

/* Claims whose unused last bits in base64url are not zero, correctly signed. */
START_TEST(noncanonical_base64url_is_refused)
{
	char head[256], text[4096], *dot;
	uint8_t mac[CRYPT_SHA256_SIZE];

	snprintf(head, sizeof(head), OURS, keys.key[0].kid);
	forge(head, GOOD "  ", text);
	if ((strlen(GOOD) + 2) % 3 == 0)
		forge(head, GOOD " ", text);
	ck_assert(verifies(text));
	dot = strrchr(text, '.');
	dot[-1]++;
	crypt_hmac(SECRET, strlen(SECRET), text, (size_t)(dot - text), mac);
	base64url(mac, sizeof(mac), dot + 1);
	ck_assert(!verifies(text));
}
END_TEST

START_TEST(only_exact_role_names_are_read)
{
	ck_assert_int_eq(token_role("admin"), ROLE_ADMIN);
	ck_assert_int_eq(token_role("analyst"), ROLE_ANALYST);
	ck_assert_int_eq(token_role("author"), ROLE_AUTHOR);
	ck_assert_int_eq(token_role("Admin"), 0);
	ck_assert_int_eq(token_role(""), 0);
	ck_assert_str_eq(token_role_name(ROLE_ANALYST), "analyst");
}
END_TEST

START_TEST(issue_fails_in_full_arena)
{
	_Alignas(16) char small[1024];
	const struct token t = admin(0);
	struct arena b;
	size_t size;

	for (size = 0; size <= sizeof(small); size += 16) {
		arena_init(&b, small, size);
		if (token_issue(&keys, &b, &t, &week, NOW) == NULL)
			ck_assert(b.overflow);
		arena_reset(&b);
	}
}
END_TEST

Suite *
suite_token(void)
{
	Suite *s = suite_create("token");
	TCase *tc = tcase_create("token");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, issued_token_is_read_back);
	tcase_add_test(tc, token_expires_with_its_session);
	tcase_add_test(tc, web_token_expires_when_idle);
	tcase_add_test(tc, refreshed_token_is_another);
	tcase_add_test(tc, token_of_longest_email_verifies);
	tcase_add_test(tc, key_id_is_hash_of_secret);
	tcase_add_test(tc, previous_secrets_verify_tokens);
	tcase_add_test(tc, number_of_previous_secrets_is_capped);
	tcase_add_loop_test(
	    tc, foreign_header_is_refused, 0, (int)nitems(headers));
	tcase_add_loop_test(
	    tc, only_valid_claims_verify, 0, (int)nitems(bodies));
	tcase_add_test(tc, token_with_flipped_bit_is_refused);
	tcase_add_test(tc, cut_or_extended_token_is_refused);
	tcase_add_test(tc, noncanonical_base64url_is_refused);
	tcase_add_test(tc, only_exact_role_names_are_read);
	tcase_add_test(tc, issue_fails_in_full_arena);
	suite_add_tcase(s, tc);
	return s;
}
