/* SPDX-License-Identifier: ISC */
/* cron/delivery_body.c: the bodies of each form and event. */
#include "config.h"

#include "core/base/arena.h"
#include "cron/delivery_body.h"
#include "t/unit/unit.h"

#define AT INT64_C(1767323045678901) /* 2026-01-02T03:04:05.678901Z */

static struct arena arena;
static _Alignas(16) char block[65536];

static const struct {
	const char *form;
	const char *event;
	const char *data;
	const char *want;
} cases[] = {
	{ "endpoint", "label.recorded.v1", "{\"eventId\" : \"e\"}",
	    "{\"id\":\"xxd_1\",\"type\":\"label.recorded.v1\","
	    "\"occurredAt\":\"2026-01-02T03:04:05.678Z\","
	    "\"correlationId\":\"a\\\"b\",\"data\":{\"eventId\" : \"e\"}}" },
	{ "webhook", "alert.test.v1", "{\"channelId\":\"ntf_1\"}",
	    "{\"type\":\"alert.test.v1\","
	    "\"text\":\"test alert: channel ntf_1 works\","
	    "\"occurredAt\":\"2026-01-02T03:04:05.678Z\","
	    "\"data\":{\"channelId\":\"ntf_1\"}}" },
	{ "telegram", "label.recorded.v1",
	    "{\"eventId\":\"<e>\",\"outcome\":\"fraud\","
	    "\"source\":\"chargeback\"}",
	    "{\"chat_id\":\"-1\","
	    "\"text\":\"label fraud (chargeback): event <e>\"}" },
	{ "slack", "verdict.reached.v1",
	    "{\"eventId\":\"<!channel>&\",\"eventType\":\"card.authorize\","
	    "\"verdict\":\"deny\",\"score\":87,\"userId\":\"u\"}",
	    "{\"text\":\"verdict deny: event &lt;!channel&gt;&amp;, "
	    "card.authorize, score 87\"}" },
	{ "slack", "verdict.revised.v1",
	    "{\"eventId\":\"e\",\"eventType\":\"order.place\","
	    "\"verdict\":\"deny\",\"score\":-1,"
	    "\"formerVerdict\":\"allow\"}",
	    "{\"text\":\"verdict deny in place of allow: event e, "
	    "order.place\"}" },
	{ "slack", "label.recorded.v1",
	    "{\"eventId\":\"a`@channel\",\"outcome\":\"fraud\","
	    "\"source\":\"@all\"}",
	    "{\"text\":\"label fraud (`@all`): event `a'@channel`\"}" },
	{ "slack", "case.resolved.v1",
	    "{\"caseId\":\"cse_1\",\"eventId\":\"e\",\"outcome\":\"legit\","
	    "\"analyst\":\"a@b.c\",\"note\":\"n\"}",
	    "{\"text\":\"case resolved as legit: event e, cse_1\"}" },
	{ "slack", "alert.anomaly.v1",
	    "{\"userId\":\"u\",\"eventId\":\"e\",\"eventType\":\"order.place\","
	    "\"amountZScore\":4.25,\"amount\":9,\"verdict\":\"review\"}",
	    "{\"text\":\"anomaly: event e, order.place, verdict review, "
	    "z-score 4.25\"}" },
	{ "slack", "alert.dead_letter.v1",
	    "{\"source\":\"webhook\",\"ref\":\"whd_1\","
	    "\"name\":\"case.resolved.v1\",\"attempts\":8}",
	    "{\"text\":\"webhook delivery failed after 8 attempts: whd_1, "
	    "case.resolved.v1\"}" },
	{ "slack", "alert.drift.v1",
	    "{\"eventType\":\"order.place\",\"psi\":0.4321,"
	    "\"threshold\":0.25,\"window\":{\"decisions\":999}}",
	    "{\"text\":\"drift: the scores of order.place have changed, "
	    "PSI 0.4321, threshold 0.25\"}" },
	{ "slack", "alert.rollout.v1",
	    "{\"shadowId\":\"shd_1\",\"version\":\"v2\","
	    "\"eventType\":\"order.place\",\"percent\":10,\"decisions\":400,"
	    "\"denyPoints\":0.00,\"reviewPoints\":-15.00}",
	    "{\"text\":\"rollout v2 ended: its denials of order.place differ "
	    "by 0.00 and its reviews by -15.00 percentage points from what is "
	    "active, over 400 events\"}" },
	/* Unknown events and broken payloads still give a text. */
	{ "slack", "new.v2", "{}", "{\"text\":\"new.v2\"}" },
	{ "slack", "label.recorded.v1", "not JSON",
	    "{\"text\":\"label - (-): event -\"}" },
	{ "fax", "label.recorded.v1", "{}", NULL },
};

static void
setup(void)
{
	arena_init(&arena, block, sizeof(block));
}

static void
teardown(void)
{
	arena_reset(&arena);
}

START_TEST(body_has_the_form_of_its_receiver)
{
	const struct delivery_message me = {
		.form = cases[_i].form,
		.id = "xxd_1",
		.event = cases[_i].event,
		.data = cases[_i].data,
		.correlation = "a\"b",
		.target = "-1",
		.at = AT,
	};
	const char *got = delivery_body(&me, &arena);

	if (cases[_i].want == NULL)
		ck_assert_ptr_null(got);
	else
		ck_assert_str_eq(got, cases[_i].want);
}
END_TEST

Suite *
suite_delivery_body(void)
{
	Suite *s = suite_create("delivery_body");
	TCase *tc = tcase_create("delivery_body");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, body_has_the_form_of_its_receiver, 0,
	    (int)(sizeof(cases) / sizeof(cases[0])));
	suite_add_tcase(s, tc);
	return s;
}
