/* SPDX-License-Identifier: ISC */
/* Checks of the settings MODEL_* and GEOIP_*. */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "lib/conf/conf.h"
#include "lib/conf/conf_source.h"
#include "lib/conf/url_check.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
#define CHECKSUM_DIGITS 64 /* of SHA-256 */
#define SIGNS "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

static const char *check_word(size_t i, const char *value);
static bool has_path(const char *url);

/* The allowed characters and sizes of words. */
static const struct {
	const char *name;
	const char *allowed; /* NULL: all except control characters */
	size_t max; /* bytes */
	const char *why;
} words[] = {
	{ "GEOIP_ACCOUNT_ID", DIGITS, 20, "must be at most 20 digits" },
	{ "GEOIP_LICENSE_KEY", LETTERS DIGITS SIGNS, 256,
	    "must be at most 256 characters of visible ASCII" },
	{ "MODEL_S3_ACCESS_KEY_ID", LETTERS DIGITS SIGNS, 128,
	    "must be at most 128 characters of visible ASCII" },
	{ "MODEL_S3_BUCKET", LETTERS DIGITS "-._", 255,
	    "must be at most 255 letters, digits, hyphens, dots and "
	    "underscores" },
	{ "MODEL_S3_KEY", NULL, 1024,
	    "must be at most 1024 bytes without control characters" },
	{ "MODEL_S3_REGION", LETTERS DIGITS "-_", 64,
	    "must be at most 64 letters, digits, hyphens and underscores" },
	{ "MODEL_S3_SECRET_ACCESS_KEY", LETTERS DIGITS SIGNS, 256,
	    "must be at most 256 characters of visible ASCII" },
	{ "MODEL_S3_SESSION_TOKEN", LETTERS DIGITS SIGNS, 8192,
	    "must be at most 8192 characters of visible ASCII" },
};

const char *
conf_source_word(const char *name, const char *value, const struct conf *next)
{
	size_t i;

	(void)next;
	for (i = 0; i < nitems(words); i++)
		if (strcmp(name, words[i].name) == 0)
			return check_word(i, value);
	return NULL;
}

/* A private address is allowed: the operator chose the server. */
const char *
conf_source_url(const char *name, const char *value, const struct conf *next)
{
	unsigned flags = URL_CHECK_PRIVATE;

	(void)name;
	if (next->ALLOW_PRIVATE_TARGETS)
		flags |= URL_CHECK_HTTP;
	return url_check_error(value, flags);
}

const char *
conf_source_endpoint(
    const char *name, const char *value, const struct conf *next)
{
	const char *why = conf_source_url(name, value, next);

	return why == NULL && has_path(value)
	    ? "must end after the host, or its port"
	    : why;
}

const char *
conf_source_checksum(
    const char *name, const char *value, const struct conf *next)
{
	(void)name;
	(void)next;
	if (strcmp(value, "beside") == 0 || strcmp(value, "none") == 0 ||
	    (strlen(value) == CHECKSUM_DIGITS &&
		strspn(value, DIGITS "abcdefABCDEF") == CHECKSUM_DIGITS))
		return NULL;
	return "must be 64 hexadecimal digits, beside or none";
}

static const char *
check_word(size_t i, const char *value)
{
	const char *s;
	size_t n;

	for (s = value; words[i].allowed == NULL && *s != '\0'; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return words[i].why;
	n = words[i].allowed == NULL ? strlen(value)
				     : strspn(value, words[i].allowed);
	return value[n] != '\0' || n > words[i].max ? words[i].why : NULL;
}

/* Whether a valid URL has more than a slash after its host. */
static bool
has_path(const char *url)
{
	const char *rest = strstr(url, "://") + 3;

	rest += strcspn(rest, "/?");
	return *rest != '\0' && strcmp(rest, "/") != 0;
}
