/* SPDX-License-Identifier: ISC */
/* One request: from the parameters of libfcgi to what handlers read. */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcgiapp.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/event/correlation_id.h"
#include "core/event/event.h"
#include "fcgi/http/req.h"
#include "fcgi/worker/worker.h"
#include "lib/shared/metric.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define BLANK " \t"
#define UNKNOWN "unknown" /* a client without an address */

static const char *read_engine_mode(char **params);
static void read_method(struct req *req, const char *name);
static void read_target(struct req *req, char **params);
static const char *choose_correlation_id(
    struct arena *a, const char *sent, int64_t now);
static const char *client_address(
    struct req *req, const char *peer, const char *forwarded, int64_t hops);
static const char *without_port(struct arena *a, const char *entry);
static bool is_address(const char *text);
static const char *bearer_token(const char *authorization);
static int64_t parse_length(const char *text);
static int64_t received_time(const char *text);

static const char *const methods[METHOD__MAX] = {
	[METHOD_GET] = "GET",
	[METHOD_POST] = "POST",
	[METHOD_PUT] = "PUT",
	[METHOD_PATCH] = "PATCH",
	[METHOD_DELETE] = "DELETE",
	[METHOD_OTHER] = "OTHER",
};

void
req_init(struct req *req, struct worker *worker, struct arena *arena,
    char **params, struct FCGX_Stream *in, int64_t hops, int64_t now)
{
	memset(req, 0, sizeof(*req));
	req->worker = worker;
	req->arena = arena;
	req->in = in;
	req->fcgi_params = params;
	req->body = "";
	read_method(req, FCGX_GetParam("REQUEST_METHOD", params));
	read_target(req, params);
	req->content_type = FCGX_GetParam("CONTENT_TYPE", params);
	req->content_encoding = FCGX_GetParam("HTTP_CONTENT_ENCODING", params);
	req->content_length =
	    parse_length(FCGX_GetParam("CONTENT_LENGTH", params));
	req->api_key = FCGX_GetParam("HTTP_X_API_KEY", params);
	req->bearer = bearer_token(FCGX_GetParam("HTTP_AUTHORIZATION", params));
	req->idempotency_key = FCGX_GetParam("HTTP_IDEMPOTENCY_KEY", params);
	req->mode = read_engine_mode(params);
	req->foreign_mode =
	    FCGX_GetParam("HTTP_X_VERDICT_MODE", params) != NULL;
	req->correlation_id = choose_correlation_id(
	    arena, FCGX_GetParam("HTTP_X_CORRELATION_ID", params), now);
	req->client_ip =
	    client_address(req, FCGX_GetParam("REMOTE_ADDR", params),
		FCGX_GetParam("HTTP_X_FORWARDED_FOR", params), hops);
	req->received_at =
	    received_time(FCGX_GetParam("ENGINE_RECEIVED", params));
}

int
req_dry_run(struct req *req, bool *ret)
{
	if (req->foreign_mode)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "X-Verdict-Mode",
		    "is not known here: use X-Engine-Mode, live or shadow");
	*ret = req->mode != NULL && strcmp(req->mode, "shadow") == 0;
	if (*ret || req->mode == NULL || strcmp(req->mode, "live") == 0 ||
	    strcmp(req->mode, "enforce") == 0)
		return 0;
	return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
	    "X-Engine-Mode", "must be live or shadow");
}

void
req_count_event(const struct req *req, const struct event *ev)
{
	struct worker_slot *slot = req->worker->slot;

	metric_add(slot, METRIC_ID_PHONES, 0, 0, ev->phone_unreadable);
	metric_add(slot, METRIC_ID_CARDS, 0, 0, ev->card_masked);
}

int
req_body(struct req *req, size_t max)
{
	size_t size = req->content_length > 0 ? (size_t)req->content_length : 0;
	char *body;

	if (size > max || size > INT_MAX)
		return fail_set(&req->fail, FAIL_INPUT, PAYLOAD_TOO_LARGE, "",
		    "the body is larger than %zu bytes", max);
	if (size == 0)
		return 0;
	if ((body = arena_alloc(req->arena, size + 1)) == NULL)
		return fail_memory(&req->fail);
	if (FCGX_GetStr(body, (int)size, req->in) != (int)size)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "",
		    "the body is shorter than its Content-Length");
	req->body = body;
	req->body_size = size;
	return 0;
}

bool
req_abandoned(const struct req *req)
{
	struct pollfd fd = { .fd = req->connection, .events = POLLRDHUP };

	return poll(&fd, 1, 0) == 1;
}

const char *
req_cookie(const struct req *req, const char *name)
{
	const char *p = FCGX_GetParam("HTTP_COOKIE", req->fcgi_params);
	const size_t size = strlen(name);
	const char *ret = NULL;
	size_t n;

	if (p == NULL)
		return NULL;
	for (; *p != '\0'; p += n + (p[n] == ';')) {
		p += strspn(p, " ");
		n = strcspn(p, ";");
		if (n <= size || memcmp(p, name, size) != 0 || p[size] != '=')
			continue;
		if (ret != NULL)
			return NULL;
		ret = arena_strndup(req->arena, p + size + 1, n - size - 1);
	}
	return ret;
}

const char *
req_method_name(enum method method)
{
	assert(method > 0 && method < METHOD__MAX);
	return methods[method];
}

/*
 * Return X-Engine-Mode as sent, or "", which is no mode, if it was sent twice.
 * nginx before 1.23 passes each line of a header separately; later ones join
 * them, which gives no mode either.
 */
