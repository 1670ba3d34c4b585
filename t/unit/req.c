/* SPDX-License-Identifier: ISC */
/* fcgi/http/req.c: from FastCGI parameters to a request. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "fcgi/http/req.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[65536];
static struct arena arena;

/* Make a request from a plain GET and one more parameter. */
static struct req
make(const char *param, int64_t hops)
{
	static char method[] = "REQUEST_METHOD=GET",
		    uri[] = "REQUEST_URI=/a?b=c";
	static char peer[] = "REMOTE_ADDR=192.0.2.9", extra[512];
	static char *params[] = { extra, method, uri, peer, NULL };
	struct req req;

	strncpy(extra, param, sizeof(extra) - 1);
	arena_reset(&arena);
	arena_init(&arena, block, sizeof(block));
	req_init(&req, NULL, &arena, params, NULL, hops, 0);
	return req;
}

static const struct {
	const char *param;
	enum method method;
	bool head;
} methods[] = {
	{ "REQUEST_METHOD=GET", METHOD_GET, false },
	{ "REQUEST_METHOD=HEAD", METHOD_GET, true },
	{ "REQUEST_METHOD=POST", METHOD_POST, false },
	{ "REQUEST_METHOD=DELETE", METHOD_DELETE, false },
	{ "REQUEST_METHOD=PATCH", METHOD_PATCH, false },
	{ "REQUEST_METHOD=get", METHOD_OTHER, false },
	{ "REQUEST_METHOD=OPTIONS", METHOD_OTHER, false },
	{ "REQUEST_METHOD=OTHER", METHOD_OTHER, false },
	{ "REQUEST_METHOD=", METHOD_OTHER, false },
};

START_TEST(method_names_are_case_sensitive)
{
	const struct req req = make(methods[_i].param, 0);

	ck_assert_int_eq(req.method, methods[_i].method);
	ck_assert_int_eq(req.head, methods[_i].head);
}
END_TEST

static const struct {
	const char *param;
	const char *path;
	const char *query;
} targets[] = {
	{ "X=", "/a", "b=c" },
	{ "REQUEST_URI=/v1/cases/a%2Fb", "/v1/cases/a%2Fb", "" },
	{ "REQUEST_URI=/?", "/", "" },
	{ "REQUEST_URI=/a?b?c", "/a", "b?c" },
	{ "REQUEST_URI=http://x/y", "", "" },
};

START_TEST(target_is_split_at_first_question_mark)
{
	const struct req req = make(targets[_i].param, 0);

	ck_assert_str_eq(req.path, targets[_i].path);
	ck_assert_str_eq(req.query, targets[_i].query);
}
END_TEST

static const struct {
	const char *param;
	int64_t hops;
	const char *want;
} clients[] = {
	{ "X=", 0, "192.0.2.9" },
	{ "X=", 1, "192.0.2.9" },
	{ "HTTP_X_FORWARDED_FOR=198.51.100.1", 0, "192.0.2.9" },
	{ "HTTP_X_FORWARDED_FOR=198.51.100.1", 1, "198.51.100.1" },
	{ "HTTP_X_FORWARDED_FOR=6.6.6.6, 198.51.100.1", 1, "198.51.100.1" },
	{ "HTTP_X_FORWARDED_FOR=6.6.6.6,2001:db8::1 , 198.51.100.1", 2,
	    "2001:db8::1" },
	{ "HTTP_X_FORWARDED_FOR=198.51.100.1", 2, "198.51.100.1" },
	{ "HTTP_X_FORWARDED_FOR=198.51.100.1,198.51.100.2", 3, "198.51.100.1" },
	{ "HTTP_X_FORWARDED_FOR=", 1, "192.0.2.9" },
	{ "HTTP_X_FORWARDED_FOR= ", 1, "192.0.2.9" },

	/* Ports and brackets. */
	{ "HTTP_X_FORWARDED_FOR=203.0.113.9:51008", 1, "203.0.113.9" },
	{ "HTTP_X_FORWARDED_FOR=6.6.6.6, 203.0.113.9:1 ", 1, "203.0.113.9" },
	{ "HTTP_X_FORWARDED_FOR=[2001:db8::1]:51008", 1, "2001:db8::1" },
	{ "HTTP_X_FORWARDED_FOR=[2001:db8::1], 10.0.0.1", 2, "2001:db8::1" },
	{ "HTTP_X_FORWARDED_FOR=2001:db8::1", 1, "2001:db8::1" },
	{ "HTTP_X_FORWARDED_FOR=[203.0.113.9]", 1, "203.0.113.9" },

	/* No address: never the peer. */
	{ "HTTP_X_FORWARDED_FOR=_client", 1, "_client" },
	{ "HTTP_X_FORWARDED_FOR=unknown, 10.0.0.1", 2, "unknown" },
	{ "HTTP_X_FORWARDED_FOR=198.51.100.1,", 1, "unknown" },
	{ "HTTP_X_FORWARDED_FOR=198.51.100.1, ,10.0.0.1", 2, "unknown" },
	{ "HTTP_X_FORWARDED_FOR=203.0.113.9:", 1, "203.0.113.9:" },
	{ "HTTP_X_FORWARDED_FOR=203.0.113.9:123456", 1, "203.0.113.9:123456" },
	{ "HTTP_X_FORWARDED_FOR=203.0.113.9:80x", 1, "203.0.113.9:80x" },
	{ "HTTP_X_FORWARDED_FOR=[2001:db8::1", 1, "[2001:db8::1" },
	{ "HTTP_X_FORWARDED_FOR=[2001:db8::1]x", 1, "[2001:db8::1]x" },
	{ "HTTP_X_FORWARDED_FOR=[]:80", 1, "[]:80" },
	{ "HTTP_X_FORWARDED_FOR=fe80::1%eth0", 1, "fe80::1%eth0" },
	{ "HTTP_X_FORWARDED_FOR=a b", 1, "a b" },
};

