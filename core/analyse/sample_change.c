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
#include "core/signal/signal_range.h"
#include "core/signal/signals.h"

#define ATTR "attr."

static int change_attr(struct sample *sample, const char *name, struct value to,
    struct arena *a, struct fail *f);
static bool is_possible(enum signal sig, const struct value *v);

int
sample_change(struct sample *sample, const char *name, struct value to,
    struct arena *a, struct fail *f)
{
	enum signal sig;

	if (strncmp(name, ATTR, strlen(ATTR)) == 0)
		return change_attr(sample, name + strlen(ATTR), to, a, f);
	sig = signal_parse(name);
	if (sig == SIGNAL__MAX)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "set",
		    "has a name that is no signal");
	if (sig == SIGNAL_EVENT_TYPE)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
		    signal_name(sig),
		    "cannot change: each event type has its own rules");
	if (!is_possible(sig, &to))
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

static bool
is_possible(enum signal sig, const struct value *v)
{
	const struct signal_range *range = signal_range_of(sig);

	if (v->type == VALUE_UNKNOWN)
		return !range->known;
	if (v->type != signal_type(sig))
		return false;
	if (v->type == VALUE_NUMBER)
		return v->number >= range->least && v->number <= range->most &&
		    (!range->whole || v->number == floor(v->number));
	return v->type == VALUE_BOOL || signal_range_has_text(range, v->string);
}
