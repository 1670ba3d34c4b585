/* SPDX-License-Identifier: ISC */
/* Warn about rules that compile but are probably a mistake. */
#ifndef CORE_RULE_RULE_WARN_H
#define CORE_RULE_RULE_WARN_H

#include <stddef.h>

struct ruleset;
struct str;

/*
 * Append to s why the rule with the index n deserves a look: it compares a
 * signal with a text that this never is, or with one that begins or ends with a
 * blank; its comparisons contradict each other, so that it never fires; an
 * operand of "&&" or "||" is there twice; or an earlier rule has the same
 * condition.  Append the first of these that holds, or nothing.  A warning is
 * always true, but not every such rule is found.
 */
void rule_warn(struct str *s, const struct ruleset *rs, size_t n);

#endif
