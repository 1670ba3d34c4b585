/* SPDX-License-Identifier: ISC */
/* Send and receive over TCP, TLS or a unix socket, with a deadline. */
#include "config.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "lib/conf/redis_url.h"
#include "lib/net/redis_net.h"
#include "lib/sys/clock.h"

static int open_socket(struct redis_net *n, int64_t deadline, struct fail *f);
static int open_host(struct redis_net *n, int64_t deadline, struct fail *f);
static int resolve_host(struct redis_net *n, int64_t deadline,
    struct addrinfo **ret, struct fail *f);
static int resolve_name(
    struct redis_net *n, int64_t deadline, struct addrinfo **ret);
static int connect_to(struct redis_net *n, const struct sockaddr *to,
    socklen_t size, int64_t deadline, struct fail *f);
static void keep_alive(int fd);
static int start_tls(struct redis_net *n, int64_t deadline, struct fail *f);
static int make_ctx(struct redis_net *n, struct fail *f);
static bool name_peer(SSL *ssl, const struct redis_server *server);
static int tls_again(
    struct redis_net *n, int got, int64_t deadline, struct fail *f);
static int await_socket(
    const struct redis_net *n, short events, int64_t deadline, struct fail *f);
static int refuse_redis(struct fail *f, const char *doing, const char *why);

/* Hints for getaddrinfo(). */
static const struct addrinfo name_hints = { .ai_socktype = SOCK_STREAM,
	.ai_flags = AI_NUMERICSERV };
static const struct addrinfo address_hints = { .ai_socktype = SOCK_STREAM,
	.ai_flags = AI_NUMERICSERV | AI_NUMERICHOST };

void
redis_net_init(struct redis_net *n, const struct redis_url *url, size_t server,
    const char *ca_file)
{
	memset(n, 0, sizeof(*n));
	n->url = url;
	n->server = &url->server[server];
	n->ca_file = ca_file;
	n->fd = -1;
}

int
redis_net_clear(struct redis_net *n)
{
	redis_net_close(n);
	SSL_CTX_free(n->ctx);
	n->ctx = NULL;
	return n->lookup_started && gai_cancel(&n->lookup) != EAI_CANCELED &&
		gai_error(&n->lookup) == EAI_INPROGRESS
	    ? -1
	    : 0;
}

int
redis_net_open(struct redis_net *n, int64_t deadline, struct fail *f)
{
	redis_net_close(n);
	if ((n->server->path[0] != '\0' ? open_socket(n, deadline, f)
					: open_host(n, deadline, f)) == -1)
		return -1;
	return n->url->tls ? start_tls(n, deadline, f) : 0;
}

void
redis_net_close(struct redis_net *n)
{
	SSL_free(n->ssl);
	n->ssl = NULL;
	if (n->fd != -1)
		close(n->fd);
	n->fd = -1;
}

bool
redis_net_idle(const struct redis_net *n)
{
	struct pollfd p = { .fd = n->fd, .events = POLLIN };

	return n->fd != -1 && poll(&p, 1, 0) == 0;
}

int
redis_net_send(struct redis_net *n, const char *text, size_t size,
    int64_t deadline, struct fail *f)
{
	ssize_t got;

	while (size > 0) {
		if (n->ssl != NULL)
			got = SSL_write(n->ssl, text, (int)size);
		else
			got = send(n->fd, text, size, MSG_NOSIGNAL);
		if (got > 0) {
			text += got;
			size -= (size_t)got;
		} else if (n->ssl != NULL) {
			if (tls_again(n, (int)got, deadline, f) == -1)
				return -1;
		} else if (errno != EAGAIN) {
			return refuse_redis(f, "send", strerror(errno));
		} else if (await_socket(n, POLLOUT, deadline, f) == -1) {
			return -1;
		}
	}
	return 0;
}

ssize_t
redis_net_recv(struct redis_net *n, char *ret, size_t size, int64_t deadline,
    struct fail *f)
{
	ssize_t got;

