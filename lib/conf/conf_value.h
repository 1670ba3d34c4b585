/* SPDX-License-Identifier: ISC */
/* One row of conf.tbl: read and check its value. */
#ifndef LIB_CONF_CONF_VALUE_H
#define LIB_CONF_CONF_VALUE_H

#include <stddef.h>
#include <stdint.h>

struct conf;

#define CONF_WHY_SIZE ((size_t)160) /* bytes of a reason, with its NUL */
#define CONF_TEXT_SIZE ((size_t)32) /* bytes of a number, with its NUL */

enum conf_type { CONF_STR_ = 1, CONF_PATH_, CONF_INT_, CONF_REAL_, CONF_BOOL_ };

enum conf_flag {
	SECRET = 1 << 0,
	REQUIRED = 1 << 1,
	POOL = 1 << 2,
	NO_DECIDE = 1 << 3,
	SHOWN = 1 << 4
};

/*
 * Check the value of the setting name.  Returns NULL if it is valid, or a
 * reason that completes a sentence beginning with the name and does not show
 * the value.  next has all settings, which are read but not checked.
 */
typedef const char *conf_check_fn(
    const char *name, const char *value, const struct conf *next);

struct conf_setting {
	const char *name;
	enum conf_type type;
	struct conf_allowed {
		int64_t min; /* of a number */
		int64_t max;
		const char *const *words; /* ends with NULL */
		conf_check_fn *check;
	} allowed; /* zero members allow everything */
	const char *fallback;
	int flags; /* of enum conf_flag */
	size_t offset; /* in struct conf */
};

/*
 * Read the text of a value into its member of next; NULL changes nothing.
 * Returns 0, or -1 with the reason in why.
 */
int conf_value_read(const struct conf_setting *s, const char *value,
    struct conf *next, char why[CONF_WHY_SIZE]);

/* Check a value that was read.  Returns 0, or -1 with the reason in why. */
int conf_value_check(const struct conf_setting *s, const char *value,
    const struct conf *next, char why[CONF_WHY_SIZE]);

/*
 * The text of the value of a setting of this type, as a file would give it, in
 * text or where member points.  NULL: the setting has no value.
 */
const char *conf_value_text(
    enum conf_type type, const void *member, char text[CONF_TEXT_SIZE]);

/* The functions that conf.tbl names. */
conf_check_fn conf_value_approvals, conf_value_attributes,
    conf_value_one_server, conf_value_paths, conf_value_placeholders,
    conf_value_redis, conf_value_secrets;

#endif
