/* SPDX-License-Identifier: ISC */
/*
 * One event amid what is known of its user and its entities: what comes
 * before a decision and what comes after it, the same on the decision path
 * and in a history that is replayed.
 */
#ifndef CORE_DECIDE_EVENT_CONTEXT_H
#define CORE_DECIDE_EVENT_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/event/geo.h"
#include "core/state/entity_graph.h"
#include "core/decide/policy.h"
#include "core/state/entity_risk.h"

struct event;
struct signal_facts;
struct fail;
struct user_state;

/* A view: nothing here is owned. */
struct event_context {
	const struct event *event;
	struct graph *graph;
	struct user_state *state; /* of the event's user */
	struct graph_node *user;
	struct graph_node *const *identifiers; /* IDENTIFIER__MAX of them */
	const struct place *place; /* of its ip */
	const struct entity_risk_rates
	    *device_risk; /* NULL: nothing is known */
	const struct entity_risk_rates *ip_risk;
	int64_t now; /* microseconds UTC */
};

/*
 * Whether any pair of the event's entities is not among the links that its
 * user's state knows.  The graph learns of those that are: the state may
 * forget one before its turn.
 */
bool event_context_may_link(const struct event_context *sc);

/*
 * Fill in the rates of the device and of the ip, by what was counted of them,
 * at that label delay; they stand in room.  Returns 0, or -1 with f set when
 * something counted is no packed days.
 */
int event_context_risk(struct event_context *sc, int delay,
    struct entity_risk_rates room[IDENTIFIER__MAX], struct fail *f)
    __attribute__((warn_unused_result));

/* What the signals are computed from; it points into the parts of the context.
 */
void event_context_facts(
    const struct event_context *sc, struct signal_facts *ret);

/*
 * Count the event once it has its verdict: make the links that are new,
 * remember them all, and add to the user's state.
 */
void event_context_count(const struct event_context *sc, enum verdict verdict);

#endif
