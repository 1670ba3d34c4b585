/* SPDX-License-Identifier: ISC */
/* API keys: make one, and hash it. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/auth/apikey.h"

#define START "ak_live_"
#define RANDOM_SIZE 24

void
apikey_new(struct apikey *ret)
{
	uint8_t random[RANDOM_SIZE];
	char hex[2 * RANDOM_SIZE + 1];

	crypt_random(random, sizeof(random));
	crypt_hex(random, sizeof(random), hex);
	snprintf(ret->text, sizeof(ret->text), "%s%s", START, hex);
	snprintf(ret->prefix, sizeof(ret->prefix), "%.16s", ret->text);
	crypt_sha256(ret->text, strlen(ret->text), ret->hash);
	crypt_wipe(random, sizeof(random));
	crypt_wipe(hex, sizeof(hex));
}

bool
apikey_hash(const char *text, uint8_t ret[CRYPT_SHA256_SIZE])
{
	size_t len = text == NULL ? 0 : strlen(text);

	if (len != APIKEY_SIZE - 1 ||
	    strncmp(text, START, strlen(START)) != 0 ||
	    strspn(text + strlen(START), "0123456789abcdef") != 2 * RANDOM_SIZE)
		return false;
	crypt_sha256(text, len, ret);
	return true;
}
