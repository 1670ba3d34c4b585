/* SPDX-License-Identifier: ISC */
/* One delivery on its way: what is sent, and what came of it. */
#ifndef CRON_DELIVERY_SEND_H
#define CRON_DELIVERY_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "lib/net/http.h"

struct fail;
struct delivery_message;

#define DELIVERY_SEND_ERROR_SIZE 64

enum delivery_send_state {
	DELIVERY_SEND_FREE = 0,
	DELIVERY_SEND_SENDING, /* its call is running */
	DELIVERY_SEND_DONE, /* it has ended, which the database is not told yet
			     */
	DELIVERY_SEND__MAX
};

/* A place for one.  Free ones are zeroed. */
struct delivery_transfer {
	enum delivery_send_state state;
	struct arena arena; /* holds the texts, and is no larger */
	const char *id;
	int64_t claim; /* when the claim ends, which also names it */
	int attempts; /* that were made before */
	bool alert;
	struct http_call call;

	/* Once it is done. */
	char error[DELIVERY_SEND_ERROR_SIZE]; /* empty: it was delivered */
	int64_t wait; /* us until it is tried again, -1: given up */
};

/* A delivery as it was claimed. */
struct delivery_claim {
	const struct delivery_message *message;
	const char *url;
	const char *secret; /* that signs it, NULL: it is not signed */
	int64_t at; /* when that was, by the database's clock */
	int64_t until;
	int attempts;
};

/*
 * Begin to send what was claimed; what cannot be sent is done at once.
 * Scratch memory comes from arena a; nothing of the claim is kept.  Returns
 * 0, or -1 with f set when there is no memory: the place is free again then.
 */
int delivery_send_start(struct delivery_transfer *po, struct http *h,
    const struct delivery_claim *cl, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/* A call that http_wait() returned: note what came of it. */
struct delivery_transfer *delivery_send_finish(
    struct http *h, struct http_call *call);

/* Make the place free, whatever state it is in. */
void delivery_send_clear(struct delivery_transfer *po, struct http *h);

#endif
