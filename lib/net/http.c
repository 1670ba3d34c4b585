/* SPDX-License-Identifier: ISC */
/* An HTTP client: many transfers at once over open connections. */
#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <curl/curl.h>

#include "core/base/fail.h"
#include "core/event/ip_address.h"
#include "lib/net/http.h"

struct http {
	CURLM *multi;
	int running; /* transfers started but not returned */
};

/* libcurl's side of one call. */
struct handle {
	CURL *easy;
	struct curl_slist *headers;
	size_t head_size; /* of the reply's headers so far */
	unsigned flags; /* of the call */
	bool inside; /* an address was refused */
	bool cut; /* the reply was cut, which HTTP_CUT allows */
	char error[CURL_ERROR_SIZE];
};

static struct handle *handle_new(struct http_call *call);
static int handle_set(struct handle *ha, struct http_call *call);
static int handle_copy(struct handle *ha, const struct http_call *call);
static int handle_sign(struct handle *ha, const struct http_sign *sign);
static void handle_free(struct handle *ha);
static size_t reply_take(char *piece, size_t size, size_t n, void *cookie);
static size_t head_take(char *line, size_t size, size_t n, void *cookie);
static curl_socket_t socket_open(
    void *cookie, curlsocktype purpose, struct curl_sockaddr *to);
static bool must_be_outside(const struct handle *ha);
static long count_redirects(const struct handle *ha);
static bool is_outside(const struct curl_sockaddr *to);
static struct http_call *http_finished(struct http *h);
static void call_finish(struct http_call *call, CURLcode result);
static enum http_fault fault_of(CURLcode result, const struct handle *ha);

#define HEAD_MAX ((size_t)64 << 10) /* bytes of a reply's headers */
#define STALL_BYTES 100L /* per second; a slower transfer has stalled */
#define REDIRECTS_MAX 5L
#define SIGN_SIZE 256 /* of the value of CURLOPT_AWS_SIGV4 */

static const struct {
	CURLcode code;
	enum http_fault fault;
} faults[] = {
	{ CURLE_COULDNT_RESOLVE_HOST, HTTP_FAULT_NAME },
	{ CURLE_COULDNT_CONNECT, HTTP_FAULT_CONNECT },
	{ CURLE_SSL_CACERT_BADFILE, HTTP_FAULT_TRUST },
	{ CURLE_PEER_FAILED_VERIFICATION, HTTP_FAULT_CERTIFICATE },
	{ CURLE_SSL_CONNECT_ERROR, HTTP_FAULT_TLS },
	{ CURLE_OPERATION_TIMEDOUT, HTTP_FAULT_TIME },
	{ CURLE_GOT_NOTHING, HTTP_FAULT_BROKEN },
	{ CURLE_PARTIAL_FILE, HTTP_FAULT_BROKEN },
	{ CURLE_RECV_ERROR, HTTP_FAULT_BROKEN },
	{ CURLE_SEND_ERROR, HTTP_FAULT_BROKEN },
	{ CURLE_WRITE_ERROR, HTTP_FAULT_LONG },
	{ CURLE_FILESIZE_EXCEEDED, HTTP_FAULT_LONG },
	{ CURLE_TOO_MANY_REDIRECTS, HTTP_FAULT_REDIRECT },
};

static const char *const fault_texts[HTTP_FAULT__MAX] = {
	[HTTP_FAULT_NAME] = "the name does not resolve",
	[HTTP_FAULT_INSIDE] = "the address is not public",
	[HTTP_FAULT_CONNECT] = "no connection",
	[HTTP_FAULT_TRUST] = "the authorities to trust cannot be read",
	[HTTP_FAULT_CERTIFICATE] = "the certificate is not trusted",
	[HTTP_FAULT_TLS] = "no TLS",
	[HTTP_FAULT_TIME] = "no answer in time",
	[HTTP_FAULT_BROKEN] = "the connection broke",
	[HTTP_FAULT_LONG] = "the answer is too long",
	[HTTP_FAULT_REDIRECT] = "too many redirects, or one without https",
	[HTTP_FAULT_OTHER] = "no HTTP",
};

struct http *
http_new(int connections, struct fail *f)
{
	struct http *h;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
	    (curl_version_info(CURLVERSION_NOW)->features &
		CURL_VERSION_ASYNCHDNS) == 0 ||
	    (h = calloc(1, sizeof(*h))) == NULL)
		goto err0;
	if ((h->multi = curl_multi_init()) == NULL)
		goto err1;
	curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, (long)connections);
	curl_multi_setopt(h->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
	return h;

err1:
	free(h);
err0:
	fail_set(f, FAIL_US, INTERNAL, NULL, "libcurl does not start");
	return NULL;
}

void
http_free(struct http *h)
{
	if (h == NULL)
		return;
	curl_multi_cleanup(h->multi);
	free(h);
}

