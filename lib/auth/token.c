/* SPDX-License-Identifier: ISC */
/* Operator tokens: JSON Web Tokens (RFC 7519), only with HS256. */
#include "config.h"

#include <assert.h>
#include <json-c/json_object.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "lib/auth/token.h"
#include "lib/conf/conf.h"
#include "lib/json/body.h"
#include "lib/sys/crypt.h"

#define ISSUER "assay"
#define AUDIENCE "assay-operator"
#define KID_LABEL "assay token key\n"
#define SIGNATURE_SIZE 43 /* 32 bytes in base64url */
#define SECOND INT64_C(1000000)
#define N_CLAIMS 9 /* without "use" and "sid", which only web tokens have */
#define CLAIM_MAX (INT64_MAX / SECOND / 2) /* so that sums do not overflow */

static int64_t token_lifetime(
    const struct token *t, const struct token_limits *limits);
static int add_token_key(
    struct token_keys *keys, struct arena *a, const char *secret, size_t size);
static const char *token_header(struct arena *a, const struct token_key *key);
static const struct token_key *find_token_key(const struct token_keys *keys,
    struct arena *a, const char *text, size_t size);
static void sign_token(const struct token_key *key, const char *text,
    size_t size, char ret[SIGNATURE_SIZE + 1]);
static size_t base64url_write(const uint8_t *p, size_t size, char *ret);
static void append_base64url(struct str *s, const char *data, size_t size);
static const char *base64url_read(
    struct arena *a, const char *text, size_t size, size_t *ret_size);
static int read_claims(
    struct arena *a, const char *text, size_t size, struct token *ret);
static const char *claim_text(struct json_object *json, const char *name);
static int64_t claim_number(struct json_object *json, const char *name);
static int refuse_token(struct fail *f);

/* The digits of base64url. */
static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static const char *const roles[ROLE__MAX] = {
	[ROLE_ANALYST] = "analyst",
	[ROLE_AUTHOR] = "author",
	[ROLE_ADMIN] = "admin",
};

int
token_keys_init(struct token_keys *keys, struct arena *a, const char *secret,
    const char *previous, struct fail *f)
{
	size_t size;

	memset(keys, 0, sizeof(*keys));
	if (add_token_key(keys, a, secret, strlen(secret)) == -1)
		goto full;
	while (previous != NULL && keys->n < TOKEN_KEYS_MAX) {
		size = strcspn(previous, ",");
		if (size > 0 && add_token_key(keys, a, previous, size) == -1)
			goto full;
		previous = previous[size] == ',' ? previous + size + 1 : NULL;
	}
	return 0;

full:
	return fail_memory(f);
}

int
token_keys_load(struct token_keys *keys, struct arena *a, struct fail *f)
{
	assert(conf.AUTH_SECRET != NULL);
	return token_keys_init(
	    keys, a, conf.AUTH_SECRET, conf.AUTH_SECRET_PREVIOUS, f);
}

const char *
token_issue(const struct token_keys *keys, struct arena *a,
    const struct token *t, const struct token_limits *limits, int64_t now)
{
	const struct token_key *key = &keys->key[0];
	const int64_t whole = now + token_lifetime(t, limits);
	const int64_t last = t->given_at + limits->session;
	const char *head = token_header(a, key), *body;
	char id[CRYPT_ID_SIZE], signature[SIGNATURE_SIZE + 1];
	struct str s;

	crypt_id("tok_", now, id);
	str_init(&s, a);
	writer_object(&s, NULL);
	writer_text(&s, "iss", ISSUER);
	writer_text(&s, "aud", AUDIENCE);
	writer_text(&s, "sub", t->email);
	writer_text(&s, "role", token_role_name(t->role));
	writer_int(&s, "sn", t->session);
	writer_text(&s, "jti", id);
	if (t->web) {
		writer_text(&s, "use", "web");
		writer_text(&s, "sid", t->id == NULL ? id : t->id);
	}
	writer_int(&s, "at", t->given_at / SECOND);
	writer_int(&s, "iat", now / SECOND);
	writer_int(&s, "exp", (whole < last ? whole : last) / SECOND);
	writer_end(&s);
	if (head == NULL || (body = str_text(&s)) == NULL)
		return NULL;

	str_init(&s, a);
	str_add(&s, head);
	append_base64url(&s, body, strlen(body));
	if (str_text(&s) == NULL)
		return NULL;
	sign_token(key, s.text, s.len, signature);
	str_addf(&s, ".%s", signature);
	return str_text(&s);
}

