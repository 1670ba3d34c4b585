/* SPDX-License-Identifier: ISC */
/* Files of NAME=value lines. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/conf/conf_file.h"

#define FILE_MAX ((size_t)65536)

static int parse_assignment(char *line, char **ret_name, char **ret_value);
static char *unquote_value(char *value);
static char *trim_space(char *s);

char *
conf_file_read(const char *path, struct fail *f)
{
	FILE *file;
	char *text;
	size_t n;

	if ((file = fopen(path, "re")) == NULL) {
		fail_set(f, FAIL_INPUT, INVALID_REQUEST, path, "%s",
		    strerror(errno));
		return NULL;
	}
	if ((text = malloc(FILE_MAX)) == NULL) {
		fail_memory(f);
		goto done;
	}
	n = fread(text, 1, FILE_MAX, file);
	if (ferror(file) || n == FILE_MAX || memchr(text, '\0', n) != NULL) {
		fail_set(f, FAIL_INPUT, INVALID_REQUEST, path,
		    "is not a text file of less than %zu bytes", FILE_MAX);
		free(text);
		text = NULL;
		goto done;
	}
	text[n] = '\0';
done:
	fclose(file);
	return text;
}

int
conf_file_next(char **text, int *line, char **ret_name, char **ret_value)
{
	char *s;

	while ((s = strsep(text, "\n")) != NULL) {
		++*line;
		s = trim_space(s);
		if (*s != '\0' && *s != '#' && *s != ';')
			return parse_assignment(s, ret_name, ret_value);
	}
	return 0;
}

static int
parse_assignment(char *line, char **ret_name, char **ret_value)
{
	char *equal = strchr(line, '=');

	if (equal == NULL || equal == line)
		return -1;
	*equal = '\0';
	*ret_name = trim_space(line);
	*ret_value = unquote_value(trim_space(equal + 1));
	return *ret_value == NULL ? -1 : 1;
}

/*
 * Remove the quotes around a value and the backslashes in it, in place; in
 * single quotes a backslash is literal.  Returns NULL if the value does not
 * end where the line ends.
 */
static char *
unquote_value(char *value)
{
	const char quote = *value == '"' || *value == '\'' ? *value : '\0';
	char *from = quote == '\0' ? value : value + 1;
	char *to = value;

	while (*from != quote) {
		if (*from == '\\' && quote != '\'')
			from++;
		if (*from == '\0')
			return NULL;
		*to++ = *from++;
	}
	if (quote != '\0' && from[1] != '\0')
		return NULL;
	*to = '\0';
	return value;
}

/* Remove white space at both ends, in place. */
static char *
trim_space(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	for (n = strlen(s); n > 0 && strchr(" \t\r", s[n - 1]) != NULL; n--)
		s[n - 1] = '\0';
	return s;
}
