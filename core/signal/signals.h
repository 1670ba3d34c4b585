/* SPDX-License-Identifier: ISC */
/* The signals that rules read, computed from an event and its context. */
#ifndef CORE_SIGNAL_SIGNALS_H
#define CORE_SIGNAL_SIGNALS_H

#include <stdint.h>

#include "core/base/value.h"
#include "core/event/event.h"
#include "core/event/geo.h"

struct graph_node;
struct entity_risk_rates;
struct rule_silences;
struct user_state;
struct str;
struct velocity_values;

enum signal {
#define SIGNAL(ident, name, type, meaning) SIGNAL_##ident,
#include "core/signal/signals.tbl"
#undef SIGNAL
	SIGNAL__MAX
};

/* The state from before the event, which signals are computed from. */
struct signal_facts {
	int64_t now; /* time of the database, microseconds UTC */
	const struct user_state *state; /* of the event's user */
	struct place place; /* of the event's ip */
	struct ip_facts ip_facts; /* of the same */

	/* The identifiers of the event; NULL if it lacks one. */
	const struct graph_node *device;
	const struct graph_node *fingerprint;
	const struct graph_node *ip;
	const struct graph_node *phone;

	/* Fraud rates of the device and the ip; NULL if nothing is known. */
	const struct entity_risk_rates *device_risk;
	const struct entity_risk_rates *ip_risk;

	int64_t device_id; /* id of the event's device, 0 if it is new */
	int ring_size; /* size of the user's component, at least 1 */
};

/* The values of all signals; the attr.<key> are the attributes of event. */
struct signals {
	struct value value[SIGNAL__MAX];
	const struct event *event;
	const struct rule_silences *silences; /* of the event; NULL: none */
	const struct velocity_values *velocities; /* NULL: none are known */
};

/*
 * Compute all signals of an event from the facts, as assay-rules(5) describes
 * them.  A signal whose input is absent is unknown.  No rule is silenced.
 * Equal inputs give equal signals.  *ret and its strings point into ev, facts
 * and what they point to.
 */
void signals_compute(const struct event *ev, const struct signal_facts *facts,
    struct signals *ret);

/* The name of a signal, such as "velocity.attemptsLast2m". */
const char *signal_name(enum signal sig);

/* The type of the signal's known values: number, string or bool. */
enum value_type signal_type(enum signal sig);

/* The signal that has this name; SIGNAL__MAX if no signal has it. */
enum signal signal_parse(const char *name);

/*
 * Append the known signals as a JSON object, {"event.type":"...",...}, with the
 * attributes as "attr.<key>".  No signal is an ip or a phone number.
 */
void signals_json(struct str *s, const struct signals *sigs);

/* Append the same members, without braces. */
void signals_members(struct str *s, const struct signals *sigs);

/* Append only the attributes, without braces. */
void signals_attrs(struct str *s, const struct event *ev);

#endif
