/* SPDX-License-Identifier: ISC */
/*
 * A strict parser of JSON (RFC 8259).  It makes the values of json-c itself.
 * The parser of json-c accepts more than the RFC and cuts integers at 64 bits;
 * a check before it could read a text differently.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/base/utf8.h"
#include "lib/json/body.h"
#include "lib/json/strict_json.h"

#define SURROGATE_HIGH 0xd800U
#define SURROGATE_LOW 0xdc00U
#define SURROGATE_END 0xdfffU

/* A text while it is parsed. */
struct gate {
	const char *text;
	size_t size;
	size_t at; /* the next byte */
	int lists; /* objects and arrays so far */
	/*
	 * Unescaped names and strings, one after the other.  It cannot
	 * overflow: each is at most as long as in the text, and its NUL takes
	 * the place of the closing quote.
	 */
	char *scratch;
	struct fail *fail;
};

static int gate_value(struct gate *g, int depth, struct json_object **ret);
static int gate_list(struct gate *g, int depth, struct json_object **ret);
static int gate_items(struct gate *g, int depth, struct json_object *list);
static int gate_member(struct gate *g, int depth, struct json_object *object);
static int gate_element(struct gate *g, int depth, struct json_object *array);
static int gate_string(struct gate *g, struct json_object **ret);
static int gate_text(struct gate *g, char *ret, size_t *ret_length);
static int gate_plain(struct gate *g, char *ret, size_t *n);
static int gate_escape(struct gate *g, char *ret, size_t *n);
static int gate_code(struct gate *g, uint32_t *ret);
static int gate_hex(struct gate *g, uint32_t *ret);
static int gate_literal(struct gate *g, struct json_object **ret);
static int gate_number(struct gate *g, struct json_object **ret);
static int gate_digits(struct gate *g);
static bool gate_next(struct gate *g, const char *set);
static int gate_peek(struct gate *g);
static bool gate_skip(struct gate *g, char c);
static int refuse_json(struct gate *g, size_t at, const char *what);
static int json_no_memory(struct gate *g);

/* Escapes of one character, and their values. */
static const char escapes[] = "\"\\/bfnrt";
static const char escaped[] = "\"\\/\b\f\n\r\t";

int
strict_json_read(const char *text, size_t size, char *scratch,
    struct json_object **ret, struct fail *f)
{
	struct gate g = {
		.text = text,
		.size = size,
		.scratch = scratch,
		.fail = f,
	};
	struct json_object *json;

	assert(size < INT_MAX);
	if (size == 0)
		return fail_set(
		    f, FAIL_INPUT, INVALID_JSON, NULL, "the body is empty");
	if (gate_value(&g, 0, &json) == -1)
		return -1;
	if (gate_peek(&g) != -1) {
		json_object_put(json);
		return refuse_json(&g, g.at, "something after the end");
	}
	if (json == NULL && (json = json_object_new_boolean(0)) == NULL)
		return json_no_memory(&g);
	*ret = json;
	return 0;
}

/* Parse a value inside depth objects and arrays; null gives NULL. */
static int
gate_value(struct gate *g, int depth, struct json_object **ret)
{
	int c = gate_peek(g);

	if (c == '{' || c == '[')
		return gate_list(g, depth + 1, ret);
	if (c == '"')
		return gate_string(g, ret);
	if (c == '-' || (c >= '0' && c <= '9'))
		return gate_number(g, ret);
	return gate_literal(g, ret);
}

/* Parse an object or an array, from its bracket. */
static int
gate_list(struct gate *g, int depth, struct json_object **ret)
{
	struct json_object *list;

	if (depth > BODY_DEPTH_MAX)
		return refuse_json(g, g->at, "too many levels");
	if (++g->lists > STRICT_JSON_LISTS_MAX)
		return refuse_json(g, g->at, "too many objects and arrays");
	list = g->text[g->at] == '{' ? json_object_new_object()
				     : json_object_new_array_ext(0);
	if (list == NULL)
		return json_no_memory(g);
	if (gate_items(g, depth, list) == -1) {
		json_object_put(list);
		return -1;
	}
	*ret = list;
	return 0;
}

/* Parse the brackets and the items between them. */
static int
gate_items(struct gate *g, int depth, struct json_object *list)
{
	const bool object = json_object_is_type(list, json_type_object);
	const char end = object ? '}' : ']';

	g->at++;
	if (gate_skip(g, end))
		return 0;
	do {
		if ((object ? gate_member(g, depth, list)
			    : gate_element(g, depth, list)) == -1)
			return -1;
	} while (gate_skip(g, ','));
	if (!gate_skip(g, end))
		return refuse_json(
		    g, g->at, object ? "expected , or }" : "expected , or ]");
	return 0;
}

