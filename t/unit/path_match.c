/* SPDX-License-Identifier: ISC */
/* fcgi/http/path_match.c: paths, their parameters, and media types. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "fcgi/http/path_match.h"
#include "t/unit/unit.h"

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static _Alignas(16) char block[4096];

/* The parameter as the client sent it.  NULL: the path does not match. */
static const struct {
	const char *pattern;
	const char *path;
	const char *want;
} paths[] = {
	{ "/health", "/health", "" },
	{ "/health", "/health/", NULL },
	{ "/health", "/healt", NULL },
	{ "/health", "/healthy", NULL },
	{ "/health", "/Health", NULL },
	{ "/health", "/%68ealth", NULL },
	{ "/health", "", NULL },
	{ "/health", "//health", NULL },
	{ "/v1/decisions/{id}", "/v1/decisions/evt_1", "evt_1" },
	{ "/v1/decisions/{id}", "/v1/decisions/", NULL },
	{ "/v1/decisions/{id}", "/v1/decisions", NULL },
	{ "/v1/decisions/{id}", "/v1/decisions/a/", NULL },
	{ "/v1/decisions/{id}", "/v1/decisions/a/b", NULL },
	{ "/v1/decisions/{id}", "/v1/decisions/a%2Fb", "a%2Fb" },
	{ "/v1/decisions/{id}", "/v1/decisions/..", ".." },
	{ "/v1/apikeys/{id}/revoke", "/v1/apikeys/k/revoke", "k" },
	{ "/v1/apikeys/{id}/revoke", "/v1/apikeys//revoke", NULL },
	{ "/v1/apikeys/{id}/revoke", "/v1/apikeys/k/revoke/", NULL },
	{ "/v1/apikeys/{id}/revoke", "/v1/apikeys/k/revok", NULL },
	{ "/v1/apikeys/{id}/revoke", "/v1/apikeys/revoke", NULL },
};

/* The decoded value of a parameter.  NULL: refused. */
static const struct {
	const char *text;
	const char *want;
} args[] = {
	{ "plain", "plain" },
	{ "a%2Fb", "a/b" },
	{ "a%2fb", "a/b" },
	{ "a%20b+c", "a b+c" },
	{ "%25", "%" },
	{ "%2525", "%25" },
	{ "caf%C3%A9", "caf\xc3\xa9" },
	{ "caf\xc3\xa9", "caf\xc3\xa9" },
	{ HUNDRED TEN TEN "01234567", HUNDRED TEN TEN "01234567" },
	{ HUNDRED TEN TEN "0123456%37", HUNDRED TEN TEN "01234567" },
	{ HUNDRED TEN TEN "012345678", NULL },
	{ "%", NULL },
	{ "%2", NULL },
	{ "a%2", NULL },
	{ "%zz", NULL },
	{ "%+1", NULL },
	{ "%00", NULL },
	{ "a%00b", NULL },
	{ "a%0Ab", NULL },
	{ "%1f", NULL },
	{ "%7F", NULL },
	{ "%C2%85", NULL },
	{ "%C2%A0", "\xc2\xa0" },
	{ "%C3", NULL },
	{ "%C0%AF", NULL },
	{ "%ED%A0%80", NULL },
	{ "%FF", NULL },
};

static const struct {
	const char *type;
	bool want;
} types[] = {
	{ "application/json", true },
	{ "Application/JSON", true },
	{ "application/json; charset=utf-8", true },
	{ "application/json;charset=UTF-8", true },
	{ "application/json ; charset=\"utf-8\" ", true },
	{ "application/json;charset=utf8", true },
	{ "application/json; charset=us-ascii", true },
	{ "application/json;", true },
	{ "application/json; ;charset=utf-8;", true },
	{ "application/json; profile=x", true },
	{ "application/json;odata=verbose; Charset=UTF-8; v=1", true },
	{ "application/json; a=\"x;charset=latin1\"", true },
	{ NULL, false },
	{ "", false },
	{ "text/json", false },
	{ "application/jsonp", false },
	{ "application/json, text/plain", false },
	{ "application/json; a=1; charset=latin1", false },
	{ "application/json; charset=", false },
	{ "application/json; charset=utf-8x; charset=utf-8", false },
	{ "application/json; charset=latin1", false },
	{ "application/json; charset=utf-80", false },
	{ "application/json; charset=\"utf-8", false },
	{ "application/x-www-form-urlencoded", false },
};

START_TEST(path_matches_its_pattern_exactly)
{
	struct path_match m;
	bool got = path_match(paths[_i].pattern, paths[_i].path, &m);

	ck_assert_int_eq(got, paths[_i].want != NULL);
	if (!got || m.n == 0)
		return;
	ck_assert_uint_eq(m.arg[0].size, strlen(paths[_i].want));
	ck_assert_int_eq(
	    memcmp(m.arg[0].text, paths[_i].want, m.arg[0].size), 0);
}
END_TEST

START_TEST(parameter_is_decoded_or_refused)
{
	const char *got[REQ_PATH_ARGS_MAX] = { 0 };
	struct fail f = { 0 };
	struct arena a;
	struct path_match m = { .n = 1 };

	arena_init(&a, block, sizeof(block));
	m.arg[0].text = args[_i].text;
	m.arg[0].size = strlen(args[_i].text);
	if (args[_i].want != NULL) {
		ck_assert_int_eq(path_match_args(&m, &a, got, &f), 0);
		ck_assert_str_eq(got[0], args[_i].want);
	} else {
		ck_assert_int_eq(path_match_args(&m, &a, got, &f), -1);
		ck_assert_int_eq(f.code, INVALID_REQUEST);
	}
	arena_reset(&a);
}
END_TEST

/* A % sequence does not continue in the next segment. */
START_TEST(parameter_ends_with_its_segment)
{
	const char *got[REQ_PATH_ARGS_MAX] = { 0 };
	struct fail f = { 0 };
	struct arena a;
	struct path_match m;

	arena_init(&a, block, sizeof(block));
	ck_assert(path_match("/v1/{kind}/x/{id}", "/v1/a%2/x/b%62", &m));
	ck_assert_int_eq(path_match_args(&m, &a, got, &f), -1);
	ck_assert(path_match("/v1/{kind}/x/{id}", "/v1/a%2F/x/b%62", &m));
	ck_assert_int_eq(path_match_args(&m, &a, got, &f), 0);
	ck_assert_str_eq(got[0], "a/");
	ck_assert_str_eq(got[1], "bb");
	arena_reset(&a);
}
END_TEST

START_TEST(only_utf8_json_is_accepted)
{
	ck_assert_int_eq(
	    path_match_media_type("application/json", types[_i].type),
	    types[_i].want);
}
END_TEST

Suite *
suite_path_match(void)
{
	Suite *s = suite_create("path_match");
	TCase *tc = tcase_create("path_match");

	tcase_add_loop_test(
	    tc, path_matches_its_pattern_exactly, 0, (int)nitems(paths));
	tcase_add_loop_test(
	    tc, parameter_is_decoded_or_refused, 0, (int)nitems(args));
	tcase_add_test(tc, parameter_ends_with_its_segment);
	tcase_add_loop_test(
	    tc, only_utf8_json_is_accepted, 0, (int)nitems(types));
	suite_add_tcase(s, tc);
	return s;
}
