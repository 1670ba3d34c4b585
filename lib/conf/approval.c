/* SPDX-License-Identifier: ISC */
/* The subjects whose changes a second person must approve. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "core/base/writer.h"
#include "lib/conf/approval.h"

static const char *next_word(const char *at, enum approval *ret);

static const char *const words[APPROVAL__MAX] = {
#define APPROVAL(id, word) [APPROVAL_##id] = (word),
#include "lib/conf/approvals.tbl"
#undef APPROVAL
};

const char *
approval_word(enum approval subject)
{
	return words[subject];
}

bool
approval_named(const char *setting, enum approval subject)
{
	enum approval found;

	while (setting != NULL && subject != APPROVAL_NONE) {
		setting = next_word(setting, &found);
		if (found == subject)
			return true;
	}
	return false;
}

void
approval_list(struct str *s, const char *setting)
{
	enum approval a;

	writer_array(s, NULL);
	for (a = APPROVAL_NONE + 1; a < APPROVAL__MAX; a++)
		if (approval_named(setting, a))
			writer_text(s, NULL, words[a]);
	writer_end(s);
}

bool
approval_setting_valid(const char *setting)
{
	enum approval found;

	while (setting != NULL) {
		setting = next_word(setting, &found);
		if (found == APPROVAL_NONE)
			return false;
	}
	return true;
}

/*
 * Set *ret to the subject of the word that begins at, APPROVAL_NONE for an
 * unknown one.  Return the next word, NULL after the last.
 */
static const char *
next_word(const char *at, enum approval *ret)
{
	const size_t size = strcspn(at, ",");
	enum approval s;

	*ret = APPROVAL_NONE;
	for (s = APPROVAL_NONE + 1; s < APPROVAL__MAX; s++)
		if (strlen(words[s]) == size &&
		    strncmp(words[s], at, size) == 0)
			*ret = s;
	return at[size] == ',' ? at + size + 1 : NULL;
}