/* Parse a name, a colon and a value, and add them to an object. */
static int
gate_member(struct gate *g, int depth, struct json_object *object)
{
	struct json_object *value;
	char *name = g->scratch;
	size_t at, length;
	int added;

	if (gate_peek(g) != '"')
		return refuse_json(g, g->at, "expected a name in quotes");
	at = g->at;
	if (gate_text(g, name, &length) == -1)
		return -1;
	if (json_object_object_get_ex(object, name, NULL))
		return refuse_json(g, at, "duplicate name");
	if (!gate_skip(g, ':'))
		return refuse_json(g, g->at, "expected a colon");

	/* Keep the name in scratch while the value is read. */
	g->scratch = name + length + 1;
	if (gate_value(g, depth, &value) == -1)
		return -1;
	g->scratch = name;
	added = json_object_object_add_ex(
	    object, name, value, JSON_C_OBJECT_ADD_KEY_IS_NEW);
	if (added == -1) {
		json_object_put(value);
		return json_no_memory(g);
	}
	return 0;
}

/* Parse a value and add it to an array. */
static int
gate_element(struct gate *g, int depth, struct json_object *array)
{
	struct json_object *value;

	if (gate_value(g, depth, &value) == -1)
		return -1;
	if (json_object_array_add(array, value) == -1) {
		json_object_put(value);
		return json_no_memory(g);
	}
	return 0;
}

/* Parse a string value. */
static int
gate_string(struct gate *g, struct json_object **ret)
{
	size_t length;

	if (gate_text(g, g->scratch, &length) == -1)
		return -1;
	*ret = json_object_new_string_len(g->scratch, (int)length);
	return *ret == NULL ? json_no_memory(g) : 0;
}

/* Parse a string from its quote; write it to ret, unescaped and with a NUL. */
static int
gate_text(struct gate *g, char *ret, size_t *ret_length)
{
	const size_t start = g->at++;
	size_t n = 0;
	char c;

	for (;;) {
		if (gate_plain(g, ret, &n) == -1)
			return -1;
		if (g->at == g->size)
			return refuse_json(g, start, "a string without end");
		c = g->text[g->at];
		if (c == '"')
			break;
		if (c != '\\')
			return refuse_json(g, g->at, "control character");
		if (gate_escape(g, ret, &n) == -1)
			return -1;
	}
	g->at++;
	ret[n] = '\0';
	*ret_length = n;
	return 0;
}

/* Append characters without escapes to the *n bytes at ret. */
static int
gate_plain(struct gate *g, char *ret, size_t *n)
{
	const char *text = g->text;
	size_t at = g->at, length;
	unsigned char c;

	for (; at < g->size; at += length) {
		c = (unsigned char)text[at];
		if (c < 0x20 || c == '"' || c == '\\')
			break;
		length = 1;
		if (c < 0x80)
			continue;
		length = utf8_get(text + at, g->size - at, NULL);
		if (length == 0)
			return refuse_json(g, at, "bad UTF-8");
	}
	length = at - g->at;
	memcpy(ret + *n, text + g->at, length);
	*n += length;
	g->at = at;
	return 0;
}

/* Append the character of one escape to the *n bytes at ret. */
static int
gate_escape(struct gate *g, char *ret, size_t *n)
{
	const size_t start = g->at;
	const char *found;
	uint32_t code;
	char c;

	c = g->size - start < 2 ? '\0' : g->text[start + 1];
	if (c == 'u') {
		if (gate_code(g, &code) == -1)
			return -1;
		*n += utf8_put(code, ret + *n);
		return 0;
	}
	found = c == '\0' ? NULL : strchr(escapes, c);
	if (found == NULL)
		return refuse_json(g, start, "unknown escape");
	ret[(*n)++] = escaped[found - escapes];
	g->at += 2;
	return 0;
}

