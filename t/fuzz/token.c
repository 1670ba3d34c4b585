/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: the input as a token, as claims and a header that are signed
 * with our secret, and as an operator's name.  Only tokens that the service
 * issued are accepted, and none that differs from one in a character.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/event/event.h"
#include "lib/auth/token.h"
#include "lib/sys/crypt.h"
#include "t/fuzz/fuzz.h"

#define NOW INT64_C(1795000000000000)
#define MAX (14 * TOKEN_LIFETIME)
#define IDLE (TOKEN_LIFETIME / 24)
#define SECRET "a secret for the fuzzer that is long enough"
#define LATER "the secret that came after it and is as long"
#define CLAIMS                                                                 \
	"{\"iss\":\"assay\",\"aud\":\"assay-operator\",\"sub\":\"a@b.c\","     \
	"\"role\":\"admin\",\"sn\":1,\"jti\":\"tok_1\",\"iat\":1794999999,"    \
	"\"exp\":1795043199}"
#define EMAIL_MAX 254

static void try_token(const uint8_t *data, size_t size);
static void try_claims(const uint8_t *data, size_t size);
static void try_header(const uint8_t *data, size_t size);
static void try_email(const uint8_t *data, size_t size);
static bool verified(const char *text, struct token *ret);
static void check_every_byte(char *text);
static char *signed_parts(
    const void *head, size_t head_size, const void *body, size_t size);
static size_t base64url(const void *data, size_t size, char *ret);

static _Alignas(16) char block[1 << 20];
static struct arena arena;
static struct token_keys keys; /* of SECRET */
static struct token_keys rotated; /* of LATER, with SECRET as previous secret */
static struct token_keys strange; /* of LATER alone */
static char header[128]; /* of issued tokens */
static const struct token_limits limits = { MAX, IDLE };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	arena_init(&arena, block, sizeof(block));
	assert(token_keys_init(&keys, &arena, SECRET, NULL, NULL) == 0);
	assert(
	    token_keys_init(&rotated, &arena, LATER, "x," SECRET, NULL) == 0);
	assert(token_keys_init(&strange, &arena, LATER, NULL, NULL) == 0);
	snprintf(header, sizeof(header),
	    "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"%s\"}",
	    keys.key[0].kid);
	try_token(data, size);
	if (size <= TOKEN_SIZE_MAX) {
		try_claims(data, size);
		try_header(data, size);
	}
	try_email(data, size);
	arena_reset(&arena);
	return 0;
}

/* A guessed signature is refused. */
static void
try_token(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);
	struct token t;

	assert(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	assert(!verified(text, &t));
	free(text);
}

/* Signed claims are read within their bounds. */
static void
try_claims(const uint8_t *data, size_t size)
{
	char *text = signed_parts(header, strlen(header), data, size);
	struct token t;

	if (verified(text, &t)) {
		assert(t.email != NULL && t.id != NULL && t.session > 0);
		assert(t.role > 0 && t.role < ROLE__MAX);
		assert(t.expires_at > NOW && t.issued_at <= NOW + TOKEN_SKEW);
		assert(t.expires_at - t.issued_at <= TOKEN_LIFETIME);
		assert(t.given_at <= t.issued_at && t.given_at + MAX > NOW);
		check_every_byte(text);
	}
	free(text);
}

/* Good claims with another header are refused. */
static void
try_header(const uint8_t *data, size_t size)
{
	char *text = signed_parts(data, size, CLAIMS, strlen(CLAIMS));
	const bool ours =
	    size == strlen(header) && memcmp(data, header, size) == 0;
	struct token t;

	assert(verified(text, &t) == ours);
	free(text);
}

/* An issued token is accepted, for any operator. */
static void
try_email(const uint8_t *data, size_t size)
{
	char email[EMAIL_MAX + 1];
	const struct token who = { .email = email,
		.role = ROLE_ANALYST,
		.session = 7,
		.given_at = NOW,
		.web = size % 2 == 1 };
	const char *text;
	struct token t;

	if (size > EMAIL_MAX || memchr(data, '\0', size) != NULL ||
	    !event_plain((const char *)data, size))
		return;
	memcpy(email, data, size);
	email[size] = '\0';
	text = token_issue(&keys, &arena, &who, &limits, NOW);
	assert(text != NULL && verified(text, &t));
	assert(strcmp(t.email, email) == 0);
	assert(t.role == ROLE_ANALYST && t.session == 7 && t.web == who.web);
}

/*
 * Return whether a token is accepted.  It must be accepted also while its
 * secret is a previous one.
 */
static bool
verified(const char *text, struct token *ret)
{
	const bool good =
	    token_verify(&keys, &arena, text, &limits, NOW, ret, NULL) == 0;
	struct token t;

	assert((token_verify(&rotated, &arena, text, &limits, NOW, &t, NULL) ==
		   0) == good);
	assert(
	    token_verify(&strange, &arena, text, &limits, NOW, &t, NULL) == -1);
	return good;
}

/* A token with any character changed, missing or added is refused. */
static void
check_every_byte(char *text)
{
	const size_t n = strlen(text);
	struct arena_mark mark = arena_mark(&arena);
	struct token t;
	size_t i;
	char c;

	for (i = 0; i < n; i++) {
		c = text[i];
		text[i] = c == 'A' ? 'B' : 'A';
		assert(token_verify(
			   &keys, &arena, text, &limits, NOW, &t, NULL) == -1);
		text[i] = '\0';
		assert(token_verify(
			   &keys, &arena, text, &limits, NOW, &t, NULL) == -1);
		text[i] = c;
		arena_rewind(&arena, mark);
	}
	text[n] = 'A';
	text[n + 1] = '\0';
	assert(token_verify(&keys, &arena, text, &limits, NOW, &t, NULL) == -1);
}

/*
 * Return a signed token of this header and these claims, with spare bytes at
 * its end.  The caller frees it.
 */
static char *
signed_parts(const void *head, size_t head_size, const void *body, size_t size)
{
	uint8_t mac[CRYPT_SHA256_SIZE];
	char *text = calloc(1, 2 * (head_size + size) + 128);
	size_t n;

	assert(text != NULL);
	n = base64url(head, head_size, text);
	text[n++] = '.';
	n += base64url(body, size, text + n);
	crypt_hmac(SECRET, strlen(SECRET), text, n, mac);
	text[n++] = '.';
	base64url(mac, sizeof(mac), text + n);
	return text;
}

static size_t
base64url(const void *data, size_t size, char *ret)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				     "pqrstuvwxyz0123456789-_";
	const uint8_t *p = data;
	size_t bit, n = 0;
	unsigned int pair;

	for (bit = 0; bit < size * 8; bit += 6) {
		pair = (unsigned int)p[bit / 8] << 8;
		if (bit / 8 + 1 < size)
			pair |= p[bit / 8 + 1];
		ret[n++] = digits[pair >> (10 - bit % 8) & 63];
	}
	return n;
}
