/* SPDX-License-Identifier: ISC */
/* The signals that rules read: computed from one event and what we know. */
#ifndef CORE_SIGNAL_SIGNALS_H
#define CORE_SIGNAL_SIGNALS_H

#include <stdint.h>

#include "core/event/event.h"
#include "core/event/geo.h"
#include "core/base/value.h"

struct graph_node;
struct entity_risk_rates;
struct user_state;
struct str;

enum signal {
#define SIGNAL(ident, name, type, meaning) SIGNAL_##ident,
#include "core/signal/signals.tbl"
#undef SIGNAL
	SIGNAL__MAX
};

/* What is known before the event is counted. */
struct signal_facts {
	int64_t now; /* the database's clock, microseconds UTC */
	const struct user_state *state; /* of the event's user */
	struct place place; /* of the event's ip */
	const struct graph_node *device; /* NULL when the event carries none */
	const struct graph_node *fingerprint;
	const struct graph_node *ip;
	const struct graph_node *phone;
	const struct entity_risk_rates
	    *device_risk; /* NULL: nothing is known */
	const struct entity_risk_rates *ip_risk;
	int64_t device_id; /* of the event's device, 0 if never seen */
	int ring_size; /* of the user's component, at least 1 */
};

/* The value of every signal, and the event whose attributes are attr.<key>. */
struct signals {
	struct value value[SIGNAL__MAX];
	const struct event *event;
};

/*
 * Compute all signals of an event from the facts; absent inputs give unknown
 * ones (DESIGN: "Signals, exactly").  Pure: equal inputs, equal signals.
 * Strings in ret point into ev and facts.
 */
void signals_compute(const struct event *ev, const struct signal_facts *facts,
    struct signals *ret);

/* "velocity.attemptsLast2m". */
const char *signal_name(enum signal sig);

/* What a known value of the signal is: number, string or bool. */
enum value_type signal_type(enum signal sig);

/* The signal with that name, or SIGNAL__MAX. */
enum signal signal_parse(const char *name);

/*
 * Append the signals snapshot as a JSON object, {"event.type":"...",...},
 * known signals only, attributes as "attr.<key>".  Holds no ip and no phone.
 */
void signals_json(struct str *s, const struct signals *sigs);

#endif
