/* SPDX-License-Identifier: ISC */
/* Serve waiting requests: decide in one transaction, answer each. */
#include "config.h"

#include <errno.h>
#include <fcgiapp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "fcgi/gate/route_find.h"
#include "fcgi/gate/route_run.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route_type.h"
#include "fcgi/pool/request_loop.h"
#include "fcgi/worker/settings_sync.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/shared/metric.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"
#include "lib/txn/txn.h"

/*
 * Large enough for the largest batch with everything made from it, each byte of
 * its attributes escaped as six, and for the most single decisions of one
 * transaction.  It is address space: pages that are not touched cost nothing.
 */
#define ARENA_SIZE ((size_t)64 << 20)
#define ARENA_KEEP ((size_t)1 << 20) /* bytes that a worker keeps mapped */
#define HEAD_LIMIT 15 /* seconds to read a request */
#define ACCEPT_TIME (CLOCK_SECOND / 200) /* to accept more requests */
#define DECIDE_LIMIT 2 /* seconds, for the watchdog */
#define PAUSE_MIN (CLOCK_SECOND / 500) /* before busy users are retried */
#define PAUSE_MAX (CLOCK_SECOND / 20)
#define DECIDE_TIME (TXN_TIMEOUT_ONE * (CLOCK_SECOND / 1000))

/* One request, from its connection to its answer. */
struct pending_request {
	FCGX_Request fcgx;
	const struct route *route; /* NULL: none */
	struct req req;
	struct resp resp;
	int64_t started; /* clock_ticks() */
	bool answered;
};

struct request_loop {
	struct worker *worker;
	struct arena arena;
	void *block;
	size_t max;
	size_t n; /* requests in use */
	struct pending_request *requests;
	struct pending_request **deciding; /* to be decided */
	struct decision_request **items; /* their items, in the same order */
};

static int accept_requests(
    struct request_loop *s, struct pending_request **ret_other);
static void set_db_deadline(struct request_loop *s, int64_t until);
static bool error_persists(int reason);
static void receive_request(struct request_loop *s, struct pending_request *pr);
static void decide_waiting(struct request_loop *s);
static size_t decide_first(
    struct request_loop *s, size_t n, enum txn_lock lock, int64_t deadline);
static void serve_other(struct request_loop *s, struct pending_request *pr);
static void send_reply(struct pending_request *pr);
static bool input_ended(const struct pending_request *pr);
static void account_request(const struct pending_request *pr);
static void clear_requests(struct arena *a);

struct request_loop *
request_loop_new(struct worker *w, int listener, size_t max, struct fail *f)
{
	struct request_loop *s = calloc(1, sizeof(*s));
	size_t i;

	if (s == NULL)
		goto err0;
	s->worker = w;
	s->max = max;
	s->requests = calloc(max, sizeof(*s->requests));
	s->deciding = calloc(max, sizeof(struct pending_request *));
	s->items = calloc(max, sizeof(struct decision_request *));
	s->block = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->requests == NULL || s->deciding == NULL || s->items == NULL ||
	    s->block == MAP_FAILED)
		goto err1;
	for (i = 0; i < max; i++) {
		if (FCGX_InitRequest(&s->requests[i].fcgx, listener,
			FCGI_FAIL_ACCEPT_ON_INTR) != 0)
			goto err1;
	}
	arena_init(&s->arena, s->block, ARENA_SIZE);
	return s;

err1:
	if (s->block != MAP_FAILED)
		munmap(s->block, ARENA_SIZE);
	free(s->items);
	free(s->deciding);
	free(s->requests);
	free(s);
err0:
	fail_memory(f);
	return NULL;
}

void
request_loop_free(struct request_loop *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->max; i++)
		FCGX_Free(&s->requests[i].fcgx, 1);
	munmap(s->block, ARENA_SIZE);
	free(s->items);
	free(s->deciding);
	free(s->requests);
	free(s);
}

