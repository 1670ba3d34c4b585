/* SPDX-License-Identifier: ISC */
/* Read directives of a site of nginx.  Pure. */
#include "config.h"

#include <string.h>

#include "ctl/doctor/site_value.h"

#define BLANKS " \t\r\n"

char *
site_value(char **at, const char *name)
{
	const size_t len = strlen(name);
	char *line, *value;

	while ((line = strsep(at, "\n")) != NULL) {
		line += strspn(line, BLANKS);
		if (strncmp(line, name, len) != 0 ||
		    strspn(line + len, BLANKS) == 0)
			continue;
		value = line + len + strspn(line + len, BLANKS);
		value[strcspn(value, ";" BLANKS)] = '\0';
		return value;
	}
	return NULL;
}
