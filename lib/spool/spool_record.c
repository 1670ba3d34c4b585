/* SPDX-License-Identifier: ISC */
/* A record of the spool is a line: a checksum, a space, a JSON object. */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <json-c/json_object.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "lib/json/body.h"
#include "lib/spool/spool.h"
#include "lib/sys/crypt.h"

#define SUM_BYTES 8 /* of the SHA-256 of the object's text */
#define SUM_DIGITS ((size_t)2 * SUM_BYTES)

static void record_checksum(
    const char *text, size_t n, char ret[SUM_DIGITS + 1]);
static int read_number(
    struct json_object *json, const char *name, int64_t *ret);
static int read_record_text(struct json_object *json, const char *name,
    bool optional, const char **ret);

/* The texts of a record, by their names in the object. */
static const struct {
	const char *name;
	size_t offset; /* in struct spool_record */
	bool optional;
} texts[] = {
	{ "id", offsetof(struct spool_record, id), false },
	{ "eventId", offsetof(struct spool_record, event_id), false },
	{ "eventType", offsetof(struct spool_record, event_type), false },
	{ "verdict", offsetof(struct spool_record, verdict), false },
	{ "reasons", offsetof(struct spool_record, reasons), false },
	{ "policyId", offsetof(struct spool_record, policy_id), false },
	{ "policyVersion", offsetof(struct spool_record, policy_version),
	    false },
	{ "correlationId", offsetof(struct spool_record, correlation_id),
	    false },
	{ "userId", offsetof(struct spool_record, user), false },
	{ "idempotencyKey", offsetof(struct spool_record, idempotency_key),
	    true },
	{ "request", offsetof(struct spool_record, request), false },
};

void
spool_print(struct str *s, const struct spool_record *r)
{
	char digits[SUM_DIGITS + 1];
	const char *const *text;
	struct str json;
	size_t i;

	str_init(&json, s->arena);
	writer_object(&json, NULL);
	writer_int(&json, "decidedAt", r->decided_at);
	writer_int(&json, "score", r->score);
	for (i = 0; i < nitems(texts); i++) {
		text = (const void *)((const char *)r + texts[i].offset);
		writer_text(&json, texts[i].name, *text);
	}
	writer_end(&json);
	if (str_text(&json) == NULL) {
		s->failed = 1;
		return;
	}
	record_checksum(json.text, json.len, digits);
	str_add(s, digits);
	str_addc(s, ' ');
	str_addn(s, json.text, json.len);
	str_addc(s, '\n');
}

int
spool_parse(
    struct arena *a, const char *line, size_t n, struct spool_record *ret)
{
	char digits[SUM_DIGITS + 1];
	struct json_object *json;
	const char **text;
	size_t i;

	if (n <= SUM_DIGITS + 1 || line[SUM_DIGITS] != ' ')
		return 0;
	record_checksum(line + SUM_DIGITS + 1, n - SUM_DIGITS - 1, digits);
	if (memcmp(line, digits, SUM_DIGITS) != 0)
		return 0;
	json = body_parse(a, line + SUM_DIGITS + 1, n - SUM_DIGITS - 1, NULL);
	if (json == NULL ||
	    read_number(json, "decidedAt", &ret->decided_at) == -1 ||
	    read_number(json, "score", &ret->score) == -1)
		return -1;
	for (i = 0; i < nitems(texts); i++) {
		text = (void *)((char *)ret + texts[i].offset);
		if (read_record_text(
			json, texts[i].name, texts[i].optional, text) == -1)
			return -1;
	}
	return 1;
}

/* The first bytes of the hash, in hex. */
static void
record_checksum(const char *text, size_t n, char ret[SUM_DIGITS + 1])
{
	uint8_t hash[CRYPT_SHA256_SIZE];

	crypt_sha256(text, n, hash);
	crypt_hex(hash, SUM_BYTES, ret);
}

static int
read_number(struct json_object *json, const char *name, int64_t *ret)
{
	struct json_object *member;

	if (!json_object_object_get_ex(json, name, &member) ||
	    !json_object_is_type(member, json_type_int))
		return -1;
	*ret = json_object_get_int64(member);
	return 0;
}

static int
read_record_text(
    struct json_object *json, const char *name, bool optional, const char **ret)
{
	struct json_object *member = NULL;

	*ret = NULL;
	if (json_object_object_get_ex(json, name, &member) && member != NULL) {
		*ret = json_object_get_string(member);
		return json_object_is_type(member, json_type_string) ? 0 : -1;
	}
	return optional ? 0 : -1;
}
