/* SPDX-License-Identifier: ISC */
/* The main loop of a worker: wait for connections, answer them, repeat. */
#include "config.h"

#include <errno.h>
#include <fcgiapp.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sysexits.h>

#include "core/base/fail.h"
#include "fcgi/pool/idle_task.h"
#include "fcgi/pool/request_loop.h"
#include "fcgi/pool/worker_main.h"
#include "fcgi/worker/watchdog.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/geoip.h"
#include "lib/net/redis.h"
#include "lib/shared/shm.h"
#include "lib/spool/spool.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"
#include "lib/txn/txn.h"

#define OPERATOR_TIMEOUT_MS 15000
#define STANDBY_TIMEOUT_MS 6000 /* then the primary has time to do the work */

static size_t max_requests(const struct worker *w);
static int prepare_engine(struct worker *w);
static int prepare_db(struct worker *w, struct fail *f);
static int prepare_standby(struct worker *w, struct fail *f);
static size_t spare_sessions(void);
static int watch_listener(int listener);
static bool wait_ready(int epoll, int listener, struct worker *w, bool *leave);

int
worker_main_run(struct worker *w, int listener)
{
	struct request_loop *s;
	struct fail f = { 0 };
	int epoll, status = EX_OK;
	bool leave = false;

	if ((epoll = watch_listener(listener)) == -1 || FCGX_Init() != 0) {
		log_error("event=worker_start_failed step=socket why=%s",
		    strerror(errno));
		return EX_OSERR;
	}

	/*
	 * libfcgi would accept no more requests after it, and not exit; see
	 * findings/libfcgi-sigusr1.sh.
	 */
	signal(SIGUSR1, SIG_IGN);
	if (prepare_engine(w) == -1)
		return EX_OSERR;
	if ((s = request_loop_new(w, listener, max_requests(w), &f)) == NULL) {
		log_error(
		    "event=worker_start_failed step=requests why=%s", f.why);
		return EX_OSERR;
	}

	idle_task_start(w);
	while (status == EX_OK && !leave) {
		if (wait_ready(epoll, listener, w, &leave) &&
		    request_loop_waiting(s) == -1) {
			log_error("event=worker_accept_failed why=%s",
			    strerror(errno));
			status = EX_OSERR;
		}
	}

	request_loop_free(s);
	db_close(w->standby);
	db_close(w->db);
	redis_close(w->redis);
	engine_free(w->engine);
	spool_close(w->spool);
	geoip_close(w->geoip);
	return status;
}

/*
 * Return how many requests to accept at a time.  Only decisions gain from a
 * shared transaction; requests of operators are better left to the next worker.
 */
static size_t
max_requests(const struct worker *w)
{
	return w->group == GROUP_DECIDE && !w->shared
	    ? (size_t)conf.DECIDE_SET_MAX
	    : 1;
}

/* Open what requests need. */
static int
prepare_engine(struct worker *w)
{
	struct fail f = { 0 };

	if (conf.REDIS_URL != NULL &&
	    (w->redis = redis_open(conf.REDIS_URL, conf.REDIS_CA_FILE,
		 conf.REDIS_TIMEOUT_MS * CLOCK_SECOND / 1000, &w->shm->redis,
		 &f)) == NULL) {
		log_error("event=worker_start_failed step=redis why=%s", f.why);
		return -1;
	}
	if (conf.DATABASE_URL != NULL && prepare_db(w, &f) == -1) {
		log_error(
		    "event=worker_start_failed step=database why=%s", f.why);
		return -1;
	}
	if (w->group != GROUP_DECIDE && !w->shared)
		return 0;
	if ((w->spool = spool_open(conf.SPOOL_DIR, w->shm, &f)) == NULL)
		log_warn(
		    "event=spool_open_failed path=%s why=%s", f.where, f.why);
	w->engine = engine_new(scorer_parse(conf.SCORER),
	    scorer_parse(conf.SCORER_SHADOW), w->geoip, w->spool, w->shm, &f);
	if (w->engine == NULL) {
		log_error(
		    "event=worker_start_failed step=engine why=%s", f.why);
		return -1;
	}
	return 0;
}

/*
 * Prepare the connection without connecting, because a worker may start while
 * the database is down.
 */
static int
prepare_db(struct worker *w, struct fail *f)
{
	if (w->group == GROUP_OPERATOR) {
		w->db = db_new(conf.OPERATOR_DATABASE_URL, "assay operator",
		    OPERATOR_TIMEOUT_MS, STMT_SESSION, f);
		if (w->db == NULL)
			return -1;
		db_share(w->db, &w->shm->operator_db);
		db_limit_sessions(w->db, &w->shm->decide_db, spare_sessions());
		return prepare_standby(w, f);
	}
	w->db = db_new(conf.DATABASE_URL, "assay decide", TXN_TIMEOUT_ONE,
	    STMT_SESSION_DECIDE, f);
	if (w->db == NULL)
		return -1;
	db_share(w->db, &w->shm->decide_db);
	db_limit_sessions(w->db, &w->shm->operator_db, spare_sessions());
	db_set_breaker(w->db, &w->shm->retry_at);
	return 0;
}

/* The same for the standby that operators read, if there is one. */
static int
prepare_standby(struct worker *w, struct fail *f)
{
	if (conf.OPERATOR_READ_DATABASE_URL == NULL)
		return 0;
	w->standby = db_new(conf.OPERATOR_READ_DATABASE_URL, "assay read",
	    STANDBY_TIMEOUT_MS, STMT_SESSION, f);
	if (w->standby == NULL)
		return -1;
	db_share(w->standby, &w->shm->standby_db);
	db_limit_sessions(w->standby, NULL, (size_t)conf.OPERATOR_WORKERS);
	return 0;
}

/*
 * Return how many abandoned sessions DATABASE_POOL_MAX allows in addition to
 * the sessions of the workers, of retention, and of the query that asks which
 * abandoned sessions have ended.
 */
static size_t
spare_sessions(void)
{
	return (size_t)(conf.DATABASE_POOL_MAX - conf.DECIDE_WORKERS -
	    conf.OPERATOR_WORKERS - 2);
}

/*
 * Make an epoll descriptor for the listener and for a signalfd of TERM.  The
 * signal stays blocked, so that it cannot be lost between a check and a wait,
 * and cannot interrupt a library call of a request.
 */
static int
watch_listener(int listener)
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

/*
 * Wait for a connection or for TERM, run idle tasks before and meanwhile, and
 * let the watchdog see that this worker is not frozen.  Return whether to
 * accept; set *leave on TERM.  A worker that was woken for a connection accepts
 * it even then, because the kernel woke no other worker.
 */
static bool
wait_ready(int epoll, int listener, struct worker *w, bool *leave)
{
	const int wake = WATCHDOG_WAKE / (CLOCK_SECOND / 1000);
	struct epoll_event got[2];
	bool ready = false;
	int i, n, wait;

	/* A process that was stopped and continued gets EINTR. */
	do {
		wait = idle_task_run(w);
		worker_limit(w, 0);
		n = epoll_wait(
		    epoll, got, 2, wait < 0 || wait > wake ? wake : wait);
	} while (n == 0 || (n == -1 && errno == EINTR));
	for (i = 0; i < n; i++) {
		if (got[i].data.fd == listener)
			ready = true;
		else
			*leave = true;
	}
	return ready;
}
