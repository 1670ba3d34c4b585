/* SPDX-License-Identifier: ISC */
/* Random rules and signals, for properties that all of them must have. */
#include "config.h"

#include "core/base/str.h"
#include "core/signal/signals.h"
#include "t/unit/made_up.h"
#include "t/unit/unit.h"

static void random_literal(struct str *s, enum value_type type);
static void random_test(struct str *s);
static void random_chain(struct str *s, int depth, const char *op);
static void random_cond(struct str *s, int depth);

/* The state of the generator; the same seed repeats a failure. */
static uint32_t seed;

void
made_up_seed(uint32_t from)
{
	seed = from;
}

uint32_t
made_up(uint32_t below)
{
	seed = seed * 1664525U + 1013904223U;
	return (seed >> 8) % below;
}

void
made_up_rules(struct str *s, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		str_addf(s, "rule r%d {when ", i);
		random_cond(s, 1 + (int)made_up(5));
		str_addf(s, " then score += %u, tag t%u}\n", made_up(101),
		    made_up(5));
	}
}

void
made_up_signals(struct signals *sigs, struct attr *attrs)
{
	static const char *const names[] = { "x", "a-b", "odd key", "plain",
		"\xc3\xa9" };
	static const char *const strings[] = { "", "DE", "\xc3\xbc\n" };
	struct value values[] = { value_unknown(), value_number(made_up(3)),
		value_string(strings[made_up(3)]),
		value_bool(made_up(2) == 0) };
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs->value[i] = made_up(3) == 0
		    ? value_unknown()
		    : values[signal_type((enum signal)i) - VALUE_UNKNOWN];
	for (i = 0; i < MADE_UP_ATTRS; i++)
		attrs[i] = (struct attr) { .name = names[i],
			.value = values[made_up(nitems(values))] };
}

static void
random_literal(struct str *s, enum value_type type)
{
	static const char *const numbers[] = { "0", "-0", "1.50", "1e3",
		"-2.5E-3", "123456789.125", "1e300" };
	static const char *const strings[] = { "\"\"", "\"DE\"",
		"\"\\u00fc\\n\"", "\"\xc3\xbc\"", "\"\\ud83d\\ude00 x\"",
		"\"a\\\"b\\\\c\"", "\"#//\"" };

	if (type == VALUE_NUMBER)
		str_add(s, numbers[made_up(nitems(numbers))]);
	else if (type == VALUE_STRING)
		str_add(s, strings[made_up(nitems(strings))]);
	else
		str_add(s, made_up(2) == 0 ? "true" : "false");
}

static void
random_test(struct str *s)
{
	static const char *const attrs[] = { "attr.x", "attr.a-b",
		"attr.\"odd key\"", "attr.\"plain\"", "attr.\"\\u00e9\"" };
	static const char *const ops[] = { "==", " != ", ">", " >=", "< ",
		"<=" };
	enum signal sig = (enum signal)made_up(SIGNAL__MAX);
	enum value_type type = signal_type(sig);
	uint32_t i, n;

	if (made_up(3) == 0) {
		str_add(s, attrs[made_up(nitems(attrs))]);
		type = VALUE_NUMBER + made_up(3);
	} else
		str_add(s, signal_name(sig));
	if (type == VALUE_BOOL && made_up(2) == 0)
		return;
	if (made_up(4) == 0) {
		str_add(s, " in [");
		for (i = 0, n = 1 + made_up(5); i < n; i++) {
			str_add(s, i == 0 ? "" : ", ");
			random_literal(s, type);
		}
		str_add(s, "]");
		return;
	}
	str_add(s, ops[made_up(type == VALUE_NUMBER ? nitems(ops) : 2)]);
	random_literal(s, type);
}

static void
random_chain(struct str *s, int depth, const char *op)
{
	uint32_t i, n = 2 + made_up(3);

	for (i = 0; i < n; i++) {
		str_add(s, i == 0 ? "" : op);
		random_cond(s, depth - 1);
	}
}

static void
random_cond(struct str *s, int depth)
{
	switch (depth == 0 ? 0 : made_up(6)) {
	case 1:
		str_add(s, "!");
		random_cond(s, depth - 1);
		break;
	case 2:
		str_add(s, "(");
		random_cond(s, depth - 1);
		str_add(s, ")");
		break;
	case 3:
		random_chain(s, depth, " && ");
		break;
	case 4:
		random_chain(s, depth, "||");
		break;
	default:
		random_test(s);
		break;
	}
}
