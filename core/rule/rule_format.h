/* SPDX-License-Identifier: ISC */
/* Lay out the text of a ruleset. */
#ifndef CORE_RULE_RULE_FORMAT_H
#define CORE_RULE_RULE_FORMAT_H

#include <stddef.h>

struct arena;
struct str;

#define RULE_FORMAT_WIDTH 80 /* columns of a line, with tabs of 8 */

/*
 * Append len bytes of rule text, which compile, in the standard layout: an
 * empty line between rules and tests, a line for each clause, and continued
 * lines where one is longer than RULE_FORMAT_WIDTH.  Words and comments stay as
 * they are.  The layout of the result is the same text.  Memory is in arena a.
 */
void rule_format(struct arena *a, struct str *s, const char *text, size_t len);

#endif
