/* SPDX-License-Identifier: ISC */
/* The master: keeps as many workers running as the settings require. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "fcgi/ep/routes.h"
#include "fcgi/pool/listen.h"
#include "fcgi/pool/master.h"
#include "fcgi/pool/optional_files.h"
#include "fcgi/pool/pool_reload.h"
#include "fcgi/pool/sd_notify.h"
#include "fcgi/pool/worker_main.h"
#include "fcgi/worker/watchdog.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/conf/conf_secret.h"
#include "lib/engine/geoip.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define TICK_NS 100000000 /* 100 ms between checks */
#define YOUNG (10 * CLOCK_SECOND) /* age below which a death is early */
#define PAUSE_MIN (CLOCK_SECOND / 10)
#define PAUSE_MAX (10 * CLOCK_SECOND)
#define FROZEN_MIN CLOCK_SECOND /* after which the master was frozen */
#define STATUS_SIZE ((size_t)160)
#define LEAVE_MAX (20 * CLOCK_SECOND) /* time of a group to exit after TERM */
#define STOP_MAX (45 * CLOCK_SECOND) /* TimeoutStopSec= of the unit */

/* One child process.  Its worker slot in shm has the same index. */
struct pool_child {
	pid_t pid; /* 0: not running */
	int64_t started_at;
	int64_t pause; /* before the next start, doubled by each early death */
	int64_t start_at; /* time of the next start */
	int64_t term_at; /* when TERM was sent; 0: not sent */
};

struct master {
	struct shm *shm;
	struct listeners *listeners;
	const char *path;
	pid_t pid;
	struct pool_child child[SHM_SLOTS];
	struct geoip *geoip; /* inherited by workers; NULL without memory */
	int64_t geoip_at; /* next optional_files_refresh() */
	int64_t outdated[GROUP__MAX]; /* workers until then are replaced */
	int64_t watched_at; /* last run of watch_workers() */
	int64_t awake_at; /* since then it was not frozen */
	int64_t notified_at;
	int64_t described_at; /* last run of describe_status() */
	char status[STATUS_SIZE]; /* last status sent to systemd */
	int64_t interval; /* of watchdog messages to systemd; 0: none */
	int64_t stop_at; /* end of the delay; 0: not asked to stop */
	bool stopping;
	bool closed[GROUP__MAX]; /* groups that accept no requests */
};

static void handle_signal(struct master *m, const siginfo_t *info);
static bool reload_settings(struct master *m);
static void announce_stop(struct master *m);
static void stop_workers(struct master *m);
static void stop_group(struct master *m, enum worker_group group);
static void stop_decide_group(struct master *m);
static void terminate_worker(struct pool_child *c);
static void reap_workers(struct master *m);
static void free_child(struct master *m, size_t i, int status);
static void adjust_workers(struct master *m);
static void describe_status(struct master *m);
static size_t count_workers(const struct master *m, enum worker_group group);
static void renew_geoip(struct master *m);
static void replace_workers(struct master *m);
static void replace_one(struct master *m, enum worker_group group);
static void start_worker(struct master *m, size_t i);
static void become_worker(struct master *m, size_t i) __attribute__((noreturn));
static void watch_workers(struct master *m);
static bool should_run(const struct master *m, size_t i);
static bool group_runs(const struct master *m, enum worker_group group);
static enum worker_group group_of(size_t i);

static const char *const group_names[GROUP__MAX] = {
	[GROUP_DECIDE] = "decide",
	[GROUP_OPERATOR] = "operator",
};

int
master_run(struct shm *shm, struct listeners *l, const char *path)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };
	struct master *m;
	sigset_t set;
	siginfo_t info;

	/* sigtimedwait() receives the blocked signals. */
	if ((m = calloc(1, sizeof(*m))) == NULL)
		return EX_OSERR;
	m->shm = shm;
	m->listeners = l;
	m->path = path;
	m->pid = getpid();
	m->interval = sd_notify_interval();
	m->geoip = optional_files_open(NULL, shm);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);

	adjust_workers(m);
	log_info("event=pool_started decide=%" PRId64 " operator=%" PRId64,
	    conf.DECIDE_WORKERS, conf.OPERATOR_WORKERS);
	sd_notify_send("READY=1");
	while (!m->closed[GROUP_DECIDE] || group_runs(m, GROUP_DECIDE)) {
		if (sigtimedwait(&set, &info, &tick) > 0)
			handle_signal(m, &info);
		reap_workers(m);
		watch_workers(m);
		renew_geoip(m);
		replace_workers(m);
		if (m->stop_at != 0 && clock_ticks() >= m->stop_at)
			stop_workers(m);
		stop_decide_group(m);
		adjust_workers(m);
		describe_status(m);
	}
	log_info("event=pool_stopped");
	geoip_close(m->geoip);
	free(m);
	return EX_OK;
}

