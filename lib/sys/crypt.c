/* SPDX-License-Identifier: ISC */
/* Hashes, random ids, passwords, sealed data, comparison in constant time. */
#include "config.h"

#include <assert.h>
#include <libscrypt.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/sys/crypt.h"

/* The cost of a new password hash: it takes 128 * r * N bytes of memory. */
#define COST_LOG_N 16U
#define COST_R 8U
#define COST_P 2U

/* Limits of a stored hash's cost: a damaged row must not block a worker. */
#define COST_LOG_N_MAX 20U
#define COST_R_MAX 16U
#define COST_P_MAX 16U

#define NONCE_SIZE 12 /* of AES-GCM, before the ciphertext */
#define TAG_SIZE 16 /* behind the ciphertext */

#define UNBASE64_MAX 192 /* bytes; keys are shorter */

#define ID_RANDOM 10 /* random bytes of an id */

#define SALT_TEXT_SIZE 25 /* 16 bytes in base64 and NUL */
#define HASH_TEXT_SIZE 89 /* 64 bytes in base64 and NUL */

/* The parts of a "$s1$" string. */
struct mcf {
	unsigned int log_n;
	unsigned int r;
	unsigned int p;
	char salt[SALT_TEXT_SIZE];
	char hash[HASH_TEXT_SIZE];
};

/* base32hex (RFC 4648) in lower case: texts sort like their bytes. */
static const char id_digits[] = "0123456789abcdefghijklmnopqrstuv";

/* Random bytes for ids: a call of OpenSSL costs more than its bytes. */
static struct {
	uint8_t bytes[640];
	size_t left;
	bool guarded; /* a child of fork() forgets them */
} id_pool;

static EVP_MAC_CTX *hmac_context(void);
static void id_random(uint8_t ret[ID_RANDOM]);
static void id_forget(void);
static EVP_CIPHER_CTX *seal_begin(const uint8_t key[CRYPT_KEY_SIZE],
    const char *owner, const uint8_t nonce[NONCE_SIZE], int encrypt);
static int mcf_parse(const char *text, struct mcf *ret);
static int mcf_compute(const char *password, const struct mcf *m,
    char ret[HASH_TEXT_SIZE], struct fail *f);

/* Used instead of the hash of a user who does not exist; never matches. */
static const struct mcf dummy_hash = {
	.log_n = COST_LOG_N,
	.r = COST_R,
	.p = COST_P,
	.salt = "AAAAAAAAAAAAAAAAAAAAAA==",
};

void
crypt_sha256(const void *data, size_t size, uint8_t ret[CRYPT_SHA256_SIZE])
{
	/* To find the algorithm costs more than the digest of a key. */
	static EVP_MD *md;

	if (md == NULL)
		md = EVP_MD_fetch(NULL, "SHA256", NULL);
	if (EVP_Digest(data, size, ret, NULL, md, NULL) != 1)
		abort();
}

void
crypt_sha512(const void *data, size_t size, uint8_t ret[CRYPT_SHA512_SIZE])
{
	if (EVP_Digest(data, size, ret, NULL, EVP_sha512(), NULL) != 1)
		abort();
}

void
crypt_hmac(const void *key, size_t key_size, const void *data, size_t size,
    uint8_t ret[CRYPT_SHA256_SIZE])
{
	/* To fetch the algorithm costs more than the digest of an event. */
	static EVP_MAC_CTX *ctx;

	if (ctx == NULL)
		ctx = hmac_context();
	if (EVP_MAC_init(ctx, key, key_size, NULL) != 1 ||
	    EVP_MAC_update(ctx, data, size) != 1 ||
	    EVP_MAC_final(ctx, ret, NULL, CRYPT_SHA256_SIZE) != 1)
		abort();
}

static EVP_MAC_CTX *
hmac_context(void)
{
	char digest[] = "SHA256";
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(
		    OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);

	EVP_MAC_free(mac); /* the context keeps it */
	if (ctx == NULL || EVP_MAC_CTX_set_params(ctx, params) != 1)
		abort();
	return ctx;
}

void
crypt_hmac_sha1(const void *key, size_t key_size, const void *data, size_t size,
    uint8_t ret[CRYPT_SHA1_SIZE])
{
	if (HMAC(EVP_sha1(), key, (int)key_size, data, size, ret, NULL) == NULL)
		abort();
}

void
crypt_derive(const void *secret, size_t size, const char *label,
    uint8_t ret[CRYPT_KEY_SIZE])
{
	static const uint8_t salt[CRYPT_SHA256_SIZE];
	uint8_t extracted[CRYPT_SHA256_SIZE];
	uint8_t block[CRYPT_LABEL_MAX + 1];
	const size_t n = strlen(label);

	assert(n <= CRYPT_LABEL_MAX);
	memcpy(block, label, n);
	block[n] = 1; /* the number of the block; a key is one block */
	crypt_hmac(salt, sizeof(salt), secret, size, extracted);
	crypt_hmac(extracted, sizeof(extracted), block, n + 1, ret);
	crypt_wipe(extracted, sizeof(extracted));
}