START_TEST(only_trusted_hops_name_the_client)
{
	const struct req req = make(clients[_i].param, clients[_i].hops);

	ck_assert_str_eq(req.client_ip, clients[_i].want);
}
END_TEST

static const struct {
	const char *param;
	const char *want; /* of the cookie "a", or NULL */
} cookies[] = {
	{ "X=", NULL },
	{ "HTTP_COOKIE=", NULL },
	{ "HTTP_COOKIE=a=1", "1" },
	{ "HTTP_COOKIE=a=", "" },
	{ "HTTP_COOKIE=a", NULL },
	{ "HTTP_COOKIE=aa=1; a=2; b=3", "2" },
	{ "HTTP_COOKIE=b=a=1;a=2=3;", "2=3" },
	{ "HTTP_COOKIE=; ;a=1", "1" },
	{ "HTTP_COOKIE=A=1", NULL },
	{ "HTTP_COOKIE=a=1; b=2; a=1", NULL },
};

START_TEST(cookie_is_found_by_name)
{
	const struct req req = make(cookies[_i].param, 0);

	ck_assert_pstr_eq(req_cookie(&req, "a"), cookies[_i].want);
}
END_TEST

static const struct {
	const char *param;
	const char *want; /* NULL: a new one */
} ids[] = {
	{ "HTTP_X_CORRELATION_ID=abc 1", "abc 1" },
	{ "HTTP_X_CORRELATION_ID=", NULL },
	{ "HTTP_X_CORRELATION_ID=a\tb", NULL },
	{ "HTTP_X_CORRELATION_ID=caf\xc3\xa9", NULL },
	{ "X=", NULL },
};

START_TEST(bad_correlation_id_is_replaced)
{
	const struct req req = make(ids[_i].param, 0);

	if (ids[_i].want != NULL)
		ck_assert_str_eq(req.correlation_id, ids[_i].want);
	else
		ck_assert_int_eq(strncmp(req.correlation_id, "cor_", 4), 0);
}
END_TEST

START_TEST(correlation_id_has_up_to_128_bytes)
{
	char param[] = "HTTP_X_CORRELATION_ID="
		       "0123456789012345678901234567890123456789"
		       "0123456789012345678901234567890123456789"
		       "0123456789012345678901234567890123456789"
		       "012345678";
	struct req req = make(param, 0);

	ck_assert_int_eq(strncmp(req.correlation_id, "cor_", 4), 0);
	param[strlen(param) - 1] = '\0';
	req = make(param, 0);
	ck_assert_uint_eq(strlen(req.correlation_id), 128);
}
END_TEST

static const struct {
	const char *param;
	const char *bearer;
	int64_t length;
	int64_t received;
} fields[] = {
	{ "X=", NULL, -1, 0 },
	{ "HTTP_AUTHORIZATION=Bearer abc", "abc", -1, 0 },
	{ "HTTP_AUTHORIZATION=bearer  abc", "abc", -1, 0 },
	{ "HTTP_AUTHORIZATION=Basic abc", NULL, -1, 0 },
	{ "CONTENT_LENGTH=17", NULL, 17, 0 },
	{ "CONTENT_LENGTH=", NULL, -1, 0 },
	{ "CONTENT_LENGTH=-1", NULL, -1, 0 },
	{ "CONTENT_LENGTH=1x", NULL, -1, 0 },
	{ "CONTENT_LENGTH=99999999999999999999", NULL, -1, 0 },
	{ "ENGINE_RECEIVED=1795233912.345", NULL, -1,
	    INT64_C(1795233912345000) },
	{ "ENGINE_RECEIVED=1795233912", NULL, -1, 0 },
	{ "ENGINE_RECEIVED=x.345", NULL, -1, 0 },
	{ "ENGINE_RECEIVED=1795233912.34x", NULL, -1, 0 },
};

START_TEST(malformed_fields_count_as_missing)
{
	const struct req req = make(fields[_i].param, 0);

	ck_assert_pstr_eq(req.bearer, fields[_i].bearer);
	ck_assert_int_eq(req.content_length, fields[_i].length);
	ck_assert_int_eq(req.received_at, fields[_i].received);
}
END_TEST

Suite *
suite_req(void)
{
	Suite *s = suite_create("req");
	TCase *tc = tcase_create("req");

	tcase_add_loop_test(
	    tc, method_names_are_case_sensitive, 0, (int)nitems(methods));
	tcase_add_loop_test(tc, target_is_split_at_first_question_mark, 0,
	    (int)nitems(targets));
	tcase_add_loop_test(
	    tc, only_trusted_hops_name_the_client, 0, (int)nitems(clients));
	tcase_add_loop_test(
	    tc, cookie_is_found_by_name, 0, (int)nitems(cookies));
	tcase_add_loop_test(
	    tc, bad_correlation_id_is_replaced, 0, (int)nitems(ids));
	tcase_add_test(tc, correlation_id_has_up_to_128_bytes);
	tcase_add_loop_test(
	    tc, malformed_fields_count_as_missing, 0, (int)nitems(fields));
	suite_add_tcase(s, tc);
	return s;
}
