/* SPDX-License-Identifier: ISC */
/* What of a request's parameters may be kept for people to read. */
#include "config.h"

#include <json-c/json_object.h>
#include <json-c/linkhash.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/str.h"
#include "core/utf8.h"
#include "lib/body.h"
#include "lib/redact.h"

#define nitems(a) (sizeof(a) / sizeof((a)[0]))

#define ELLIPSIS "\xe2\x80\xa6" /* U+2026 */
#define TEXT_MAX 256 /* bytes of a text that are kept */
#define ITEMS_MAX 20 /* elements of an array, and members of an object */
#define SIZE_MAX_KEPT 16384 /* bytes; what comes after them is cut */

static void put(struct str *s, const char *name, struct json_object *value);
static void put_object(struct str *s, struct json_object *json);
static void put_array(struct str *s, struct json_object *json);
static void put_text(struct str *s, const char *text);
static const char *known_as(struct json_object *json, const char *name);
static bool is_secret(const char *name);

/* A name that holds one of these is a secret's, whatever its case. */
static const char *const secrets[] = { "password", "passwd", "secret", "token",
	"authorization", "apikey", "api_key", "plaintext", "credential",
	"private" };

void
redact_body(struct str *s, struct json_object *json)
{
	if (json_object_is_type(json, json_type_object))
		put_object(s, json);
	else
		str_add(s, "{}");
}

void
redact_url(struct str *s, const char *url)
{
	const char *host = strstr(url, "://");
	const char *end, *at;
	char shown[TEXT_MAX];

	if (host == NULL) {
		put_text(s, ELLIPSIS);
		return;
	}
	host += 3;
	end = host + strcspn(host, "/?#\\");
	while ((at = memchr(host, '@', (size_t)(end - host))) != NULL)
		host = at + 1;
	snprintf(shown, sizeof(shown), "%.*s%.*s%s",
	    (int)(strstr(url, "://") - url + 3), url, (int)(end - host), host,
	    *end == '\0' ? "" : "/" ELLIPSIS);
	put_text(s, shown);
}

/* A value by the name that it is known as. */
static void
put(struct str *s, const char *name, struct json_object *value)
{
	const char *text = json_object_is_type(value, json_type_string)
	    ? json_object_get_string(value)
	    : NULL;

	if (s->st_len > SIZE_MAX_KEPT)
		put_text(s, ELLIPSIS);
	else if (is_secret(name))
		put_text(s, "[redacted]");
	else if (text != NULL && strcasecmp(name, "ip") == 0)
		body_mask_ip(s, text);
	else if (text != NULL && strcasecmp(name, "phone") == 0)
		body_mask_phone(s, text);
	else if (text != NULL && strcasecmp(name, "url") == 0)
		redact_url(s, text);
	else if (text != NULL)
		put_text(s, text);
	else if (json_object_is_type(value, json_type_object))
		put_object(s, value);
	else if (json_object_is_type(value, json_type_array))
		put_array(s, value);
	else
		str_add(s,
		    json_object_to_json_string_ext(
			value, JSON_C_TO_STRING_PLAIN));
}

static void
put_object(struct str *s, struct json_object *json)
{
	size_t n = 0;

	str_addc(s, '{');
	json_object_object_foreach(json, name, value)
	{
		if (n == ITEMS_MAX || s->st_len > SIZE_MAX_KEPT)
			break;
		str_add(s, n++ == 0 ? "" : ",");
		put_text(s, name);
		str_addc(s, ':');
		put(s, known_as(json, name), value);
	}
	str_addc(s, '}');
}

static void
put_array(struct str *s, struct json_object *json)
{
	const size_t n = json_object_array_length(json);
	size_t i;

	str_addc(s, '[');
	for (i = 0; i < n && i < ITEMS_MAX && s->st_len <= SIZE_MAX_KEPT; i++) {
		str_add(s, i == 0 ? "" : ",");
		put(s, "", json_object_array_get_idx(json, i));
	}
	if (i < n)
		str_addf(
		    s, "%s\"" ELLIPSIS " %zu more\"", i == 0 ? "" : ",", n - i);
	str_addc(s, ']');
}

/* A text, cut between characters where it is long. */
static void
put_text(struct str *s, const char *text)
{
	char kept[TEXT_MAX + sizeof(ELLIPSIS)];
	const size_t size = strlen(text);
	size_t n = 0, next = 0;

	if (size <= TEXT_MAX) {
		str_json(s, text);
		return;
	}
	while (next <= TEXT_MAX) {
		n = next;
		next += utf8_get(text + n, size - n, NULL);
	}
	memcpy(kept, text, n);
	memcpy(kept + n, ELLIPSIS, sizeof(ELLIPSIS));
	str_json(s, kept);
}

/* The value of an entry of a list is what the entry's subject says. */
static const char *
known_as(struct json_object *json, const char *name)
{
	struct json_object *subject;

	if (strcmp(name, "value") == 0 &&
	    json_object_object_get_ex(json, "subject", &subject) &&
	    json_object_is_type(subject, json_type_string))
		return json_object_get_string(subject);
	return name;
}

static bool
is_secret(const char *name)
{
	size_t i;

	for (i = 0; i < nitems(secrets); i++)
		if (strcasestr(name, secrets[i]) != NULL)
			return true;
	return false;
}
