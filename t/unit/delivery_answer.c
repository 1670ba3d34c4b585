/* SPDX-License-Identifier: ISC */
/* cron/delivery_answer.c: what the answer of a receiver means. */
#include "config.h"

#include <string.h>

#include "cron/delivery_answer.h"
#include "t/unit/unit.h"

#define URL                                                                    \
	"https://chat.example/bot7:AbCdEfGh/sendMessage?key=0123456789"        \
	"&sig=abc%2Bdefghijk%2"
#define TEN "0123456789"
#define TAKEN DELIVERY_ANSWER_TAKEN
#define FAILED DELIVERY_ANSWER_FAILED
#define REFUSED DELIVERY_ANSWER_REFUSED

static const struct {
	const char *form;
	int status;
	const char *body;
	enum delivery_answer answer;
	const char *error;
} cases[] = {
	{ "endpoint", 200, "ok", TAKEN, "" },
	{ "endpoint", 299, NULL, TAKEN, "" },
	{ "endpoint", 199, NULL, FAILED, "status 199" },
	{ "endpoint", 300, "", FAILED, "status 300" },
	{ "endpoint", 500, "down", FAILED, "status 500: down" },
	{ "endpoint", 404, "no route", REFUSED, "status 404: no route" },
	{ "webhook", 410, NULL, REFUSED, "status 410" },
	{ "endpoint", 400, "x", FAILED, "status 400: x" },
	{ "webhook", 400, "x", FAILED, "status 400: x" },
	{ "telegram", 400, "{\"description\":\"chat not found\"}", REFUSED,
	    "status 400: {\"description\":\"chat not found\"}" },
	{ "telegram", 429, NULL, FAILED, "status 429" },
	{ "slack", 403, "action_prohibited", REFUSED,
	    "status 403: action_prohibited" },

	/* A status of 200 that refuses an alert. */
	{ "webhook", 200, "{\"errcode\":0,\"errmsg\":\"ok\"}", TAKEN, "" },
	{ "webhook", 200, "{\"errcode\":310000}", FAILED,
	    "status 200: {\"errcode\":310000}" },
	{ "webhook", 200, "{\"errcode\": 0}", TAKEN, "" },
	{ "webhook", 200, "{\"errcode\":  -1}", FAILED,
	    "status 200: {\"errcode\": -1}" },
	{ "webhook", 200, "{\"errcode\":null}", TAKEN, "" },
	{ "webhook", 200, "{\"errcode\":", TAKEN, "" },
	{ "slack", 200, "{\"ok\":false}", FAILED,
	    "status 200: {\"ok\":false}" },
	{ "webhook", 202, "Webhook message delivery failed with error: 429",
	    FAILED,
	    "status 202: Webhook message delivery failed with error: 429" },
	{ "endpoint", 200, "{\"errcode\":310000}", TAKEN, "" },

	/* The words are one line that shows no part of the URL. */
	{ "endpoint", 500, " \n\t ", FAILED, "status 500" },
	{ "endpoint", 500, " a\r\n\r\n b\x01\x7f\xc2\x85 c ", FAILED,
	    "status 500: a b c" },
	{ "endpoint", 500,
	    "a\xe2\x80\xae"
	    "b\xff\xc3",
	    FAILED, "status 500: a b??" },
	{ "endpoint", 500, "/bot7:AbCdEfGh/sendMessage is gone", FAILED,
	    "status 500: /bot7:.../... is gone" },
	{ "endpoint", 500, "sig abc+defghijk", FAILED,
	    "status 500: sig abc+..." },
	{ "endpoint", 500, "key=" TEN "9!", FAILED, "status 500: key=...9!" },
	{ "endpoint", 500, "chat.example key", FAILED,
	    "status 500: chat.example key" },
};

START_TEST(answer_is_judged_by_status_and_body)
{
	const char *body = cases[_i].body;
	const struct delivery_reply re = { .form = cases[_i].form,
		.url = URL,
		.status = cases[_i].status,
		.body = body,
		.size = body == NULL ? 0 : strlen(body) };
	char error[DELIVERY_ANSWER_ERROR_SIZE];

	ck_assert_int_eq(delivery_answer(&re, error), cases[_i].answer);
	ck_assert_str_eq(error, cases[_i].error);
}
END_TEST

/* No character of several bytes is cut. */
START_TEST(words_end_after_200_bytes)
{
	char body[1000], error[DELIVERY_ANSWER_ERROR_SIZE];
	struct delivery_reply re = { .form = "endpoint",
		.url = "https://a.example",
		.status = 500,
		.body = body,
		.size = sizeof(body) };
	size_t i;

	memset(body, 'x', sizeof(body));
	delivery_answer(&re, error);
	ck_assert_uint_eq(
	    strlen(error), strlen("status 500: ") + DELIVERY_ANSWER_WORDS);
	for (i = 0; i + 1 < sizeof(body); i += 2)
		memcpy(body + i, "\xc3\xbc", 2);
	body[0] = body[1] = 'y';
	delivery_answer(&re, error);
	ck_assert_uint_eq(
	    strlen(error), strlen("status 500: ") + DELIVERY_ANSWER_WORDS);
	body[1] = ' ';
	delivery_answer(&re, error);
	ck_assert_uint_eq(
	    strlen(error), strlen("status 500: ") + DELIVERY_ANSWER_WORDS);
	re.size = 3;
	delivery_answer(&re, error);
	ck_assert_str_eq(error, "status 500: y ?");
}
END_TEST

Suite *
suite_delivery_answer(void)
{
	Suite *s = suite_create("delivery_answer");
	TCase *tc = tcase_create("delivery_answer");

	tcase_add_loop_test(tc, answer_is_judged_by_status_and_body, 0,
	    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tc, words_end_after_200_bytes);
	suite_add_tcase(s, tc);
	return s;
}
