/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: a body through strict_json, an event from it, and the masked
 * request from that.  json-c reads the same from every accepted body; normal
 * forms normalise to themselves; a stored request shows no address, phone or
 * card number.
 */
#include "config.h"

#include <ctype.h>
#include <json-c/json.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "core/event/phone.h"
#include "lib/json/body.h"
#include "t/fuzz/fuzz.h"

#define MASKED "n,note" /* attributes whose card numbers are masked */
#define BULLET "\xe2\x80\xa2"

static void check_refusal(const struct fail *f);
static void check_json(
    struct json_object *json, const uint8_t *data, size_t size);
static bool same(struct json_object *ours, struct json_object *theirs);
static bool same_object(struct json_object *ours, struct json_object *theirs);
static bool same_number(struct json_object *ours, struct json_object *theirs);
static void check_event(const struct event *ev);
static void check_masked(struct arena *a, const struct event *ev);
static void check_again(struct arena *a, const struct event *ev);
static void check_shown(struct json_object *subject, const char *name,
    const char *sent, size_t most);
static bool holds_card(const char *text);

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
	if (json != NULL)
		check_json(json, data, size);
	if (json == NULL || body_event(&a, json, MASKED, &ev, &f) == -1) {
		check_refusal(&f);
	} else {
		check_event(&ev);
		check_masked(&a, &ev);
		check_again(&a, &ev);
	}
	arena_reset(&a);
	return 0;
}

/* An error has FAIL_INPUT and a reason. */
static void
check_refusal(const struct fail *f)
{
	assert(f->kind == FAIL_INPUT);
	assert(f->code == INVALID_JSON || f->code == INGEST_INVALID ||
	    f->code == INGEST_UNKNOWN_TYPE || f->code == INGEST_PAN_REJECTED);
	assert(f->why[0] != '\0');
}

/*
 * json-c accepts every body that strict_json accepts, and reads the same.
 * (json-c also accepts bodies that strict_json refuses.)
 */
