/* SPDX-License-Identifier: ISC */
/* Models from a URL, and from S3-compatible object storage. */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/model.h"
#include "cron/job.h"
#include "cron/model_source.h"
#include "cron/web_get.h"
#include "lib/conf/conf.h"
#include "lib/net/http.h"
#include "lib/sys/crypt.h"

#define TIMEOUT_MS 20000 /* of a poll; LEASE_WEB is longer */
#define CONNECT_MS 5000
#define STALL_S 10
#define MARK_SIZE 16 /* digits of a URL's hash, before an etag */
#define ETAG_MAX (256 - MARK_SIZE - 1)
#define NO_BODY                                                                \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define HASH_SIZE (2 * CRYPT_SHA256_SIZE + 1)

static const char *name_place(
    struct arena *a, const char *source, const char *url);
static void hash_url(const char *url, size_t n, char ret[HASH_SIZE]);
static const char *s3_url(struct arena *a);
static void add_encoded(struct str *s, const char *text);
static void add_request_header(struct arena *a, struct http_call *call,
    const char *name, const char *value);
static int send_source_request(struct job_run *r, struct http_call *call,
    const char *etag, struct model_source_found *ret, struct fail *f);
static int read_response(struct arena *a, const struct http_call *call,
    bool asked, struct model_source_found *ret, struct fail *f);
static const char *etag_to_send(const char *url, const char *etag);
static const char *etag_to_store(struct arena *a, const struct http_call *call);

const char *
model_source_url_place(struct arena *a, const char *host)
{
	(void)host;
	return name_place(a, "url", conf.MODEL_URL);
}

const char *
model_source_s3_place(struct arena *a, const char *host)
{
	const char *url = s3_url(a);

	(void)host;
	return url == NULL ? NULL : name_place(a, "s3", url);
}

int
model_source_url_poll(struct job_run *r, const char *etag,
    struct model_source_found *ret, struct fail *f)
{
	struct http_call call = { .url = conf.MODEL_URL };

	return send_source_request(r, &call, etag, ret, f);
}

int
model_source_s3_poll(struct job_run *r, const char *etag,
    struct model_source_found *ret, struct fail *f)
{
	const struct http_sign sign = {
		.region = conf.MODEL_S3_REGION,
		.service = "s3",
		.id = conf.MODEL_S3_ACCESS_KEY_ID,
		.secret = conf.MODEL_S3_SECRET_ACCESS_KEY,
	};
	struct http_call call = { .url = s3_url(r->arena), .sign = &sign };

	/* libcurl 7.88 does not add the hash of the body itself. */
	add_request_header(r->arena, &call, "x-amz-content-sha256", NO_BODY);
	if (conf.MODEL_S3_SESSION_TOKEN != NULL)
		add_request_header(r->arena, &call, "x-amz-security-token",
		    conf.MODEL_S3_SESSION_TOKEN);
	return send_source_request(r, &call, etag, ret, f);
}

/*
 * Hash the URL, which may hold a secret.  Leave out the query, so that a
 * changed token in it does not make another source.
 */
static const char *
name_place(struct arena *a, const char *source, const char *url)
{
	char hex[HASH_SIZE];
	struct str s;

	hash_url(url, strcspn(url, "?"), hex);
	str_init(&s, a);
	str_addf(&s, "%s %s", source, hex);
	return str_text(&s);
}

static void
hash_url(const char *url, size_t n, char ret[HASH_SIZE])
{
	uint8_t hash[CRYPT_SHA256_SIZE];

	crypt_sha256(url, n, hash);
	crypt_hex(hash, sizeof(hash), ret);
}

