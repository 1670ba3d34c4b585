/* SPDX-License-Identifier: ISC */
/* Send one delivery and note its result. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "cron/delivery_backoff.h"
#include "cron/delivery_body.h"
#include "cron/delivery_send.h"
#include "cron/delivery_sign.h"
#include "lib/conf/conf.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define TIMEOUT_MS 10000
#define REPLY_MAX ((size_t)16 << 10) /* bytes to read of a response */
#define ROOM_HEADERS ((size_t)8 << 10)

static int copy_texts(struct delivery_transfer *po,
    const struct delivery_claim *cl, const char *body, struct fail *f);
static int add_headers(struct delivery_transfer *po,
    const struct delivery_claim *cl, struct arena *a);
static void add_delivery_header(struct delivery_transfer *po, size_t *n,
    const char *name, const char *value);
static void fail_transfer(struct delivery_transfer *po, const char *error);
static int64_t next_wait(const struct delivery_transfer *po);

int
delivery_send_start(struct delivery_transfer *po, struct http *h,
    const struct delivery_claim *cl, struct arena *a, struct fail *f)
{
	const struct delivery_message *me = cl->message;
	const char *body = delivery_body(me, a);
	struct fail malformed = { 0 };

	if (copy_texts(po, cl, body == NULL ? "" : body, f) == -1)
		return -1;
	po->claim = cl->until;
	po->attempts = cl->attempts;
	po->call.method = "POST";
	po->call.timeout_ms = TIMEOUT_MS;
	po->call.reply_max = REPLY_MAX;
	po->call.flags = HTTP_CUT;
	if (!conf.ALLOW_PRIVATE_TARGETS)
		po->call.flags |= HTTP_OUTSIDE;
	po->call.owner = po;
	po->state = DELIVERY_SEND_SENDING;
	if (body == NULL || add_headers(po, cl, a) == -1)
		fail_transfer(po, "the request cannot be built");
	else if (http_start(h, &po->call, &malformed) == -1)
		fail_transfer(po, "the request cannot be started");
	return 0;
}

struct delivery_transfer *
delivery_send_finish(struct http *h, struct http_call *call)
{
	struct delivery_transfer *po = call->owner;
	const struct delivery_reply re = {
		.form = po->form,
		.url = call->url,
		.status = call->status,
		.body = call->reply,
		.size = call->reply_size,
	};
	enum delivery_answer answer;

	if (call->status == 0) {
		fail_transfer(po, http_fault_text(call->fault));
	} else {
		answer = delivery_answer(&re, po->error);
		po->wait =
		    answer == DELIVERY_ANSWER_FAILED ? next_wait(po) : -1;
		po->state = DELIVERY_SEND_DONE;
	}
	http_done(h, call);
	return po;
}

void
delivery_send_clear(struct delivery_transfer *po, struct http *h)
{
	void *block = po->arena.base;

	if (po->call.handle != NULL)
		http_done(h, &po->call);
	if (block != NULL)
		arena_reset(&po->arena);
	free(block);
	memset(po, 0, sizeof(*po));
}

/* Copy the texts to send into a block of their size. */
static int
copy_texts(struct delivery_transfer *po, const struct delivery_claim *cl,
    const char *body, struct fail *f)
{
	const size_t room = ROOM_HEADERS + strlen(cl->url) + strlen(body);
	void *block = malloc(room);

	if (block == NULL)
		return fail_memory(f);
	arena_init(&po->arena, block, room);
	po->id = arena_strdup(&po->arena, cl->message->id);
	po->form = arena_strdup(&po->arena, cl->message->form);
	po->call.url = arena_strdup(&po->arena, cl->url);
	po->call.body = arena_strdup(&po->arena, body);
	po->call.body_size = strlen(body);
	if (!po->arena.overflow)
		return 0;
	delivery_send_clear(po, NULL);
	return fail_memory(f);
}

/* Return 0, or -1 if the secret is malformed or the arena is full. */
static int
add_headers(struct delivery_transfer *po, const struct delivery_claim *cl,
    struct arena *a)
{
	const int64_t seconds = cl->at / CLOCK_SECOND;
	const struct http_call *call = &po->call;
	char time[24], plain[DELIVERY_SIGN_BODY_SIZE],
	    standard[DELIVERY_SIGN_STANDARD_SIZE];
	size_t n = 0;

	add_delivery_header(po, &n, "Content-Type", "application/json");
	add_delivery_header(po, &n, "X-Engine-Event", cl->message->event);
	add_delivery_header(po, &n, "X-Engine-Delivery", po->id);
	if (cl->secret != NULL) {
		delivery_sign_body(
		    cl->secret, call->body, call->body_size, plain);
		if (delivery_sign_standard(a, cl->secret, po->id, seconds,
			call->body, call->body_size, standard) == -1)
			return -1;
		snprintf(time, sizeof(time), "%lld", (long long)seconds);
		add_delivery_header(po, &n, "X-Engine-Signature", plain);
		add_delivery_header(po, &n, "webhook-id", po->id);
		add_delivery_header(po, &n, "webhook-timestamp", time);
		add_delivery_header(po, &n, "webhook-signature", standard);
	}
	return po->arena.overflow ? -1 : 0;
}

static void
add_delivery_header(struct delivery_transfer *po, size_t *n, const char *name,
    const char *value)
{
	struct str s;

	str_init(&s, &po->arena);
	str_addf(&s, "%s: %s", name, value);
	po->call.headers[(*n)++] = str_text(&s);
}

/* End a transfer without an answer. */
static void
fail_transfer(struct delivery_transfer *po, const char *error)
{
	snprintf(po->error, sizeof(po->error), "%s", error);
	po->wait = next_wait(po);
	po->state = DELIVERY_SEND_DONE;
}

static int64_t
next_wait(const struct delivery_transfer *po)
{
	uint32_t chance;

	crypt_random(&chance, sizeof(chance));
	return delivery_backoff(po->attempts + 1, po->call.retry_after, chance);
}
