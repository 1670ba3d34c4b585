/* SPDX-License-Identifier: ISC */
/* One worker: waits for a connection, answers it, waits again. */
#include "config.h"

#include <errno.h>
#include <fcgiapp.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/fail.h"
#include "fcgi/probe.h"
#include "fcgi/req.h"
#include "fcgi/resp.h"
#include "fcgi/worker.h"
#include "lib/clock.h"
#include "lib/conf.h"
#include "lib/db.h"
#include "lib/engine.h"
#include "lib/geoip.h"
#include "lib/log.h"
#include "lib/set.h"
#include "lib/shm.h"

/*
 * Holds the largest batch with all that it makes, each byte of its attributes
 * written as six.  It is address space: what is not touched costs nothing.
 */
#define ARENA_SIZE ((size_t)64 << 20)
#define ARENA_KEEP ((size_t)1 << 20) /* pages that stay with a worker */
#define QUEUE_MAX CLOCK_SECOND /* what waited longer is refused */
#define HEAD_LIMIT 15 /* seconds to read a request's parameters */
#define OPERATOR_TIMEOUT_MS 15000

static int prepare(struct worker *w);
static int watch(int listener);
static bool wait_ready(int epoll, int listener);
static void serve(struct worker *w, struct arena *a, FCGX_Request *fcgx);
static void answer(struct req *req, struct resp *resp, int64_t now);
static void account(
    const struct req *req, const struct resp *resp, int64_t started);
static void clear(struct arena *a);

int
worker_db(struct worker *w, struct fail *f)
{
	const bool decide = w->group == GROUP_DECIDE;

	if (w->db != NULL)
		return db_ready(w->db, f);
	if (conf.DATABASE_URL == NULL)
		return fail_set(
		    f, FAIL_US, UNAVAILABLE, "DATABASE_URL", "is not set");
	w->db = decide ? db_open(conf.DATABASE_URL, "assay decide",
			     SET_TIMEOUT_ONE, STMT_SESSION_DECIDE, f)
		       : db_open(conf.OPERATOR_DATABASE_URL, "assay operator",
			     OPERATOR_TIMEOUT_MS, STMT_SESSION, f);
	return w->db == NULL ? -1 : 0;
}

void
worker_limit(struct worker *w, int seconds)
{
	atomic_store(&w->slot->sl_limit_s, seconds);
}

int
worker_run(struct worker *w, int listener)
{
	struct arena a;
	FCGX_Request fcgx;
	void *block;
	int epoll, status = EX_OK;

	block = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (block == MAP_FAILED || (epoll = watch(listener)) == -1 ||
	    FCGX_Init() != 0 ||
	    FCGX_InitRequest(&fcgx, listener, FCGI_FAIL_ACCEPT_ON_INTR) != 0) {
		log_error("worker=start why=%s", strerror(errno));
		return EX_OSERR;
	}
	arena_init(&a, block, ARENA_SIZE);
	if (prepare(w) == -1)
		return EX_OSERR;

	while (status == EX_OK && wait_ready(epoll, listener)) {
		worker_limit(w, HEAD_LIMIT);
		atomic_store(&w->slot->sl_busy_since, clock_ticks());
		if (FCGX_Accept_r(&fcgx) == 0) {
			serve(w, &a, &fcgx);
		} else if (errno == EMFILE || errno == ENFILE ||
		    errno == ENOMEM || errno == EBADF) {
			/* A fresh worker, after a pause, may do better. */
			log_error("worker=accept why=%s", strerror(errno));
			status = EX_OSERR;
		}
		atomic_store(&w->slot->sl_busy_since, 0);
	}

	FCGX_Free(&fcgx, 1);
	db_close(w->db);
	engine_free(w->engine);
	geoip_close(w->geoip);
	munmap(block, ARENA_SIZE);
	return status;
}

