/* SPDX-License-Identifier: ISC */
/*
 * An event with all stored data that deciding it needs.  The functions here
 * prepare a decision and count the event after it.  The decision path and
 * offline replays use the same ones.
 */
#ifndef CORE_DECIDE_EVENT_CONTEXT_H
#define CORE_DECIDE_EVENT_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/decide/policy.h"
#include "core/event/geo.h"
#include "core/rule/velocity.h"
#include "core/state/entity_graph.h"
#include "core/state/entity_risk.h"

struct event;
struct signal_facts;
struct fail;
struct user_state;

/* It owns nothing that its members point to. */
struct event_context {
	const struct event *event;
	struct graph *graph;
	struct user_state *state; /* of the event's user */
	struct graph_node *user;
	struct graph_node *const *identifiers; /* IDENTIFIER__MAX of them */
	const struct place *place; /* of the event's ip */
	struct ip_facts ip_facts; /* of the same */

	/* Fraud rates of the device and the ip; NULL if nothing is known. */
	const struct entity_risk_rates *device_risk;
	const struct entity_risk_rates *ip_risk;
	int64_t now; /* microseconds UTC */
};

/*
 * Return true if a pair of the event's entities is not among the links in the
 * user's state, so that its link may be new.  Record the others as known in
 * the graph: the state may drop one before this event is counted.
 */
bool event_context_may_link(const struct event_context *ctx);

/*
 * Compute the fraud rates of the event's device and ip with a label delay in
 * days.  Store them in room and set device_risk and ip_risk.  Return 0, or -1
 * with f set if the stored history of one cannot be unpacked.
 */
int event_context_risk(struct event_context *ctx, int delay,
    struct entity_risk_rates room[IDENTIFIER__MAX], struct fail *f)
    __attribute__((warn_unused_result));

/* The subjects of the event, as velocities read them. */
struct velocity_event event_context_velocity(const struct event_context *ctx);

/* Fill in what signals_compute() reads.  *ret points into the context. */
void event_context_facts(
    const struct event_context *ctx, struct signal_facts *ret);

/*
 * Count an event that has its verdict: make its new links, note all of its
 * links as used, and add it to the user's state.
 */
void event_context_count(const struct event_context *ctx, enum verdict verdict);

#endif
