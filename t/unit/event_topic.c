/* SPDX-License-Identifier: ISC */
/* lib/shared/event_topic.c: the topics of webhooks and of alert channels. */
#include "config.h"

#include "lib/shared/event_topic.h"
#include "t/unit/unit.h"

static const struct {
	const char *name;
	bool webhook;
	bool alert;
} topics[] = {
	{ "verdict.reached.v1", true, true },
	{ "case.resolved.v1", true, true },
	{ "label.recorded.v1", true, true },
	{ "alert.anomaly.v1", false, true },
	{ "alert.dead_letter.v1", false, true },
	{ "alert.drift.v1", false, true },
	{ "alert.rollout.v1", false, true },
	{ "verdict.revised.v1", true, true },
	{ "alert.test.v1", false, false },
	{ "verdict.reached.v2", false, false },
	{ "", false, false },
};

START_TEST(webhooks_get_no_alerts)
{
	ck_assert_int_eq(event_topic_offered(TOPIC_WEBHOOK, topics[_i].name),
	    topics[_i].webhook);
	ck_assert_int_eq(event_topic_offered(TOPIC_ALERT, topics[_i].name),
	    topics[_i].alert);
}
END_TEST

START_TEST(topic_names_are_those_offered)
{
	const char *got[TOPIC__MAX];
	size_t i, k, n;

	n = event_topic_names(TOPIC_WEBHOOK, got);
	ck_assert_uint_eq(n, 4);
	for (i = 0, k = 0; i < n; i++, k++) {
		while (!topics[k].webhook)
			k++;
		ck_assert_str_eq(got[i], topics[k].name);
	}
	n = event_topic_names(TOPIC_ALERT, got);
	ck_assert_uint_eq(n, 8);
	for (i = 0; i < n; i++)
		ck_assert_str_eq(got[i], topics[i].name);
}
END_TEST

Suite *
suite_event_topic(void)
{
	Suite *s = suite_create("event_topic");
	TCase *tc = tcase_create("event_topic");

	tcase_add_loop_test(tc, webhooks_get_no_alerts, 0, (int)nitems(topics));
	tcase_add_test(tc, topic_names_are_those_offered);
	suite_add_tcase(s, tc);
	return s;
}