static void
handle_signal(struct master *m, const siginfo_t *info)
{
	if (info->si_signo == SIGHUP)
		pool_reload_answer(info, !m->stopping && reload_settings(m));
	else if (info->si_signo == SIGTERM || info->si_signo == SIGINT)
		announce_stop(m);
}

/* Read the settings again.  If they are wrong, nothing changes. */
static bool
reload_settings(struct master *m)
{
	enum worker_group group;
	struct fail f = { 0 };
	char text[64];
	bool accepted;

	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
	    clock_ticks());
	sd_notify_send(text);
	accepted = conf_load(m->path, true, &f) == 0;
	if (!accepted) {
		log_error(
		    "event=reload_refused where=%s why=%s", f.where, f.why);
	} else {
		log_init("assay-fcgi", log_level_parse(conf.LOG_LEVEL));
		log_info("event=reload_accepted");
		m->geoip = optional_files_open(m->geoip, m->shm);
		for (group = GROUP_DECIDE; group < GROUP__MAX; group++)
			m->outdated[group] = clock_ticks();
	}
	sd_notify_send("READY=1");
	return accepted;
}

/*
 * Say in /readyz that this host stops, and stop after the delay.  Asked to stop
 * again, stop at once.
 */
static void
announce_stop(struct master *m)
{
	const int64_t delay = conf.STOP_DELAY_SECONDS * CLOCK_SECOND;
	char text[64];

	if (m->stop_at != 0 || delay == 0) {
		m->stop_at = clock_ticks();
		return;
	}
	m->stop_at = clock_ticks() + delay;
	atomic_store(&m->shm->stop_announced, 1);
	snprintf(text, sizeof(text), "STOPPING=1\nEXTEND_TIMEOUT_USEC=%" PRId64,
	    delay + STOP_MAX);
	sd_notify_send(text);
	log_info("event=pool_stop_announced delay=%" PRId64,
	    conf.STOP_DELAY_SECONDS);
}

/*
 * Stop the operator workers first.  Decide workers go on until they have
 * exited, because callers of decisions cannot wait as long as a login or a
 * backtest may take.
 */
static void
stop_workers(struct master *m)
{
	if (m->stopping)
		return;
	m->stopping = true;
	atomic_store(&m->shm->stopping, 1);
	sd_notify_send("STOPPING=1");
	log_info("event=pool_stopping");
	stop_group(m, GROUP_OPERATOR);
}

/* Accept no more connections of a group, and stop its workers. */
static void
stop_group(struct master *m, enum worker_group group)
{
	size_t i;

	m->closed[group] = true;
	listen_close(m->listeners, group);
	for (i = 0; i < SHM_SLOTS; i++)
		if (group_of(i) == group)
			terminate_worker(&m->child[i]);
}

/* Stop the decide workers when the operator workers have exited. */
static void
stop_decide_group(struct master *m)
{
	if (m->stopping && !m->closed[GROUP_DECIDE] &&
	    !group_runs(m, GROUP_OPERATOR))
		stop_group(m, GROUP_DECIDE);
}

/* Send TERM to a worker, once. */
static void
terminate_worker(struct pool_child *c)
{
	if (c->pid == 0 || c->term_at != 0)
		return;
	c->term_at = clock_ticks();
	kill(c->pid, SIGTERM);
}

/* Collect the workers that have exited. */
static void
reap_workers(struct master *m)
{
	int status;
	pid_t pid;
	size_t i;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (i = 0; i < SHM_SLOTS; i++)
			if (m->child[i].pid == pid)
				free_child(m, i, status);
}

