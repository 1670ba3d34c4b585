/* SPDX-License-Identifier: ISC */
/* Change a signal of a sample, to see what the decision would be. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/analyse/sample_change.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/sample.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/rule/velocity.h"
#include "core/signal/signal_range.h"
#include "core/signal/signals.h"

#define ATTR "attr."
#define VELOCITY "velocity."

static int change_attr(struct sample *sample, const char *name, struct value to,
    struct arena *a, struct fail *f);
static const struct velocity *find_velocity(
    const struct ruleset *rs, const char *name);
static int change_velocity(struct sample *sample, const struct velocity *v,
    struct value to, struct arena *a, struct fail *f);
static bool is_possible(const struct signal_range *range, enum value_type type,
    const struct value *v);

int
sample_change(struct sample *sample, const struct ruleset *rs, const char *name,
    struct value to, struct arena *a, struct fail *f)
{
	const struct velocity *v;
	enum signal sig;

	if (strncmp(name, ATTR, strlen(ATTR)) == 0)
		return change_attr(sample, name + strlen(ATTR), to, a, f);
	if ((v = find_velocity(rs, name)) != NULL)
		return change_velocity(sample, v, to, a, f);
	sig = signal_parse(name);
	if (sig == SIGNAL__MAX)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "set",
		    "has a name that is no signal");
	if (sig == SIGNAL_EVENT_TYPE)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
		    signal_name(sig),
		    "cannot change: each event type has its own rules");
	if (!is_possible(signal_range_of(sig), signal_type(sig), &to))
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
		    signal_name(sig), "cannot have this value");
	sample->signals.value[sig] = to;
	return 0;
}

/* Change or add an attribute in a copy of all attributes. */
static int
change_attr(struct sample *sample, const char *name, struct value to,
    struct arena *a, struct fail *f)
{
	struct event *ev = &sample->event;
	struct attr *all = arena_array(a, ev->n_attrs + 1, sizeof(*all));
	size_t i;

	if (all == NULL)
		return fail_memory(f);
	if (ev->n_attrs > 0)
		memcpy(all, ev->attrs, ev->n_attrs * sizeof(*all));
	for (i = 0; i < ev->n_attrs && strcmp(all[i].name, name) != 0; i++)
		continue;
	if (i == EVENT_ATTRS_MAX)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "set",
		    "gives the event more than %d attributes", EVENT_ATTRS_MAX);
	all[i] = (struct attr) { .name = name, .value = to };
	if (i == ev->n_attrs)
		ev->n_attrs++;
	ev->attrs = all;
	return 0;
}

/* The velocity of rs with the name velocity.<name>, or NULL. */
static const struct velocity *
find_velocity(const struct ruleset *rs, const char *name)
{
	size_t i;

	if (rs == NULL || strncmp(name, VELOCITY, strlen(VELOCITY)) != 0)
		return NULL;
	for (i = 0; i < rs->n_velocities; i++)
		if (strcmp(rs->velocities[i].name, name + strlen(VELOCITY)) ==
		    0)
			return &rs->velocities[i];
	return NULL;
}

/* Change or add a velocity in a copy of all values. */
static int
change_velocity(struct sample *sample, const struct velocity *v,
    struct value to, struct arena *a, struct fail *f)
{
	const struct velocity_values *was = sample->signals.velocities;
	const size_t n = was == NULL ? 0 : was->n;
	struct velocity_value *all = arena_array(a, n + 1, sizeof(*all));
	size_t i;

	if (all == NULL)
		return fail_memory(f);
	if (!is_possible(velocity_range(v), VALUE_NUMBER, &to))
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "set",
		    "has a velocity that cannot have this value");
	if (n > 0)
		memcpy(all, was->list, n * sizeof(*all));
	for (i = 0; i < n && all[i].id != v->id; i++)
		continue;
	all[i] = (struct velocity_value) { .id = v->id, .value = to };
	sample->velocities = (struct velocity_values) {
		.list = all,
		.n = i == n ? n + 1 : n,
	};
	sample->signals.velocities = &sample->velocities;
	return 0;
}

static bool
is_possible(const struct signal_range *range, enum value_type type,
    const struct value *v)
{
	if (v->type == VALUE_UNKNOWN)
		return !range->known;
	if (v->type != type)
		return false;
	if (v->type == VALUE_NUMBER)
		return v->number >= range->least && v->number <= range->most &&
		    (!range->whole || v->number == floor(v->number));
	return v->type == VALUE_BOOL || signal_range_has_text(range, v->string);
}
