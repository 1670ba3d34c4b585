/* SPDX-License-Identifier: ISC */
/* Hashes, random ids, passwords, sealed data, comparison in constant time. */
#ifndef LIB_SYS_CRYPT_H
#define LIB_SYS_CRYPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fail;

#define CRYPT_SHA1_SIZE 20
#define CRYPT_SHA256_SIZE 32
#define CRYPT_SHA512_SIZE 64
#define CRYPT_KEY_SIZE 32 /* of AES-256 */
#define CRYPT_LABEL_MAX 64
#define CRYPT_ID_SIZE 31 /* longest prefix of 4, 26 characters, NUL */
#define CRYPT_PASSWORD_SIZE 128 /* libscrypt's "$s1$" string and NUL */

/* Compute SHA-256 of size bytes. */
void crypt_sha256(
    const void *data, size_t size, uint8_t ret[CRYPT_SHA256_SIZE]);

/* Compute SHA-512 of size bytes. */
void crypt_sha512(
    const void *data, size_t size, uint8_t ret[CRYPT_SHA512_SIZE]);

/* Compute HMAC-SHA256 of size bytes with a key. */
void crypt_hmac(const void *key, size_t key_size, const void *data, size_t size,
    uint8_t ret[CRYPT_SHA256_SIZE]);

/* Compute HMAC-SHA1, which only one-time passwords (RFC 4226) use. */
void crypt_hmac_sha1(const void *key, size_t key_size, const void *data,
    size_t size, uint8_t ret[CRYPT_SHA1_SIZE]);

/*
 * Derive a key from a secret with HKDF-SHA256 (RFC 5869), without salt; keys
 * for different purposes have different labels, of at most CRYPT_LABEL_MAX
 * bytes.
 */
void crypt_derive(const void *secret, size_t size, const char *label,
    uint8_t ret[CRYPT_KEY_SIZE]);

/* The size of size bytes after crypt_seal(): nonce, ciphertext, tag. */
#define CRYPT_SEALED_SIZE(size) (12 + (size) + 16)

/*
 * Encrypt and authenticate size bytes with AES-256-GCM and a random nonce. They
 * can be opened only with the same key and owner, which is authenticated but
 * not stored.
 */
void crypt_seal(const uint8_t key[CRYPT_KEY_SIZE], const char *owner,
    const void *data, size_t size, uint8_t *ret);

/*
 * Open what crypt_seal() returned; size is that of the data.  Returns 0, or -1
 * if key or owner differ, or a bit was changed; then ret holds nothing of use.
 */
int crypt_open(const uint8_t key[CRYPT_KEY_SIZE], const char *owner,
    const uint8_t *sealed, size_t size, void *ret)
    __attribute__((warn_unused_result));

/* Fill ret with size random bytes; abort if the system has none. */
void crypt_random(void *ret, size_t size);

/*
 * Make a new id: prefix ("vd_", "evt_", "cor_"...), then 26 characters of
 * base32hex (RFC 4648, 0-9a-v).  They encode now_us in milliseconds (48 bits)
 * and 80 random bits, so that ids sort by time.
 */
void crypt_id(const char *prefix, int64_t now_us, char ret[CRYPT_ID_SIZE]);

/*
 * Read the time out of an id with this prefix, in microseconds but exact to a
 * millisecond.  Returns 0, or -1 if text is not such an id.
 */
int crypt_id_time(const char *text, const char *prefix, int64_t *ret_us)
    __attribute__((warn_unused_result));

/* Write size bytes in lower-case hex and a NUL: 2 * size + 1 bytes. */
void crypt_hex(const void *data, size_t size, char *ret);

/* The size of size bytes in base64, with padding and a NUL. */
#define CRYPT_BASE64_SIZE(size) (((size) + 2) / 3 * 4 + 1)

/* Base64 (RFC 4648, with padding) of size bytes. */
void crypt_base64(const void *data, size_t size, char *ret);

/*
 * Decode padded base64 into the room bytes at ret.  Returns the number of bytes
 * decoded, or -1 if text is not base64 or does not fit.
 */
int crypt_unbase64(const char *text, void *ret, size_t room)
    __attribute__((warn_unused_result));

/* Whether two blocks are equal; the time depends on size only. */
bool crypt_equal(const void *a, const void *b, size_t size);

/* Overwrite a secret; the compiler does not optimize this away. */
void crypt_wipe(void *p, size_t size);

/*
 * Hash a password with scrypt (N=2^16, r=8, p=2: 64 MiB, about half a
 * second) into libscrypt's "$s1$" string.  Returns 0, or -1 with f set.
 */
int crypt_password_hash(const char *password, char ret[CRYPT_PASSWORD_SIZE],
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Check a password against a hash; *ret_match is the result.  With hash NULL
 * this takes the same time and the result is false, so that the time does not
 * show whether a user exists.  *ret_stale is true if new hashes cost more than
 * this one.  Returns 0, or -1 with f set: no memory, or not a hash.
 */
int crypt_password_check(const char *password, const char *hash,
    bool *ret_match, bool *ret_stale, struct fail *f)
    __attribute__((warn_unused_result));

#endif