/* Free the place of a worker that exited, and set when its successor starts. */
static void
free_child(struct master *m, size_t i, int status)
{
	struct worker_slot *slot = &m->shm->slot[i];
	struct pool_child *c = &m->child[i];
	const int64_t now = clock_ticks();

	if (c->term_at != 0 || now - c->started_at >= YOUNG)
		c->pause = 0;
	else if (c->pause == 0)
		c->pause = PAUSE_MIN;
	else
		c->pause = c->pause < PAUSE_MAX / 2 ? c->pause * 2 : PAUSE_MAX;
	if (c->term_at == 0 || status != 0) {
		const struct log_number numbers[] = {
			{ WIFSIGNALED(status) ? "signal" : "status",
			    WIFSIGNALED(status) ? WTERMSIG(status)
						: WEXITSTATUS(status) },
			{ "pause_ms", c->pause / 1000 },
		};

		log_numbers(LOG_LEVEL_ERROR, numbers, 2,
		    "event=worker_died group=%s worker_pid=%ld",
		    group_names[group_of(i)], (long)c->pid);
		metric_add(
		    slot, METRIC_ID_RESTARTS, (size_t)group_of(i) - 1, 0, 1);
	}
	c->start_at = now + c->pause;
	c->term_at = 0;
	c->pid = 0;
	atomic_store(&slot->pid, 0);
	atomic_store(&slot->due, WATCHDOG_IDLE);
	atomic_store(&slot->backtest_type, 0);
}

/* Start missing workers that are due, and stop surplus ones. */
static void
adjust_workers(struct master *m)
{
	size_t i;

	if (m->interval != 0 && clock_ticks() - m->notified_at >= m->interval) {
		sd_notify_send("WATCHDOG=1");
		m->notified_at = clock_ticks();
	}
	for (i = 0; i < SHM_SLOTS; i++) {
		if (!should_run(m, i))
			terminate_worker(&m->child[i]);
		else if (m->child[i].pid == 0 &&
		    clock_ticks() >= m->child[i].start_at)
			start_worker(m, i);
	}
}

/* Send a status line for "systemctl status": workers and problems. */
static void
describe_status(struct master *m)
{
	const int64_t now = clock_ticks();
	char text[STATUS_SIZE];

	if (now - m->described_at < CLOCK_SECOND)
		return;
	m->described_at = now;
	snprintf(text, sizeof(text),
	    "STATUS=%zu decide and %zu operator workers, %lld decisions in the "
	    "spool%s",
	    count_workers(m, GROUP_DECIDE), count_workers(m, GROUP_OPERATOR),
	    (long long)atomic_load(&m->shm->spool_records),
	    atomic_load(&m->shm->retry_at) != 0
		? "; the database cannot be reached"
		: "");
	if (strcmp(text, m->status) == 0)
		return;
	memcpy(m->status, text, sizeof(text));
	sd_notify_send(text);
}

static size_t
count_workers(const struct master *m, enum worker_group group)
{
	size_t i, n = 0;

	for (i = 0; i < SHM_SLOTS; i++)
		n += m->child[i].pid != 0 && group_of(i) == group;
	return n;
}

/* Read new GeoIP databases, which only workers that start then have. */
static void
renew_geoip(struct master *m)
{
	const int64_t now = clock_ticks();

	if (now < m->geoip_at)
		return;
	m->geoip_at = now + GEOIP_REFRESH_PAUSE;
	if (!optional_files_refresh(m->geoip, m->shm))
		return;
	m->outdated[GROUP_DECIDE] = now;
	if (m->listeners->shared)
		m->outdated[GROUP_OPERATOR] = now;
}

/* Replace workers that have old settings or GeoIP databases. */
static void
replace_workers(struct master *m)
{
	enum worker_group group;

	if (m->stopping)
		return;
	for (group = GROUP_DECIDE; group < GROUP__MAX; group++)
		replace_one(m, group);
}

