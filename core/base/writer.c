/* SPDX-License-Identifier: ISC */
/* Write JSON, member by member, into a text that is being built. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/base/writer.h"

#define DEPTH_MAX 64 /* the bits of objects */

static void open_list(struct str *s, const char *name, bool object);

void
writer_object(struct str *s, const char *name)
{
	open_list(s, name, true);
}

void
writer_array(struct str *s, const char *name)
{
	open_list(s, name, false);
}

void
writer_end(struct str *s)
{
	assert(s->depth > 0);
	str_addc(s, (s->objects & 1) != 0 ? '}' : ']');
	s->objects >>= 1;
	s->depth--;
}

void
writer_text(struct str *s, const char *name, const char *text)
{
	writer_name(s, name);
	str_json(s, text);
}

void
writer_int(struct str *s, const char *name, int64_t n)
{
	writer_name(s, name);
	str_int(s, n);
}

void
writer_number(struct str *s, const char *name, double n)
{
	writer_name(s, name);
	str_number(s, n);
}

void
writer_bool(struct str *s, const char *name, bool flag)
{
	writer_json(s, name, flag ? "true" : "false");
}

void
writer_null(struct str *s, const char *name)
{
	writer_json(s, name, NULL);
}

void
writer_value(struct str *s, const char *name, const struct value *v)
{
	writer_name(s, name);
	str_value(s, v);
}

void
writer_json(struct str *s, const char *name, const char *json)
{
	writer_name(s, name);
	str_add(s, json == NULL ? "null" : json);
}

/* No value ends with a byte after which the next one needs no comma. */
void
writer_name(struct str *s, const char *name)
{
	if (s->len > 0 && strchr("{[: \n", s->text[s->len - 1]) == NULL)
		str_addc(s, ',');
	if (name != NULL) {
		str_json(s, name);
		str_addc(s, ':');
	}
}

static void
open_list(struct str *s, const char *name, bool object)
{
	assert(s->depth < DEPTH_MAX);
	writer_name(s, name);
	str_addc(s, object ? '{' : '[');
	s->objects = s->objects << 1 | object;
	s->depth++;
}
