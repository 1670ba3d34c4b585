/* SPDX-License-Identifier: ISC */
/* Hashes, random ids, passwords, and comparison that tells nothing. */
#ifndef LIB_SYS_CRYPT_H
#define LIB_SYS_CRYPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fail;

#define CRYPT_SHA256_SIZE 32
#define CRYPT_ID_SIZE 31 /* longest prefix of 4, 26 characters, NUL */
#define CRYPT_PASSWORD_SIZE 128 /* libscrypt's "$s1$" string and NUL */

/* SHA-256 of size bytes. */
void crypt_sha256(
    const void *data, size_t size, uint8_t ret[CRYPT_SHA256_SIZE]);

/* HMAC-SHA256 of size bytes under a key. */
void crypt_hmac(const void *key, size_t key_size, const void *data, size_t size,
    uint8_t ret[CRYPT_SHA256_SIZE]);

/* size random bytes from the system; aborts if there are none to be had. */
void crypt_random(void *ret, size_t size);

/*
 * A new id: prefix ("vd_", "evt_", "cor_"...), then 26 lowercase base32
 * characters (RFC 4648 alphabet order that sorts: 0-9a-v, Crockford-like
 * "base32hex") of 48 bits of milliseconds of now_us and 80 random bits, so
 * that ids sort by time.
 */
void crypt_id(const char *prefix, int64_t now_us, char ret[CRYPT_ID_SIZE]);

/*
 * Read the time, in whole milliseconds, out of an id with this prefix.
 * Returns 0, or -1 if text is no such id.
 */
int crypt_id_time(const char *text, const char *prefix, int64_t *ret_us)
    __attribute__((warn_unused_result));

/* Lower-case hex of size bytes and a NUL: ret holds 2 * size + 1. */
void crypt_hex(const void *data, size_t size, char *ret);

/* Bytes of base64 that size bytes make, with padding and a NUL. */
#define CRYPT_BASE64_SIZE(size) (((size) + 2) / 3 * 4 + 1)

/* Base64 (RFC 4648, with padding) of size bytes. */
void crypt_base64(const void *data, size_t size, char *ret);

/*
 * Read padded base64 into the room bytes at ret.  Returns how many bytes it
 * was, or -1 if text is none or there is no room.
 */
int crypt_unbase64(const char *text, void *ret, size_t room)
    __attribute__((warn_unused_result));

/* Whether two blocks are equal, in time that depends on size only. */
bool crypt_equal(const void *a, const void *b, size_t size);

/* Overwrite a secret in a way that the compiler keeps. */
void crypt_wipe(void *p, size_t size);

/*
 * Hash a password with scrypt (N=2^16, r=8, p=2: 64 MiB, about half a
 * second) into libscrypt's "$s1$" string.  Returns 0, or -1 with f set.
 */
int crypt_password_hash(const char *password, char ret[CRYPT_PASSWORD_SIZE],
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Say in *ret_match whether the password matches the hash; with hash NULL the
 * same work is done against a fixed one and the answer is false, so that an
 * unknown user takes the same time.  *ret_stale says that the parameters have
 * risen since.  Returns 0, or -1 with f set: no memory, or no such hash.
 */
int crypt_password_check(const char *password, const char *hash,
    bool *ret_match, bool *ret_stale, struct fail *f)
    __attribute__((warn_unused_result));

#endif
