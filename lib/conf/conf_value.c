/* SPDX-License-Identifier: ISC */
/* Read the values of settings into struct conf, and check them. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/event/event.h"
#include "core/event/placeholder.h"
#include "lib/conf/approval.h"
#include "lib/conf/conf.h"
#include "lib/conf/conf_value.h"
#include "lib/conf/redis_url.h"
#include "lib/sys/disk.h"

#define SECRET_MIN 32 /* bytes: the size of HMAC-SHA256 */

static int read_path(const char *value, void *member, char *why);
static int read_bool(const char *value, void *member, char *why);
static int read_integer(
    const struct conf_setting *s, const char *value, int64_t *ret, char *why);
static int read_real(
    const struct conf_setting *s, const char *value, double *ret, char *why);
static int check_words(const char *const *words, const char *value, char *why);
static const char *weak_secret(const char *secret, size_t size, bool strict);
static bool contains_word(const char *text, size_t size, const char *word);
static int say_why(char *why, const char *text);

/* Placeholders of examples, in any case: a secret must contain none. */
static const char *const placeholders[] = {
	"change-me",
	"change_me",
	"changeme",
	"changethis",
	"default",
	"example",
	"insecure",
	"password",
	"placeholder",
	"replace",
	"secret",
	"your-",
	"your_",
};

int
conf_value_read(const struct conf_setting *s, const char *value,
    struct conf *next, char why[CONF_WHY_SIZE])
{
	void *member = (char *)next + s->offset;

	switch (s->type) {
	case CONF_STR_:
		*(const char **)member = value;
		return 0;
	case CONF_PATH_:
		return read_path(value, member, why);
	case CONF_INT_:
		return value == NULL ? 0 : read_integer(s, value, member, why);
	case CONF_REAL_:
		return read_real(s, value, member, why);
	case CONF_BOOL_:
	default:
		return read_bool(value, member, why);
	}
}

int
conf_value_check(const struct conf_setting *s, const char *value,
    const struct conf *next, char why[CONF_WHY_SIZE])
{
	const char *reason;

	if (s->allowed.words != NULL)
		return check_words(s->allowed.words, value, why);
	if (s->allowed.check == NULL ||
	    (reason = s->allowed.check(s->name, value, next)) == NULL)
		return 0;
	return say_why(why, reason);
}

const char *
conf_value_text(
    enum conf_type type, const void *member, char text[CONF_TEXT_SIZE])
{
	switch (type) {
	case CONF_INT_:
		snprintf(text, CONF_TEXT_SIZE, "%lld",
		    (long long)*(const int64_t *)member);
		return text;
	case CONF_REAL_:
		snprintf(
		    text, CONF_TEXT_SIZE, "%.15g", *(const double *)member);
		return text;
	case CONF_BOOL_:
		return *(const bool *)member ? "true" : "false";
	case CONF_STR_:
	case CONF_PATH_:
	default:
		return *(const char *const *)member;
	}
}

/* A comma-separated list of words of approvals.tbl. */
const char *
conf_value_approvals(
    const char *name, const char *value, const struct conf *next)
{
	(void)name;
	(void)next;
	return approval_setting_valid(value)
	    ? NULL
	    : "must be words of rules, policies, shadow, retention, erasure, "
	      "lists, separated by commas";
}

/* A comma-separated list of names of attributes, as an event may have them. */
const char *
conf_value_attributes(
    const char *name, const char *value, const struct conf *next)
{
	size_t n, size;

	(void)name;
	(void)next;
	for (n = 1;; n++, value += size + 1) {
		size = strcspn(value, ",");
		if (size < 1 || size > EVENT_ATTR_NAME_MAX ||
		    strcspn(value, " \t") < size || n > EVENT_ATTRS_MAX)
			return "must be up to 64 names of 1 to 64 bytes, "
			       "without blanks, separated by commas";
		if (value[size] == '\0')
			return NULL;
	}
}

/* A connection string of one server. */
const char *
conf_value_one_server(
    const char *name, const char *value, const struct conf *next)
{
	(void)name;
	(void)next;
	return strchr(value, ',') == NULL
	    ? NULL
	    : "must name one server; write a comma in a password as %2C";
}

/* A comma-separated list of directories, for lib/sys/disk.h. */
const char *
conf_value_paths(const char *name, const char *value, const struct conf *next)
{
	(void)name;
	(void)next;
	return disk_paths_valid(value)
	    ? NULL
	    : "must be at most 8 absolute paths of up to 127 bytes";
}

