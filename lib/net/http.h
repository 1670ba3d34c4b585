/* SPDX-License-Identifier: ISC */
/*
 * An HTTP client: many transfers at once over connections that stay open, all
 * in one thread.  The only module that uses libcurl.
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
	HTTP_CUT = 1 << 1, /* accept a longer reply, but do not read the rest */
	HTTP_FOLLOW = 1 << 2, /* follow up to 5 redirects to https:// */
	HTTP_FOLLOW_OUTSIDE = 1 << 3, /* and those to public addresses only */
};

/* Why a transfer failed. */
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
	HTTP_FAULT_REDIRECT,
	HTTP_FAULT_OTHER,
	HTTP_FAULT__MAX
};

/*
 * The key and scope to sign a request with AWS Signature Version 4.  The path
 * of the URL is sent as written: all its bytes except letters, digits, "-",
 * ".", "_", "~" and "/" must be percent-encoded.
 */
struct http_sign {
	const char *region;
	const char *service; /* "s3" */
	const char *id; /* of the access key */
	const char *secret;
};

/* A request and, after http_wait() has returned it, its result. */
struct http_call {
	/* Set by the caller; must stay valid until the call is done. */
	const char *method; /* "GET", "POST" */
	const char *url;
	const char *socket; /* unix socket to connect to, NULL for the url */
	const char *ca_file; /* trusted certificates; NULL: the system's */
	const char *headers[HTTP_HEADERS_MAX]; /* "Name: value", then NULL */
	const char *body; /* NULL for none */
	size_t body_size;
	const struct http_sign *sign; /* NULL: do not sign */
	const char *user; /* for the url's server only; NULL: none */
	const char *password;
	int timeout_ms; /* for the whole transfer */
	int connect_ms; /* the part of it for connecting; 0: all of it */
	int stall_s; /* fail after so long under 100 bytes/s; 0: never */
	size_t reply_max; /* a longer reply is a failed transfer */
	unsigned flags; /* of enum http_flag */
	void *owner; /* for the caller */

	/* Set by http_wait(). */
	int status; /* 0: no complete reply */
	const char *error; /* if status is 0: why */
	enum http_fault fault; /* the same as a code */
	char *reply; /* NUL-terminated; http_done() frees it unless the caller
		      * takes it and leaves NULL */
	size_t reply_size;
	int64_t retry_after; /* seconds, 0 without the header */
	int64_t us; /* from the first byte sent to the last received */

	void *handle; /* libcurl's side */
};

/*
 * Make a set of transfers that keeps up to connections idle connections open.
 * Each transfer has its own connection and its own name lookup, so that none
 * waits for another.  Returns NULL with f set if libcurl cannot start, or
 * cannot look up names asynchronously.
 */
struct http *http_new(int connections, struct fail *f);

/* End all transfers and connections; NULL is harmless. */
void http_free(struct http *h);

/*
 * Start a call.  It follows no redirects without HTTP_FOLLOW, uses no proxy,
 * speaks only http and https, decompresses nothing, and names Assay as its user
 * agent.  With HTTP_OUTSIDE, ip_address_outside() checks each address when
 * libcurl connects to it, so that a name cannot hide one.  Returns 0, or -1
 * with f set if the call is malformed.
 */
int http_start(struct http *h, struct http_call *call, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Run all transfers until one is done, for at most timeout_ms.  Returns it, or
 * NULL after the timeout or if nothing was started.
 */
struct http_call *http_wait(struct http *h, int timeout_ms);

/* The text of a fault; it shows nothing of the call, its host or reply. */
const char *http_fault_text(enum http_fault fault);

/* The value of a header of the reply, or NULL; valid until http_done(). */
const char *http_header(const struct http_call *call, const char *name);

/*
 * Free the reply, or cancel a call without one; it can then be started again.
 */
void http_done(struct http *h, struct http_call *call);

#endif