int
http_start(struct http *h, struct http_call *call, struct fail *f)
{
	struct handle *ha;

	call->status = 0;
	call->error = NULL;
	call->fault = 0;
	call->reply = NULL;
	call->reply_size = 0;
	if ((ha = handle_new(call)) == NULL)
		return fail_memory(f);
	if (curl_multi_add_handle(h->multi, ha->easy) != CURLM_OK) {
		handle_free(ha);
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "url",
		    "cannot be requested");
	}
	call->handle = ha;
	h->running++;
	return 0;
}

struct http_call *
http_wait(struct http *h, int timeout_ms)
{
	struct http_call *call;
	int running;

	if (h->running == 0)
		return NULL;
	if ((call = http_finished(h)) != NULL)
		return call;
	curl_multi_perform(h->multi, &running);
	if ((call = http_finished(h)) != NULL)
		return call;
	curl_multi_poll(h->multi, NULL, 0, timeout_ms, NULL);
	curl_multi_perform(h->multi, &running);
	return http_finished(h);
}

const char *
http_fault_text(enum http_fault fault)
{
	return fault_texts[fault];
}

const char *
http_header(const struct http_call *call, const char *name)
{
	const struct handle *ha = call->handle;
	struct curl_header *header;

	if (curl_easy_header(ha->easy, name, 0, CURLH_HEADER, -1, &header) !=
	    CURLHE_OK)
		return NULL;
	return header->value;
}

void
http_done(struct http *h, struct http_call *call)
{
	struct handle *ha = call->handle;

	if (call->status == 0 && call->error == NULL)
		h->running--;
	curl_multi_remove_handle(h->multi, ha->easy);
	handle_free(ha);
	free(call->reply);
	call->handle = NULL;
	call->reply = NULL;
}

/* Find a transfer that has ended; NULL: none. */
static struct http_call *
http_finished(struct http *h)
{
	struct http_call *call;
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(h->multi, &left)) != NULL) {
		if (msg->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &call);
		call_finish(call, msg->data.result);
		h->running--;
		return call;
	}
	return NULL;
}

/* Set the result of a call. */
static void
call_finish(struct http_call *call, CURLcode result)
{
	struct handle *ha = call->handle;
	curl_off_t seconds = 0, us = 0;
	long status = 0;

	curl_easy_getinfo(ha->easy, CURLINFO_TOTAL_TIME_T, &us);
	curl_easy_getinfo(ha->easy, CURLINFO_RETRY_AFTER, &seconds);
	call->us = us;
	call->retry_after = seconds;
	if (result == CURLE_OK || (result == CURLE_WRITE_ERROR && ha->cut)) {
		curl_easy_getinfo(ha->easy, CURLINFO_RESPONSE_CODE, &status);
		call->status = (int)status;
		return;
	}
	call->fault = fault_of(result, ha);
	call->error = call->fault == HTTP_FAULT_LONG ? "the reply is too long"
	    : ha->error[0] != '\0'		     ? ha->error
				   : curl_easy_strerror(result);
}

static enum http_fault
fault_of(CURLcode result, const struct handle *ha)
{
	size_t i;

	if (result == CURLE_COULDNT_CONNECT && ha->inside)
		return HTTP_FAULT_INSIDE;
	if (result == CURLE_UNSUPPORTED_PROTOCOL && count_redirects(ha) > 0)
		return HTTP_FAULT_REDIRECT;
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (faults[i].code == result)
			return faults[i].fault;
	return HTTP_FAULT_OTHER;
}

static struct handle *
handle_new(struct http_call *call)
{
	struct handle *ha;

	if ((ha = calloc(1, sizeof(*ha))) == NULL)
		return NULL;
	if ((ha->easy = curl_easy_init()) == NULL ||
	    handle_set(ha, call) == -1) {
		handle_free(ha);
		return NULL;
	}
	return ha;
}

/* Set the options of libcurl for a call.  Returns 0, or -1 without memory. */
static int
handle_set(struct handle *ha, struct http_call *call)
{
	struct curl_slist *list;
	CURL *e = ha->easy;
	size_t i;

	for (i = 0; i < HTTP_HEADERS_MAX && call->headers[i] != NULL; i++) {
		list = curl_slist_append(ha->headers, call->headers[i]);
		if (list == NULL)
			return -1;
		ha->headers = list;
	}
	if (call->body != NULL) {
		curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)call->body_size);
		curl_easy_setopt(e, CURLOPT_POSTFIELDS, call->body);
	}
	curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)call->connect_ms);
	curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, call->method);
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, ha->error);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, ha);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, head_take);
	curl_easy_setopt(e, CURLOPT_HTTPHEADER, ha->headers);
	curl_easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, STALL_BYTES);
	curl_easy_setopt(e, CURLOPT_LOW_SPEED_TIME, (long)call->stall_s);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_PRIVATE, call);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(e, CURLOPT_PROXY, "");
	/* When the transfer ends, do not wait for a pending name lookup. */
	curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)call->timeout_ms);
	curl_easy_setopt(e, CURLOPT_USERAGENT, "Assay/" PACKAGE_VERSION);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, call);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, reply_take);
	if ((call->flags & HTTP_CUT) == 0)
		curl_easy_setopt(
		    e, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)call->reply_max);
	if ((call->flags & HTTP_FOLLOW) != 0) {
		curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 1L);
		curl_easy_setopt(e, CURLOPT_MAXREDIRS, REDIRECTS_MAX);
		curl_easy_setopt(e, CURLOPT_REDIR_PROTOCOLS_STR, "https");
	}
	ha->flags = call->flags;
	if ((call->flags & (HTTP_OUTSIDE | HTTP_FOLLOW_OUTSIDE)) != 0) {
		curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, ha);
		curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, socket_open);
	}
	return handle_copy(ha, call);
}

