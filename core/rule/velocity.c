/* SPDX-License-Identifier: ISC */
/* Velocities: their text, and what an event adds to them. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_int.h"
#include "core/rule/velocity.h"
#include "core/signal/signal_range.h"
#include "core/signal/signals.h"

#define UNITS 1000 /* of a number */
#define WINDOW_DIGITS 6 /* the most before the letter */

static void print_field(
    struct str *s, const struct velocity *v, const struct velocity_field *f);
static void print_window(struct str *s, int64_t window);
static struct value field_value(const struct velocity *v,
    const struct velocity_field *f, const struct velocity_event *ev,
    const struct signals *sigs);
static const char *attr_of(
    const struct velocity *v, const struct velocity_field *f);
static bool filter_holds(
    const struct velocity *v, const struct signals *sigs, enum verdict verdict);

static const char *const functions[VELOCITY_FUNCTION__MAX] = {
	[VELOCITY_COUNT] = "count",
	[VELOCITY_SUM] = "sum",
	[VELOCITY_AVG] = "avg",
	[VELOCITY_MIN] = "min",
	[VELOCITY_MAX] = "max",
	[VELOCITY_STDDEV] = "stddev",
	[VELOCITY_DISTINCT] = "distinct",
};

static const char *const subjects[SUBJECT__MAX] = {
	[SUBJECT_USER] = "userId",
	[SUBJECT_DEVICE] = "deviceId",
	[SUBJECT_FINGERPRINT] = "fingerprint",
	[SUBJECT_IP] = "ip",
	[SUBJECT_PHONE] = "phone",
};

const struct velocity_unit velocity_units[VELOCITY_UNITS] = {
	{ 'd', 24 * 60 * VELOCITY_MINUTE },
	{ 'h', 60 * VELOCITY_MINUTE },
	{ 'm', VELOCITY_MINUTE },
};

const char *
velocity_function_name(enum velocity_function function)
{
	return functions[function];
}

const char *
velocity_subject_name(enum velocity_subject subject)
{
	return subjects[subject];
}

int64_t
velocity_window(const char *text, size_t len)
{
	const struct velocity_unit *unit;
	int64_t n = 0;
	size_t i;

	if (len < 2 || len > WINDOW_DIGITS + 1)
		return -1;
	for (i = 0; i < len - 1; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		n = n * 10 + text[i] - '0';
	}
	for (unit = velocity_units; unit < velocity_units + VELOCITY_UNITS;
	     unit++)
		if (text[i] == unit->letter && n > 0 &&
		    n <= VELOCITY_WINDOW_MAX / unit->us)
			return n * unit->us;
	return -1;
}

void
velocity_print(struct str *s, const struct velocity *v)
{
	size_t i;

	str_add(s, functions[v->function]);
	if (v->function != VELOCITY_COUNT) {
		str_addc(s, '(');
		print_field(s, v, &v->field);
		str_addc(s, ')');
	}
	for (i = 0; i < v->n_keys; i++) {
		str_add(s, i == 0 ? " by " : ", ");
		print_field(s, v, &v->key[i]);
	}
	str_add(s, " over ");
	print_window(s, v->window);
	if (v->where != NULL) {
		str_add(s, " where ");
		rule_print_condition(s, v->where, v->names);
	}
	if (!v->current)
		str_add(s, " excluding current");
}

const struct velocity *
velocity_compile(struct arena *a, const char *text, struct fail *f)
{
	const struct ruleset *rs;
	struct str s;

	str_init(&s, a);
	str_addf(&s, "velocity v = %s", text);
	if (str_text(&s) == NULL) {
		fail_memory(f);
		return NULL;
	}
	rs = rule_compile(a, str_text(&s), s.len, f);
	return rs == NULL ? NULL : rs->velocities;
}

struct value
velocity_value_of(const struct velocity_values *values, int64_t id)
{
	size_t i;

	for (i = 0; values != NULL && i < values->n; i++)
		if (values->list[i].id == id)
			return values->list[i].value;
	return value_unknown();
}

