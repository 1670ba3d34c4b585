/* SPDX-License-Identifier: ISC */
/*
 * A client for bench/bench.sh that sends random authorizations of known users
 * over persistent connections.  In a closed loop each connection sends its next
 * request after the answer.  At a fixed rate the latency counts from the time
 * at which the request was due, even if it was sent later.
 *
 *	load PORT KEY USERS CONNECTIONS SECONDS RATE HOT
 *
 * RATE 0 means a closed loop.  HOT is none, user or ip: a tenth of the events
 * share this user or ip.  The program prints the answers per second, the number
 * of answers that are not 200, and p50, p99 and p99.9 in microseconds.
 */
#include "config.h"

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "lib/sys/clock.h"

#define CONNECTIONS_MAX 1024
#define REQUEST_SIZE 2048
#define ANSWER_SIZE 8192
#define WAITING_MAX 65536 /* due requests that wait for a connection */

/*
 * A histogram of microseconds with 64 steps for each power of two, so a
 * percentile is exact to 1.6 %.
 */
#define STEPS 64
#define BUCKETS (32 * STEPS)

enum hot { HOT_NONE = 1, HOT_USER, HOT_IP, HOT__MAX };

struct load_run {
	int port;
	const char *key;
	unsigned users;
	int connections;
	int seconds;
	int64_t rate; /* requests per second; 0: closed loop */
	enum hot hot;
};

struct conn {
	int fd;
	bool busy;
	int64_t due; /* when the current request was due */
	size_t got;
	char answer[ANSWER_SIZE];
};

struct bench_load {
	const struct load_run *run;
	struct conn *conns;
	int epoll;
	unsigned seed;
	int64_t end; /* when sending stops */
	uint64_t sent;
	uint64_t done;
	uint64_t bad;
	uint64_t bucket[BUCKETS];
	int64_t waiting[WAITING_MAX]; /* due times, a ring */
	uint64_t first, last;
};

static void parse(int argc, char **argv, struct load_run *ret);
static void open_all(struct bench_load *l);
static void dial(struct bench_load *l, struct conn *c);
static void dial_again(struct bench_load *l, struct conn *c);
static void drive(struct bench_load *l);
static const struct timespec *pause_until(int64_t due, struct timespec *room);
static void offer(struct bench_load *l, int64_t due);
static void ask(struct bench_load *l, struct conn *c, int64_t due);
static int body(struct bench_load *l, char *ret, size_t size);
static void hear(struct bench_load *l, struct conn *c);
static bool complete(const struct conn *c);
static void count(struct bench_load *l, int64_t us);
static int64_t percentile(const struct bench_load *l, double p);
static unsigned next(unsigned *seed);

int
main(int argc, char **argv)
{
	struct load_run run;
	struct bench_load *l;
	int64_t began;

	parse(argc, argv, &run);
	if ((l = calloc(1, sizeof(*l))) == NULL ||
	    (l->conns = calloc((size_t)run.connections, sizeof(*l->conns))) ==
		NULL)
		err(EX_OSERR, NULL);
	l->run = &run;
	l->seed = (unsigned)clock_now() | 1;
	open_all(l);
	began = clock_ticks();
	drive(l);
	printf("%.0f %llu %lld %lld %lld\n",
	    (double)l->done * CLOCK_SECOND / (double)(clock_ticks() - began),
	    (unsigned long long)l->bad, (long long)percentile(l, 0.5),
	    (long long)percentile(l, 0.99), (long long)percentile(l, 0.999));
	free(l->conns);
	free(l);
	return EX_OK;
}

static void
parse(int argc, char **argv, struct load_run *ret)
{
	if (argc != 8)
		errx(EX_USAGE,
		    "usage: load PORT KEY USERS CONNECTIONS SECONDS RATE HOT");
	ret->port = (int)strtol(argv[1], NULL, 10);
	ret->key = argv[2];
	ret->users = (unsigned)strtoul(argv[3], NULL, 10);
	ret->connections = (int)strtol(argv[4], NULL, 10);
	ret->seconds = (int)strtol(argv[5], NULL, 10);
	ret->rate = strtoll(argv[6], NULL, 10);
	ret->hot = strcmp(argv[7], "user") == 0 ? HOT_USER
	    : strcmp(argv[7], "ip") == 0	? HOT_IP
						: HOT_NONE;
	if (ret->users < 1 || ret->connections < 1 ||
	    ret->connections > CONNECTIONS_MAX || ret->seconds < 1 ||
	    ret->rate < 0)
		errx(EX_USAGE, "a number is out of range");
}