/* Put the bucket into the path, which every S3 storage supports. */
static const char *
s3_url(struct arena *a)
{
	const char *end = conf.MODEL_S3_ENDPOINT;
	struct str s;

	str_init(&s, a);
	if (end == NULL)
		str_addf(
		    &s, "https://s3.%s.amazonaws.com/", conf.MODEL_S3_REGION);
	else
		str_addf(
		    &s, "%s%s", end, end[strlen(end) - 1] == '/' ? "" : "/");
	add_encoded(&s, conf.MODEL_S3_BUCKET);
	str_addc(&s, '/');
	add_encoded(&s, conf.MODEL_S3_KEY);
	return str_text(&s);
}

/* Percent-encode once, as the signature of S3 expects it. */
static void
add_encoded(struct str *s, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";
	size_t n;

	for (;; text++) {
		n = strspn(text, plain);
		str_addn(s, text, n);
		text += n;
		if (*text == '\0')
			break;
		str_addf(s, "%%%02X", (unsigned)(unsigned char)*text);
	}
}

static void
add_request_header(struct arena *a, struct http_call *call, const char *name,
    const char *value)
{
	struct str s;
	size_t n = 0;

	while (call->headers[n] != NULL)
		n++;
	str_init(&s, a);
	str_addf(&s, "%s: %s", name, value);
	call->headers[n] = str_text(&s);
}

/* Send the request and wait; stop waiting when the run must end. */
static int
send_source_request(struct job_run *r, struct http_call *call, const char *etag,
    struct model_source_found *ret, struct fail *f)
{
	struct http *h;
	int result;

	call->ca_file = conf.MODEL_CA_FILE;
	call->timeout_ms = TIMEOUT_MS;
	call->connect_ms = CONNECT_MS;
	call->stall_s = STALL_S;
	call->reply_max = MODEL_FILE_MAX;
	if (r->arena->overflow)
		return fail_memory(f);
	if ((etag = etag_to_send(call->url, etag)) != NULL)
		add_request_header(r->arena, call, "If-None-Match", etag);
	if ((h = web_get(r, call, f)) == NULL)
		return -1;
	result = call->status == 0 && call->error == NULL
	    ? 0
	    : read_response(r->arena, call, etag != NULL, ret, f);
	http_done(h, call);
	http_free(h);
	return result;
}

/* Read the response; f gets no text of the server. */
static int
read_response(struct arena *a, const struct http_call *call, bool asked,
    struct model_source_found *ret, struct fail *f)
{
	char *text;

	if (call->status == 0)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "the model cannot be fetched: %s",
		    http_fault_text(call->fault));
	if (call->status == 304 && asked) {
		ret->same = true;
		return 0;
	}
	if (call->status != 200)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "the model cannot be fetched: status %d", call->status);
	if ((text = arena_alloc(a, call->reply_size + 1)) == NULL)
		return fail_memory(f);
	if (call->reply_size > 0)
		memcpy(text, call->reply, call->reply_size);
	text[call->reply_size] = '\0';
	ret->text = text;
	ret->size = call->reply_size;
	ret->etag = etag_to_store(a, call);
	return 0;
}

/*
 * Return the etag as the server sent it, or NULL if etag_to_store() marked it
 * with another URL: a different query may name a different model.
 */
static const char *
etag_to_send(const char *url, const char *etag)
{
	char mark[HASH_SIZE];

	hash_url(url, strlen(url), mark);
	return etag == NULL || strncmp(etag, mark, MARK_SIZE) != 0
	    ? NULL
	    : etag + MARK_SIZE + 1;
}

/*
 * Return the response's etag after a mark made from its URL, or NULL if it has
 * none that can be stored.
 */
static const char *
etag_to_store(struct arena *a, const struct http_call *call)
{
	const char *etag = web_etag(call);
	char mark[HASH_SIZE];
	struct str s;

	if (etag == NULL || strlen(etag) > ETAG_MAX)
		return NULL;
	hash_url(call->url, strlen(call->url), mark);
	str_init(&s, a);
	str_addf(&s, "%.*s %s", MARK_SIZE, mark, etag);
	return str_text(&s);
}