/* Parse the code point of a \u escape, or of two for a surrogate pair. */
static int
gate_code(struct gate *g, uint32_t *ret)
{
	const size_t start = g->at;
	uint32_t low;

	if (gate_hex(g, ret) == -1)
		return -1;
	if (*ret == 0)
		return refuse_json(g, start, "NUL in a string");
	if (*ret < SURROGATE_HIGH || *ret > SURROGATE_END)
		return 0;
	if (*ret >= SURROGATE_LOW || g->size - g->at < 2 ||
	    memcmp(g->text + g->at, "\\u", 2) != 0)
		return refuse_json(g, start, "lone surrogate");
	if (gate_hex(g, &low) == -1)
		return -1;
	if (low < SURROGATE_LOW || low > SURROGATE_END)
		return refuse_json(g, start, "lone surrogate");
	*ret =
	    0x10000 + ((*ret - SURROGATE_HIGH) << 10) + (low - SURROGATE_LOW);
	return 0;
}

/* Parse a \u escape with its four digits, from its backslash. */
static int
gate_hex(struct gate *g, uint32_t *ret)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *p = g->text + g->at + 2, *found;
	int i;

	if (g->size - g->at < 6)
		return refuse_json(g, g->at, "unknown escape");
	for (*ret = 0, i = 0; i < 4; i++) {
		found = p[i] == '\0' ? NULL : strchr(digits, p[i]);
		if (found == NULL)
			return refuse_json(g, g->at, "unknown escape");
		*ret = *ret << 4 | (uint32_t)((found - digits) & 15);
	}
	g->at += 6;
	return 0;
}

/* Parse true, false or null. */
static int
gate_literal(struct gate *g, struct json_object **ret)
{
	static const char *const words[] = { "false", "true", "null" };
	size_t i, length;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		length = strlen(words[i]);
		if (g->size - g->at < length ||
		    memcmp(g->text + g->at, words[i], length) != 0)
			continue;
		g->at += length;
		*ret = i == 2 ? NULL : json_object_new_boolean(i == 1);
		return i < 2 && *ret == NULL ? json_no_memory(g) : 0;
	}
	return refuse_json(g, g->at, "expected a value");
}

/*
 * Parse a number.  One that fits int64 becomes an integer; any other, and -0,
 * becomes a double that keeps its text.  A number too small for a double
 * becomes 0; one too large is refused.
 */
static int
gate_number(struct gate *g, struct json_object **ret)
{
	const size_t start = g->at;
	bool integer = true;
	char *text = g->scratch;
	double number;
	int64_t n;

	/* The grammar: sign, integer, fraction, exponent. */
	(void)gate_next(g, "-");
	if (!gate_next(g, "0") && gate_digits(g) == -1)
		return -1;
	if (gate_next(g, ".")) {
		integer = false;
		if (gate_digits(g) == -1)
			return -1;
	}
	if (gate_next(g, "eE")) {
		integer = false;
		(void)gate_next(g, "+-");
		if (gate_digits(g) == -1)
			return -1;
	}

	memcpy(text, g->text + start, g->at - start);
	text[g->at - start] = '\0';
	errno = 0;
	n = integer ? strtoll(text, NULL, 10) : 0;
	if (integer && errno == 0 && !(n == 0 && text[0] == '-')) {
		*ret = json_object_new_int64(n);
		return *ret == NULL ? json_no_memory(g) : 0;
	}
	number = strtod(text, NULL);
	if (isinf(number))
		return refuse_json(
		    g, start, "a number beyond the range of double");
	*ret = json_object_new_double_s(number, text);
	return *ret == NULL ? json_no_memory(g) : 0;
}

/* Consume one digit or more. */
static int
gate_digits(struct gate *g)
{
	static const char digits[] = "0123456789";

	if (!gate_next(g, digits))
		return refuse_json(g, g->at, "expected a digit");
	while (gate_next(g, digits))
		;
	return 0;
}

/* Consume the next byte if it is in set. */
static bool
gate_next(struct gate *g, const char *set)
{
	if (g->at == g->size || g->text[g->at] == '\0' ||
	    strchr(set, g->text[g->at]) == NULL)
		return false;
	g->at++;
	return true;
}

/* Skip white space; return the next byte, or -1 at the end. */
static int
gate_peek(struct gate *g)
{
	while (gate_next(g, " \t\n\r"))
		;
	return g->at == g->size ? -1 : (unsigned char)g->text[g->at];
}

/* Skip white space; consume the next byte if it is c. */
static bool
gate_skip(struct gate *g, char c)
{
	if (gate_peek(g) != c)
		return false;
	g->at++;
	return true;
}

static int
refuse_json(struct gate *g, size_t at, const char *what)
{
	return fail_set(g->fail, FAIL_INPUT, INVALID_JSON, NULL,
	    "%s at byte %zu", what, at);
}

static int
json_no_memory(struct gate *g)
{
	return fail_memory(g->fail);
}
