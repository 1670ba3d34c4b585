/* SPDX-License-Identifier: ISC */
/* The body of a delivery, in the format of its receiver. */
#include "config.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "cron/delivery_body.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"

#define MARK '{' /* begins the name of a member of the payload */
#define MARK_END '}'

typedef void form_fn(
    const struct delivery_message *me, struct arena *a, struct str *s);

static form_fn add_endpoint;
static form_fn add_slack;
static form_fn add_telegram;
static form_fn add_webhook;
static void add_time(struct str *s, int64_t us);
static const char *text_line(
    const struct delivery_message *me, struct arena *a);
static void add_body_value(
    struct str *s, struct json_object *data, const char *name, size_t size);
static const char *escape_slack(const char *text, struct arena *a);

static const struct {
	const char *name;
	form_fn *add;
} forms[] = {
	{ "endpoint", add_endpoint },
	{ "slack", add_slack },
	{ "telegram", add_telegram },
	{ "webhook", add_webhook },
};

/* The text for people, by event; {name} is a member of the payload. */
static const struct {
	const char *event;
	const char *line;
} lines[] = {
	{ "verdict.reached.v1",
	    "verdict {verdict}: event {eventId}, {eventType}, score {score}" },
	{ "verdict.revised.v1",
	    "verdict {verdict} in place of {formerVerdict}: event {eventId}, "
	    "{eventType}" },
	{ "case.resolved.v1",
	    "case resolved as {outcome}: event {eventId}, {caseId}" },
	{ "label.recorded.v1", "label {outcome} ({source}): event {eventId}" },
	{ "alert.anomaly.v1",
	    "anomaly: event {eventId}, {eventType}, verdict {verdict}, "
	    "z-score {amountZScore}" },
	{ "alert.dead_letter.v1",
	    "{source} delivery failed after {attempts} attempts: {ref}, "
	    "{name}" },
	{ "alert.drift.v1",
	    "drift: the scores of {eventType} have changed, PSI {psi}, "
	    "threshold {threshold}" },
	{ "alert.rollout.v1",
	    "rollout {version} ended: its denials of {eventType} differ by "
	    "{denyPoints} and its reviews by {reviewPoints} percentage points "
	    "from what is active, over {decisions} events" },
	{ "alert.test.v1", "test alert: channel {channelId} works" },
};

const char *
delivery_body(const struct delivery_message *me, struct arena *a)
{
	struct str s;
	size_t i;

	for (i = 0; i < nitems(forms); i++)
		if (strcmp(forms[i].name, me->form) == 0)
			break;
	if (i == nitems(forms))
		return NULL;
	str_init(&s, a);
	forms[i].add(me, a, &s);
	return str_text(&s);
}

static void
add_endpoint(const struct delivery_message *me, struct arena *a, struct str *s)
{
	(void)a;
	writer_object(s, NULL);
	writer_text(s, "id", me->id);
	writer_text(s, "type", me->event);
	add_time(s, me->at);
	writer_text(s, "correlationId", me->correlation);
	writer_json(s, "data", me->data);
	writer_end(s);
}

static void
add_webhook(const struct delivery_message *me, struct arena *a, struct str *s)
{
	writer_object(s, NULL);
	writer_text(s, "type", me->event);
	writer_text(s, "text", text_line(me, a));
	add_time(s, me->at);
	writer_json(s, "data", me->data);
	writer_end(s);
}

static void
add_slack(const struct delivery_message *me, struct arena *a, struct str *s)
{
	writer_object(s, NULL);
	writer_text(s, "text", escape_slack(text_line(me, a), a));
	writer_end(s);
}

static void
add_telegram(const struct delivery_message *me, struct arena *a, struct str *s)
{
	writer_object(s, NULL);
	writer_text(s, "chat_id", me->target);
	writer_text(s, "text", text_line(me, a));
	writer_end(s);
}

static void
add_time(struct str *s, int64_t us)
{
	char text[CLOCK_TEXT_SIZE];

	clock_text(us, text);
	writer_text(s, "occurredAt", text);
}

/* Return the text for people; for an event without one, the event's name. */
static const char *
text_line(const struct delivery_message *me, struct arena *a)
{
	struct fail none = { 0 };
	struct json_object *data =
	    body_parse(a, me->data, strlen(me->data), &none);
	const char *p = me->event, *end;
	struct str s;
	size_t i;

	for (i = 0; i < nitems(lines); i++)
		if (strcmp(lines[i].event, me->event) == 0)
			p = lines[i].line;
	str_init(&s, a);
	while (*p != '\0') {
		end = *p == MARK ? strchr(p, MARK_END) : NULL;
		if (end == NULL) {
			str_addc(&s, *p++);
			continue;
		}
		add_body_value(&s, data, p + 1, (size_t)(end - p - 1));
		p = end + 1;
	}
	return str_text(&s);
}

/*
 * Add a member of the payload, or a dash if it is missing.  In Mattermost a
 * value with "@channel" would notify a whole channel, except as code.
 */
static void
add_body_value(
    struct str *s, struct json_object *data, const char *name, size_t size)
{
	struct json_object *value = NULL;
	const char *text = "-";
	char key[32] = "";
	bool code;

	if (size < sizeof(key))
		memcpy(key, name, size);
	if (json_object_is_type(data, json_type_object) &&
	    json_object_object_get_ex(data, key, &value) && value != NULL)
		text = json_object_get_string(value);
	code = strchr(text, '@') != NULL;
	if (code)
		str_addc(s, '`');
	for (; *text != '\0'; text++)
		str_addc(s, code && *text == '`' ? '\'' : *text);
	if (code)
		str_addc(s, '`');
}

/* Without this an id such as <!channel> would notify a whole Slack channel. */
static const char *
escape_slack(const char *text, struct arena *a)
{
	struct str s;

	if (text == NULL)
		return NULL;
	str_init(&s, a);
	for (; *text != '\0'; text++) {
		if (*text == '&')
			str_add(&s, "&amp;");
		else if (*text == '<')
			str_add(&s, "&lt;");
		else if (*text == '>')
			str_add(&s, "&gt;");
		else
			str_addc(&s, *text);
	}
	return str_text(&s);
}