static void
open_all(struct bench_load *l)
{
	int i;

	if ((l->epoll = epoll_create1(EPOLL_CLOEXEC)) == -1)
		err(EX_OSERR, "epoll");
	for (i = 0; i < l->run->connections; i++)
		dial(l, &l->conns[i]);
}

/* Connect, and wait for answers from then on. */
static void
dial(struct bench_load *l, struct conn *c)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)l->run->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct epoll_event on = { .events = EPOLLIN, .data.ptr = c };
	const int one = 1;

	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd == -1 ||
	    connect(c->fd, (struct sockaddr *)&to, sizeof(to)) == -1)
		err(EX_UNAVAILABLE, "connect");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, c->fd, &on) == -1)
		err(EX_OSERR, "epoll");
}

/*
 * nginx has closed an idle connection, or one that has just received a request.
 * Connect again and send that request again.
 */
static void
dial_again(struct bench_load *l, struct conn *c)
{
	close(c->fd);
	dial(l, c);
	if (c->busy) {
		l->sent--;
		ask(l, c, c->due);
	}
}

/* Send until the end, then wait for the answers still on their way. */
static void
drive(struct bench_load *l)
{
	const int64_t began = clock_ticks();
	struct epoll_event got[64];
	struct timespec pause;
	int64_t due = began;
	int i, n;

	l->end = began + l->run->seconds * CLOCK_SECOND;
	for (i = 0; l->run->rate == 0 && i < l->run->connections; i++)
		ask(l, &l->conns[i], clock_ticks());
	while (
	    clock_ticks() < l->end || l->done < l->sent || l->first < l->last) {
		while (
		    l->run->rate > 0 && due < l->end && due <= clock_ticks()) {
			offer(l, due);
			due = began +
			    (int64_t)l->last * CLOCK_SECOND / l->run->rate;
		}
		n = epoll_pwait2(
		    l->epoll, got, 64, pause_until(due, &pause), NULL);
		for (i = 0; i < n; i++)
			hear(l, got[i].data.ptr);
		if (clock_ticks() > l->end + 30 * CLOCK_SECOND)
			errx(EX_UNAVAILABLE, "answers are missing");
	}
}

/* The time to wait for answers: until the next request is due. */
static const struct timespec *
pause_until(int64_t due, struct timespec *room)
{
	int64_t us = due - clock_ticks();

	if (us < 0 || us > CLOCK_SECOND / 10)
		us = CLOCK_SECOND / 10;
	room->tv_sec = 0;
	room->tv_nsec = us * 1000;
	return room;
}

/* Send a due request, or let it wait for the next free connection. */
static void
offer(struct bench_load *l, int64_t due)
{
	int i;

	l->last++;
	for (i = 0; i < l->run->connections; i++) {
		if (!l->conns[i].busy) {
			l->first++;
			ask(l, &l->conns[i], due);
			return;
		}
	}
	if (l->last - l->first >= WAITING_MAX)
		errx(EX_UNAVAILABLE, "the rate is far too high");
	l->waiting[l->last % WAITING_MAX] = due;
}

static void
ask(struct bench_load *l, struct conn *c, int64_t due)
{
	char text[REQUEST_SIZE], event[REQUEST_SIZE / 2];
	int n;

	n = body(l, event, sizeof(event));
	n = snprintf(text, sizeof(text),
	    "POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\n"
	    "X-API-Key: %s\r\nContent-Type: application/json\r\n"
	    "Content-Length: %d\r\n\r\n%s",
	    l->run->key, n, event);
	if (write(c->fd, text, (size_t)n) != n)
		err(EX_UNAVAILABLE, "write");
	c->busy = true;
	c->due = due;
	c->got = 0;
	l->sent++;
}

