/* SPDX-License-Identifier: ISC */
/* What the answer of a receiver means for a delivery. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/utf8.h"
#include "cron/delivery_answer.h"

#define SECRET_MIN 8 /* bytes of a part of a URL that may be a secret */
#define HIDDEN "..."
#define URL_MARKS "/?&=#:%" /* between parts */

static bool says_no(const struct delivery_reply *re);
static bool is_final(const struct delivery_reply *re);
static void add_words(const struct delivery_reply *re, char *ret, size_t size);
static size_t secret_at(const char *url, const char *p, size_t n);

/* Statuses after which a repetition is useless; form NULL: for every form. */
static const struct {
	const char *form;
	int status;
} finals[] = {
	{ NULL, 404 },
	{ NULL, 410 },
	{ "slack", 400 },
	{ "slack", 403 },
	{ "telegram", 400 }, /* also: the group has another id now */
	{ "telegram", 401 },
	{ "telegram", 403 },
};

/*
 * Bodies of chats that refuse an alert with a status of 200: how they begin,
 * and whether a number other than 0 must follow.
 */
static const struct {
	const char *begin;
	bool number;
} refusals[] = {
	{ "{\"errcode\":", true }, /* DingTalk, WeCom */
	{ "{\"ok\":false", false },
	{ "Webhook message delivery failed", false }, /* Microsoft Teams */
};

enum delivery_answer
delivery_answer(
    const struct delivery_reply *re, char ret_error[DELIVERY_ANSWER_ERROR_SIZE])
{
	const bool good = re->status >= 200 && re->status <= 299;
	int n;

	ret_error[0] = '\0';
	if (good && !says_no(re))
		return DELIVERY_ANSWER_TAKEN;
	n = snprintf(
	    ret_error, DELIVERY_ANSWER_ERROR_SIZE, "status %d", re->status);
	add_words(re, ret_error + n, DELIVERY_ANSWER_WORDS + 3);
	return is_final(re) ? DELIVERY_ANSWER_REFUSED : DELIVERY_ANSWER_FAILED;
}

static bool
says_no(const struct delivery_reply *re)
{
	const char *next;
	size_t i, n;

	if (re->body == NULL || strcmp(re->form, "endpoint") == 0)
		return false;
	for (i = 0; i < nitems(refusals); i++) {
		n = strlen(refusals[i].begin);
		if (re->size < n || memcmp(re->body, refusals[i].begin, n) != 0)
			continue;
		next = re->body + n + strspn(re->body + n, " ");
		return !refusals[i].number || *next == '-' ||
		    (*next >= '1' && *next <= '9');
	}
	return false;
}

static bool
is_final(const struct delivery_reply *re)
{
	size_t i;

	for (i = 0; i < nitems(finals); i++)
		if (finals[i].status == re->status &&
		    (finals[i].form == NULL ||
			strcmp(finals[i].form, re->form) == 0))
			return true;
	return false;
}

/* Write ": " and the beginning of the body to ret, or "" without a visible one.
 */
static void
add_words(const struct delivery_reply *re, char *ret, size_t size)
{
	const char *p = re->body, *end = p == NULL ? NULL : p + re->size;
	size_t at = 0, n, add;
	bool blank = false;
	uint32_t code = 0;
	const char *word;

	ret[0] = '\0';
	while (p < end) {
		word = p;
		if ((n = secret_at(re->url, p, (size_t)(end - p))) > 0) {
			word = HIDDEN;
			add = strlen(HIDDEN);
		} else if ((n = add = utf8_get(p, (size_t)(end - p), &code)) ==
		    0) {
			word = "?";
			n = add = 1;
		} else if (code < 0x20 || (code >= 0x7f && code < 0xa0) ||
		    utf8_is_blank(code)) {
			blank = true;
			p += n;
			continue;
		}
		if (at + (at == 0 ? 2 : blank) + add >= size)
			break;
		if (at == 0)
			ret[at++] = ':';
		if (at == 1 || blank)
			ret[at++] = ' ';
		memcpy(ret + at, word, add);
		at += add;
		blank = false;
		p += n;
	}
	ret[at] = '\0';
}

/*
 * Return the length of the part of the URL, behind its host, that the n bytes
 * at p begin with, or 0.  A part does not contain percent-encoded bytes,
 * because a receiver may have decoded them.
 */
static size_t
secret_at(const char *url, const char *p, size_t n)
{
	const char *part = strstr(url, "://");
	size_t size;

	if (part != NULL)
		part = strpbrk(part + 3, "/?#");
	while (part != NULL && *part != '\0') {
		part += *part == '%' && strlen(part) > 2 ? 3 : 1;
		size = strcspn(part, URL_MARKS);
		if (size >= SECRET_MIN && size <= n &&
		    memcmp(part, p, size) == 0)
			return size;
		part += size;
	}
	return 0;
}
