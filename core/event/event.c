/* SPDX-License-Identifier: ISC */
/* One normalized event: types, normal form, and checks of its fields. */
#include "config.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/utf8.h"
#include "core/event/event.h"

/* The rows of event_types.tbl. */
static const struct {
	const char *name;
	bool baseline;
} types[EVENT_TYPE__MAX] = {
#define EVENT_TYPE(name, text, baseline) [EVENT_##name] = { text, baseline },
#include "core/event/event_types.tbl"
#undef EVENT_TYPE
};

/* The members of an event that are texts, in the order of the normal form. */
static const size_t texts[] = {
	offsetof(struct event, id),
	offsetof(struct event, currency),
	offsetof(struct event, user),
	offsetof(struct event, device),
	offsetof(struct event, fingerprint),
	offsetof(struct event, ip),
	offsetof(struct event, phone),
	offsetof(struct event, channel),
	offsetof(struct event, instrument_kind),
	offsetof(struct event, bin),
	offsetof(struct event, issuer_country),
};

static void put_normal_value(struct str *s, struct value v);
static int order_attrs(const void *pa, const void *pb);

/* Sorted by strcmp(). */
static const char currencies[][4] = {
#define CURRENCY(code) #code,
#include "core/event/currencies.tbl"
#undef CURRENCY
};

const char *
event_type_name(enum event_type type)
{
	assert(type > EVENT_TYPE__NONE && type < EVENT_TYPE__MAX);
	return types[type].name;
}

enum event_type
event_type_parse(const char *name)
{
	return name_index(types, name);
}

bool
event_type_baseline(enum event_type type)
{
	assert(type > EVENT_TYPE__NONE && type < EVENT_TYPE__MAX);
	return types[type].baseline;
}

void
event_normal(struct str *s, const struct event *ev)
{
	const struct attr *attrs[EVENT_ATTRS_MAX];
	const char *const *text;
	size_t i;

	str_addf(s, "[\"%s\"", event_type_name(ev->type));
	put_normal_value(
	    s, ev->has_amount ? value_number(ev->amount) : value_unknown());
	put_normal_value(s, ev->three_ds);
	for (i = 0; i < nitems(texts); i++) {
		text = (const void *)((const char *)ev + texts[i]);
		put_normal_value(s, value_string(*text));
	}
	assert(ev->n_attrs <= EVENT_ATTRS_MAX);
	for (i = 0; i < ev->n_attrs; i++)
		attrs[i] = &ev->attrs[i];
	qsort(attrs, ev->n_attrs, sizeof(attrs[0]), order_attrs);
	for (i = 0; i < ev->n_attrs; i++) {
		put_normal_value(s, value_string(attrs[i]->name));
		put_normal_value(s, attrs[i]->value);
	}
	str_addc(s, ']');
}

const struct attr *
event_attr(const struct event *ev, const char *name)
{
	size_t i;

	for (i = 0; i < ev->n_attrs; i++)
		if (strcmp(ev->attrs[i].name, name) == 0)
			return &ev->attrs[i];
	return NULL;
}

int
event_ip(const char *ip, char ret[EVENT_IP_SIZE], bool *ret_public)
{
	struct ip_address address;

	if (ip_address_parse(ip, &address) == -1)
		return -1;
	ip_address_text(&address, ret);
	*ret_public = ip_address_public(&address);
	return 0;
}

bool
event_bin(const char *text)
{
	const size_t n = strlen(text);

	return n >= EVENT_BIN_MIN && n <= EVENT_BIN_MAX &&
	    strspn(text, "0123456789") == n;
}

bool
event_currency(const char *code)
{
	size_t low = 0, mid;
	size_t high = sizeof(currencies) / sizeof(currencies[0]);
	int order;

	while (low < high) {
		mid = low + (high - low) / 2;
		order = strcmp(code, currencies[mid]);
		if (order == 0)
			return true;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

bool
event_blank(const char *text)
{
	uint32_t code;
	size_t length;

	for (; *text != '\0'; text += length) {
		length = utf8_get(text, strlen(text), &code);
		if (length == 0 || !utf8_is_blank(code))
			return false;
	}
	return true;
}

bool
event_plain(const char *s, size_t n)
{
	uint32_t code;
	size_t i, length;

	for (i = 0; i < n; i += length) {
		length = utf8_get(s + i, n - i, &code);
		if (length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0))
			return false;
	}
	return true;
}

bool
event_line(const char *text)
{
	return event_plain(text, strlen(text)) && !event_blank(text);
}

bool
event_name(const char *text)
{
	return event_line(text) && !utf8_has_blank_ends(text);
}

/* Append an element of the normal form; unknown is null, and -0 is 0. */
static void
put_normal_value(struct str *s, struct value v)
{
	if (v.type == VALUE_NUMBER && v.number == 0)
		v.number = 0;
	str_addc(s, ',');
	str_value(s, &v);
}

static int
order_attrs(const void *pa, const void *pb)
{
	const struct attr *const *a = pa, *const *b = pb;

	return strcmp((*a)->name, (*b)->name);
}
