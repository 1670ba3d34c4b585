/* SPDX-License-Identifier: ISC */
/* Signatures with which an endpoint verifies sender and age of a delivery. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/str.h"
#include "cron/delivery_sign.h"

#define SECRET_PREFIX "whsec_"
#define KEY_MAX 128 /* bytes */

void
delivery_sign_body(const char *secret, const char *body, size_t size,
    char ret[DELIVERY_SIGN_BODY_SIZE])
{
	uint8_t mac[CRYPT_SHA256_SIZE];
	char hex[2 * CRYPT_SHA256_SIZE + 1];

	crypt_hmac(secret, strlen(secret), body, size, mac);
	crypt_hex(mac, sizeof(mac), hex);
	snprintf(ret, DELIVERY_SIGN_BODY_SIZE, "sha256=%s", hex);
}

int
delivery_sign_standard(struct arena *a, const char *secret, const char *id,
    int64_t seconds, const char *body, size_t size,
    char ret[DELIVERY_SIGN_STANDARD_SIZE])
{
	const size_t prefix = sizeof(SECRET_PREFIX) - 1;
	uint8_t key[KEY_MAX], mac[CRYPT_SHA256_SIZE];
	char text[CRYPT_BASE64_SIZE(CRYPT_SHA256_SIZE)];
	struct str s;
	int key_size;

	if (strncmp(secret, SECRET_PREFIX, prefix) != 0)
		return -1;
	key_size = crypt_unbase64(secret + prefix, key, sizeof(key));
	if (key_size <= 0)
		return -1;
	str_init(&s, a);
	str_addf(&s, "%s.%lld.", id, (long long)seconds);
	str_addn(&s, body, size);
	if (str_text(&s) == NULL)
		return -1;
	crypt_hmac(key, (size_t)key_size, str_text(&s), s.len, mac);
	crypt_base64(mac, sizeof(mac), text);
	snprintf(ret, DELIVERY_SIGN_STANDARD_SIZE, "v1,%s", text);
	crypt_wipe(key, sizeof(key));
	return 0;
}
