/* SPDX-License-Identifier: ISC */
/* Secrets that the service manager provides, each in a file with its name. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/sys/credential.h"

static ssize_t refuse_credential(
    const char *name, const char *why, struct fail *f);

ssize_t
credential_read(const char *dir, const char *prefix, const char *name,
    char *buffer, size_t size, struct fail *f)
{
	char path[PATH_MAX];
	bool failed;
	FILE *file;
	size_t i, n;

	if (snprintf(path, sizeof(path), "%s/%s%s", dir, prefix, name) >=
	    (int)sizeof(path))
		return refuse_credential(name, strerror(ENAMETOOLONG), f);
	if ((file = fopen(path, "re")) == NULL)
		return errno == ENOENT
		    ? 0
		    : refuse_credential(name, strerror(errno), f);
	n = fread(buffer, 1, size, file);
	failed = ferror(file) != 0;
	fclose(file);
	if (failed)
		return refuse_credential(name, "it cannot be read", f);
	if (n == size)
		return refuse_credential(name, "it is too long", f);
	if (n > 0 && buffer[n - 1] == '\n')
		n--;
	for (i = 0; i < n; i++)
		if (iscntrl((unsigned char)buffer[i]))
			return refuse_credential(
			    name, "it is not one line of text", f);
	buffer[n] = '\0';
	return (ssize_t)n + 1;
}

static ssize_t
refuse_credential(const char *name, const char *why, struct fail *f)
{
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, name,
	    "has a credential, but %s", why);
}
