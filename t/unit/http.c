/* SPDX-License-Identifier: ISC */
/*
 * lib/net/http.c: signatures of requests, and faults of broken replies.  This
 * process is also the server, on a unix socket, so that only the tests of
 * timeouts depend on time.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "lib/net/http.h"
#include "t/unit/unit.h"

#define GOT_MAX 8192

/* A server that answers the first connection, whatever the request. */
struct server {
	char dir[32];
	struct sockaddr_un at;
	int listening;
	int fd; /* -1: no connection yet */
	char got[GOT_MAX]; /* NUL-terminated */
	size_t got_size;
	const char *reply; /* the part not sent yet */
	const char *tail; /* repeated after it, NULL: end */
};

static void
server_open(struct server *s)
{
	memset(s, 0, sizeof(*s));
	snprintf(s->dir, sizeof(s->dir), "/tmp/httpXXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(s->dir));
	s->at.sun_family = AF_UNIX;
	snprintf(s->at.sun_path, sizeof(s->at.sun_path), "%s/s", s->dir);
	s->fd = -1;
	s->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	ck_assert_int_ne(s->listening, -1);
	ck_assert_int_eq(
	    bind(s->listening, (struct sockaddr *)&s->at, sizeof(s->at)), 0);
	ck_assert_int_eq(listen(s->listening, 1), 0);
}

static void
server_close(struct server *s)
{
	if (s->fd != -1)
		close(s->fd);
	close(s->listening);
	unlink(s->at.sun_path);
	rmdir(s->dir);
}

/* Send as much as the socket takes.  Shut down at the end of the reply. */
static void
server_send(struct server *s)
{
	const char *text = *s->reply != '\0' ? s->reply : s->tail;
	ssize_t n;

	if (text == NULL) {
		shutdown(s->fd, SHUT_WR);
		return;
	}
	do {
		n = send(
		    s->fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n > 0 && text == s->tail);
	if (n > 0)
		s->reply += n;
}

static void
server_move(struct server *s)
{
	ssize_t n;

	if (s->fd == -1 && (s->fd = accept(s->listening, NULL, NULL)) == -1)
		return;
	n = recv(s->fd, s->got + s->got_size, GOT_MAX - 1 - s->got_size,
	    MSG_DONTWAIT);
	if (n > 0)
		s->got_size += (size_t)n;
	if (strstr(s->got, "\r\n\r\n") != NULL && s->reply != NULL)
		server_send(s);
}

/*
 * Run a call and answer it with this reply.  The result is in the call until
 * http_done().
 */
static void
exchange(struct http *h, struct server *s, struct http_call *call,
    const char *reply, const char *tail)
{
	struct fail f = { 0 };

	s->reply = reply;
	s->tail = tail;
	call->socket = s->at.sun_path;
	if (call->timeout_ms == 0)
		call->timeout_ms = 100000;
	call->reply_max = 1000;
	ck_assert_int_eq(http_start(h, call, &f), 0);
	while (http_wait(h, 1) == NULL)
		server_move(s);
}

/* Return the value of a header of the request in a static buffer, or NULL. */
static const char *
sent(const struct server *s, const char *name)
{
	static char value[1024];
	char line[64];
	const char *at;

	snprintf(line, sizeof(line), "\r\n%s: ", name);
	if ((at = strstr(s->got, line)) == NULL)
		return NULL;
	at += strlen(line);
	snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, "\r"), at);
	return value;
}

/*
 * Published by Amazon: the cases of the AWS Signature Version 4 test suite
 * (service "service", 2015-08-30) whose requests have the form of ours, and
 * "Example: GET Object" of the Amazon S3 API reference, "Signature Calculations
 * for the Authorization Header" (2013-05-24).
 */
#define SUITE_DATE "x-amz-date: 20150830T123600Z"
#define SUITE_HOST "http://example.amazonaws.com"
#define SUITE_KEY                                                              \
	"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/"  \
	"aws4_request, "
#define TOKEN                                                                  \
	"AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQW"  \
	"LWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGd"  \
	"QrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU"  \
	"9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz"  \
	"+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
