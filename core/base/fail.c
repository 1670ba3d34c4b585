/* SPDX-License-Identifier: ISC */
/* Failures: the kind, the code, the field at fault, and the reason. */
#include "config.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/base/array.h"
#include "core/base/fail.h"

/* The rows of codes.tbl. */
static const struct {
	const char *name;
	const char *text;
	int status;
} codes[CODE__MAX] = {
#define CODE(name, status, text) [name] = { #name, text, status },
#include "core/base/codes.tbl"
#undef CODE
};

int
fail_set(struct fail *f, enum fail_kind kind, enum code code, const char *where,
    const char *why, ...)
{
	va_list ap;

	if (f == NULL)
		return -1;
	f->kind = kind;
	f->code = code;
	snprintf(f->where, sizeof(f->where), "%s", where == NULL ? "" : where);
	va_start(ap, why);
	vsnprintf(f->why, sizeof(f->why), why, ap);
	va_end(ap);
	return -1;
}

int
fail_memory(struct fail *f)
{
	return fail_set(f, FAIL_US, INTERNAL, NULL, "out of memory");
}

const char *
fail_text(const struct fail *f, char ret[FAIL_TEXT_SIZE])
{
	if (f->why[0] == '\0')
		snprintf(ret, FAIL_TEXT_SIZE, "%s", fail_code_text(f->code));
	else
		snprintf(ret, FAIL_TEXT_SIZE, "%s%s%s", f->where,
		    f->where[0] == '\0' ? "" : " ", f->why);
	return ret;
}

const char *
fail_code_name(enum code code)
{
	assert(code > CODE__NONE && code < CODE__MAX);
	return codes[code].name;
}

enum code
fail_code_named(const char *name)
{
	return name_index(codes, name);
}

int
fail_code_status(enum code code)
{
	assert(code > CODE__NONE && code < CODE__MAX);
	return codes[code].status;
}

const char *
fail_code_text(enum code code)
{
	assert(code > CODE__NONE && code < CODE__MAX);
	return codes[code].text;
}
