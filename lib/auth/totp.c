/* SPDX-License-Identifier: ISC */
/* One-time passwords by time (TOTP, RFC 6238): SHA-1, 30 s, 6 digits. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/auth/totp.h"
#include "lib/sys/crypt.h"

#define STEP_US (INT64_C(30) * 1000000)
#define MODULUS 1000000 /* 6 digits */

void
totp_code(const void *key, size_t size, int64_t step, char ret[TOTP_CODE_SIZE])
{
	uint8_t counter[8], mac[CRYPT_SHA1_SIZE];
	const uint8_t *p;
	uint32_t n;
	size_t i;

	for (i = 0; i < sizeof(counter); i++)
		counter[i] = (uint8_t)((uint64_t)step >> (56 - 8 * i));
	crypt_hmac_sha1(key, size, counter, sizeof(counter), mac);

	/* Dynamic truncation: the last four bits say where the number is. */
	p = mac + (mac[CRYPT_SHA1_SIZE - 1] & 15);
	n = (uint32_t)(p[0] & 127) << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
	snprintf(ret, TOTP_CODE_SIZE, "%06u", n % MODULUS);
	crypt_wipe(mac, sizeof(mac));
}

int64_t
totp_match(const uint8_t key[TOTP_KEY_SIZE], const char *code, int64_t now_us)
{
	const int64_t now = now_us / STEP_US;
	char want[TOTP_CODE_SIZE];
	int64_t step, found = -1;

	if (strlen(code) != TOTP_CODE_SIZE - 1)
		return -1;
	for (step = now - 1; step <= now + 1; step++) {
		totp_code(key, TOTP_KEY_SIZE, step, want);
		if (crypt_equal(want, code, TOTP_CODE_SIZE - 1))
			found = step;
	}
	crypt_wipe(want, sizeof(want));
	return found;
}

void
totp_key_text(const uint8_t key[TOTP_KEY_SIZE], char ret[TOTP_KEY_TEXT_SIZE])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	uint64_t group;
	size_t i, j;

	/* Groups of 40 bits; four of them make a key, without padding. */
	for (i = 0; i < TOTP_KEY_SIZE / 5; i++) {
		group = 0;
		for (j = 0; j < 5; j++)
			group = group << 8 | key[5 * i + j];
		for (j = 0; j < 8; j++)
			ret[8 * i + j] = digits[group >> (35 - 5 * j) & 31];
	}
	ret[TOTP_KEY_TEXT_SIZE - 1] = '\0';
}