static const struct http_sign plain_sign = { "us-east-1", "service",
	"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
static const struct http_sign s3_sign = { "us-east-1", "s3",
	"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };

static const struct {
	const char *name;
	const struct http_sign *sign;
	const char *method;
	const char *url;
	const char *headers[3];
	const char *want;
} signatures[] = {
	{ "get-vanilla", &plain_sign, "GET", SUITE_HOST "/", { SUITE_DATE },
	    SUITE_KEY "SignedHeaders=host;x-amz-date, Signature="
		      "5fa00fa31553b73ebf1942676e86291e"
		      "8372ff2a2260956d9b8aae1d763fbf31" },
	{ "get-unreserved", &plain_sign, "GET",
	    SUITE_HOST "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		       "abcdefghijklmnopqrstuvwxyz",
	    { SUITE_DATE },
	    SUITE_KEY "SignedHeaders=host;x-amz-date, Signature="
		      "07ef7494c76fa4850883e2b006601f94"
		      "0f8a34d404d0cfa977f52a65bbf5f24f" },
	{ "get-header-value-trim", &plain_sign, "GET", SUITE_HOST "/",
	    { "My-Header1:  value1", "My-Header2:  \"a   b   c\"", SUITE_DATE },
	    SUITE_KEY "SignedHeaders=host;my-header1;my-header2;x-amz-date, "
		      "Signature=acc3ed3afb60bb290fc8d2dd0098b991"
		      "1fcaa05412b367055dee359757a9c736" },
	{ "post-vanilla", &plain_sign, "POST", SUITE_HOST "/", { SUITE_DATE },
	    SUITE_KEY "SignedHeaders=host;x-amz-date, Signature="
		      "5da7c1a2acd57cee7505fc6676e4e544"
		      "621c30862966e37dddb68e92efbe5d6b" },
	{ "post-sts-header-before", &plain_sign, "POST", SUITE_HOST "/",
	    { "X-Amz-Security-Token: " TOKEN, SUITE_DATE },
	    SUITE_KEY "SignedHeaders=host;x-amz-date;x-amz-security-token, "
		      "Signature=85d96828115b5dc0cfc3bd16ad9e210d"
		      "d772bbebba041836c64533a82be05ead" },
	{ "GET Object", &s3_sign, "GET",
	    "http://examplebucket.s3.amazonaws.com/test.txt",
	    { "Range: bytes=0-9",
		"x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb924"
		"27ae41e4649b934ca495991b7852b855",
		"x-amz-date: 20130524T000000Z" },
	    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/"
	    "us-east-1/s3/aws4_request, SignedHeaders=host;range;"
	    "x-amz-content-sha256;x-amz-date, Signature="
	    "f0e8bdb87c964420e857bd35b5d6ed31"
	    "0bd44f0170aba48dd91039c6036bdb41" },
};

START_TEST(signature_equals_the_published_one)
{
	struct fail f = { 0 };
	struct http *h = http_new(1, &f);
	struct server s;
	struct http_call call = {
		.method = signatures[_i].method,
		.url = signatures[_i].url,
		.sign = signatures[_i].sign,
	};

	memcpy(call.headers, signatures[_i].headers,
	    sizeof(signatures[_i].headers));
	server_open(&s);
	exchange(h, &s, &call, "HTTP/1.1 204 Fine\r\n\r\n", NULL);
	ck_assert_int_eq(call.status, 204);
	ck_assert_msg(sent(&s, "Authorization") != NULL &&
		strcmp(sent(&s, "Authorization"), signatures[_i].want) == 0,
	    "%s: %s", signatures[_i].name, s.got);
	http_done(h, &call);
	http_free(h);
	server_close(&s);
}
END_TEST

START_TEST(user_and_password_are_sent)
{
	struct fail f = { 0 };
	struct http *h = http_new(1, &f);
	struct server s;
	struct http_call call = { .method = "GET",
		.url = "http://a.example/",
		.user = "471100",
		.password = "open:sesame" };

	server_open(&s);
	exchange(h, &s, &call, "HTTP/1.1 204 Fine\r\n\r\n", NULL);
	ck_assert_str_eq(
	    sent(&s, "Authorization"), "Basic NDcxMTAwOm9wZW46c2VzYW1l");
	http_done(h, &call);
	http_free(h);
	server_close(&s);
}
END_TEST

/* The path is sent as written in the URL, including dots and double slashes. */
START_TEST(path_is_sent_unchanged)
{
	struct fail f = { 0 };
	struct http *h = http_new(1, &f);
	struct server s;
	struct http_call call = { .method = "GET",
		.url = "http://storage.example:9000/b/../a//%C3%A9/./%3D+",
		.sign = &s3_sign };

	server_open(&s);
	exchange(h, &s, &call, "HTTP/1.1 204 Fine\r\n\r\n", NULL);
	ck_assert_ptr_eq(
	    strstr(s.got, "GET /b/../a//%C3%A9/./%3D+ HTTP/1.1\r\n"), s.got);
	ck_assert_str_eq(sent(&s, "Host"), "storage.example:9000");
	http_done(h, &call);
	http_free(h);
	server_close(&s);
}
END_TEST

#define OK "HTTP/1.1 200 Fine\r\n"
#define X100                                                                   \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"                   \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* Replies, the text that repeats after each, and the result. */
static const struct {
	const char *reply;
	const char *tail;
	int status;
	enum http_fault fault;
} replies[] = {
	{ OK "Content-Length: 2\r\n\r\nok", NULL, 200, 0 },
	{ OK "\r\nok", NULL, 200, 0 },
	{ OK "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", NULL,
	    200, 0 },
	{ "HTTP/1.1 302 Away\r\nLocation: http://b.example/\r\n"
	  "Content-Length: 0\r\n\r\n",
	    NULL, 302, 0 },
	{ OK "Content-Length: 200\r\n\r\nok", NULL, 0, HTTP_FAULT_BROKEN },
	{ OK "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", NULL, 0,
	    HTTP_FAULT_BROKEN },
	{ OK "Transfer-Encoding: chunked\r\n\r\nnone\r\nok\r\n0\r\n\r\n", NULL,
	    0, HTTP_FAULT_BROKEN },
	{ OK "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", "xx", 0,
	    HTTP_FAULT_BROKEN },
	{ OK "Transfer-Encoding: chunked\r\n\r\n", "64\r\n" X100 "\r\n", 0,
	    HTTP_FAULT_LONG },
	{ OK "Content-Length: 1001\r\n\r\n", X100, 0, HTTP_FAULT_LONG },
	{ OK "Content-Length: 9223372036854775807\r\n\r\n", X100, 0,
	    HTTP_FAULT_LONG },
	{ OK "\r\n", X100, 0, HTTP_FAULT_LONG },
	{ OK, "A-Header: " X100 "\r\n", 0, HTTP_FAULT_LONG },
	{ "", "HTTP/1.1 100 Soon\r\n\r\n", 0, HTTP_FAULT_LONG },
	{ OK "A-Header: ", X100, 0, HTTP_FAULT_OTHER },
	{ "", NULL, 0, HTTP_FAULT_BROKEN },
	{ "hello\r\n\r\n", NULL, 0, HTTP_FAULT_OTHER },
};

START_TEST(only_complete_short_replies_are_accepted)
{
	struct fail f = { 0 };
	struct http *h = http_new(1, &f);
	struct server s;
	struct http_call call = { .method = "GET", .url = "http://a.example/" };

	server_open(&s);
	exchange(h, &s, &call, replies[_i].reply, replies[_i].tail);
	ck_assert_int_eq(call.status, replies[_i].status);
	ck_assert_int_eq(call.fault, replies[_i].fault);
	ck_assert_uint_le(call.reply_size, 1000);
	http_done(h, &call);
	http_free(h);
	server_close(&s);
}
END_TEST

/*
 * A compressed reply stays compressed, so that it cannot grow beyond the limit.
 */
START_TEST(reply_is_not_decompressed)
{
	struct fail f = { 0 };
	struct http *h = http_new(1, &f);
	struct server s;
	struct http_call call = { .method = "GET", .url = "http://a.example/" };

	server_open(&s);
	exchange(h, &s, &call,
	    OK "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok", NULL);
	ck_assert_ptr_null(sent(&s, "Accept-Encoding"));
	ck_assert_int_eq(call.status, 200);
	ck_assert_str_eq(call.reply, "ok");
	http_done(h, &call);
	http_free(h);
	server_close(&s);
}
END_TEST

/* A server that never answers, and one that stops in the middle. */
static const struct {
	const char *reply;
	int timeout_ms;
	int stall_s;
} stalls[] = {
	{ NULL, 200, 0 },
	{ OK "\r\nok", 0, 1 },
};

START_TEST(silent_server_is_a_timeout)
{
	struct fail f = { 0 };
	struct http *h = http_new(1, &f);
	struct server s;
	struct http_call call = { .method = "GET",
		.url = "http://a.example/",
		.timeout_ms = stalls[_i].timeout_ms,
		.stall_s = stalls[_i].stall_s };

	server_open(&s);
	exchange(h, &s, &call, stalls[_i].reply, "");
	ck_assert_int_eq(call.fault, HTTP_FAULT_TIME);
	http_done(h, &call);
	http_free(h);
	server_close(&s);
}
END_TEST

Suite *
suite_http(void)
{
	Suite *s = suite_create("http");
	TCase *tc = tcase_create("http");

	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(
	    tc, signature_equals_the_published_one, 0, nitems(signatures));
	tcase_add_test(tc, path_is_sent_unchanged);
	tcase_add_test(tc, user_and_password_are_sent);
	tcase_add_loop_test(
	    tc, only_complete_short_replies_are_accepted, 0, nitems(replies));
	tcase_add_test(tc, reply_is_not_decompressed);
	tcase_add_loop_test(tc, silent_server_is_a_timeout, 0, nitems(stalls));
	suite_add_tcase(s, tc);
	return s;
}
