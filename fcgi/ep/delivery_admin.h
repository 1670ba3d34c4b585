/* SPDX-License-Identifier: ISC */
/* Functions that webhooks and alert channels share: topics and deliveries. */
#ifndef FCGI_EP_DELIVERY_ADMIN_H
#define FCGI_EP_DELIVERY_ADMIN_H

#include "lib/db/db.h"
#include "lib/shared/event_topic.h"

struct req;
struct resp;

/* The prefixes of delivery ids. */
#define DELIVERY_ADMIN_WEBHOOK "whd_"
#define DELIVERY_ADMIN_ALERT "ntd_"

/*
 * Check the topics in the field "events" of the body: such a subscriber may
 * have them, and each occurs once.  Append them to p.  Return 0, or -1 with
 * req->fail set to INVALID_REQUEST.
 */
int delivery_admin_events(struct req *req, enum event_topic_subscriber who,
    struct params *p) __attribute__((warn_unused_result));

/* Append the topics that such a subscriber may have to p. */
void delivery_admin_topics(enum event_topic_subscriber who, struct params *p);

/*
 * Make the dead letters of a kind pending again, the oldest first, as many as
 * the time of a request allows.  p has the kind.  200: their number.
 */
int delivery_admin_redrive(struct req *req, struct resp *resp, enum stmt stmt,
    struct params *p) __attribute__((warn_unused_result));

#endif