/* Replace one of these workers, unless another one has still to exit. */
static void
replace_one(struct master *m, enum worker_group group)
{
	struct pool_child *c, *next = NULL;
	size_t i;

	for (i = 0; i < SHM_SLOTS; i++) {
		c = &m->child[i];
		if (c->pid == 0 || group_of(i) != group)
			continue;
		if (c->term_at != 0)
			return;
		if (next == NULL && c->started_at <= m->outdated[group])
			next = c;
	}
	if (next != NULL)
		terminate_worker(next);
}

static void
start_worker(struct master *m, size_t i)
{
	struct worker_slot *slot = &m->shm->slot[i];
	struct pool_child *c = &m->child[i];
	pid_t pid;

	c->started_at = clock_ticks();
	atomic_store(&slot->group, (int32_t)group_of(i));
	atomic_store(&slot->due, WATCHDOG_IDLE);
	pid = fork();
	if (pid == 0)
		become_worker(m, i);
	if (pid == -1) {
		log_error("event=worker_fork_failed why=%s", strerror(errno));
		c->start_at = c->started_at + CLOCK_SECOND;
		return;
	}
	c->pid = pid;
	atomic_store(&slot->pid, (int32_t)pid);
	log_debug("event=worker_started group=%s worker_pid=%ld",
	    group_names[group_of(i)], (long)pid);
}

/*
 * Run as a worker in the child of start_worker().  A worker gets TERM when its
 * master dies.
 */
static void
become_worker(struct master *m, size_t i)
{
	const enum worker_group group = group_of(i);
	struct listeners *l = m->listeners;
	struct worker w = {
		.group = group,
		.shared = l->shared,
		.routes = routes,
		.shm = m->shm,
		.slot = &m->shm->slot[i],
		.geoip = m->geoip,
	};
	enum worker_group g;

	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) == -1 || getppid() != m->pid)
		exit(EX_OSERR);
	if (group == GROUP_DECIDE)
		setsid(); /* main.c has lowered the session of the master */
	else if (setpriority(PRIO_PROCESS, 0, MASTER_OPERATOR_NICE) == -1)
		log_warn("event=worker_nice_failed why=%s", strerror(errno));
	for (g = GROUP_DECIDE; g < GROUP__MAX; g++)
		if (g != group && !l->shared)
			close(l->fd[g]);
	if (group == GROUP_DECIDE && !l->shared)
		conf_secret_forget();
	free(m);
	exit(worker_main_run(&w, l->fd[group]));
}

/*
 * Kill workers that are busy far beyond the limit of their route, do not exit,
 * or are frozen.  When the pool stops, each worker has at most LEAVE_MAX after
 * TERM, whatever its route allows, because the next owner of the sockets waits.
 */
static void
watch_workers(struct master *m)
{
	struct watchdog_times times = { .now = clock_ticks() };
	const struct pool_child *c;
	size_t i;

	if (times.now - m->watched_at > FROZEN_MIN)
		m->awake_at = times.now;
	m->watched_at = times.now;
	times.awake_at = m->awake_at;
	for (i = 0; i < SHM_SLOTS; i++) {
		c = &m->child[i];
		times.term_at = c->term_at;
		times.limit =
		    m->stopping && c->term_at != 0 ? c->term_at + LEAVE_MAX : 0;
		if (c->pid == 0 ||
		    !watchdog_condemn(&m->shm->slot[i].due, &times))
			continue;
		log_error("event=worker_killed group=%s worker_pid=%ld",
		    group_names[group_of(i)], (long)c->pid);
		kill(c->pid, SIGKILL);
	}
}

/* Return whether a worker should run in this place. */
static bool
should_run(const struct master *m, size_t i)
{
	const int64_t n = group_of(i) == GROUP_DECIDE ? conf.DECIDE_WORKERS
						      : conf.OPERATOR_WORKERS;

	return !m->closed[group_of(i)] && (int64_t)(i % SHM_GROUP_SLOTS) < n;
}

static bool
group_runs(const struct master *m, enum worker_group group)
{
	size_t i;

	for (i = 0; i < SHM_SLOTS; i++)
		if (m->child[i].pid != 0 && group_of(i) == group)
			return true;
	return false;
}

/* The division is fixed, so that a reload can change the numbers. */
static enum worker_group
group_of(size_t i)
{
	return i < SHM_GROUP_SLOTS ? GROUP_DECIDE : GROUP_OPERATOR;
}
