/* SPDX-License-Identifier: ISC */
/* Remove secrets from the memory of processes that do not need them. */
#include "config.h"

#include <err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "core/base/array.h"
#include "lib/conf/conf.h"
#include "lib/conf/conf_secret.h"
#include "lib/conf/conf_value.h"

static void hide_value(size_t i, char *value);
static void replace_text(const char *old, const char *new);
static bool is_needed(const char *text);

/* The settings that are texts. */
static const struct {
	const char *name;
	int flags;
	const char **member;
} texts[] = {
#define TEXT_STR(name, flags) { #name, flags, &conf.name },
#define TEXT_PATH(name, flags) TEXT_STR(name, flags)
#define TEXT_INT(name, flags)
#define TEXT_REAL(name, flags)
#define TEXT_BOOL(name, flags)
#define CONF(name, type, allowed, fallback, flags, meaning)                    \
	TEXT_##type(name, flags)
#include "lib/conf/conf.tbl"
#undef CONF
};

/* The values removed from the environment. */
static char *hidden[nitems(texts)];

const char *
conf_secret_env(const char *name)
{
	const char *value = getenv(name);
	size_t i;

	for (i = 0; value == NULL && i < nitems(texts); i++)
		if (strcmp(texts[i].name, name) == 0)
			value = hidden[i];
	return value;
}

void
conf_secret_hide(void)
{
	char *value;
	size_t i;

	for (i = 0; i < nitems(texts); i++)
		if ((texts[i].flags & SECRET) != 0 &&
		    (value = getenv(texts[i].name)) != NULL)
			hide_value(i, value);
}

void
conf_secret_forget(void)
{
	const char *text;
	size_t i;

	for (i = 0; i < nitems(texts); i++) {
		text = *texts[i].member;
		if ((texts[i].flags & NO_DECIDE) == 0 || text == NULL)
			continue;

		/* All strings of conf are in writable memory. */
		if (!is_needed(text))
			explicit_bzero((void *)(uintptr_t)text, strlen(text));
		*texts[i].member = NULL;
	}
}

/* Copy one value to hidden, and overwrite it in the environment. */
static void
hide_value(size_t i, char *value)
{
	char *copy = strdup(value);

	if (copy == NULL)
		err(EX_OSERR, "%s", texts[i].name);
	replace_text(value, copy);
	if (hidden[i] != NULL) {
		replace_text(hidden[i], copy);
		explicit_bzero(hidden[i], strlen(hidden[i]));
		free(hidden[i]);
	}
	hidden[i] = copy;
	explicit_bzero(value, strlen(value));
	if (unsetenv(texts[i].name) == -1)
		err(EX_OSERR, "%s", texts[i].name);
}

/* Let settings that point to old point to new. */
static void
replace_text(const char *old, const char *new)
{
	size_t i;

	for (i = 0; i < nitems(texts); i++)
		if (*texts[i].member == old)
			*texts[i].member = new;
}

/* Whether a setting that a decide worker keeps has the same text. */
static bool
is_needed(const char *text)
{
	size_t i;

	for (i = 0; i < nitems(texts); i++)
		if ((texts[i].flags & NO_DECIDE) == 0 &&
		    *texts[i].member == text)
			return true;
	return false;
}
