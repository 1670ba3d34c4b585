/* SPDX-License-Identifier: ISC */
/* Service keys: how one looks, and what is kept of it. */
#ifndef LIB_NET_APIKEY_H
#define LIB_NET_APIKEY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/sys/crypt.h"

#define APIKEY_SIZE 57 /* "ak_live_", 48 hex digits, NUL */
#define APIKEY_PREFIX_SIZE 17 /* its first 16 characters and NUL */

/* What a key may be used for: bits, as they are stored. */
enum scope { SCOPE_NONE = 0, SCOPE_DECISIONS = 1, SCOPE_LABELS = 2 };

/* A new key.  text is shown once and wiped; the others are stored. */
struct apikey {
	char text[APIKEY_SIZE];
	char prefix[APIKEY_PREFIX_SIZE];
	uint8_t hash[CRYPT_SHA256_SIZE];
};

/* Make a key of 192 random bits. */
void apikey_new(struct apikey *ret);

/*
 * The hash under which the key text is looked up.  False, and nothing
 * hashed, when text (which may be NULL) does not look like a key at all.
 */
bool apikey_hash(const char *text, uint8_t ret[CRYPT_SHA256_SIZE]);

#endif
