/* SPDX-License-Identifier: ISC */
/* Redact the parameters of a request for the audit trail. */
#include "config.h"

#include <json-c/json_object.h>
#include <json-c/linkhash.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/utf8.h"
#include "core/event/list.h"
#include "core/event/pan.h"
#include "lib/audit/audit_redact.h"
#include "lib/json/body.h"

#define ELLIPSIS "\xe2\x80\xa6" /* U+2026 */
#define TEXT_MAX 256 /* bytes of a text that are stored */
#define LOOKED_AT (TEXT_MAX + PAN_SIZE_MAX + 1) /* bytes to search */
#define ITEMS_MAX 20 /* elements of an array, and members of an object */
#define NUMBER_MAX 64 /* bytes of a number; longer ones are cut */
#define SIZE_MAX_KEPT 16384 /* bytes; the rest is cut */

typedef void put_fn(struct str *s, const char *text);

static void put_redacted(
    struct str *s, const char *name, struct json_object *value);
static void put_scalar(
    struct str *s, const char *name, struct json_object *value);
static void put_object(struct str *s, struct json_object *json);
static void put_array(
    struct str *s, const char *name, struct json_object *json);
static put_fn *put_as(const char *name);
static put_fn put_hidden;
static size_t cut_at(const char *text, size_t size);
static const char *known_as(struct json_object *json, const char *name);
static bool is_secret(const char *name);

/* A name that contains one of these, in any case, means a secret. */
static const char *const secrets[] = { "password", "passwd", "secret", "token",
	"authorization", "apikey", "api_key", "plaintext", "credential",
	"private" };

/*
 * Names whose values are redacted, and how: by the whole name, or by a part of
 * it.
 */
static const struct {
	const char *name;
	bool part;
	put_fn *put;
} masks[] = {
	{ "ip", false, body_mask_ip },
	{ "ips", false, body_mask_ip },
	{ "ipAddress", true, body_mask_ip },
	{ "phone", true, body_mask_phone },
	{ "url", true, audit_redact_url },
	{ "body", false, put_hidden },
};

void
audit_redact_body(struct str *s, struct json_object *json)
{
	if (json_object_is_type(json, json_type_object))
		put_object(s, json);
	else
		str_add(s, "{}");
}

void
audit_redact_url(struct str *s, const char *url)
{
	const char *host = strstr(url, "://");
	const char *end, *at;
	char shown[TEXT_MAX];
	int n;

	if (host == NULL) {
		audit_redact_text(s, ELLIPSIS);
		return;
	}
	host += 3;
	end = host + strcspn(host, "/?#\\");
	while ((at = memchr(host, '@', (size_t)(end - host))) != NULL)
		host = at + 1;
	n = snprintf(shown, sizeof(shown), "%.*s%.*s%s",
	    (int)(strstr(url, "://") - url + 3), url, (int)(end - host), host,
	    *end == '\0' ? "" : "/" ELLIPSIS);
	audit_redact_text(s, n < (int)sizeof(shown) ? shown : ELLIPSIS);
}

/* Write a value as its name requires, whatever its type. */
static void
put_redacted(struct str *s, const char *name, struct json_object *value)
{
	if (s->len > SIZE_MAX_KEPT)
		audit_redact_text(s, ELLIPSIS);
	else if (is_secret(name))
		audit_redact_text(s, "[redacted]");
	else if (json_object_is_type(value, json_type_object))
		put_object(s, value);
	else if (json_object_is_type(value, json_type_array))
		put_array(s, name, value);
	else if (value == NULL)
		str_add(s, "null");
	else
		put_scalar(s, name, value);
}

static void
put_scalar(struct str *s, const char *name, struct json_object *value)
{
	const char *text = json_object_get_string(value);
	put_fn *masked = put_as(name);

	if (json_object_is_type(value, json_type_boolean))
		str_add(s, text);
	else if (masked != NULL)
		masked(s, text);
	else if (json_object_is_type(value, json_type_string))
		audit_redact_text(s, text);
	else if (pan_in_number(text))
		str_add(s, "\"" AUDIT_REDACT_CARD "\"");
	else
		str_add(
		    s, strlen(text) <= NUMBER_MAX ? text : "\"" ELLIPSIS "\"");
}