	for (;;) {
		if (n->ssl != NULL)
			got = SSL_read(n->ssl, ret, (int)size);
		else
			got = recv(n->fd, ret, size, 0);
		if (got > 0)
			return got;
		if (n->ssl != NULL) {
			if (tls_again(n, (int)got, deadline, f) == -1)
				return -1;
		} else if (got == 0) {
			return refuse_redis(
			    f, "receive", "the server closed the connection");
		} else if (errno != EAGAIN) {
			return refuse_redis(f, "receive", strerror(errno));
		} else if (await_socket(n, POLLIN, deadline, f) == -1) {
			return -1;
		}
	}
}

static int
open_socket(struct redis_net *n, int64_t deadline, struct fail *f)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	_Static_assert(sizeof(to.sun_path) >= REDIS_URL_PATH_SIZE,
	    "a path that was taken fits");
	memcpy(to.sun_path, n->server->path, REDIS_URL_PATH_SIZE);
	return connect_to(
	    n, (const struct sockaddr *)&to, sizeof(to), deadline, f);
}

/*
 * Try the addresses one after the other, with an equal share of the time for
 * each.
 */
static int
open_host(struct redis_net *n, int64_t deadline, struct fail *f)
{
	struct addrinfo *list, *a;
	int64_t left, now;
	int result = -1;

	if (resolve_host(n, deadline, &list, f) == -1)
		return -1;
	for (left = 0, a = list; a != NULL; a = a->ai_next)
		left++;
	for (a = list; a != NULL && result == -1; a = a->ai_next, left--) {
		now = clock_ticks();
		result = connect_to(n, a->ai_addr, a->ai_addrlen,
		    now + (deadline - now) / left, f);
	}
	freeaddrinfo(list);
	if (result == 0)
		keep_alive(n->fd);
	return result;
}

/* Parse an address at once; look up a name within the deadline. */
static int
resolve_host(struct redis_net *n, int64_t deadline, struct addrinfo **ret,
    struct fail *f)
{
	const struct redis_server *s = n->server;
	const int got = s->numeric
	    ? getaddrinfo(s->host, s->port, &address_hints, ret)
	    : resolve_name(n, deadline, ret);

	if (got == 0)
		return 0;
	return refuse_redis(f, "look up the host",
	    got == EAI_INPROGRESS ? "no answer in time" : gai_strerror(got));
}

/* Begin a lookup, or continue one that exceeded an earlier deadline. */
static int
resolve_name(struct redis_net *n, int64_t deadline, struct addrinfo **ret)
{
	struct gaicb *const lookup = &n->lookup;
	const struct gaicb *const waiting[] = { lookup };
	struct gaicb *list[] = { lookup };
	struct timespec wait = { 0 };
	int64_t left;
	int got = EAI_INPROGRESS;

	if (!n->lookup_started) {
		memset(lookup, 0, sizeof(*lookup));
		lookup->ar_name = n->server->host;
		lookup->ar_service = n->server->port;
		lookup->ar_request = &name_hints;
		if ((got = getaddrinfo_a(GAI_NOWAIT, list, 1, NULL)) != 0)
			return got;
		n->lookup_started = true;
	}
	while ((got = gai_error(lookup)) == EAI_INPROGRESS &&
	    (left = deadline - clock_ticks()) > 0) {
		wait.tv_sec = left / CLOCK_SECOND;
		wait.tv_nsec = left % CLOCK_SECOND * 1000;
		gai_suspend(waiting, 1, &wait);
	}
	n->lookup_started = got == EAI_INPROGRESS;
	*ret = lookup->ar_result;
	return got;
}

/* Connect n->fd within the deadline. */
static int
connect_to(struct redis_net *n, const struct sockaddr *to, socklen_t size,
    int64_t deadline, struct fail *f)
{
	socklen_t error_size = sizeof(int);
	int error = 0;

	n->fd = socket(
	    to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (n->fd == -1)
		return refuse_redis(f, "connect", strerror(errno));
	if (connect(n->fd, to, size) == -1)
		error = errno;
	if (error == EINPROGRESS) {
		if (await_socket(n, POLLOUT, deadline, f) == -1)
			goto err;
		getsockopt(n->fd, SOL_SOCKET, SO_ERROR, &error, &error_size);
	}
	if (error == 0)
		return 0;
	refuse_redis(f, "connect", strerror(error));
err:
	redis_net_close(n);
	return -1;
}

/*
 * Send without delay, and detect while the connection is idle that a firewall
 * has dropped it.
 */
static void
keep_alive(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, 30 },
		{ IPPROTO_TCP, TCP_KEEPINTVL, 10 },
		{ IPPROTO_TCP, TCP_KEEPCNT, 3 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
	};
	size_t i;

	for (i = 0; i < nitems(options); i++)
		setsockopt(fd, options[i].level, options[i].name,
		    &options[i].value, sizeof(options[i].value));
}

