/* SPDX-License-Identifier: ISC */
/* What proves to an endpoint that a delivery is ours and recent. */
#ifndef CRON_DELIVERY_SIGN_H
#define CRON_DELIVERY_SIGN_H

#include <stddef.h>
#include <stdint.h>

#include "lib/sys/crypt.h"

struct arena;

/* "sha256=" and hex, "v1," and base64, each with its NUL. */
#define DELIVERY_SIGN_BODY_SIZE (7 + 2 * CRYPT_SHA256_SIZE + 1)
#define DELIVERY_SIGN_STANDARD_SIZE (3 + CRYPT_BASE64_SIZE(CRYPT_SHA256_SIZE))

/* Sign the size bytes of a body with the whole text of a secret. */
void delivery_sign_body(const char *secret, const char *body, size_t size,
    char ret[DELIVERY_SIGN_BODY_SIZE]);

/*
 * Sign id, time (seconds since 1970) and body as the Standard Webhooks
 * specification does, with the bytes that stand in base64 behind a secret's
 * "whsec_".  Scratch memory comes from the arena.  Returns 0, or -1 if the
 * secret is none or the arena is full.
 */
int delivery_sign_standard(struct arena *a, const char *secret, const char *id,
    int64_t seconds, const char *body, size_t size,
    char ret[DELIVERY_SIGN_STANDARD_SIZE]) __attribute__((warn_unused_result));

#endif
