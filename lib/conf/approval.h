/* SPDX-License-Identifier: ISC */
/* The subjects whose changes a second person must approve. */
#ifndef LIB_CONF_APPROVAL_H
#define LIB_CONF_APPROVAL_H

#include <stdbool.h>

struct str;

enum approval {
	APPROVAL_NONE = 0,
#define APPROVAL(id, word) APPROVAL_##id,
#include "lib/conf/approvals.tbl"
#undef APPROVAL
	APPROVAL__MAX
};

/* Return the word of a subject in approvals.tbl. */
const char *approval_word(enum approval subject);

/*
 * Return whether a value of FOUR_EYES, words separated by commas, names the
 * subject.  NULL names none, and none names APPROVAL_NONE.
 */
bool approval_named(const char *setting, enum approval subject);

/* Append the subjects that a value of FOUR_EYES names, as a JSON array. */
void approval_list(struct str *s, const char *setting);

/* Return whether every word of a value of FOUR_EYES is in approvals.tbl. */
bool approval_setting_valid(const char *setting);

#endif
