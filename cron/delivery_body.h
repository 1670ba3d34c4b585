/* SPDX-License-Identifier: ISC */
/* What is sent of an event, in the form that its receiver understands. */
#ifndef CRON_DELIVERY_BODY_H
#define CRON_DELIVERY_BODY_H

#include <stdint.h>

struct arena;

/* An event on its way to a subscriber. */
struct delivery_message {
	const char *form; /* "endpoint", or the type of an alert channel */
	const char *id; /* of the delivery */
	const char *event; /* its name */
	const char *data; /* JSON, the event's payload */
	const char *correlation;
	const char *target; /* Telegram's chat */
	int64_t at; /* when it happened, us UTC */
};

/*
 * The body to send, JSON, from arena a: of equal messages equal, byte by byte.
 * What people are to read is one line with ids and no other personal data.
 * Returns NULL if there is no such form, or the arena is full.
 */
const char *delivery_body(const struct delivery_message *me, struct arena *a);

#endif