/* Do the TLS handshake, and accept only the host of the server. */
static int
start_tls(struct redis_net *n, int64_t deadline, struct fail *f)
{
	long result;
	int got;

	if (n->ctx == NULL && make_ctx(n, f) == -1)
		return -1;
	n->ssl = SSL_new(n->ctx);
	if (n->ssl == NULL || SSL_set_fd(n->ssl, n->fd) != 1 ||
	    !name_peer(n->ssl, n->server))
		return refuse_redis(f, "TLS", "out of memory");
	while ((got = SSL_connect(n->ssl)) != 1)
		if (tls_again(n, got, deadline, f) == -1)
			break;
	result = SSL_get_verify_result(n->ssl);
	if (got != 1 && result != X509_V_OK)
		refuse_redis(f, "TLS", X509_verify_cert_error_string(result));
	return got == 1 ? 0 : -1;
}

static int
make_ctx(struct redis_net *n, struct fail *f)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	int got;

	if (ctx == NULL)
		return refuse_redis(f, "TLS", "out of memory");
	SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE);
	got = n->ca_file == NULL ? SSL_CTX_set_default_verify_paths(ctx)
				 : SSL_CTX_load_verify_file(ctx, n->ca_file);
	ERR_clear_error();
	if (got != 1) {
		SSL_CTX_free(ctx);
		return refuse_redis(f, "TLS",
		    n->ca_file == NULL ? "no certificates to trust"
				       : "REDIS_CA_FILE cannot be read");
	}
	n->ctx = ctx;
	return 0;
}

/* Set the name or address that the certificate must have. */
static bool
name_peer(SSL *ssl, const struct redis_server *server)
{
	char host[REDIS_URL_HOST_SIZE]; /* OpenSSL's macro takes no const */

	memcpy(host, server->host, sizeof(host));
	if (server->numeric)
		return X509_VERIFY_PARAM_set1_ip_asc(
			   SSL_get0_param(ssl), host) == 1;
	return SSL_set1_host(ssl, host) == 1 &&
	    SSL_set_tlsext_host_name(ssl, host) == 1;
}

/*
 * After a TLS call that did nothing: wait for the socket.  Return 0 if the call
 * may be repeated.
 */
static int
tls_again(struct redis_net *n, int got, int64_t deadline, struct fail *f)
{
	const int error = SSL_get_error(n->ssl, got);
	const char *why;

	if (error == SSL_ERROR_WANT_READ)
		return await_socket(n, POLLIN, deadline, f);
	if (error == SSL_ERROR_WANT_WRITE)
		return await_socket(n, POLLOUT, deadline, f);
	why = ERR_reason_error_string(ERR_peek_error());
	ERR_clear_error();
	return refuse_redis(
	    f, "TLS", why == NULL ? "the server closed the connection" : why);
}

/* Wait until the socket is readable or writable. */
static int
await_socket(
    const struct redis_net *n, short events, int64_t deadline, struct fail *f)
{
	struct pollfd p = { .fd = n->fd, .events = events };
	int64_t left;
	int got;

	do {
		left = deadline - clock_ticks();
		got = left <= 0 ? 0 : poll(&p, 1, (int)((left + 999) / 1000));
	} while (got == -1 && errno == EINTR);
	if (got > 0)
		return 0;
	return refuse_redis(
	    f, "wait", got == 0 ? "no answer in time" : strerror(errno));
}

static int
refuse_redis(struct fail *f, const char *doing, const char *why)
{
	return fail_set(f, FAIL_US, UNAVAILABLE, "redis", "%s: %s", doing, why);
}
