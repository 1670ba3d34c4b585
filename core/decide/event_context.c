/* SPDX-License-Identifier: ISC */
/* One event amid what is known of its user and its entities. */
#include "config.h"

#include <stddef.h>

#include "core/event/event.h"
#include "core/signal/signals.h"
#include "core/state/user_state.h"
#include "core/decide/event_context.h"

static int rates_of(const struct event_context *sc, enum event_identifier c,
    int delay, struct entity_risk_rates *room,
    const struct entity_risk_rates **ret, struct fail *f);
static void link_all(const struct event_context *sc);

bool
event_context_may_link(const struct event_context *sc)
{
	struct graph_pair pairs[ENTITY_GRAPH_PAIRS_MAX];
	struct user_state_link link;
	bool may = false;
	size_t i, n;

	n = entity_graph_pairs(sc->user, sc->identifiers, pairs);
	for (i = 0; i < n; i++) {
		if (pairs[i].a->id == 0 || pairs[i].b->id == 0) {
			may = true;
			continue;
		}
		link = entity_graph_link_of(pairs[i].a, pairs[i].b);
		if (user_state_link_known(sc->state, link))
			entity_graph_link_known(sc->graph, link);
		else
			may = true;
	}
	return may;
}

int
event_context_risk(struct event_context *sc, int delay,
    struct entity_risk_rates room[IDENTIFIER__MAX], struct fail *f)
{
	if (rates_of(sc, IDENTIFIER_DEVICE, delay, room, &sc->device_risk, f) ==
	    -1)
		return -1;
	return rates_of(sc, IDENTIFIER_IP, delay, room, &sc->ip_risk, f);
}

void
event_context_facts(const struct event_context *sc, struct signal_facts *ret)
{
	*ret = (struct signal_facts) {
		.now = sc->now,
		.state = sc->state,
		.place = *sc->place,
		.device = sc->identifiers[IDENTIFIER_DEVICE],
		.fingerprint = sc->identifiers[IDENTIFIER_FINGERPRINT],
		.ip = sc->identifiers[IDENTIFIER_IP],
		.phone = sc->identifiers[IDENTIFIER_PHONE],
		.device_risk = sc->device_risk,
		.ip_risk = sc->ip_risk,
		.ring_size = entity_graph_ring(sc->user),
	};
	if (ret->device != NULL)
		ret->device_id = ret->device->id;
}

void
event_context_count(const struct event_context *sc, enum verdict verdict)
{
	link_all(sc);
	user_state_count(sc->state, sc->event,
	    event_type_baseline(sc->event->type) && verdict != VERDICT_DENY,
	    sc->place, sc->now);
}

/* The rates of what the event carries, *ret; NULL when nothing was counted. */
static int
rates_of(const struct event_context *sc, enum event_identifier c, int delay,
    struct entity_risk_rates *room, const struct entity_risk_rates **ret,
    struct fail *f)
{
	const struct graph_node *node = sc->identifiers[c];
	struct entity_risk_days days;

	*ret = NULL;
	if (node == NULL || node->risk == NULL)
		return 0;
	if (entity_risk_unpack(node->risk, node->risk_size, &days, f) == -1)
		return -1;
	room[c] = entity_risk_rates(&days, entity_risk_day_of(sc->now), delay);
	*ret = &room[c];
	return 0;
}

/* Make the links of the event that are new, and remember them all. */
static void
link_all(const struct event_context *sc)
{
	struct graph_pair pairs[ENTITY_GRAPH_PAIRS_MAX];
	struct user_state_link link;
	size_t i, n;
	int c;

	n = entity_graph_pairs(sc->user, sc->identifiers, pairs);
	for (i = 0; i < n; i++) {
		link = entity_graph_link_of(pairs[i].a, pairs[i].b);
		if (user_state_link_touch(sc->state, link))
			continue;
		user_state_link_add(sc->state, link);
		if (entity_graph_linked(sc->graph, link))
			continue;
		entity_graph_link_make(sc->graph, pairs[i].a, pairs[i].b);
		if (pairs[i].a->kind == NODE_USER &&
		    pairs[i].b->kind == NODE_DEVICE)
			user_state_devices_add(sc->state);
	}
	for (c = 0; c < IDENTIFIER__MAX; c++) {
		if (sc->identifiers[c] != NULL)
			sc->identifiers[c]->seen = true;
	}
}