int
token_verify(const struct token_keys *keys, struct arena *a, const char *text,
    const struct token_limits *limits, int64_t now, struct token *ret,
    struct fail *f)
{
	const size_t size = strnlen(text, TOKEN_SIZE_MAX + 1);
	const struct token_key *key = find_token_key(keys, a, text, size);
	char signature[SIGNATURE_SIZE + 1];
	const char *dot, *body;
	size_t n;

	if (size > TOKEN_SIZE_MAX || key == NULL)
		return refuse_token(f);
	dot = text + size - SIGNATURE_SIZE - 1;
	body = strchr(text, '.') + 1;
	if (dot < body || *dot != '.')
		return refuse_token(f);
	sign_token(key, text, (size_t)(dot - text), signature);
	if (!crypt_equal(signature, dot + 1, SIGNATURE_SIZE))
		return refuse_token(f);

	/* The signature is ours; an earlier version may have made the token. */
	body = base64url_read(a, body, (size_t)(dot - body), &n);
	if (body == NULL || read_claims(a, body, n, ret) == -1)
		return refuse_token(f);
	if (ret->expires_at - ret->issued_at > TOKEN_LIFETIME ||
	    ret->issued_at + token_lifetime(ret, limits) <= now ||
	    ret->issued_at > now + TOKEN_SKEW || ret->expires_at <= now ||
	    ret->given_at > ret->issued_at + TOKEN_SKEW ||
	    ret->given_at + limits->session <= now)
		return refuse_token(f);
	return 0;
}

int64_t
token_expiry(struct arena *a, const char *text)
{
	const char *body = strchr(text, '.');
	const char *dot = body == NULL ? NULL : strchr(body + 1, '.');
	struct token t;
	size_t n;

	if (dot == NULL)
		return -1;
	body = base64url_read(a, body + 1, (size_t)(dot - body - 1), &n);
	if (body == NULL || read_claims(a, body, n, &t) == -1)
		return -1;
	return t.expires_at;
}

const char *
token_role_name(enum role role)
{
	assert(role > 0 && role < ROLE__MAX);
	return roles[role];
}

enum role
token_role(const char *name)
{
	return name_index(roles, name);
}

/* How long a token is valid after it was issued, unless the session ends. */
static int64_t
token_lifetime(const struct token *t, const struct token_limits *limits)
{
	return t->web ? limits->idle : TOKEN_LIFETIME;
}

/* Add a key; its id comes from a hash of the secret. */
static int
add_token_key(
    struct token_keys *keys, struct arena *a, const char *secret, size_t size)
{
	struct token_key *key = &keys->key[keys->n];
	uint8_t hash[CRYPT_SHA256_SIZE];
	struct str s;

	str_init(&s, a);
	str_add(&s, KID_LABEL);
	str_addn(&s, secret, size);
	if (str_text(&s) == NULL)
		return -1;
	crypt_sha256(s.text, s.len, hash);
	crypt_wipe(s.text, s.len);
	crypt_hex(hash, (TOKEN_KID_SIZE - 1) / 2, key->kid);
	key->secret = secret;
	key->size = size;
	keys->n++;
	return 0;
}

/* Make the header of tokens of this key, with the dot; NULL: arena full. */
static const char *
token_header(struct arena *a, const struct token_key *key)
{
	struct str json, s;

	str_init(&json, a);
	writer_object(&json, NULL);
	writer_text(&json, "alg", "HS256");
	writer_text(&json, "typ", "JWT");
	writer_text(&json, "kid", key->kid);
	writer_end(&json);
	str_init(&s, a);
	if (str_text(&json) == NULL)
		return NULL;
	append_base64url(&s, json.text, json.len);
	str_addc(&s, '.');
	return str_text(&s);
}

/*
 * Find the key whose header is exactly that of the token; NULL: none.  No other
 * header is parsed, so that a token cannot choose a weaker algorithm.
 */
static const struct token_key *
find_token_key(const struct token_keys *keys, struct arena *a, const char *text,
    size_t size)
{
	const char *head;
	size_t i, n;

	for (i = 0; i < keys->n; i++) {
		head = token_header(a, &keys->key[i]);
		n = head == NULL ? 0 : strlen(head);
		if (n > 0 && size >= n + 1 + SIGNATURE_SIZE &&
		    memcmp(text, head, n) == 0)
			return &keys->key[i];
	}
	return NULL;
}

/* Write the signature of text in base64url. */
static void
sign_token(const struct token_key *key, const char *text, size_t size,
    char ret[SIGNATURE_SIZE + 1])
{
	uint8_t mac[CRYPT_SHA256_SIZE];

	crypt_hmac(key->secret, key->size, text, size, mac);
	base64url_write(mac, sizeof(mac), ret);
	ret[SIGNATURE_SIZE] = '\0';
}

