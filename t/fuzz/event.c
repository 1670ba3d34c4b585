/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: a body through the gate, an event out of it, and the masked
 * request out of that.
 */
#include "config.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/event.h"
#include "core/fail.h"
#include "core/str.h"
#include "lib/body.h"
#include "t/fuzz/fuzz.h"

#define BULLET "\xe2\x80\xa2"

/* A promise that the target checks; unlike assert() it is never left out. */
#define MUST(cond)                                                             \
	do {                                                                   \
		if (!(cond))                                                   \
			abort();                                               \
	} while (0)

static void check_event(const struct event *);
static void check_masked(struct arena *, const struct event *);
static void check_hidden(struct json_object *, const char *, const char *);
static void check_refusal(const struct fail *);

static _Alignas(16) char block[8 << 20];

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fail f = { 0 };
	struct json_object *json;
	struct arena a;
	struct event ev;

	arena_init(&a, block, sizeof(block));
	json = body_parse(&a, (const char *)data, size, &f);
	if (json == NULL || body_event(&a, json, &ev, &f) == -1)
		check_refusal(&f);
	else {
		check_event(&ev);
		check_masked(&a, &ev);
	}
	arena_reset(&a);
	return 0;
}

/* Refusals are the caller's fault and say why. */
static void
check_refusal(const struct fail *f)
{
	MUST(f->kind == FAIL_INPUT);
	MUST(f->code == INVALID_JSON || f->code == INGEST_INVALID ||
	    f->code == INGEST_UNKNOWN_TYPE || f->code == INGEST_PAN_REJECTED);
	MUST(f->why[0] != '\0');
}

/* Normal forms are their own normal forms, and bounds hold. */
static void
check_event(const struct event *ev)
{
	char ip[EVENT_IP_SIZE], phone[EVENT_PHONE_SIZE];
	bool pub;

	MUST(ev->user != NULL && ev->user[0] != '\0');
	MUST(strlen(ev->user) <= EVENT_ID_MAX);
	MUST(event_type_parse(event_type_name(ev->type)) == ev->type);
	if (ev->ip != NULL) {
		MUST(event_ip(ev->ip, ip, &pub) == 0);
		MUST(strcmp(ev->ip, ip) == 0 && pub == ev->ip_public);
	}
	if (ev->phone != NULL) {
		MUST(strspn(ev->phone, "0123456789") == strlen(ev->phone));
		MUST(strlen(ev->phone) >= 8);
		MUST(event_phone(ev->phone, phone) == 0);
		MUST(strcmp(ev->phone, phone) == 0);
	}
	if (ev->has_amount) {
		MUST(ev->amount >= 0 && ev->amount <= EVENT_AMOUNT_MAX);
		MUST(ev->currency != NULL && strlen(ev->currency) == 3);
	}
	MUST(ev->n_attrs <= EVENT_ATTRS_MAX);
}

/* A masked request passes the gate and hides what it must. */
static void
check_masked(struct arena *a, const struct event *ev)
{
	struct fail f = { 0 };
	struct json_object *json, *subject, *user;
	struct event again;
	struct str s;

	str_init(&s, a);
	body_masked(&s, ev);
	MUST(str_text(&s) != NULL);
	json = body_parse(a, str_text(&s), strlen(str_text(&s)), &f);
	MUST(json != NULL);
	MUST(json_object_object_get_ex(json, "subject", &subject));
	MUST(json_object_object_get_ex(subject, "userId", &user));
	MUST(strcmp(json_object_get_string(user), ev->user) == 0);
	check_hidden(subject, "ip", ev->ip);
	check_hidden(subject, "phone", ev->phone);
	if (body_event(a, json, &again, &f) == -1)
		MUST(f.code != INGEST_PAN_REJECTED);
	else
		MUST(ev->ip == NULL && ev->phone == NULL);
}

/* What was sent is not in the field, bullets are. */
static void
check_hidden(struct json_object *subject, const char *name, const char *sent)
{
	struct json_object *value;
	const char *text;

	if (!json_object_object_get_ex(subject, name, &value)) {
		MUST(sent == NULL);
		return;
	}
	text = json_object_get_string(value);
	MUST(sent != NULL && strstr(text, sent) == NULL);
	MUST(strstr(text, BULLET) != NULL);
}
