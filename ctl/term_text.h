/* SPDX-License-Identifier: ISC */
/* Print foreign text on a terminal: clean it, and compute its width. */
#ifndef CTL_TERM_TEXT_H
#define CTL_TERM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

/*
 * Append text to s, cleaned: a space replaces each line end or tab; "?"
 * replaces each other control character, each character that is invisible or
 * changes the direction of text, and each byte that is not UTF-8.  NULL is "".
 */
void term_text_clean(struct str *s, const char *text);

/* Print text to standard output, cleaned. */
void term_text_put(const char *text);

/*
 * Print JSON to standard output.  Characters that term_text_clean() replaces
 * are printed as \u escapes, so the JSON keeps its meaning.
 */
void term_text_put_json(const char *json);

/* Return the width of clean text in columns. */
size_t term_text_width(const char *text);

/*
 * Return the number of bytes of clean text that fit into width columns;
 * *ret_width is the number of columns that they take.
 */
size_t term_text_fit(const char *text, size_t width, size_t *ret_width);

/* Return the columns of the terminal, 0 if standard output is not one. */
size_t term_text_terminal(void);

/* Draw a progress bar on standard error, over the current line. */
void term_text_bar(int64_t done, int64_t of);

/* Return the escape sequence for a state or a verdict, "" if it has none. */
const char *term_text_colour(const char *word);

#define TERM_TEXT_PLAIN "\033[0m" /* the end of a colour */
#define TERM_TEXT_BOLD "\033[1m"

#endif