int
request_loop_waiting(struct request_loop *s)
{
	struct pending_request *other;
	size_t i;

	if (accept_requests(s, &other) == -1)
		return -1;
	decide_waiting(s);
	set_db_deadline(s, 0);
	if (other != NULL)
		serve_other(s, other);
	settings_sync_note_epoch(s->worker, &s->arena);
	for (i = 0; i < s->n; i++)
		FCGX_Finish_r(&s->requests[i].fcgx);
	worker_limit(s->worker, 0);
	clear_requests(&s->arena);
	return 0;
}

/*
 * Accept one connection, and the single decisions that wait behind it: the
 * listener does not block.  Stop at the first other request and return it in
 * *ret_other.  It is served after the decisions; other workers take what waits
 * behind it.  Also stop after ACCEPT_TIME, for example if Redis slows down the
 * check of budgets.
 */
static int
accept_requests(struct request_loop *s, struct pending_request **ret_other)
{
	struct pending_request *pr;
	int64_t until;

	s->n = 0;
	*ret_other = NULL;
	until = clock_ticks() + ACCEPT_TIME;
	do {
		worker_limit(s->worker, HEAD_LIMIT);
		pr = &s->requests[s->n];
		if (FCGX_Accept_r(&pr->fcgx) != 0)
			return s->n == 0 && error_persists(errno) ? -1 : 0;
		s->n++;
		pr->started = clock_ticks();
		set_db_deadline(s, s->requests[0].started + DECIDE_TIME);
		receive_request(s, pr);
		pr->route = route_find(&pr->req);
		if (pr->route == NULL || !pr->route->combines) {
			*ret_other = pr;
			return 0;
		}
		route_run(&pr->req, pr->route, &pr->resp);
		if (pr->resp.status != 0)
			send_reply(pr);
	} while (s->n < s->max && clock_ticks() < until);
	return 0;
}

/* Set the deadline of database calls, also of those that verify a key. */
static void
set_db_deadline(struct request_loop *s, int64_t until)
{
	if (s->worker->db != NULL)
		db_set_deadline(s->worker->db, until);
}

/* Return whether accept() will fail again for the same reason. */
static bool
error_persists(int reason)
{
	return reason == EMFILE || reason == ENFILE || reason == ENOMEM ||
	    reason == EBADF;
}

/* Read the head of a request. */
static void
receive_request(struct request_loop *s, struct pending_request *pr)
{
	memset(&pr->resp, 0, sizeof(pr->resp));
	pr->answered = false;
	req_init(&pr->req, s->worker, &s->arena, pr->fcgx.envp, pr->fcgx.in,
	    conf.TRUST_PROXY, clock_now());
	pr->req.db = s->worker->db;
	pr->req.began = clock_ticks();
	pr->req.connection = pr->fcgx.ipcFd;

	/* A kept connection would occupy this worker while others wait. */
	pr->fcgx.keepConnection = 0;
	log_context("req", pr->req.correlation_id);
}

/*
 * Decide the single decisions in one transaction.  Skip users whom another
 * transaction has locked, so that others do not wait for them, and retry them
 * after the others are answered.  Wait for the lock if only one user is left,
 * or if several are still locked after half of the time.
 */
static void
decide_waiting(struct request_loop *s)
{
	const int64_t deadline = s->requests[0].started + DECIDE_TIME;
	int64_t pause = PAUSE_MIN;
	size_t i, n = 0;

	for (i = 0; i < s->n; i++) {
		if (s->requests[i].answered || s->requests[i].req.item == NULL)
			continue;
		s->deciding[n] = &s->requests[i];
		s->items[n++] = s->requests[i].req.item;
	}
	if (n > 1)
		n = decide_first(s, n, TXN_SKIP, deadline);
	while (!txn_same_user(s->items, n) &&
	    clock_ticks() < deadline - DECIDE_TIME / 2) {
		poll(NULL, 0, (int)(pause * 1000 / CLOCK_SECOND));
		n = decide_first(s, n, TXN_SKIP, deadline);
		pause = pause < PAUSE_MAX / 2 ? pause * 2 : PAUSE_MAX;
	}
	if (n > 0)
		decide_first(s, n, TXN_WAIT, deadline);
}

