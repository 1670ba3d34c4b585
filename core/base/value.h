/* SPDX-License-Identifier: ISC */
/* A typed value, which can be unknown, and three-valued truth. */
#ifndef CORE_BASE_VALUE_H
#define CORE_BASE_VALUE_H

#include <stdbool.h>

enum value_type {
	VALUE_UNKNOWN = 1, /* the input it is computed from was absent */
	VALUE_NUMBER,
	VALUE_STRING,
	VALUE_BOOL,
	VALUE__MAX
};

/* The order matters: "and" is the minimum, "or" the maximum. */
enum truth { TRUTH_FALSE = 1, TRUTH_UNKNOWN, TRUTH_TRUE, TRUTH__MAX };

/* A value; type says which member is set.  It does not own string. */
struct value {
	enum value_type type;
	union {
		double number;
		const char *string;
		bool flag;
	};
};

static inline struct value
value_unknown(void)
{
	return (struct value) { .type = VALUE_UNKNOWN, .number = 0 };
}

static inline struct value
value_number(double number)
{
	return (struct value) { .type = VALUE_NUMBER, .number = number };
}

/* A string, or unknown when s is NULL. */
static inline struct value
value_string(const char *s)
{
	if (s == NULL)
		return value_unknown();
	return (struct value) { .type = VALUE_STRING, .string = s };
}

static inline struct value
value_bool(bool flag)
{
	return (struct value) { .type = VALUE_BOOL, .flag = flag };
}

#endif
