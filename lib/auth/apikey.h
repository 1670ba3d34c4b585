/* SPDX-License-Identifier: ISC */
/* API keys: make one, and hash it. */
#ifndef LIB_AUTH_APIKEY_H
#define LIB_AUTH_APIKEY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/sys/crypt.h"

#define APIKEY_SIZE 57 /* "ak_live_", 48 hex digits, NUL */
#define APIKEY_PREFIX_SIZE 17 /* its first 16 characters and NUL */

/* The scopes of an API key: bits, as stored in the database. */
enum scope { SCOPE_NONE = 0, SCOPE_DECISIONS = 1, SCOPE_LABELS = 2 };

/* A new API key.  text is shown once, then wiped; the rest is stored. */
struct apikey {
	char text[APIKEY_SIZE];
	char prefix[APIKEY_PREFIX_SIZE];
	uint8_t hash[CRYPT_SHA256_SIZE];
};

/* Make a key of 192 random bits. */
void apikey_new(struct apikey *ret);

/*
 * Compute the hash that identifies an API key in the database.  Returns false
 * without a hash if text is NULL or does not have the form of an API key.
 */
bool apikey_hash(const char *text, uint8_t ret[CRYPT_SHA256_SIZE]);

#endif