/*
 * Decide the first n items in one transaction and answer them.  Return how many
 * remain because they are busy; those are moved to the front.
 */
static size_t
decide_first(
    struct request_loop *s, size_t n, enum txn_lock lock, int64_t deadline)
{
	struct worker *w = s->worker;
	struct pending_request *pr;
	size_t i, left = 0;

	worker_limit(w, DECIDE_LIMIT);
	log_context("req", n == 1 ? s->deciding[0]->req.correlation_id : NULL);
	txn_run(w->engine, w->db, &s->arena, s->items, n, lock, deadline);

	/* Nothing waits from here to the last answer. */
	log_hold();
	for (i = 0; i < n; i++) {
		pr = s->deciding[i];
		if (pr->req.item->outcome == TXN_BUSY) {
			s->deciding[left] = pr;
			s->items[left++] = pr->req.item;
			continue;
		}
		log_context("req", pr->req.correlation_id);
		route_settle(&pr->req, &pr->resp);
		send_reply(pr);
	}
	log_release();
	return left;
}

/*
 * Serve a request that is not a single decision.  Only its head has been read;
 * the decisions before it do not need their memory any more.
 */
static void
serve_other(struct request_loop *s, struct pending_request *pr)
{
	clear_requests(&s->arena);
	receive_request(s, pr);
	route_run(&pr->req, pr->route, &pr->resp);
	send_reply(pr);
}

/*
 * Send the whole answer and its end, at which nginx forwards it, and close the
 * connection.  If input is left, nginx would see a reset instead of the answer:
 * then close it later, because libfcgi first waits until nginx has closed it,
 * and other requests wait for their answers.
 */
static void
send_reply(struct pending_request *pr)
{
	resp_write(&pr->req, &pr->resp, pr->fcgx.out);
	FCGX_FClose(pr->fcgx.err);
	FCGX_FClose(pr->fcgx.out);
	if (input_ended(pr)) {
		close(pr->fcgx.ipcFd);
		pr->fcgx.ipcFd = -1;
	} else {
		shutdown(pr->fcgx.ipcFd, SHUT_WR);
	}
	account_request(pr);
	log_context("req", NULL);
	pr->answered = true;
}

/*
 * Whether the whole input was read.  Its last record follows the body at once,
 * so libfcgi has read it together with the body.
 */
static bool
input_ended(const struct pending_request *pr)
{
	const struct req *req = &pr->req;
	const bool whole = req->content_length <= 0 ||
	    req->body_size == (size_t)req->content_length;

	return whole && FCGX_GetChar(pr->fcgx.in) == EOF &&
	    FCGX_GetError(pr->fcgx.in) == 0;
}

/* Count the request and log it. */
static void
account_request(const struct pending_request *pr)
{
	const struct req *req = &pr->req;
	struct worker_slot *slot = req->worker->slot;
	const int64_t us = clock_ticks() - pr->started;

	metric_add(slot, METRIC_ID_REQUESTS,
	    pr->route == NULL ? ROUTE__NONE : pr->route->id,
	    (size_t)pr->resp.status / 100 - 1, 1);
	if (pr->route != NULL && pr->route->combines && pr->resp.status == 200)
		metric_observe(slot, METRIC_ID_DECISION_SECONDS, us);
	log_info("method=%s route=%s status=%d ms=%lld verdict=%s",
	    req_method_name(req->method),
	    pr->route == NULL ? "-" : pr->route->path, pr->resp.status,
	    (long long)us / 1000,
	    pr->resp.verdict == NULL ? "-" : pr->resp.verdict);
}

/* Release the memory of the requests, and the pages of large ones. */
static void
clear_requests(struct arena *a)
{
	const bool large = a->peak > ARENA_KEEP;

	arena_reset(a);
	if (large)
		madvise(a->base + ARENA_KEEP, ARENA_SIZE - ARENA_KEEP,
		    MADV_DONTNEED);
}