bool
velocity_key_part(struct str *s, const struct velocity *v, size_t n,
    const struct velocity_event *ev)
{
	const struct velocity_field *f = &v->key[n];
	const struct attr *attr;
	const char *text = NULL;
	struct value value;

	print_field(s, v, f);
	str_addc(s, ':');
	if (f->subject != SUBJECT__MAX)
		text = ev->subject[f->subject];
	else if (f->signal == SIGNAL_INSTRUMENT_BIN)
		text = ev->event->bin;
	else {
		attr = event_attr(ev->event, attr_of(v, f));
		if (attr == NULL || attr->value.type == VALUE_UNKNOWN)
			return false;
		value = velocity_plain(&attr->value);
		str_value(s, &value);
		return true;
	}
	if (text == NULL)
		return false;
	str_add(s, text);
	return true;
}

struct value
velocity_plain(const struct value *v)
{
	return v->type == VALUE_NUMBER && v->number == 0 ? value_number(0) : *v;
}

const struct signal_range *
velocity_range(const struct velocity *v)
{
	static const struct signal_range whole = { .most = VELOCITY_NUMBER_MAX,
		.parts = 1,
		.closed = true,
		.whole = true },
					 distinct = { .most =
							  VELOCITY_VALUES_MAX,
						 .parts = 1,
						 .closed = true,
						 .whole = true },
					 spread = { .most = DBL_MAX,
						 .parts = UNITS },
					 number = { .least = -DBL_MAX,
						 .most = DBL_MAX,
						 .parts = UNITS };

	switch (v->function) {
	case VELOCITY_COUNT:
		return &whole;
	case VELOCITY_DISTINCT:
		return &distinct;
	case VELOCITY_STDDEV:
		return &spread;
	default:
		return &number;
	}
}

bool
velocity_by_user(const struct velocity *v)
{
	return v->key[0].subject == SUBJECT_USER;
}

bool
velocity_reads(const struct velocity *v, enum velocity_subject subject)
{
	size_t i;

	for (i = 0; i < v->n_keys; i++)
		if (v->key[i].subject == subject)
			return true;
	return v->function == VELOCITY_DISTINCT && v->field.subject == subject;
}

void
velocity_item(const struct velocity *v, const struct velocity_event *ev,
    const struct signals *sigs, enum verdict verdict, struct velocity_item *ret)
{
	struct value value;

	*ret = (struct velocity_item) { .counts = false };
	if (v->where != NULL && !filter_holds(v, sigs, verdict))
		return;
	if (v->function == VELOCITY_COUNT) {
		ret->counts = true;
		return;
	}
	value = field_value(v, &v->field, ev, sigs);
	if (v->function == VELOCITY_DISTINCT) {
		ret->counts = value.type != VALUE_UNKNOWN;
		ret->distinct = value;
		return;
	}
	ret->counts = value.type == VALUE_NUMBER &&
	    fabs(value.number) <= VELOCITY_NUMBER_MAX;
	if (ret->counts)
		ret->number = llround(value.number * UNITS);
}

static void
print_field(
    struct str *s, const struct velocity *v, const struct velocity_field *f)
{
	if (f->subject != SUBJECT__MAX)
		str_add(s, subjects[f->subject]);
	else
		rule_print_name(s, f->signal, v->names);
}

/* Print a window in the largest unit of which it is a multiple. */
static void
print_window(struct str *s, int64_t window)
{
	const struct velocity_unit *unit = velocity_units;

	if (window == VELOCITY_ALL) {
		str_add(s, "all");
		return;
	}
	while (window % unit->us != 0)
		unit++;
	str_int(s, window / unit->us);
	str_addc(s, unit->letter);
}

static struct value
field_value(const struct velocity *v, const struct velocity_field *f,
    const struct velocity_event *ev, const struct signals *sigs)
{
	const struct attr *attr;

	if (f->subject != SUBJECT__MAX)
		return value_string(ev->subject[f->subject]);
	if (f->signal < SIGNAL__MAX)
		return sigs->value[f->signal];
	attr = event_attr(ev->event, attr_of(v, f));
	return attr == NULL ? value_unknown() : attr->value;
}

/* The name of an attribute that is a field. */
static const char *
attr_of(const struct velocity *v, const struct velocity_field *f)
{
	return v->names->attrs->text[f->signal - SIGNAL__MAX];
}

/* Whether an event with that verdict passes the filter. */
static bool
filter_holds(
    const struct velocity *v, const struct signals *sigs, enum verdict verdict)
{
	struct value values[RULE_VALUES_MAX];

	rule_values_of(v->names, sigs, values);
	if (verdict != VERDICT__NONE)
		values[RULE_VERDICT] = value_string(verdict_name(verdict));
	return rule_truth(v->where, values) == TRUTH_TRUE;
}