/* A list that placeholders_read() accepts. */
const char *
conf_value_placeholders(
    const char *name, const char *value, const struct conf *next)
{
	struct placeholders read;

	(void)name;
	(void)next;
	return placeholders_read(value, &read) == 0
	    ? NULL
	    : "must be up to 64 of device:VALUE, fingerprint:VALUE, "
	      "phone:NUMBER and ip:NETWORK, separated by commas";
}

/* A URL that redis_url_parse() accepts. */
const char *
conf_value_redis(const char *name, const char *value, const struct conf *next)
{
	struct redis_url url;
	const char *why = NULL;

	(void)name;
	(void)next;
	return redis_url_parse(value, &url, &why) == 0 ? NULL : why;
}

/* A comma-separated list of secrets, each of them hard to guess. */
const char *
conf_value_secrets(const char *name, const char *value, const struct conf *next)
{
	const char *why;
	size_t size;

	(void)name;
	for (;; value += size + 1) {
		size = strcspn(value, ",");
		why = weak_secret(value, size, next->production);
		if (why != NULL || value[size] == '\0')
			return why;
	}
}

static int
read_path(const char *value, void *member, char *why)
{
	*(const char **)member = value;
	return value == NULL || *value == '/'
	    ? 0
	    : say_why(why, "must be an absolute path");
}

static int
read_bool(const char *value, void *member, char *why)
{
	if (value == NULL)
		return 0;
	*(bool *)member = strcmp(value, "true") == 0;
	return *(bool *)member || strcmp(value, "false") == 0
	    ? 0
	    : say_why(why, "must be true or false");
}

/* strtoll() alone would accept " +7" and "". */
static int
read_integer(
    const struct conf_setting *s, const char *value, int64_t *ret, char *why)
{
	char *end;

	errno = 0;
	*ret = strtoll(value, &end, 10);
	if (isdigit((unsigned char)*value) && *end == '\0' && errno == 0 &&
	    *ret >= s->allowed.min && *ret <= s->allowed.max)
		return 0;
	snprintf(why, CONF_WHY_SIZE, "must be a whole number from %lld to %lld",
	    (long long)s->allowed.min, (long long)s->allowed.max);
	return -1;
}

/* strtod() alone would accept +7, nan and 0x1p3. */
static int
read_real(
    const struct conf_setting *s, const char *value, double *ret, char *why)
{
	char *end;

	*ret = strtod(value, &end);
	if (isdigit((unsigned char)*value) && *end == '\0' &&
	    value[strspn(value, "0123456789.e-")] == '\0' &&
	    *ret >= (double)s->allowed.min && *ret <= (double)s->allowed.max)
		return 0;
	snprintf(why, CONF_WHY_SIZE, "must be a number from %lld to %lld",
	    (long long)s->allowed.min, (long long)s->allowed.max);
	return -1;
}

/* Whether the value is one of the words; why lists them as "a, b or c". */
static int
check_words(const char *const *words, const char *value, char *why)
{
	const char *between;
	size_t i, used;

	for (i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], value) == 0)
			return 0;
	used = (size_t)snprintf(why, CONF_WHY_SIZE, "must be %s", words[0]);
	for (i = 1; words[i] != NULL && used < CONF_WHY_SIZE; i++) {
		between = words[i + 1] == NULL ? " or " : ", ";
		used += (size_t)snprintf(why + used, CONF_WHY_SIZE - used,
		    "%s%s", between, words[i]);
	}
	return -1;
}

/* Why a secret is easy to guess, or NULL.  strict also wants a length. */
static const char *
weak_secret(const char *secret, size_t size, bool strict)
{
	size_t i;

	for (i = 1; i < size && secret[i] == secret[0]; i++)
		continue;
	if (i >= size)
		return "is empty or one character repeated";
	if (strict && size < SECRET_MIN)
		return "must be at least 32 bytes";
	for (i = 0; i < nitems(placeholders); i++)
		if (contains_word(secret, size, placeholders[i]))
			return "is a placeholder; make one with "
			       "openssl rand -hex 32";
	return NULL;
}

/* Whether word is in the first size bytes of text, in any case. */
static bool
contains_word(const char *text, size_t size, const char *word)
{
	const size_t n = strlen(word);
	size_t i;

	for (i = 0; i + n <= size; i++)
		if (strncasecmp(text + i, word, n) == 0)
			return true;
	return false;
}

static int
say_why(char *why, const char *text)
{
	snprintf(why, CONF_WHY_SIZE, "%s", text);
	return -1;
}
