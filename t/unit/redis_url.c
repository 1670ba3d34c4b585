/* SPDX-License-Identifier: ISC */
/* lib/conf/redis_url.c: accepted URLs with their parts, and refused ones. */
#include "config.h"

#include <string.h>

#include "lib/conf/redis_url.h"
#include "t/unit/unit.h"

#define LONG50 "12345678901234567890123456789012345678901234567890"
#define LONG250 LONG50 LONG50 LONG50 LONG50 LONG50

static const struct {
	const char *text;
	struct redis_url want;
} good[] = {
	{ "redis://cache", { .host = "cache", .port = "6379" } },
	{ "redis://cache/", { .host = "cache", .port = "6379" } },
	{ "redis://cache.example.:7000/15",
	    { .host = "cache.example.", .port = "7000", .db = "15" } },
	{ "redis://192.0.2.7:1",
	    { .host = "192.0.2.7", .port = "1", .numeric = true } },
	{ "redis://[2001:db8::7]",
	    { .host = "2001:db8::7", .port = "6379", .numeric = true } },
	{ "rediss://[::1]:65535/0",
	    { .host = "::1",
		.port = "65535",
		.db = "0",
		.numeric = true,
		.tls = true } },
	{ "redis://:pw@cache",
	    { .host = "cache", .port = "6379", .password = "pw" } },
	{ "redis://me:a:b@c@cache",
	    { .host = "cache",
		.port = "6379",
		.user = "me",
		.password = "a:b@c" } },
	{ "redis://m%40e:%2f%2F%3a%c3%a9@cache",
	    { .host = "cache",
		.port = "6379",
		.user = "m@e",
		.password = "//:\xc3\xa9" } },
	{ "unix:///run/redis.sock", { .path = "/run/redis.sock" } },
	{ "unix:///run/a%20b?db=3", { .path = "/run/a b", .db = "3" } },
	{ "unix://me:pw@/s", { .path = "/s", .user = "me", .password = "pw" } },
};

START_TEST(valid_url_is_split_into_parts)
{
	struct redis_url got;
	const char *why = NULL;

	ck_assert_int_eq(redis_url_parse(good[_i].text, &got, &why), 0);
	ck_assert_str_eq(got.host, good[_i].want.host);
	ck_assert_str_eq(got.path, good[_i].want.path);
	ck_assert_str_eq(got.port, good[_i].want.port);
	ck_assert_str_eq(got.user, good[_i].want.user);
	ck_assert_str_eq(got.password, good[_i].want.password);
	ck_assert_str_eq(got.db, good[_i].want.db);
	ck_assert_int_eq(got.tls, good[_i].want.tls);
	ck_assert_int_eq(got.numeric, good[_i].want.numeric);
}
END_TEST

static const struct {
	const char *text;
	const char *why; /* its beginning */
} bad[] = {
	{ "", "must begin with redis://" },
	{ "cache:6379", "must begin with redis://" },
	{ "http://cache", "must begin with redis://" },
	{ "REDIS://cache", "must begin with redis://" },
	{ "redis:/cache", "must begin with redis://" },
	{ "redis://", "has no host" },
	{ "redis://:6379", "has no host" },
	{ "redis:///0", "has no host" },
	{ "redis://[]", "has no host" },
	{ "redis://" LONG250 "12345", "has no host" },
	{ "redis://ca che", "has a host that is neither" },
	{ "redis://[cache]", "has a host that is neither" },
	{ "redis://[::1", "has a host that is neither" },
	{ "redis://cache:", "has a port" },
	{ "redis://cache:0", "has a port" },
	{ "redis://cache:65536", "has a port" },
	{ "redis://cache:6379x", "has a port" },
	{ "redis://cache:+1", "has a port" },
	{ "redis://[::1]6379", "has a port" },
	{ "redis://::1", "has no host" },
	{ "redis://cache/x", "has a db" },
	{ "redis://cache/1/", "has a db" },
	{ "redis://cache/-1", "has a db" },
	{ "redis://cache/2147483648", "has a db" },
	{ "redis://cache/99999999999999999999", "has a db" },
	{ "redis://cache?db=1", "has parameters" },
	{ "redis://cache/1?x", "has parameters" },
	{ "redis://@cache", "has no password" },
	{ "redis://me@cache", "has no password" },
	{ "redis://me:@cache", "has no password" },
	{ "redis://me:%4@cache", "has a user or password" },
	{ "redis://me:%zz@cache", "has a user or password" },
	{ "redis://me:%00@cache", "has a user or password" },
	{ "redis://:" LONG250 LONG250 "1234567890123@cache",
	    "has a user or password" },
	{ "unix://", "must name a socket" },
	{ "unix:///", "must name a socket" },
	{ "unix://run/redis.sock", "must name a socket" },
	{ "unix:///run%", "has a path" },
	{ "unix:///" LONG50 LONG50 "1234567", "has a path" },
	{ "unix:///s?", "has a parameter" },
	{ "unix:///s?ssl=1", "has a parameter" },
	{ "unix:///s?db=", "has a db" },
	{ "unix:///s?db=1&x=2", "has a db" },
};

START_TEST(invalid_url_is_refused_with_reason)
{
	struct redis_url got;
	const char *why = "";

	ck_assert_int_eq(redis_url_parse(bad[_i].text, &got, &why), -1);
	ck_assert_msg(strncmp(why, bad[_i].why, strlen(bad[_i].why)) == 0,
	    "%s: %s", bad[_i].text, why);
}
END_TEST

Suite *
suite_redis_url(void)
{
	Suite *s = suite_create("redis_url");
	TCase *tc = tcase_create("redis_url");

	tcase_add_loop_test(
	    tc, valid_url_is_split_into_parts, 0, (int)nitems(good));
	tcase_add_loop_test(
	    tc, invalid_url_is_refused_with_reason, 0, (int)nitems(bad));
	suite_add_tcase(s, tc);
	return s;
}