/* An authorization of a random user with the user's own device and ip. */
static int
body(struct bench_load *l, char *ret, size_t size)
{
	const bool hot = next(&l->seed) % 10 == 0;
	const unsigned user =
	    hot && l->run->hot == HOT_USER ? 0 : next(&l->seed) % l->run->users;
	const unsigned ip = hot && l->run->hot == HOT_IP ? 0 : user;

	return snprintf(ret, size,
	    "{\"id\":\"l%08x%08x\",\"type\":\"card.authorize\","
	    "\"amount\":%u.%02u,\"currency\":\"EUR\",\"subject\":{"
	    "\"userId\":\"u%u\",\"deviceId\":\"d%u-%u\","
	    "\"ip\":\"81.%u.%u.%u\"},\"instrument\":{\"kind\":\"card\","
	    "\"bin\":\"411111\",\"issuerCountry\":\"DE\",\"threeDS\":true},"
	    "\"attributes\":{\"merchant\":\"m-%u\"}}",
	    next(&l->seed), (unsigned)l->sent, next(&l->seed) % 200 + 1,
	    next(&l->seed) % 100, user, user, next(&l->seed) % 2,
	    ip >> 16 & 255, ip >> 8 & 255, ip & 255, next(&l->seed) % 50);
}

/* Read from a connection; at the end of an answer send the next request. */
static void
hear(struct bench_load *l, struct conn *c)
{
	ssize_t n;

	n = read(c->fd, c->answer + c->got, sizeof(c->answer) - 1 - c->got);
	if (n == 0 && (!c->busy || c->got == 0)) {
		dial_again(l, c);
		return;
	}
	if (n <= 0)
		err(EX_UNAVAILABLE, "the connection was closed");
	c->got += (size_t)n;
	c->answer[c->got] = '\0';
	if (!complete(c))
		return;
	if (strcasestr(c->answer, "\r\nConnection: close\r\n") != NULL) {
		/* nginx closes a connection after a number of requests. */
		close(c->fd);
		dial(l, c);
	}
	count(l, clock_ticks() - c->due);
	l->done++;
	l->bad += strncmp(c->answer, "HTTP/1.1 200", 12) != 0;
	c->busy = false;
	if (l->run->rate == 0) {
		if (clock_ticks() < l->end)
			ask(l, c, clock_ticks());
	} else if (l->first < l->last) {
		l->first++;
		ask(l, c, l->waiting[l->first % WAITING_MAX]);
	}
}

/* True if the answer is complete, by its Content-Length. */
static bool
complete(const struct conn *c)
{
	const char *head = strstr(c->answer, "\r\n\r\n"), *length;

	if (head == NULL)
		return false;
	length = strcasestr(c->answer, "\r\nContent-Length: ");
	if (length == NULL || length > head)
		errx(EX_PROTOCOL, "an answer without a length");
	return c->got >=
	    (size_t)(head + 4 - c->answer) + strtoul(length + 18, NULL, 10);
}

static void
count(struct bench_load *l, int64_t us)
{
	unsigned long long v = us < 1 ? 1 : (unsigned long long)us;
	const int top = 63 - __builtin_clzll(v);
	const size_t step = top < 6 ? (size_t)(v << (6 - top)) % STEPS
				    : (size_t)(v >> (top - 6)) % STEPS;

	l->bucket[(size_t)top * STEPS + step]++;
}

/* The latency that this share of all requests does not exceed. */
static int64_t
percentile(const struct bench_load *l, double p)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		sum += l->bucket[i];
		if (sum > 0 && (double)sum >= p * (double)l->done)
			break;
	}
	return (int64_t)((double)(UINT64_C(1) << i / STEPS) *
	    (1.0 + (double)(i % STEPS) / STEPS));
}

/* xorshift32: fast, and good enough to choose users. */
static unsigned
next(unsigned *seed)
{
	unsigned x = *seed;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *seed = x;
}