static const char *
read_engine_mode(char **params)
{
	static const char name[] = "HTTP_X_ENGINE_MODE=";
	const char *ret = NULL;

	for (; *params != NULL; params++) {
		if (strncmp(*params, name, sizeof(name) - 1) == 0)
			ret = ret == NULL ? *params + sizeof(name) - 1 : "";
	}
	return ret;
}

/* Treat HEAD as GET until the reply is written. */
static void
read_method(struct req *req, const char *name)
{
	if (name == NULL)
		name = "";
	req->head = strcmp(name, "HEAD") == 0;
	if (req->head)
		name = "GET";
	for (req->method = METHOD_GET; req->method < METHOD_OTHER;
	     req->method++)
		if (strcmp(name, methods[req->method]) == 0)
			break;
}

/*
 * Read path and query as sent.  DOCUMENT_URI is decoded, so prefer REQUEST_URI.
 */
static void
read_target(struct req *req, char **params)
{
	const char *uri = FCGX_GetParam("REQUEST_URI", params);
	size_t n;

	if (uri == NULL || *uri != '/')
		uri = FCGX_GetParam("DOCUMENT_URI", params);
	if (uri == NULL)
		uri = "";
	n = strcspn(uri, "?");
	req->path = arena_strndup(req->arena, uri, n);
	if (req->path == NULL)
		req->path = "";
	req->query = uri[n] == '?' ? uri + n + 1 : "";
}

/* Return the id of the caller if it is safe to log, else a new one. */
static const char *
choose_correlation_id(struct arena *a, const char *sent, int64_t now)
{
	char id[CRYPT_ID_SIZE];

	if (sent != NULL && correlation_id_harmless(sent))
		return sent;
	crypt_id("cor_", now, id);
	return arena_strdup(a, id);
}

/*
 * Return the address of the client.  Each trusted hop has appended the address
 * of its peer to X-Forwarded-For, so the entry at position hops from the end,
 * which the outermost trusted hop added, is the client; in a shorter list,
 * which only trusted hops have written, it is the first.  An entry that is no
 * address is returned as it came: an unknown client, which must never count as
 * the peer.
 */
static const char *
client_address(
    struct req *req, const char *peer, const char *forwarded, int64_t hops)
{
	const char *start, *end, *address;
	char *entry;

	if (peer == NULL)
		peer = "";
	if (hops == 0 || forwarded == NULL ||
	    forwarded[strspn(forwarded, BLANK)] == '\0')
		return peer;
	for (end = forwarded + strlen(forwarded);; end = start - 1) {
		for (start = end; start > forwarded && start[-1] != ',';)
			start--;
		if (--hops == 0 || start == forwarded)
			break;
	}
	start += strspn(start, BLANK);
	for (end = start + strcspn(start, ",");
	     end > start && strchr(BLANK, end[-1]);)
		end--;
	if ((entry = arena_strndup(req->arena, start, (size_t)(end - start))) ==
	    NULL)
		return UNKNOWN;
	address = without_port(req->arena, entry);
	if (address != NULL && is_address(address))
		return address;
	if (req->worker != NULL &&
	    atomic_exchange(&req->worker->shm->client_unknown, 1) == 0)
		log_warn(
		    "event=client_unknown why=X-Forwarded-For names a client "
		    "without an address; check the proxy and TRUST_PROXY");
	return entry[0] == '\0' ? UNKNOWN : entry;
}

/*
 * Return an entry of X-Forwarded-For without its port and without the brackets
 * of an IPv6 address: 192.0.2.1:8080, [2001:db8::1]:8080, [2001:db8::1].
 */
static const char *
without_port(struct arena *a, const char *entry)
{
	const bool bracket = entry[0] == '[';
	const char *end = strchr(entry, bracket ? ']' : ':');
	const char *port;
	size_t digits;

	if (end == NULL || (!bracket && strchr(end + 1, ':') != NULL))
		return entry;
	port = end + bracket;
	digits = port[0] == ':' ? strspn(port + 1, "0123456789") : 0;
	if (port[0] != '\0' &&
	    (digits < 1 || digits > 5 || port[1 + digits] != '\0'))
		return entry;
	return arena_strndup(
	    a, entry + bracket, (size_t)(end - entry - bracket));
}

static bool
is_address(const char *text)
{
	struct in6_addr any;

	return inet_pton(AF_INET, text, &any) == 1 ||
	    inet_pton(AF_INET6, text, &any) == 1;
}

/* Return what follows "Bearer ", or NULL. */
static const char *
bearer_token(const char *authorization)
{
	if (authorization == NULL ||
	    strncasecmp(authorization, "Bearer ", 7) != 0)
		return NULL;
	return authorization + 7 + strspn(authorization + 7, " ");
}

/* Parse a length in digits.  Return -1 if it is malformed. */
static int64_t
parse_length(const char *text)
{
	char *end;
	long long n;

	if (text == NULL || !isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtoll(text, &end, 10);
	return *end == '\0' && errno == 0 ? n : -1;
}

/*
 * Parse nginx's $msec, such as "1795233912.345".  Return microseconds, or 0 if
 * it is malformed.
 */
static int64_t
received_time(const char *text)
{
	const char *dot = text == NULL ? NULL : strchr(text, '.');
	int64_t ms;

	if (dot == NULL || dot - text > 11 || strlen(dot) != 4)
		return 0;
	ms = parse_length(dot + 1);
	if (ms == -1 || strspn(text, "0123456789") != (size_t)(dot - text))
		return 0;
	return strtoll(text, NULL, 10) * CLOCK_SECOND + ms * 1000;
}
