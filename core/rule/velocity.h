/* SPDX-License-Identifier: ISC */
/*
 * Velocities: what a ruleset counts over the events of a user, a device or
 * another key, as assay-rules(5) describes it.
 */
#ifndef CORE_RULE_VELOCITY_H
#define CORE_RULE_VELOCITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/value.h"
#include "core/base/verdict.h"

struct arena;
struct event;
struct fail;
struct rule_cond;
struct rule_names;
struct signal_range;
struct signals;
struct str;

#define VELOCITIES_MAX 64 /* velocities that count one event */
#define VELOCITY_KEYS_MAX 2 /* keys of one velocity */
#define VELOCITY_MINUTE INT64_C(60000000) /* the shortest window, in us */
#define VELOCITY_WINDOW_MAX (90 * 24 * 60 * VELOCITY_MINUTE)
#define VELOCITY_ALL 0 /* in place of a window: since the first event */
#define VELOCITY_VALUES_MAX 256 /* that "distinct" keeps apart */
#define VELOCITY_TEXT_MAX 4096 /* bytes of velocity_print() */
#define VELOCITY_NUMBER_MAX 1e15 /* larger numbers are not counted */

/* A letter after the number of a window, and what it stands for. */
struct velocity_unit {
	char letter;
	int64_t us;
};

#define VELOCITY_UNITS 3
extern const struct velocity_unit velocity_units[VELOCITY_UNITS]; /* largest
								     first */

enum velocity_function {
	VELOCITY_COUNT = 1,
	VELOCITY_SUM,
	VELOCITY_AVG,
	VELOCITY_MIN,
	VELOCITY_MAX,
	VELOCITY_STDDEV,
	VELOCITY_DISTINCT,
	VELOCITY_FUNCTION__MAX
};

/* Who or what an event is about; the order is that of keys. */
enum velocity_subject {
	SUBJECT_USER,
	SUBJECT_DEVICE,
	SUBJECT_FINGERPRINT,
	SUBJECT_IP,
	SUBJECT_PHONE,
	SUBJECT__MAX
};

/* A part of an event: a subject, or a value that conditions read. */
struct velocity_field {
	enum velocity_subject subject; /* SUBJECT__MAX: a signal */
	uint16_t signal; /* an index into the values of rule_values() */
};

/* A compiled velocity; it is constant and lives in the arena of a ruleset. */
struct velocity {
	const char *name; /* rules read velocity.NAME */
	int64_t id; /* of all that follows but line; never 0 */
	int line; /* of the word "velocity" in the text, from 1 */
	enum velocity_function function;
	struct velocity_field field; /* not with VELOCITY_COUNT */
	struct velocity_field key[VELOCITY_KEYS_MAX]; /* sorted */
	size_t n_keys; /* at least 1 */
	int64_t window; /* microseconds, or VELOCITY_ALL */
	bool current; /* the value includes the event that is decided */
	const struct rule_cond *where; /* NULL: all events count */
	const struct rule_names *names; /* of the ruleset */
};

/* The subjects of an event as keys, NULL if it lacks one; and the event. */
struct velocity_event {
	const char *subject[SUBJECT__MAX];
	const struct event *event; /* its attributes and its bin */
};

/* What one event adds to a velocity. */
struct velocity_item {
	bool counts; /* otherwise the event adds nothing */
	int64_t number; /* thousandths; with functions of numbers */
	struct value distinct; /* with VELOCITY_DISTINCT */
};

/* The value of a velocity for one event. */
struct velocity_value {
	int64_t id; /* of struct velocity */
	struct value value; /* a number or unknown */
};

/* The values for one event, in any order. */
struct velocity_values {
	const struct velocity_value *list;
	size_t n;
};

/* The name of a function, such as "distinct". */
const char *velocity_function_name(enum velocity_function function);

/* The name of a subject, such as "deviceId". */
const char *velocity_subject_name(enum velocity_subject subject);

/*
 * The window of len bytes such as "30m", "24h" or "7d" in microseconds, from
 * a minute to 90 days; -1 if the text is not a window.
 */
int64_t velocity_window(const char *text, size_t len);

/*
 * Append a velocity as canonical text without its name, such as
 * "distinct(attr.card) by deviceId over 24h".  Velocities with the same text
 * have the same id and count the same.
 */
void velocity_print(struct str *s, const struct velocity *v);

/*
 * Compile the text of velocity_print().  Return the velocity, or NULL with f
 * set, see rule_compile().
 */
const struct velocity *velocity_compile(struct arena *a, const char *text,
    struct fail *f) __attribute__((warn_unused_result));

/* The value with that id; unknown if it is not in values, which may be NULL. */
struct value velocity_value_of(
    const struct velocity_values *values, int64_t id);

/*
 * Append the part number n of an event's key as text, such as "userId:u1".
 * Return false if the event lacks it; then the event neither adds to the
 * velocity nor has a value of it.
 */
bool velocity_key_part(struct str *s, const struct velocity *v, size_t n,
    const struct velocity_event *ev);

/* The value without the sign of a zero: rules take -0 and 0 for equal. */
struct value velocity_plain(const struct value *v);

/* The values that a velocity can have, if it is known. */
const struct signal_range *velocity_range(const struct velocity *v);

/* Whether the velocity is kept for each user alone. */
bool velocity_by_user(const struct velocity *v);

/* Whether a key or the value of "distinct" is this subject. */
bool velocity_reads(const struct velocity *v, enum velocity_subject subject);

/*
 * Set *ret to what an event adds to the velocity.  verdict is that of the
 * event, or VERDICT__NONE before it is decided: then the event counts only if
 * it does at every verdict because of the rest of the filter.
 */
void velocity_item(const struct velocity *v, const struct velocity_event *ev,
    const struct signals *sigs, enum verdict verdict,
    struct velocity_item *ret);

#endif
