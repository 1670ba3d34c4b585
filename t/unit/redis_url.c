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
	{ "redis://cache",
	    { .server = { { .host = "cache", .port = "6379" } },
		.servers = 1 } },
	{ "redis://cache/",
	    { .server = { { .host = "cache", .port = "6379" } },
		.servers = 1 } },
	{ "redis://cache.example.:7000/15",
	    { .server = { { .host = "cache.example.", .port = "7000" } },
		.servers = 1,
		.db = "15" } },
	{ "redis://192.0.2.7:1",
	    { .server = { { .host = "192.0.2.7",
		  .port = "1",
		  .numeric = true } },
		.servers = 1 } },
	{ "redis://[2001:db8::7]",
	    { .server = { { .host = "2001:db8::7",
		  .port = "6379",
		  .numeric = true } },
		.servers = 1 } },
	{ "rediss://[::1]:65535/0",
	    { .server = { { .host = "::1", .port = "65535", .numeric = true } },
		.servers = 1,
		.db = "0",
		.tls = true } },
	{ "redis://:pw@cache",
	    { .server = { { .host = "cache", .port = "6379" } },
		.servers = 1,
		.password = "pw" } },
	{ "redis://me:a:b@c@cache",
	    { .server = { { .host = "cache", .port = "6379" } },
		.servers = 1,
		.user = "me",
		.password = "a:b@c" } },
	{ "redis://m%40e:%2f%2F%3a%c3%a9@cache",
	    { .server = { { .host = "cache", .port = "6379" } },
		.servers = 1,
		.user = "m@e",
		.password = "//:\xc3\xa9" } },
	{ "rediss://:a,b@cache-1,[::1]:7000,192.0.2.7/3",
	    { .server = { { .host = "cache-1", .port = "6379" },
		  { .host = "::1", .port = "7000", .numeric = true },
		  { .host = "192.0.2.7", .port = "6379", .numeric = true } },
		.servers = 3,
		.password = "a,b",
		.db = "3",
		.tls = true } },
	{ "unix:///run/redis.sock",
	    { .server = { { .path = "/run/redis.sock" } }, .servers = 1 } },
	{ "unix:///run/a%20b?db=3",
	    { .server = { { .path = "/run/a b" } }, .servers = 1, .db = "3" } },
	{ "unix://me:pw@/s",
	    { .server = { { .path = "/s" } },
		.servers = 1,
		.user = "me",
		.password = "pw" } },
};

START_TEST(valid_url_is_split_into_parts)
{
	const struct redis_server *server, *want;
	struct redis_url got;
	const char *why = NULL;
	size_t i;

	ck_assert_int_eq(redis_url_parse(good[_i].text, &got, &why), 0);
	ck_assert_str_eq(got.user, good[_i].want.user);
	ck_assert_str_eq(got.password, good[_i].want.password);
	ck_assert_str_eq(got.db, good[_i].want.db);
	ck_assert_int_eq(got.tls, good[_i].want.tls);
	ck_assert_uint_eq(got.servers, good[_i].want.servers);
	for (i = 0; i < got.servers; i++) {
		server = &got.server[i];
		want = &good[_i].want.server[i];
		ck_assert_str_eq(server->host, want->host);
		ck_assert_str_eq(server->port, want->port);
		ck_assert_str_eq(server->path, want->path);
		ck_assert_int_eq(server->numeric, want->numeric);
	}
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
	{ "redis://cache,", "has no host" },
	{ "redis://,cache", "has no host" },
	{ "redis://cache,:6379", "has no host" },
	{ "redis://cache,spare:0", "has a port" },
	{ "redis://cache,redis://spare", "has a port" },
	{ "redis://a,b,c,d,e,f,g,h,i", "has more than 8 servers" },
	{ "redis://cache,spare/x", "has a db" },
	{ "redis://cache,spare?db=1", "has parameters" },
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
