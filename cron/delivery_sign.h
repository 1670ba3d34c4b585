/* SPDX-License-Identifier: ISC */
/* Signatures with which an endpoint verifies sender and age of a delivery. */
#ifndef CRON_DELIVERY_SIGN_H
#define CRON_DELIVERY_SIGN_H

#include <stddef.h>
#include <stdint.h>

#include "lib/sys/crypt.h"

struct arena;

/* Sizes of "sha256=" with hex, and "v1," with base64, including the NUL. */
#define DELIVERY_SIGN_BODY_SIZE (7 + 2 * CRYPT_SHA256_SIZE + 1)
#define DELIVERY_SIGN_STANDARD_SIZE (3 + CRYPT_BASE64_SIZE(CRYPT_SHA256_SIZE))

/* Sign size bytes of a body; the key is the whole text of the secret. */
void delivery_sign_body(const char *secret, const char *body, size_t size,
    char ret[DELIVERY_SIGN_BODY_SIZE]);

/*
 * Sign id, time (seconds since 1970) and body as the Standard Webhooks
 * specification requires.  The key is the base64 after "whsec_" in the secret.
 * Scratch memory comes from the arena.  Return 0, or -1 if the secret is
 * malformed or the arena is full.
 */
int delivery_sign_standard(struct arena *a, const char *secret, const char *id,
    int64_t seconds, const char *body, size_t size,
    char ret[DELIVERY_SIGN_STANDARD_SIZE]) __attribute__((warn_unused_result));

#endif
