/* SPDX-License-Identifier: ISC */
/*
 * HTTP as a client: many transfers at once over kept connections, all from
 * one thread.  The only module that knows libcurl.
 */
#ifndef LIB_NET_HTTP_H
#define LIB_NET_HTTP_H

#include <stddef.h>
#include <stdint.h>

struct fail;
struct http;

#define HTTP_HEADERS_MAX 8

enum http_flag {
	HTTP_OUTSIDE = 1 << 0, /* connect to public addresses only */
	HTTP_CUT =
	    1 << 1, /* of a longer reply the rest is not read: it is one */
};

/* Why there was no reply. */
enum http_fault {
	HTTP_FAULT_NAME = 1,
	HTTP_FAULT_INSIDE,
	HTTP_FAULT_CONNECT,
	HTTP_FAULT_TRUST,
	HTTP_FAULT_CERTIFICATE,
	HTTP_FAULT_TLS,
	HTTP_FAULT_TIME,
	HTTP_FAULT_BROKEN,
	HTTP_FAULT_LONG,
	HTTP_FAULT_OTHER,
	HTTP_FAULT__MAX
};

/*
 * Who signs a request, and for whom, by AWS Signature Version 4.  The path of
 * the URL is sent as it is written: nothing in it may be left unencoded but
 * letters, digits, "-", ".", "_", "~" and "/".
 */
struct http_sign {
	const char *region;
	const char *service; /* "s3" */
	const char *id; /* of the access key */
	const char *secret;
};

/* One request and, once http_wait() has returned it, what came of it. */
struct http_call {
	/* Set by the caller, who keeps all of it until the call is done. */
	const char *method; /* "GET", "POST" */
	const char *url;
	const char *socket; /* unix socket to connect to, NULL for the url */
	const char *ca_file; /* all to trust, NULL: the system's */
	const char *headers[HTTP_HEADERS_MAX]; /* "Name: value", then NULL */
	const char *body; /* NULL for none */
	size_t body_size;
	const struct http_sign *sign; /* NULL: it is not signed */
	int timeout_ms; /* for the whole transfer */
	int connect_ms; /* of that, until it is connected; 0: all of it */
	int stall_s; /* of under 100 bytes a second that end it, 0: none */
	size_t reply_max; /* a longer reply is a failed transfer */
	unsigned flags; /* of enum http_flag */
	void *owner; /* for the caller */

	/* Set by http_wait(). */
	int status; /* 0 when there was no whole reply */
	const char *error; /* then: why, a sentence's tail */
	enum http_fault fault; /* and the same in few words */
	char *reply; /* NUL-terminated; lives until http_done() */
	size_t reply_size;
	int64_t retry_after; /* seconds, 0 without the header */
	int64_t us; /* from the first byte sent to the last received */

	void *handle; /* ours */
};

/*
 * A set of transfers that keeps up to connections of them open.  Each has a
 * connection to itself while it lasts, and looks its name up beside the
 * others, so that none waits for another.  Returns NULL with f set when
 * libcurl cannot start, or cannot do that.
 */
struct http *http_new(int connections, struct fail *f);

/* End all transfers and connections; NULL is harmless. */
void http_free(struct http *h);

/*
 * Start a call: redirects are not followed, no proxy is used, only http and
 * https are spoken, no content is unpacked; the program says that it is Assay.
 * With HTTP_OUTSIDE every address is looked at when it is connected to,
 * whatever stood for it (ip_address_outside()).  Returns 0, or -1 with f set
 * when the call is malformed.
 */
int http_start(struct http *h, struct http_call *call, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Move all transfers on until one is done, at most timeout_ms.  Returns it,
 * or NULL when the time is over or nothing was started.
 */
struct http_call *http_wait(struct http *h, int timeout_ms);

/* A fault in words that hold nothing of the call, its host or its reply. */
const char *http_fault_text(enum http_fault fault);

/* The value of a header of the reply, or NULL; until http_done(). */
const char *http_header(const struct http_call *call, const char *name);

/*
 * Forget the reply, or end a call that has none yet; it can be started again.
 */
void http_done(struct http *h, struct http_call *call);

#endif
