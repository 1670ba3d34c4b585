/* SPDX-License-Identifier: ISC */
/* The difference of two texts, line by line. */
#ifndef CTL_REQUEST_TEXT_DIFF_H
#define CTL_REQUEST_TEXT_DIFF_H

struct arena;
struct str;

/*
 * Append the hunks of the unified diff of two texts to s; nothing if they have
 * the same lines.  NULL is an empty text.  If a has no room to compare them,
 * the diff replaces all lines between their equal ends.  Return 0, or -1 if a
 * has no room for the diff.
 */
int text_diff(struct str *s, const char *before, const char *after,
    struct arena *a) __attribute__((warn_unused_result));

/*
 * Print the hunks to standard output, cleaned for a terminal, after a title if
 * there is one and the texts differ.  Return 0, or -1 if a has no room.
 */
int text_diff_print(const char *title, const char *before, const char *after,
    struct arena *a) __attribute__((warn_unused_result));

#endif
