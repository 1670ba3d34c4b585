/* SPDX-License-Identifier: ISC */
/* Text from outside on a terminal: harmless, and as wide as it looks. */
#ifndef CTL_TERM_TEXT_H
#define CTL_TERM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

/*
 * Append text to s with a space for each line end or tab and "?" for what a
 * terminal would obey or a reader could not see: control characters, those
 * that turn the direction, bytes that are no UTF-8.  NULL is empty.
 */
void term_text_clean(struct str *s, const char *text);

/* The same to standard output. */
void term_text_put(const char *text);

/*
 * JSON to standard output: what term_text_clean() replaces is written as an
 * escape, which says the same.
 */
void term_text_put_json(const char *json);

/* How many columns clean text takes. */
size_t term_text_width(const char *text);

/*
 * How many bytes of clean text fit into width columns; *ret_width is how many
 * these take.
 */
size_t term_text_fit(const char *text, size_t width, size_t *ret_width);

/* Columns of the terminal on standard output, 0 where that is none. */
size_t term_text_terminal(void);

/* Draw how much is done, on standard error, over the line that is there. */
void term_text_bar(int64_t done, int64_t of);

/* The colour of a state or a verdict as an escape sequence, "" without one. */
const char *term_text_colour(const char *word);

#define TERM_TEXT_PLAIN "\033[0m" /* the end of a colour */
#define TERM_TEXT_BOLD "\033[1m"

#endif
