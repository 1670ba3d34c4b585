/* SPDX-License-Identifier: ISC */
/* assay-fcgi: options, settings and sockets, then the master of the pool. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "fcgi/pool/listen.h"
#include "fcgi/pool/master.h"
#include "fcgi/pool/optional_files.h"
#include "fcgi/pool/pool_reload.h"
#include "lib/conf/conf.h"
#include "lib/engine/geoip.h"
#include "lib/shared/shm.h"
#include "lib/spool/spool.h"
#include "lib/sys/core_dump.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"

#define PROGRAM "assay-fcgi"
#define SECRET_SIZE 32
#define SESSION_TRIES 10 /* one such change runs at once on a machine */
#define SESSION_PAUSE 100 /* ms */
#define SPOOL_ARENA_SIZE ((size_t)16 << 20) /* to read the spool */

enum main_action { ACT_SERVE = 1, ACT_CHECK, ACT_PRINT, ACT_RELOAD, ACT__MAX };

/* The options of the command line. */
struct fcgi_options {
	enum main_action act;
	const char *path; /* settings file; NULL: only the environment */
	pid_t master; /* for ACT_RELOAD */
};

static void parse_pool_options(
    int argc, char *argv[], struct fcgi_options *ret);
static pid_t parse_pid(const char *text);
static void generate_secret(void);
static int run_pool(const char *path);
static void lower_session(void);
static void count_spool(struct shm *shm);

static const char usage[] =
    "usage: assay-fcgi [-n] [--config FILE] [--print-config]\n"
    "       assay-fcgi --reload PID\n"
    "       assay-fcgi --help | --version\n";

static const struct option options[] = {
	{ "check-config", no_argument, NULL, 'n' },
	{ "config", required_argument, NULL, 'c' },
	{ "help", no_argument, NULL, 'h' },
	{ "print-config", no_argument, NULL, 'p' },
	{ "reload", required_argument, NULL, 'r' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

int
main(int argc, char *argv[])
{
	struct fcgi_options opt = { .act = ACT_SERVE };

	parse_pool_options(argc, argv, &opt);
	if (opt.act == ACT_RELOAD)
		return pool_reload_request(opt.master);
	if (opt.act != ACT_SERVE)
		conf_use_credstore();
	conf_start(PROGRAM, opt.path, true);
	if (opt.act == ACT_PRINT)
		conf_print(stdout);
	if (opt.act == ACT_CHECK)
		geoip_close(optional_files_open(NULL, NULL));
	return opt.act == ACT_SERVE ? run_pool(opt.path) : EX_OK;
}

/* Read the options.  Exit if they are wrong. */
static void
parse_pool_options(int argc, char *argv[], struct fcgi_options *ret)
{
	int c;

	while ((c = getopt_long(argc, argv, "c:n", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			ret->path = optarg;
			break;
		case 'n':
			ret->act = ACT_CHECK;
			break;
		case 'p':
			ret->act = ACT_PRINT;
			break;
		case 'r':
			ret->act = ACT_RELOAD;
			ret->master = parse_pid(optarg);
			break;
		case 'h':
			fputs(usage, stdout);
			exit(EX_OK);
		case 'V':
			puts(PACKAGE_STRING);
			exit(EX_OK);
		default:
			fputs(usage, stderr);
			exit(EX_USAGE);
		}
	}
	if (optind != argc) {
		fputs(usage, stderr);
		exit(EX_USAGE);
	}
}

static pid_t
parse_pid(const char *text)
{
	char *end;
	const long pid = strtol(text, &end, 10);

	if (end == text || *end != '\0' || pid < 2 || pid > INT32_MAX)
		log_exit(EX_USAGE, "--reload takes the pid of a pool's master");
	return (pid_t)pid;
}

/*
 * Generate AUTH_SECRET, which may be missing outside production, once for all
 * workers.  Tokens become invalid when this process ends.
 */
static void
generate_secret(void)
{
	uint8_t secret[SECRET_SIZE];
	char text[2 * SECRET_SIZE + 1];

	crypt_random(secret, sizeof(secret));
	crypt_hex(secret, sizeof(secret), text);
	if (setenv("AUTH_SECRET", text, 1) == -1)
		log_exit(EX_OSERR, "AUTH_SECRET: %s", strerror(errno));
	log_warn(
	    "event=auth_secret_random why=AUTH_SECRET is not set; operators "
	    "have to log in again after a restart");
}

/* Open what the workers share, and run the pool until TERM. */
static int
run_pool(const char *path)
{
	struct listeners l;
	struct fail f = { 0 };
	struct shm *shm;
	int status;

	if (conf.AUTH_SECRET == NULL) {
		generate_secret();
		conf_start(PROGRAM, path, true);
	}
	lower_session(); /* before its file belongs to root */
	core_dump_forbid(conf.CORE_DUMPS);
	signal(SIGPIPE, SIG_IGN);

	/* The pool has no log files to open again. */
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	if ((shm = shm_new(&f)) == NULL)
		log_exit(EX_OSERR, "%s: %s", f.where, f.why);
	count_spool(shm);
	if (listen_open(&l, &f) == -1)
		log_exit(EX_UNAVAILABLE, "%s: %s", f.where, f.why);
	status = master_run(shm, &l, path);
	shm_free(shm);
	return status;
}

/*
 * Give the session the nice value of operator workers.  Where the kernel shares
 * the CPU between sessions (autogroup in sched(7)), the value of a process only
 * counts within its session; decide workers have sessions of their own.  Leave
 * the session of another program alone, such as that of a shell.
 */
static void
lower_session(void)
{
	const int fd = getsid(0) == getpid()
	    ? open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC)
	    : -1;
	int left = SESSION_TRIES;

	if (fd == -1)
		return;
	while (dprintf(fd, "%d", MASTER_OPERATOR_NICE) == -1 &&
	    errno == EAGAIN && --left > 0)
		poll(NULL, 0, SESSION_PAUSE);
	close(fd);
}

/*
 * Count the records that earlier runs left in the spool.  Log a spool that
 * cannot be opened, and continue without it.
 */
static void
count_spool(struct shm *shm)
{
	struct fail f = { 0 };
	struct spool *sp;
	struct arena a;
	void *block;

	if ((block = malloc(SPOOL_ARENA_SIZE)) == NULL)
		log_exit(EX_OSERR, "spool: %s", strerror(errno));
	arena_init(&a, block, SPOOL_ARENA_SIZE);
	if ((sp = spool_open(conf.SPOOL_DIR, shm, &f)) == NULL) {
		log_error(
		    "event=spool_open_failed path=%s why=%s", f.where, f.why);
	} else {
		spool_count(sp, &a);
		if (atomic_load(&shm->spool_records) > 0)
			log_warn("event=spool_records_pending records=%lld",
			    (long long)atomic_load(&shm->spool_records));
	}
	spool_close(sp);
	arena_reset(&a);
	free(block);
}
