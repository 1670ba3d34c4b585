/* SPDX-License-Identifier: ISC */
/* Build text in an arena, with the JSON forms of strings and values. */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/base/value.h"

#define FIRST_SIZE ((size_t)256)

void
str_init(struct str *s, struct arena *a)
{
	memset(s, 0, sizeof(*s));
	s->arena = a;
}

int
str_reserve(struct str *s, size_t n)
{
	char *bigger;
	size_t cap;

	if (s->failed)
		return -1;
	if (s->text != NULL && n < s->cap - s->len)
		return 0;

	/* Double the size, so that few copies of the text are needed. */
	cap = s->cap == 0 ? FIRST_SIZE : s->cap * 2;
	while (cap - s->len <= n && cap < SIZE_MAX / 4)
		cap *= 2;
	bigger = cap - s->len <= n ? NULL : arena_alloc(s->arena, cap);
	if (bigger == NULL) {
		s->failed = 1;
		return -1;
	}
	if (s->len > 0)
		memcpy(bigger, s->text, s->len);
	bigger[s->len] = '\0';
	s->text = bigger;
	s->cap = cap;
	return 0;
}

void
str_add(struct str *s, const char *text)
{
	str_addn(s, text, strlen(text));
}

void
str_addn(struct str *s, const char *p, size_t n)
{
	if (str_reserve(s, n) == -1)
		return;
	memcpy(s->text + s->len, p, n);
	s->len += n;
	s->text[s->len] = '\0';
}

void
str_addc(struct str *s, char c)
{
	str_addn(s, &c, 1);
}

void
str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	/* Measure the text, reserve space, and print it. */
	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || str_reserve(s, (size_t)n) == -1) {
		s->failed = 1;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(s->text + s->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	s->len += (size_t)n;
}

void
str_json(struct str *s, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *p, *run;
	char esc[6] = { '\\', 'u', '0', '0', 0, 0 };

	if (text == NULL) {
		str_add(s, "null");
		return;
	}

	/* Copy runs of plain bytes; escape quotes, backslashes and controls. */
	str_addc(s, '"');
	for (p = run = (const unsigned char *)text; *p != '\0'; p++) {
		if (*p >= 0x20 && *p != '"' && *p != '\\' && *p != 0x7f)
			continue;
		str_addn(s, (const char *)run, (size_t)(p - run));
		run = p + 1;
		if (*p == '"' || *p == '\\') {
			str_addc(s, '\\');
			str_addc(s, (char)*p);
		} else {
			esc[4] = hex[*p >> 4];
			esc[5] = hex[*p & 15];
			str_addn(s, esc, sizeof(esc));
		}
	}
	str_addn(s, (const char *)run, (size_t)(p - run));
	str_addc(s, '"');
}

void
str_int(struct str *s, int64_t n)
{
	char digits[24];
	char *p = digits + sizeof(digits);
	uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	do
		*--p = (char)('0' + u % 10);
	while ((u /= 10) > 0);
	if (n < 0)
		*--p = '-';
	str_addn(s, p, (size_t)(digits + sizeof(digits) - p));
}

void
str_number(struct str *s, double n)
{
	char text[32];
	int digits;

	if (!isfinite(n)) {
		str_add(s, "null");
		return;
	}

	/* Most numbers are small integers. */
	if (n == trunc(n) && fabs(n) < 1e15 && !(n == 0 && signbit(n))) {
		str_int(s, (int64_t)n);
		return;
	}
	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, n);
		if (strtod(text, NULL) == n)
			break;
	}
	str_add(s, text);
}

void
str_value(struct str *s, const struct value *v)
{
	switch (v->type) {
	case VALUE_NUMBER:
		str_number(s, v->number);
		break;
	case VALUE_STRING:
		str_json(s, v->string);
		break;
	case VALUE_BOOL:
		str_add(s, v->flag ? "true" : "false");
		break;
	case VALUE_UNKNOWN:
	case VALUE__MAX:
		str_add(s, "null");
		break;
	}
}

const char *
str_text(const struct str *s)
{
	if (s->failed)
		return NULL;
	return s->text == NULL ? "" : s->text;
}