/* Write base64url (RFC 4648) without padding; returns its length. */
static size_t
base64url_write(const uint8_t *p, size_t size, char *ret)
{
	uint32_t group;
	size_t i, j, have, n = 0;

	for (i = 0; i < size; i += 3) {
		have = size - i < 3 ? size - i : 3;
		group = (uint32_t)p[i] << 16;
		if (have > 1)
			group |= (uint32_t)p[i + 1] << 8;
		if (have > 2)
			group |= p[i + 2];
		for (j = 0; j <= have; j++)
			ret[n++] = digits[group >> (18 - 6 * j) & 63];
	}
	return n;
}

/* Append size bytes as base64url. */
static void
append_base64url(struct str *s, const char *data, size_t size)
{
	char group[4];
	size_t i, n;

	for (i = 0; i < size; i += 3) {
		n = base64url_write((const uint8_t *)data + i,
		    size - i < 3 ? size - i : 3, group);
		str_addn(s, group, n);
	}
}

/*
 * Decode size characters of canonical base64url and append a NUL; NULL for
 * another text, or if the arena is full.
 */
static const char *
base64url_read(struct arena *a, const char *text, size_t size, size_t *ret_size)
{
	uint8_t *out = arena_alloc(a, size + 1);
	const char *digit;
	uint32_t bits = 0;
	size_t i, n = 0, have = 0;

	if (out == NULL || size % 4 == 1)
		return NULL;
	for (i = 0; i < size; i++) {
		digit = memchr(digits, text[i], sizeof(digits) - 1);
		if (digit == NULL)
			return NULL;
		bits = bits << 6 | (uint32_t)(digit - digits);
		if ((have += 6) < 8)
			continue;
		have -= 8;
		out[n++] = (uint8_t)(bits >> have);
	}
	/* Unused bits must be zero, so that each value has one text. */
	if ((bits & ((1U << have) - 1)) != 0)
		return NULL;
	*ret_size = n;
	return (const char *)out;
}

/*
 * Read the claims: exactly those of token_issue().  "at" and "sid" may be
 * absent; sid is then the jti.
 */
static int
read_claims(struct arena *a, const char *text, size_t size, struct token *ret)
{
	struct json_object *json = body_parse(a, text, size, NULL);
	const char *issuer, *audience, *role, *since, *use, *id;
	int n_claims = N_CLAIMS;

	if (!json_object_is_type(json, json_type_object))
		return -1;
	since = json_object_object_get_ex(json, "at", NULL) ? "at" : "iat";
	if (strcmp(since, "at") != 0)
		n_claims--;
	use = claim_text(json, "use");
	ret->web = use != NULL && strcmp(use, "web") == 0;
	id = "jti";
	if (ret->web) {
		n_claims++;
		if (json_object_object_get_ex(json, "sid", NULL)) {
			id = "sid";
			n_claims++;
		}
	}
	if (json_object_object_length(json) != n_claims ||
	    claim_text(json, "jti") == NULL)
		return -1;
	issuer = claim_text(json, "iss");
	audience = claim_text(json, "aud");
	role = claim_text(json, "role");
	ret->email = claim_text(json, "sub");
	ret->id = claim_text(json, id);
	ret->session = claim_number(json, "sn");
	ret->given_at = claim_number(json, since) * SECOND;
	ret->issued_at = claim_number(json, "iat") * SECOND;
	ret->expires_at = claim_number(json, "exp") * SECOND;
	if (issuer == NULL || strcmp(issuer, ISSUER) != 0 || audience == NULL ||
	    strcmp(audience, AUDIENCE) != 0 || role == NULL)
		return -1;
	ret->role = token_role(role);
	if (ret->role == 0 || ret->email == NULL || ret->id == NULL ||
	    ret->session < 1 || ret->given_at < 0 || ret->issued_at < 0 ||
	    ret->expires_at < 0)
		return -1;
	return 0;
}

/* Read a claim that must be a string; NULL: it is not. */
static const char *
claim_text(struct json_object *json, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(json, name, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

/* Read a claim that must be an integer up to CLAIM_MAX; -1: it is not. */
static int64_t
claim_number(struct json_object *json, const char *name)
{
	struct json_object *value;
	int64_t n;

	if (!json_object_object_get_ex(json, name, &value) ||
	    !json_object_is_type(value, json_type_int))
		return -1;
	n = json_object_get_int64(value);
	return n >= 0 && n <= CLAIM_MAX ? n : -1;
}

/* Do not show the caller why. */
static int
refuse_token(struct fail *f)
{
	return fail_set(f, FAIL_DENIED, UNAUTHENTICATED, NULL, "%s", "");
}
