/* SPDX-License-Identifier: ISC */
/* Identifiers that identify no one, because strangers send the same. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/event/placeholder.h"

static int read_one(const char *text, size_t n, struct placeholder *ret);
static bool is_shipped(enum list_subject subject, const char *value);
static int by_text(const void *value, const void *row);
static bool has_value(const struct placeholder *one, const char *value);

static const char *const values[] = {
#define PLACEHOLDER(value) value,
#include "core/event/placeholders.tbl"
#undef PLACEHOLDER
};

int
placeholders_read(const char *setting, struct placeholders *ret)
{
	size_t n;

	ret->n = 0;
	for (; setting != NULL;
	     setting = setting[n] == ',' ? setting + n + 1 : NULL) {
		n = strcspn(setting, ",");
		if (ret->n == PLACEHOLDERS_MAX ||
		    read_one(setting, n, &ret->placeholder[ret->n]) == -1)
			return -1;
		ret->n++;
	}
	return 0;
}

bool
placeholder_is(const struct placeholders *more, enum list_subject subject,
    const char *value)
{
	size_t i;

	if (is_shipped(subject, value))
		return true;
	for (i = 0; more != NULL && i < more->n; i++)
		if (more->placeholder[i].subject == subject &&
		    has_value(&more->placeholder[i], value))
			return true;
	return false;
}

/* Read n bytes such as "ip:10.1.2.3", or return -1. */
static int
read_one(const char *text, size_t n, struct placeholder *ret)
{
	char copy[sizeof("fingerprint:") + LIST_VALUE_SIZE], *value;

	if (n >= sizeof(copy))
		return -1;
	memcpy(copy, text, n);
	copy[n] = '\0';
	if ((value = strchr(copy, ':')) == NULL)
		return -1;
	*value++ = '\0';
	ret->subject = list_subject_parse(copy);
	switch (ret->subject) {
	case LIST_DEVICE:
	case LIST_FINGERPRINT:
	case LIST_PHONE:
		return list_value(ret->subject, value, ret->value);
	case LIST_IP:
		return list_entry_value(LIST_IP, value, ret->value) == -1
		    ? -1
		    : ip_network_parse(ret->value, &ret->network);
	default:
		return -1;
	}
}

static bool
is_shipped(enum list_subject subject, const char *value)
{
	struct ip_address ad;

	switch (subject) {
	case LIST_DEVICE:
	case LIST_FINGERPRINT:
		return value[strspn(value, "0-:._{}")] == '\0' ||
		    bsearch(value, values, nitems(values), sizeof(*values),
			by_text) != NULL;
	case LIST_IP:
		return ip_address_parse(value, &ad) == 0 &&
		    ip_address_private(&ad);
	default:
		return false;
	}
}

static int
by_text(const void *value, const void *row)
{
	return strcasecmp(value, *(const char *const *)row);
}

static bool
has_value(const struct placeholder *one, const char *value)
{
	struct ip_address ad;

	if (one->subject == LIST_IP)
		return ip_address_parse(value, &ad) == 0 &&
		    ip_network_has(&one->network, &ad);
	return strcmp(one->value, value) == 0;
}