static void
put_object(struct str *s, struct json_object *json)
{
	size_t n = 0;

	str_addc(s, '{');
	json_object_object_foreach(json, name, value)
	{
		if (n == ITEMS_MAX || s->len > SIZE_MAX_KEPT)
			break;
		str_add(s, n++ == 0 ? "" : ",");
		audit_redact_text(s, name);
		str_addc(s, ':');
		put_redacted(s, known_as(json, name), value);
	}
	str_addc(s, '}');
}

/* Write an array; the name of the array counts for its elements. */
static void
put_array(struct str *s, const char *name, struct json_object *json)
{
	const size_t n = json_object_array_length(json);
	size_t i;

	str_addc(s, '[');
	for (i = 0; i < n && i < ITEMS_MAX && s->len <= SIZE_MAX_KEPT; i++) {
		str_add(s, i == 0 ? "" : ",");
		put_redacted(s, name, json_object_array_get_idx(json, i));
	}
	if (i < n)
		str_addf(
		    s, "%s\"" ELLIPSIS " %zu more\"", i == 0 ? "" : ",", n - i);
	str_addc(s, ']');
}

/* Find the function that writes values of a name; NULL: none. */
static put_fn *
put_as(const char *name)
{
	size_t i;

	for (i = 0; i < nitems(masks); i++)
		if (masks[i].part ? strcasestr(name, masks[i].name) != NULL
				  : strcasecmp(name, masks[i].name) == 0)
			return masks[i].put;
	return NULL;
}

/* Write that there is a text: a file inside a proposal. */
static void
put_hidden(struct str *s, const char *text)
{
	(void)text;
	audit_redact_text(s, ELLIPSIS);
}

/*
 * Write a text without full card numbers; cut a long one between characters.
 */
void
audit_redact_text(struct str *s, const char *text)
{
	char kept[TEXT_MAX + sizeof(AUDIT_REDACT_CARD) + sizeof(ELLIPSIS)];
	const size_t size = strnlen(text, LOOKED_AT);
	const size_t whole = size <= TEXT_MAX ? size : cut_at(text, size);
	size_t at = 0, n = 0, before, card_size;
	const char *card;

	while (at < whole) {
		card = pan_find(text + at, size - at, &card_size);
		before = whole - at;
		if (card != NULL && (size_t)(card - text) < whole)
			before = (size_t)(card - text) - at;
		else
			card = NULL;
		memcpy(kept + n, text + at, before);
		n += before;
		at += before;
		if (card == NULL)
			break;
		memcpy(
		    kept + n, AUDIT_REDACT_CARD, sizeof(AUDIT_REDACT_CARD) - 1);
		n += sizeof(AUDIT_REDACT_CARD) - 1;
		at += card_size;
	}
	memcpy(kept + n, ELLIPSIS, sizeof(ELLIPSIS));
	if (size <= TEXT_MAX)
		kept[n] = '\0';
	str_json(s, kept);
}

/* Find where to cut a long text: after its last complete character. */
static size_t
cut_at(const char *text, size_t size)
{
	size_t n = 0, next = 0;

	while (next <= TEXT_MAX) {
		n = next;
		next += utf8_get(text + n, size - n, NULL);
	}
	return n;
}

/*
 * The name that decides how a member is redacted.  The value of a list entry is
 * what the entry's subject says; with an unknown subject it may be anything.
 * An object with a path is a condition; its value is not secret.
 */
static const char *
known_as(struct json_object *json, const char *name)
{
	const char *subject;

	if (strcmp(name, "value") != 0 || body_has(json, "path"))
		return name;
	subject = body_string(json, "subject");
	return subject != NULL &&
		list_subject_parse(subject) != LIST_SUBJECT__NONE
	    ? subject
	    : "secret";
}

static bool
is_secret(const char *name)
{
	size_t i;

	/* Of a second factor; a currencyCode, for example, is no secret. */
	if (strcasecmp(name, "code") == 0)
		return true;
	for (i = 0; i < nitems(secrets); i++)
		if (strcasestr(name, secrets[i]) != NULL)
			return true;
	return false;
}
