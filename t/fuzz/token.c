/* SPDX-License-Identifier: ISC */
/* Fuzz target: tokens, as they come and as claims that we have signed. */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "lib/crypt.h"
#include "lib/token.h"
#include "t/fuzz/fuzz.h"

#define NOW INT64_C(1795000000000000)
#define SECRET "a secret for the fuzzer, long enough"
#define ARENA_SIZE ((size_t)1 << 20)

static size_t base64url(const uint8_t *data, size_t size, char *ret);
static char *signed_claims(
    const struct token_keys *keys, const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static _Alignas(16) char block[ARENA_SIZE];
	struct arena a;
	struct token t;
	struct token_keys keys;
	char *text;

	arena_init(&a, block, sizeof(block));
	if (token_keys_init(&keys, &a, SECRET, NULL, NULL) == -1)
		return 0;

	/* Nobody guesses a signature. */
	if ((text = calloc(1, size + 1)) == NULL)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	assert(token_verify(&keys, &a, text, NOW, &t, NULL) == -1);
	free(text);

	/* What we would have signed is read without fear, and in bounds. */
	if (size > TOKEN_SIZE_MAX)
		return 0;
	if ((text = signed_claims(&keys, data, size)) == NULL)
		return 0;
	if (token_verify(&keys, &a, text, NOW, &t, NULL) == 0) {
		assert(t.email != NULL && t.id != NULL);
		assert(t.role > 0 && t.role < ROLE__MAX);
		assert(t.expires_at > NOW && t.session > 0);
	}
	free(text);
	arena_reset(&a);
	return 0;
}

/* A token of these bytes as claims; the caller frees it. */
static char *
signed_claims(const struct token_keys *keys, const uint8_t *data, size_t size)
{
	char head[128], *text;
	uint8_t mac[CRYPT_SHA256_SIZE];
	size_t n;

	snprintf(head, sizeof(head),
	    "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"%s\"}",
	    keys->tk_key[0].tk_kid);
	if ((text = calloc(1, 2 * size + 512)) == NULL)
		return NULL;
	n = base64url((const uint8_t *)head, strlen(head), text);
	text[n++] = '.';
	n += base64url(data, size, text + n);
	crypt_hmac(SECRET, strlen(SECRET), text, n, mac);
	text[n++] = '.';
	base64url(mac, sizeof(mac), text + n);
	return text;
}

static size_t
base64url(const uint8_t *data, size_t size, char *ret)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				     "pqrstuvwxyz0123456789-_";
	size_t bit, n = 0;
	unsigned int pair;

	for (bit = 0; bit < size * 8; bit += 6) {
		pair = (unsigned int)data[bit / 8] << 8;
		if (bit / 8 + 1 < size)
			pair |= data[bit / 8 + 1];
		ret[n++] = digits[pair >> (10 - bit % 8) & 63];
	}
	return n;
}
