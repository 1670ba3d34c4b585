/* SPDX-License-Identifier: ISC */
/* What webhooks and alert channels have in common: topics, deliveries. */
#ifndef FCGI_EP_DELIVERY_ADMIN_H
#define FCGI_EP_DELIVERY_ADMIN_H

#include "lib/db/db.h"
#include "lib/net/event_topic.h"

struct req;
struct resp;

/* What the ids of their deliveries begin with. */
#define DELIVERY_ADMIN_WEBHOOK "whd_"
#define DELIVERY_ADMIN_ALERT "ntd_"

/*
 * Append the names in the body's field "events" to p: topics that such a
 * subscriber may have, each once.  Returns 0, or -1 with req->fail set to
 * INVALID_REQUEST.
 */
int delivery_admin_events(struct req *req, enum event_topic_subscriber who,
    struct params *p) __attribute__((warn_unused_result));

/* Append the names that such a subscriber may have to p. */
void delivery_admin_topics(enum event_topic_subscriber who, struct params *p);

/*
 * Revoke the endpoint or channel whose id is in the path.  200: it is
 * revoked, now or before; 404: there is none.
 */
int delivery_admin_revoke(struct req *req, struct resp *resp, enum stmt stmt)
    __attribute__((warn_unused_result));

/* 200: the newest deliveries of a kind that wait and that were given up. */
int delivery_admin_deliveries(struct req *req, struct resp *resp,
    const char *kind) __attribute__((warn_unused_result));

/*
 * 200: how many of the deliveries that were given up are pending again: all,
 * or of very many what the time of a request allows, the oldest first.
 */
int delivery_admin_redrive(struct req *req, struct resp *resp, const char *kind)
    __attribute__((warn_unused_result));

#endif
