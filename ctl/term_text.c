/* SPDX-License-Identifier: ISC */
/* Print foreign text on a terminal: clean it, and compute its width. */
#include "config.h"

#include <sys/ioctl.h>

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/str.h"
#include "core/base/utf8.h"
#include "ctl/ctl.h"
#include "ctl/term_text.h"

#define BAR_WIDTH 20
#define NOT_UTF8 0xfffd /* the code for bytes that are not UTF-8 */

/* One character of a text. */
struct term_glyph {
	size_t size; /* bytes */
	size_t width; /* columns */
	uint32_t code;
	bool harmful;
	const char *shown; /* the text to print for it */
	size_t shown_size;
};

static struct term_glyph next_glyph(const char *p, size_t size);
static bool is_harmful(uint32_t code);
static size_t code_width(uint32_t code);

/* Ranges of characters that control a terminal or are invisible. */
static const uint32_t unseen[][2] = {
	{ 0x00, 0x1f },
	{ 0x7f, 0x9f },
	{ 0xad, 0xad },
	{ 0x61c, 0x61c },
	{ 0x200b, 0x200f },
	{ 0x2028, 0x202e },
	{ 0x2060, 0x206f },
	{ 0xfeff, 0xfeff },
	{ 0xfff9, 0xfffb },
	{ 0xe0000, 0xe007f },
};

static const struct {
	const char *word;
	const char *colour;
} colours[] = {
	{ "allow", "\033[32m" },
	{ "assigned", "\033[36m" },
	{ "block", "\033[31m" },
	{ "challenge", "\033[33m" },
	{ "deny", "\033[31m" },
	{ "fraud", "\033[31m" },
	{ "legit", "\033[32m" },
	{ "open", "\033[33m" },
	{ "review", "\033[35m" },
	{ "watch", "\033[33m" },
};

void
term_text_clean(struct str *s, const char *text)
{
	size_t i, size = text == NULL ? 0 : strlen(text);
	struct term_glyph g;

	for (i = 0; i < size; i += g.size) {
		g = next_glyph(text + i, size - i);
		str_addn(s, g.shown, g.shown_size);
	}
}

void
term_text_put(const char *text)
{
	size_t i, size = text == NULL ? 0 : strlen(text);
	struct term_glyph g;

	for (i = 0; i < size; i += g.size) {
		g = next_glyph(text + i, size - i);
		fwrite(g.shown, 1, g.shown_size, stdout);
	}
}

void
term_text_put_json(const char *json)
{
	size_t i, size = strlen(json);
	struct term_glyph g;

	for (i = 0; i < size; i += g.size) {
		g = next_glyph(json + i, size - i);
		if (!g.harmful || json[i] == '\n')
			fwrite(json + i, 1, g.size, stdout);
		else if (g.code > 0xffff)
			printf("\\u%04x\\u%04x", 0xd7c0 + (g.code >> 10),
			    0xdc00 + (g.code & 0x3ff));
		else
			printf("\\u%04x", g.code);
	}
}

size_t
term_text_width(const char *text)
{
	size_t columns;

	term_text_fit(text, SIZE_MAX, &columns);
	return columns;
}

size_t
term_text_fit(const char *text, size_t max, size_t *ret_width)
{
	size_t i, size = strlen(text);
	struct term_glyph g;

	*ret_width = 0;
	for (i = 0; i < size; i += g.size) {
		g = next_glyph(text + i, size - i);
		if (*ret_width + g.width > max)
			break;
		*ret_width += g.width;
	}
	return i;
}

size_t
term_text_terminal(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	unsigned long n;

	if (isatty(STDOUT_FILENO) != 1)
		return 0;
	if (columns != NULL && (n = strtoul(columns, NULL, 10)) > 0)
		return n;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return ws.ws_col;
	return 80;
}

void
term_text_bar(int64_t done, int64_t of)
{
	const double part = done < of ? (double)done / (double)of : 1;
	const int full = (int)(part * BAR_WIDTH);

	fprintf(stderr, "\r[%.*s%*s] %d %%", full,
	    "====================", BAR_WIDTH - full, "", (int)(100 * part));
}

const char *
term_text_colour(const char *word)
{
	size_t i;

	for (i = 0; i < nitems(colours); i++)
		if (strcmp(colours[i].word, word) == 0)
			return colours[i].colour;
	return "";
}

/* Return the first character of the size bytes at p. */
static struct term_glyph
next_glyph(const char *p, size_t size)
{
	const bool space = *p == '\t' || *p == '\n' || *p == '\r';
	struct term_glyph g = { 1, 1, NOT_UTF8, true, space ? " " : "?", 1 };
	uint32_t code;
	const size_t n = utf8_get(p, size, &code);

	if (n == 0)
		return g;
	g.size = n;
	g.code = code;
	if (is_harmful(code))
		return g;
	g.harmful = false;
	g.width = code_width(code);
	g.shown = p;
	g.shown_size = n;
	return g;
}

static bool
is_harmful(uint32_t code)
{
	size_t i;

	for (i = 0; i < nitems(unseen); i++)
		if (code >= unseen[i][0] && code <= unseen[i][1])
			return true;
	return false;
}

/* Return the width of a character; wcwidth() needs a UTF-8 locale. */
static size_t
code_width(uint32_t code)
{
	static bool has_locale;
	int n;

	if (!has_locale) {
		setlocale(LC_CTYPE, "C.UTF-8");
		has_locale = true;
	}
	n = wcwidth((wchar_t)code);
	return n < 0 ? 1 : (size_t)n;
}