/* Set the options that copy their value, and can fail. */
static int
handle_copy(struct handle *ha, const struct http_call *call)
{
	CURL *e = ha->easy;

	if (curl_easy_setopt(e, CURLOPT_UNIX_SOCKET_PATH, call->socket) !=
	    CURLE_OK)
		return -1;
	if (call->sign != NULL && handle_sign(ha, call->sign) == -1)
		return -1;
	/* libcurl sends them to no other server than the url's. */
	if (call->user != NULL &&
	    (curl_easy_setopt(e, CURLOPT_USERNAME, call->user) != CURLE_OK ||
		curl_easy_setopt(e, CURLOPT_PASSWORD, call->password) !=
		    CURLE_OK))
		return -1;
	/* Otherwise libcurl also trusts the system's directory. */
	if (call->ca_file != NULL &&
	    (curl_easy_setopt(e, CURLOPT_CAINFO, call->ca_file) != CURLE_OK ||
		curl_easy_setopt(e, CURLOPT_CAPATH, NULL) != CURLE_OK))
		return -1;
	return curl_easy_setopt(e, CURLOPT_URL, call->url) == CURLE_OK ? 0 : -1;
}

/* Returns 0, or -1 without memory or if the region is invalid. */
static int
handle_sign(struct handle *ha, const struct http_sign *sign)
{
	CURL *e = ha->easy;
	char scope[SIGN_SIZE];
	const int n = snprintf(
	    scope, sizeof(scope), "aws:amz:%s:%s", sign->region, sign->service);

	if (n < 0 || (size_t)n >= sizeof(scope) ||
	    curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L) != CURLE_OK ||
	    curl_easy_setopt(e, CURLOPT_AWS_SIGV4, scope) != CURLE_OK ||
	    curl_easy_setopt(e, CURLOPT_USERNAME, sign->id) != CURLE_OK ||
	    curl_easy_setopt(e, CURLOPT_PASSWORD, sign->secret) != CURLE_OK)
		return -1;
	return 0;
}

static void
handle_free(struct handle *ha)
{
	if (ha->easy != NULL)
		curl_easy_cleanup(ha->easy);
	curl_slist_free_all(ha->headers);
	free(ha);
}

/* Append a piece of the reply; returning 0 makes libcurl fail. */
static size_t
reply_take(char *piece, size_t size, size_t n, void *cookie)
{
	struct http_call *call = cookie;
	struct handle *ha = call->handle;
	char *bigger;

	n *= size;
	ha->cut = (call->flags & HTTP_CUT) != 0 &&
	    n > call->reply_max - call->reply_size;
	if (n > call->reply_max - call->reply_size ||
	    (bigger = realloc(call->reply, call->reply_size + n + 1)) == NULL)
		return 0;
	memcpy(bigger + call->reply_size, piece, n);
	call->reply = bigger;
	call->reply_size += n;
	bigger[call->reply_size] = '\0';
	return n;
}

/* Fail if the headers of a reply are too long. */
static size_t
head_take(char *line, size_t size, size_t n, void *cookie)
{
	struct handle *ha = cookie;

	(void)line;
	n *= size;
	ha->head_size += n;
	return ha->head_size > HEAD_MAX ? 0 : n;
}

/* Check the address that libcurl is about to connect to. */
static curl_socket_t
socket_open(void *cookie, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct handle *ha = cookie;

	(void)purpose;
	if (must_be_outside(ha) && !is_outside(to)) {
		ha->inside = true;
		return CURL_SOCKET_BAD;
	}
	return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* The url's own address is exempt from HTTP_FOLLOW_OUTSIDE. */
static bool
must_be_outside(const struct handle *ha)
{
	return (ha->flags & HTTP_OUTSIDE) != 0 || count_redirects(ha) > 0;
}

static long
count_redirects(const struct handle *ha)
{
	long n = 0;

	curl_easy_getinfo(ha->easy, CURLINFO_REDIRECT_COUNT, &n);
	return n;
}

/* Another kind of address than IPv4 and IPv6 is not outside. */
static bool
is_outside(const struct curl_sockaddr *to)
{
	const void *at = &to->addr;
	const struct sockaddr_in *in = at;
	const struct sockaddr_in6 *in6 = at;
	const void *bytes = to->family == AF_INET6
	    ? (const void *)&in6->sin6_addr
	    : (const void *)&in->sin_addr;
	char text[INET6_ADDRSTRLEN];
	struct ip_address ad;

	return inet_ntop(to->family, bytes, text, sizeof(text)) != NULL &&
	    ip_address_parse(text, &ad) == 0 && ip_address_outside(&ad);
}
