/* SPDX-License-Identifier: ISC */
/* Send one delivery and note its result. */
#ifndef CRON_DELIVERY_SEND_H
#define CRON_DELIVERY_SEND_H

#include <stdint.h>

#include "core/base/arena.h"
#include "cron/delivery_answer.h"
#include "lib/net/http.h"

struct fail;
struct delivery_message;

enum delivery_send_state {
	DELIVERY_SEND_FREE = 0,
	DELIVERY_SEND_SENDING, /* the HTTP request is in progress */
	DELIVERY_SEND_DONE, /* ended; the database does not know it yet */
	DELIVERY_SEND__MAX
};

/* One transfer.  A free one is zeroed. */
struct delivery_transfer {
	enum delivery_send_state state;
	struct arena arena; /* holds the texts to send */
	const char *id;
	int64_t claim; /* end of the lease, which also identifies it */
	int attempts; /* made before this one */
	const char *form; /* of the message */
	struct http_call call;

	/* Set when the state is DONE. */
	char error[DELIVERY_ANSWER_ERROR_SIZE]; /* empty: delivered */
	int64_t wait; /* us until the next attempt, -1: dead letter */
};

/* A claimed delivery. */
struct delivery_claim {
	const struct delivery_message *message;
	const char *url;
	const char *secret; /* signs the delivery; NULL: not signed */
	int64_t at; /* time of the claim, by the database's clock */
	int64_t until; /* end of the lease */
	int attempts; /* made before this one */
};

/*
 * Start to send a claimed delivery.  One that cannot be sent becomes DONE with
 * an error immediately.  Scratch memory comes from arena a; po keeps copies of
 * the texts of cl.  Return 0, or -1 with f set if memory is short; po is free
 * then.
 */
int delivery_send_start(struct delivery_transfer *po, struct http *h,
    const struct delivery_claim *cl, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/* Note the result of a call that http_wait() returned; return its transfer. */
struct delivery_transfer *delivery_send_finish(
    struct http *h, struct http_call *call);

/* Abort the transfer if it is in progress, and free it. */
void delivery_send_clear(struct delivery_transfer *po, struct http *h);

#endif