static void
check_json(struct json_object *json, const uint8_t *data, size_t size)
{
	struct json_tokener *tok = json_tokener_new_ex(BODY_DEPTH_MAX + 1);
	char *text = malloc(size + 1);
	struct json_object *theirs;

	assert(tok != NULL && text != NULL);
	json_tokener_set_flags(
	    tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	memcpy(text, data, size);
	text[size] = '\0'; /* ends a number at the end of the body */
	theirs = json_tokener_parse_ex(tok, text, (int)size + 1);
	assert(json_tokener_get_error(tok) == json_tokener_success);
	if (theirs == NULL)
		assert(json_object_is_type(json, json_type_boolean));
	else
		assert(same(json, theirs));
	json_object_put(theirs);
	json_tokener_free(tok);
	free(text);
}

/* Return whether ours and theirs are the same value. */
static bool
same(struct json_object *ours, struct json_object *theirs)
{
	size_t i, n;

	switch (json_object_get_type(ours)) {
	case json_type_object:
		return same_object(ours, theirs);
	case json_type_int:
	case json_type_double:
		return same_number(ours, theirs);
	case json_type_array:
		if (!json_object_is_type(theirs, json_type_array))
			return false;
		n = json_object_array_length(ours);
		if (json_object_array_length(theirs) != n)
			return false;
		for (i = 0; i < n; i++)
			if (!same(json_object_array_get_idx(ours, i),
				json_object_array_get_idx(theirs, i)))
				return false;
		return true;
	case json_type_null:
	case json_type_boolean:
	case json_type_string:
		break;
	}
	return json_object_equal(ours, theirs) == 1;
}

static bool
same_object(struct json_object *ours, struct json_object *theirs)
{
	struct json_object *other;

	if (!json_object_is_type(theirs, json_type_object) ||
	    json_object_object_length(ours) !=
		json_object_object_length(theirs))
		return false;
	json_object_object_foreach(ours, name, value)
	{
		if (!json_object_object_get_ex(theirs, name, &other) ||
		    !same(value, other))
			return false;
	}
	return true;
}

/* json-c cuts integers at 64 bits; strict_json makes doubles of them. */
static bool
same_number(struct json_object *ours, struct json_object *theirs)
{
	const double n = json_object_get_double(ours);

	if (json_object_is_type(ours, json_type_int))
		return json_object_is_type(theirs, json_type_int) &&
		    json_object_get_int64(ours) ==
		    json_object_get_int64(theirs);
	if (json_object_is_type(theirs, json_type_int))
		return fabs(n) > 9e18 || n == 0;
	return json_object_is_type(theirs, json_type_double) &&
	    json_object_get_double(theirs) == n;
}

/* Normal forms normalise to themselves and are within their bounds. */
static void
check_event(const struct event *ev)
{
	char ip[EVENT_IP_SIZE], phone[PHONE_SIZE];
	bool pub;

	assert(ev->user != NULL && ev->user[0] != '\0');
	assert(strlen(ev->user) <= EVENT_ID_MAX);
	assert(event_type_parse(event_type_name(ev->type)) == ev->type);
	if (ev->ip != NULL) {
		assert(event_ip(ev->ip, ip, &pub) == 0);
		assert(strcmp(ev->ip, ip) == 0 && pub == ev->ip_public);
	}
	if (ev->phone != NULL) {
		assert(strspn(ev->phone, "0123456789") == strlen(ev->phone));
		assert(strlen(ev->phone) >= 7);
		assert(phone_canonical(ev->phone, phone) == 0);
		assert(strcmp(ev->phone, phone) == 0);
	}
	if (ev->has_amount) {
		assert(ev->amount >= 0 && ev->amount <= EVENT_AMOUNT_MAX);
		assert(ev->currency != NULL);
	}
	assert(ev->currency == NULL || event_currency(ev->currency));
	assert(ev->issuer_country == NULL || geo_country(ev->issuer_country));
	assert(ev->n_attrs <= EVENT_ATTRS_MAX);
}

/* A masked request is accepted again and hides what it must. */
static void
check_masked(struct arena *a, const struct event *ev)
{
	struct fail f = { 0 };
	struct json_object *json, *subject, *user;
	struct event again;
	size_t i, phone = 0;
	struct str s;

	str_init(&s, a);
	body_masked(&s, ev);
	assert(str_text(&s) != NULL);
	json = body_parse(a, str_text(&s), strlen(str_text(&s)), &f);
	assert(json != NULL);
	assert(json_object_object_get_ex(json, "subject", &subject));
	assert(json_object_object_get_ex(subject, "userId", &user));
	assert(strcmp(json_object_get_string(user), ev->user) == 0);

	/* Half of an address is hidden; of a phone at least five digits
	 * are, and at most six are shown. */
	check_shown(subject, "ip", ev->ip, 8);
	if (ev->phone != NULL)
		phone = strlen(ev->phone) - 5;
	check_shown(subject, "phone", ev->phone, phone < 6 ? phone : 6);
	if (body_event(a, json, MASKED, &again, &f) == -1)
		assert(f.code != INGEST_PAN_REJECTED);
	else
		assert(ev->ip == NULL && again.phone == NULL &&
		    again.phone_unreadable == (ev->phone != NULL));

	/* No stored text has a card number. */
	assert(ev->channel == NULL || !holds_card(ev->channel));
	for (i = 0; i < ev->n_attrs; i++) {
		assert(!holds_card(ev->attrs[i].name));
		assert(ev->attrs[i].value.type != VALUE_STRING ||
		    !holds_card(ev->attrs[i].value.string));
	}
}

/* An event that is written reads back the same and is written the same. */
static void
check_again(struct arena *a, const struct event *ev)
{
	struct fail f = { 0 };
	struct json_object *json;
	struct event again;
	struct str s, t;

	str_init(&s, a);
	body_unmasked(&s, ev);
	assert(str_text(&s) != NULL);
	json = body_parse(a, str_text(&s), strlen(str_text(&s)), &f);
	assert(json != NULL);
	assert(body_event(a, json, MASKED, &again, &f) == 0);
	assert(again.type == ev->type && again.amount == ev->amount);
	assert(again.ip_public == ev->ip_public);
	str_init(&t, a);
	body_unmasked(&t, &again);
	assert(str_text(&t) != NULL);
	assert(strcmp(str_text(&s), str_text(&t)) == 0);
}

/* A masked field has the start of the value, few digits, and bullets. */
static void
check_shown(struct json_object *subject, const char *name, const char *sent,
    size_t most)
{
	static const char digits[] = "0123456789abcdef";
	struct json_object *value;
	const char *text;
	size_t shown = 0;

	if (!json_object_object_get_ex(subject, name, &value)) {
		assert(sent == NULL);
		return;
	}
	text = json_object_get_string(value);
	assert(sent != NULL && strstr(text, sent) == NULL);
	text += *text == '+';
	assert(strstr(text, BULLET) != NULL);
	assert(strchr(sent, ':') != NULL ||
	    memcmp(text, sent, (size_t)(strstr(text, BULLET) - text)) == 0);
	for (; *text != '\0'; text++)
		shown += strchr(digits, *text) != NULL;
	assert(shown <= most);
}

/*
 * Return whether text has a 16-digit Visa or Mastercard number.  The search is
 * slow: at each position, digit by digit.
 */
static bool
holds_card(const char *text)
{
	const char *p, *q;
	int n, sum;

	for (p = text; *p != '\0'; p++) {
		if (*p != '4' && (*p != '5' || p[1] < '1' || p[1] > '5'))
			continue;
		if (p > text && isalnum((unsigned char)p[-1]))
			continue;
		for (n = sum = 0, q = p; n < 16; q++) {
			if (n > 0 && (*q == ' ' || *q == '-') &&
			    isdigit((unsigned char)q[1]))
				continue;
			if (!isdigit((unsigned char)*q))
				break;
			sum += n % 2 == 1 ? *q - '0' : (*q - '0') * 2;
			sum -= n % 2 == 0 && *q > '4' ? 9 : 0;
			n++;
		}
		if (n == 16 && sum % 10 == 0 && !isalnum((unsigned char)*q))
			return true;
	}
	return false;
}
