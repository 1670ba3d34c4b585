/* SPDX-License-Identifier: ISC */
/* The body of a delivery, in the format of its receiver. */
#ifndef CRON_DELIVERY_BODY_H
#define CRON_DELIVERY_BODY_H

#include <stdint.h>

struct arena;

/* What the body of a delivery is made from. */
struct delivery_message {
	const char *form; /* "endpoint", or the type of an alert channel */
	const char *id; /* of the delivery */
	const char *event; /* name, such as "verdict.reached.v1" */
	const char *data; /* payload, JSON */
	const char *correlation;
	const char *target; /* id of the Telegram chat */
	int64_t at; /* when the event happened, us since 1970 */
};

/*
 * Return the body as JSON, from arena a, or NULL if the form is unknown or the
 * arena is full.  Equal messages give equal bytes.  The text for people is one
 * line, with ids but no other personal data.
 */
const char *delivery_body(const struct delivery_message *me, struct arena *a);

#endif
