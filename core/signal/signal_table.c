/* SPDX-License-Identifier: ISC */
/* The names and types of signals, from signals.tbl. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/signal/signals.h"

static const struct {
	const char *name;
	enum value_type type;
} table[SIGNAL__MAX] = {
#define SIGNAL(ident, name, type, meaning)                                     \
	[SIGNAL_##ident] = { name, VALUE_##type },
#include "core/signal/signals.tbl"
#undef SIGNAL
};

const char *
signal_name(enum signal sig)
{
	assert(sig < SIGNAL__MAX);
	return table[sig].name;
}

enum value_type
signal_type(enum signal sig)
{
	assert(sig < SIGNAL__MAX);
	return table[sig].type;
}

enum signal
signal_parse(const char *name)
{
	unsigned int i;

	for (i = 0; i < SIGNAL__MAX; i++)
		if (strcmp(name, table[i].name) == 0)
			break;
	return (enum signal)i;
}
