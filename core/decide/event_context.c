/* SPDX-License-Identifier: ISC */
/* An event with all stored data that deciding it needs. */
#include "config.h"

#include <stddef.h>

#include "core/decide/event_context.h"
#include "core/event/event.h"
#include "core/signal/signals.h"
#include "core/state/user_state.h"

static int rates_of(const struct event_context *ctx, enum event_identifier c,
    int delay, struct entity_risk_rates *room,
    const struct entity_risk_rates **ret, struct fail *f);
static void link_all(const struct event_context *ctx);

bool
event_context_may_link(const struct event_context *ctx)
{
	struct graph_pair pairs[ENTITY_GRAPH_PAIRS_MAX];
	struct user_state_link link;
	bool may = false;
	size_t i, n;

	n = entity_graph_pairs(ctx->user, ctx->identifiers, pairs);
	for (i = 0; i < n; i++) {
		if (pairs[i].a->id == 0 || pairs[i].b->id == 0) {
			may = true;
			continue;
		}
		link = entity_graph_link_of(pairs[i].a, pairs[i].b);
		if (user_state_link_known(ctx->state, link))
			entity_graph_link_known(ctx->graph, link);
		else
			may = true;
	}
	return may;
}

int
event_context_risk(struct event_context *ctx, int delay,
    struct entity_risk_rates room[IDENTIFIER__MAX], struct fail *f)
{
	if (rates_of(ctx, IDENTIFIER_DEVICE, delay, room, &ctx->device_risk,
		f) == -1)
		return -1;
	return rates_of(ctx, IDENTIFIER_IP, delay, room, &ctx->ip_risk, f);
}

struct velocity_event
event_context_velocity(const struct event_context *ctx)
{
	static const enum event_identifier identifiers[SUBJECT__MAX] = {
		[SUBJECT_DEVICE] = IDENTIFIER_DEVICE,
		[SUBJECT_FINGERPRINT] = IDENTIFIER_FINGERPRINT,
		[SUBJECT_IP] = IDENTIFIER_IP,
		[SUBJECT_PHONE] = IDENTIFIER_PHONE,
	};
	struct velocity_event ret = {
		.subject[SUBJECT_USER] = ctx->event->user,
		.event = ctx->event,
	};
	const struct graph_node *node;
	int s;

	for (s = SUBJECT_DEVICE; s < SUBJECT__MAX; s++) {
		node = ctx->identifiers[identifiers[s]];
		ret.subject[s] = node == NULL ? NULL : node->key;
	}
	return ret;
}

void
event_context_facts(const struct event_context *ctx, struct signal_facts *ret)
{
	*ret = (struct signal_facts) {
		.now = ctx->now,
		.state = ctx->state,
		.place = *ctx->place,
		.ip_facts = ctx->ip_facts,
		.device = ctx->identifiers[IDENTIFIER_DEVICE],
		.fingerprint = ctx->identifiers[IDENTIFIER_FINGERPRINT],
		.ip = ctx->identifiers[IDENTIFIER_IP],
		.phone = ctx->identifiers[IDENTIFIER_PHONE],
		.device_risk = ctx->device_risk,
		.ip_risk = ctx->ip_risk,
		.ring_size = entity_graph_ring(ctx->user),
	};
	if (ret->device != NULL)
		ret->device_id = ret->device->id;
}

void
event_context_count(const struct event_context *ctx, enum verdict verdict)
{
	link_all(ctx);
	user_state_count(ctx->state, ctx->event,
	    event_type_baseline(ctx->event->type) && verdict != VERDICT_DENY,
	    ctx->place, ctx->now);
}

/*
 * Compute the fraud rates of one identifier into room and set *ret to them, or
 * to NULL if nothing was counted.
 */
static int
rates_of(const struct event_context *ctx, enum event_identifier c, int delay,
    struct entity_risk_rates *room, const struct entity_risk_rates **ret,
    struct fail *f)
{
	const struct graph_node *node = ctx->identifiers[c];
	struct entity_risk_history history;

	*ret = NULL;
	if (node == NULL || node->risk == NULL)
		return 0;
	if (entity_risk_unpack(node->risk, node->risk_size, &history, f) == -1)
		return -1;
	room[c] =
	    entity_risk_rates(&history, entity_risk_slot_of(ctx->now), delay);
	*ret = &room[c];
	return 0;
}

/* Make the event's new links, and note all of its links as used. */
static void
link_all(const struct event_context *ctx)
{
	struct graph_pair pairs[ENTITY_GRAPH_PAIRS_MAX];
	struct user_state_link link;
	size_t i, n;
	int c;

	n = entity_graph_pairs(ctx->user, ctx->identifiers, pairs);
	for (i = 0; i < n; i++) {
		link = entity_graph_link_of(pairs[i].a, pairs[i].b);
		if (user_state_link_touch(ctx->state, link))
			continue;
		user_state_link_add(ctx->state, link);
		if (entity_graph_linked(ctx->graph, link))
			continue;
		entity_graph_link_make(ctx->graph, pairs[i].a, pairs[i].b);
		if (pairs[i].a->kind == NODE_USER &&
		    pairs[i].b->kind == NODE_DEVICE)
			user_state_devices_add(ctx->state);
	}
	for (c = 0; c < IDENTIFIER__MAX; c++) {
		if (ctx->identifiers[c] != NULL)
			ctx->identifiers[c]->seen = true;
	}
}