void
crypt_seal(const uint8_t key[CRYPT_KEY_SIZE], const char *owner,
    const void *data, size_t size, uint8_t *ret)
{
	EVP_CIPHER_CTX *ctx;
	uint8_t *text = ret + NONCE_SIZE;
	int n;

	crypt_random(ret, NONCE_SIZE);
	ctx = seal_begin(key, owner, ret, 1);
	if (EVP_CipherUpdate(ctx, text, &n, data, (int)size) != 1 ||
	    EVP_CipherFinal_ex(ctx, text + n, &n) != 1 ||
	    EVP_CIPHER_CTX_ctrl(
		ctx, EVP_CTRL_GCM_GET_TAG, TAG_SIZE, text + size) != 1)
		abort();
	EVP_CIPHER_CTX_free(ctx);
}

int
crypt_open(const uint8_t key[CRYPT_KEY_SIZE], const char *owner,
    const uint8_t *sealed, size_t size, void *ret)
{
	const uint8_t *text = sealed + NONCE_SIZE;
	uint8_t tag[TAG_SIZE];
	EVP_CIPHER_CTX *ctx = seal_begin(key, owner, sealed, 0);
	int n, good;

	memcpy(tag, text + size, TAG_SIZE);
	if (EVP_CipherUpdate(ctx, ret, &n, text, (int)size) != 1 ||
	    EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_TAG, TAG_SIZE, tag) != 1)
		abort();
	good = EVP_CipherFinal_ex(ctx, (uint8_t *)ret + n, &n) == 1;
	EVP_CIPHER_CTX_free(ctx);
	if (!good)
		crypt_wipe(ret, size);
	return good ? 0 : -1;
}

void
crypt_random(void *ret, size_t size)
{
	if (RAND_bytes(ret, (int)size) != 1)
		abort();
}

void
crypt_id(const char *prefix, int64_t now_us, char ret[CRYPT_ID_SIZE])
{
	uint64_t ms = (uint64_t)now_us / 1000;
	uint8_t raw[17] = { 0 }; /* one byte more, for the last group */
	unsigned int bit, pair;
	size_t i, n;

	for (i = 0; i < 6; i++)
		raw[i] = (uint8_t)(ms >> (40 - 8 * i));
	id_random(raw + 6);

	/* Encode five bits at a time; the last group is padded with zeros. */
	n = strnlen(prefix, CRYPT_ID_SIZE - 27);
	memcpy(ret, prefix, n);
	for (i = 0; i < 26; i++) {
		bit = (unsigned int)i * 5;
		pair = (unsigned int)(raw[bit / 8] << 8) | raw[bit / 8 + 1];
		ret[n + i] = id_digits[(pair >> (11 - bit % 8)) & 31];
	}
	ret[n + 26] = '\0';
}

/* Take the random bytes of an id; no two processes have the same. */
static void
id_random(uint8_t ret[ID_RANDOM])
{
	if (!id_pool.guarded) {
		if (pthread_atfork(NULL, NULL, id_forget) != 0)
			abort();
		id_pool.guarded = true;
	}
	if (id_pool.left == 0) {
		crypt_random(id_pool.bytes, sizeof(id_pool.bytes));
		id_pool.left = sizeof(id_pool.bytes);
	}
	id_pool.left -= ID_RANDOM;
	memcpy(ret, id_pool.bytes + id_pool.left, ID_RANDOM);
}

static void
id_forget(void)
{
	id_pool.left = 0;
}

int
crypt_id_time(const char *text, const char *prefix, int64_t *ret_us)
{
	const size_t n = strlen(prefix);
	uint64_t bits = 0;
	size_t i;

	if (strncmp(text, prefix, n) != 0 || strlen(text + n) != 26 ||
	    strspn(text + n, id_digits) != 26)
		return -1;

	/* Ten characters have 50 bits; the first 48 are the time. */
	for (i = 0; i < 10; i++)
		bits = bits << 5 |
		    (uint64_t)(strchr(id_digits, text[n + i]) - id_digits);
	*ret_us = (int64_t)(bits >> 2) * 1000;
	return 0;
}

void
crypt_hex(const void *data, size_t size, char *ret)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *p = data;
	size_t i;

	for (i = 0; i < size; i++) {
		ret[2 * i] = digits[p[i] >> 4];
		ret[2 * i + 1] = digits[p[i] & 15];
	}
	ret[2 * size] = '\0';
}

void
crypt_base64(const void *data, size_t size, char *ret)
{
	EVP_EncodeBlock((uint8_t *)ret, data, (int)size);
}