/* Load what decisions need; places may be missing, an engine may not. */
static int
prepare(struct worker *w)
{
	struct fail f = { 0 };

	if (w->group != GROUP_DECIDE && !w->shared)
		return 0;
	if (conf.GEOIP_DB != NULL &&
	    (w->geoip = geoip_open(conf.GEOIP_DB, &f)) == NULL)
		log_warn("geoip=missing path=%s why=%s", f.where, f.why);
	w->engine = engine_new(w->geoip, &f);
	if (w->engine == NULL) {
		log_error("worker=engine why=%s", f.why);
		return -1;
	}
	return 0;
}

/*
 * An epoll descriptor for the listener and, as a descriptor too, TERM: the
 * signal stays blocked for good, so it can neither be lost between a check
 * and a wait nor cut a request short inside a library.
 */
static int
watch(int listener)
{
	struct epoll_event on = { .events = EPOLLIN | EPOLLEXCLUSIVE };
	sigset_t term;
	int epoll, fd;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_SETMASK, &term, NULL);
	on.data.fd = listener;
	if ((epoll = epoll_create1(EPOLL_CLOEXEC)) == -1 ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &on) == -1 ||
	    (fd = signalfd(-1, &term, SFD_CLOEXEC)) == -1)
		return -1;
	on.events = EPOLLIN;
	on.data.fd = fd;
	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &on) == -1 ? -1 : epoll;
}

/* Wait for a connection; false says that TERM came. */
static bool
wait_ready(int epoll, int listener)
{
	struct epoll_event got[2];
	int i, n;

	/* A stopped and continued process sees EINTR without a signal. */
	do
		n = epoll_wait(epoll, got, 2, -1);
	while (n == -1 && errno == EINTR);
	for (i = 0; i < n; i++)
		if (got[i].data.fd != listener)
			return false;
	return n > 0;
}

/* Answer the request in hand. */
static void
serve(struct worker *w, struct arena *a, FCGX_Request *fcgx)
{
	const int64_t started = clock_ticks(), now = clock_now();
	struct resp resp = { 0 };
	struct req req;

	req_init(&req, w, a, fcgx->envp, fcgx->in, conf.TRUST_PROXY, now);
	log_context("req", req.correlation_id);
	answer(&req, &resp, now);
	resp_write(&req, &resp, fcgx->out);
	FCGX_Finish_r(fcgx);
	account(&req, &resp, started);
	log_context("req", NULL);
	clear(a);
}

/*
 * Run the request, unless it has waited so long that its caller may be gone:
 * then it gets 503 before it costs the database anything.
 */
static void
answer(struct req *req, struct resp *resp, int64_t now)
{
	if (req->received_at == 0 || now - req->received_at <= QUEUE_MAX) {
		route_run(req, resp);
		return;
	}
	metric_add(req->worker->slot, METRIC_ID_SHED,
	    (size_t)req->worker->group - 1, 0, 1);
	fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, "",
	    "too many requests are waiting; try again");
	resp_fail(req, resp);
}

/* Count the request and write its line. */
static void
account(const struct req *req, const struct resp *resp, int64_t started)
{
	const int64_t us = clock_ticks() - started;

	metric_add(req->worker->slot, METRIC_ID_REQUESTS,
	    probe_route(req->route), (size_t)resp->status / 100 - 1, 1);
	if (req->route != NULL && req->route->budget == BUDGET_DECISIONS)
		metric_observe(
		    req->worker->slot, METRIC_ID_DECISION_SECONDS, us);
	log_info("method=%s route=%s status=%d ms=%lld verdict=%s",
	    req_method_name(req->method),
	    req->route == NULL ? "-" : req->route->path, resp->status,
	    (long long)us / 1000, resp->verdict == NULL ? "-" : resp->verdict);
}

/* Release the request's memory, and the pages that a large one touched. */
static void
clear(struct arena *a)
{
	const bool large = a->ar_peak > ARENA_KEEP;

	arena_reset(a);
	if (large)
		madvise(a->ar_base + ARENA_KEEP, ARENA_SIZE - ARENA_KEEP,
		    MADV_DONTNEED);
}
