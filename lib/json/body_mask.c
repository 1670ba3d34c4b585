/* SPDX-License-Identifier: ISC */
/* Write an event as JSON: masked for the activity log, or complete. */
#include "config.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "lib/json/body.h"

#define BULLET "\xe2\x80\xa2" /* U+2022 */
#define BULLETS BULLET BULLET BULLET BULLET BULLET

#define PHONE_HEAD 4 /* leading digits shown: about the calling code */
#define PHONE_TAIL 2 /* trailing digits shown */
#define PHONE_HIDDEN 5 /* the least number of digits hidden */
#define PHONE_DIGITS 15 /* the most digits of a number (ITU-T E.164) */

static void put_masked_text(struct str *s, const char *name, const char *text);
static void put_event(struct str *s, const struct event *ev, bool masked);
static void put_subject(struct str *s, const struct event *ev, bool masked);
static void put_instrument(struct str *s, const struct event *ev);
static void put_masked_attrs(struct str *s, const struct event *ev);

void
body_masked(struct str *s, const struct event *ev)
{
	put_event(s, ev, true);
}

void
body_unmasked(struct str *s, const struct event *ev)
{
	put_event(s, ev, false);
}

/*
 * Show the first digits, which show the country, and the last two.  There are
 * always five bullets, so that they do not show the length.  A short number
 * shows fewer digits.
 */
void
body_mask_phone(struct str *s, const char *phone)
{
	char digits[PHONE_DIGITS + 1];
	size_t head, n = 0;

	for (; *phone != '\0' && n < PHONE_DIGITS; phone++)
		if (*phone >= '0' && *phone <= '9')
			digits[n++] = *phone;
	if (n <= PHONE_HIDDEN + PHONE_TAIL) {
		str_add(s, "\"" BULLETS "\"");
		return;
	}
	head = n - PHONE_HIDDEN - PHONE_TAIL;
	if (head > PHONE_HEAD)
		head = PHONE_HEAD;
	str_addf(s, "\"+%.*s" BULLETS "%.*s\"", (int)head, digits, PHONE_TAIL,
	    digits + n - PHONE_TAIL);
}

/* Show the first half of an IPv4 address, a quarter of an IPv6 address. */
void
body_mask_ip(struct str *s, const char *ip)
{
	uint8_t b[16];

	if (inet_pton(AF_INET, ip, b) == 1)
		str_addf(s, "\"%d.%d." BULLET "." BULLET "\"", b[0], b[1]);
	else if (inet_pton(AF_INET6, ip, b) == 1)
		str_addf(s, "\"%x:%x:" BULLET "\"", b[0] << 8 | b[1],
		    b[2] << 8 | b[3]);
	else
		str_add(s, "\"" BULLET "\"");
}

/* Write a member with a string, unless text is NULL. */
static void
put_masked_text(struct str *s, const char *name, const char *text)
{
	if (text != NULL)
		writer_text(s, name, text);
}

static void
put_event(struct str *s, const struct event *ev, bool masked)
{
	writer_object(s, NULL);
	put_masked_text(s, "id", ev->id);
	put_masked_text(s, "type", event_type_name(ev->type));
	if (ev->has_amount)
		writer_json(s, "amount", ev->amount_text);
	put_masked_text(s, "currency", ev->currency);
	put_subject(s, ev, masked);
	put_instrument(s, ev);
	put_masked_attrs(s, ev);
	writer_end(s);
}

static void
put_subject(struct str *s, const struct event *ev, bool masked)
{
	writer_object(s, "subject");
	put_masked_text(s, "userId", ev->user);
	put_masked_text(s, "deviceId", ev->device);
	put_masked_text(s, "fingerprint", ev->fingerprint);
	if (!masked) {
		put_masked_text(s, "ip", ev->ip);
		put_masked_text(s, "phone", ev->phone);
	}
	if (masked && ev->ip != NULL) {
		writer_name(s, "ip");
		body_mask_ip(s, ev->ip);
	}
	if (masked && ev->phone != NULL) {
		writer_name(s, "phone");
		body_mask_phone(s, ev->phone);
	}
	put_masked_text(s, "channel", ev->channel);
	writer_end(s);
}

static void
put_instrument(struct str *s, const struct event *ev)
{
	if (ev->instrument_kind == NULL && ev->bin == NULL &&
	    ev->issuer_country == NULL && ev->three_ds.type != VALUE_BOOL)
		return;
	writer_object(s, "instrument");
	put_masked_text(s, "kind", ev->instrument_kind);
	put_masked_text(s, "bin", ev->bin);
	put_masked_text(s, "issuerCountry", ev->issuer_country);
	if (ev->three_ds.type == VALUE_BOOL)
		writer_value(s, "threeDS", &ev->three_ds);
	writer_end(s);
}

static void
put_masked_attrs(struct str *s, const struct event *ev)
{
	size_t i;

	if (ev->n_attrs == 0)
		return;
	writer_object(s, "attributes");
	for (i = 0; i < ev->n_attrs; i++)
		if (ev->attrs[i].text != NULL)
			writer_json(s, ev->attrs[i].name, ev->attrs[i].text);
		else
			writer_value(s, ev->attrs[i].name, &ev->attrs[i].value);
	writer_end(s);
}