int
crypt_unbase64(const char *text, void *ret, size_t room)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const size_t n = strlen(text), used = strspn(text, digits);
	const size_t padding = strspn(text + used, "=");
	uint8_t whole[UNBASE64_MAX];

	/* EVP_DecodeBlock() accepts more, and writes the padding, too. */
	if (n % 4 != 0 || used + padding != n || padding > 2 ||
	    n / 4 * 3 > sizeof(whole) || n / 4 * 3 - padding > room ||
	    EVP_DecodeBlock(whole, (const uint8_t *)text, (int)n) == -1)
		return -1;
	memcpy(ret, whole, n / 4 * 3 - padding);
	crypt_wipe(whole, sizeof(whole));
	return (int)(n / 4 * 3 - padding);
}

bool
crypt_equal(const void *a, const void *b, size_t size)
{
	return CRYPTO_memcmp(a, b, size) == 0;
}

void
crypt_wipe(void *p, size_t size)
{
	OPENSSL_cleanse(p, size);
}

int
crypt_password_hash(
    const char *password, char ret[CRYPT_PASSWORD_SIZE], struct fail *f)
{
	struct mcf m = dummy_hash;
	uint8_t salt[SCRYPT_SALT_LEN];

	crypt_random(salt, sizeof(salt));
	crypt_base64(salt, sizeof(salt), m.salt);
	if (mcf_compute(password, &m, m.hash, f) == -1)
		return -1;
	if (libscrypt_mcf(1U << m.log_n, m.r, m.p, m.salt, m.hash, ret) != 1)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "the password hash cannot be written");
	return 0;
}

int
crypt_password_check(const char *password, const char *hash, bool *ret_match,
    bool *ret_stale, struct fail *f)
{
	struct mcf m = dummy_hash;
	char got[HASH_TEXT_SIZE];

	if (hash != NULL && mcf_parse(hash, &m) == -1)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "the stored password hash cannot be read");
	if (mcf_compute(password, &m, got, f) == -1)
		return -1;
	*ret_match = crypt_equal(got, m.hash, sizeof(got));
	*ret_stale = m.log_n < COST_LOG_N || m.r < COST_R || m.p < COST_P;
	crypt_wipe(got, sizeof(got));
	return 0;
}

/* Begin AES-256-GCM with owner as the data that is only authenticated. */
static EVP_CIPHER_CTX *
seal_begin(const uint8_t key[CRYPT_KEY_SIZE], const char *owner,
    const uint8_t nonce[NONCE_SIZE], int encrypt)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int n;

	if (ctx == NULL ||
	    EVP_CipherInit_ex(
		ctx, EVP_aes_256_gcm(), NULL, key, nonce, encrypt) != 1 ||
	    EVP_CipherUpdate(
		ctx, NULL, &n, (const uint8_t *)owner, (int)strlen(owner)) != 1)
		abort();
	return ctx;
}

/*
 * Read libscrypt's "$s1$NNrrpp$salt$hash" (the numbers in hex, NN the binary
 * logarithm of N).  Returns 0, or -1 if text has another form or exceeds the
 * bounds above.
 */
static int
mcf_parse(const char *text, struct mcf *ret)
{
	int end = 0;

	if (sscanf(text, "$s1$%2x%2x%2x$%24[^$]$%88[^$]%n", &ret->log_n,
		&ret->r, &ret->p, ret->salt, ret->hash, &end) != 5 ||
	    text[end] != '\0')
		return -1;
	if (strlen(ret->salt) != SALT_TEXT_SIZE - 1 ||
	    strlen(ret->hash) != HASH_TEXT_SIZE - 1)
		return -1;
	if (ret->log_n < 1 || ret->log_n > COST_LOG_N_MAX || ret->r < 1 ||
	    ret->r > COST_R_MAX || ret->p < 1 || ret->p > COST_P_MAX)
		return -1;
	return 0;
}

/* Hash password with the cost and salt of m, and write it in base64. */
static int
mcf_compute(const char *password, const struct mcf *m, char ret[HASH_TEXT_SIZE],
    struct fail *f)
{
	uint8_t salt[18]; /* EVP_DecodeBlock() writes whole groups */
	uint8_t hash[SCRYPT_HASH_LEN];
	int got;

	if (EVP_DecodeBlock(
		salt, (const uint8_t *)m->salt, SALT_TEXT_SIZE - 1) == -1)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "the stored password hash cannot be read");
	got = libscrypt_scrypt((const uint8_t *)password, strlen(password),
	    salt, SCRYPT_SALT_LEN, UINT64_C(1) << m->log_n, m->r, m->p, hash,
	    sizeof(hash));
	if (got != 0)
		return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
		    "there is no memory to hash a password");
	crypt_base64(hash, sizeof(hash), ret);
	crypt_wipe(hash, sizeof(hash));
	return 0;
}
