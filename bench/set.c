/* SPDX-License-Identifier: ISC */
/*
 * Run the statements of the hot path directly: several processes decide random
 * events of known users, some in each transaction, without nginx and FastCGI.
 */
#include "config.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/sys/clock.h"
#include "lib/txn/txn.h"

#define ARENA_SIZE ((size_t)16 << 20)

/* The counts of the processes, shared with the parent. */
struct tally {
	_Atomic long events;
	_Atomic long failed;
	_Atomic unsigned met; /* devices used so far, if seconds is 0 */
};

/* The arguments of a run. */
struct set_run {
	const char *url;
	int clients;
	int seconds; /* 0: until each user has used both devices */
	size_t set;
	unsigned users;
};

/* The strings of one random event. */
struct texts {
	char id[32];
	char user[16];
	char device[16];
	char ip[24];
	char amount[16];
};

static void client(
    const struct set_run *run, struct tally *tally, unsigned seed);
static bool more(
    const struct set_run *run, const struct tally *tally, int64_t end);
static void event_init(struct event *ev, struct texts *t,
    const struct set_run *run, struct tally *tally, unsigned *seed);
static unsigned next(unsigned *seed);

int
main(int argc, char **argv)
{
	struct set_run run;
	struct tally *tally;
	int64_t begin;
	double elapsed;
	int i;

	if (argc != 6)
		errx(EX_USAGE, "usage: set URL CLIENTS SECONDS SET USERS");
	run.url = argv[1];
	run.clients = (int)strtol(argv[2], NULL, 10);
	run.seconds = (int)strtol(argv[3], NULL, 10);
	run.set = strtoul(argv[4], NULL, 10);
	run.users = (unsigned)strtoul(argv[5], NULL, 10);
	if (run.clients < 1 || run.seconds < 0 || run.set < 1 ||
	    run.set > TXN_MAX || run.users < 1)
		errx(EX_USAGE, "a number is out of range");

	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		err(EX_OSERR, "mmap");
	begin = clock_ticks();
	for (i = 0; i < run.clients; i++) {
		switch (fork()) {
		case -1:
			err(EX_OSERR, "fork");
		case 0:
			client(&run, tally, (unsigned)i + 1);
			_exit(EX_OK);
		default:
			break;
		}
	}
	while (wait(NULL) > 0)
		continue;
	elapsed = (double)(clock_ticks() - begin) / CLOCK_SECOND;
	printf("%.0f events/s, %ld events, %ld failed\n",
	    (double)tally->events / elapsed, tally->events, tally->failed);
	return tally->failed == 0 ? EX_OK : EX_SOFTWARE;
}

/* Decide transactions until the end. */
static void
client(const struct set_run *run, struct tally *tally, unsigned seed)
{
	const int64_t end = clock_ticks() + run->seconds * CLOCK_SECOND;
	const int timeout = run->set == 1 ? TXN_TIMEOUT_ONE : TXN_TIMEOUT_MANY;
	struct event events[TXN_MAX];
	struct texts texts[TXN_MAX];
	struct decision_request items[TXN_MAX], *set[TXN_MAX];
	struct fail f = { 0 };
	struct engine *engine;
	struct arena a;
	struct db *db;
	size_t i;

	seed = seed * 2654435761u + (unsigned)clock_now();
	arena_init(&a, malloc(ARENA_SIZE), ARENA_SIZE);
	engine = engine_new(SCORER_WEIGHTED, 0, NULL, NULL, NULL, &f);
	db = db_open(
	    run->url, "assay bench", TXN_TIMEOUT_ONE, STMT_SESSION_DECIDE, &f);
	if (a.base == NULL || engine == NULL || db == NULL)
		errx(EX_UNAVAILABLE, "%s", f.why);
	while (more(run, tally, end)) {
		memset(items, 0, sizeof(items));
		for (i = 0; i < run->set; i++) {
			event_init(&events[i], &texts[i], run, tally, &seed);
			items[i].event = &events[i];
			items[i].correlation_id = "bench";
			set[i] = &items[i];
		}
		txn_run(engine, db, &a, set, run->set, TXN_WAIT,
		    clock_ticks() + timeout * (CLOCK_SECOND / 1000));
		for (i = 0; i < run->set; i++) {
			tally->events++;
			tally->failed += items[i].outcome != TXN_DECIDED;
		}
		arena_reset(&a);
	}
	db_close(db);
	engine_free(engine);
	free(a.base);
}

static bool
more(const struct set_run *run, const struct tally *tally, int64_t end)
{
	if (run->seconds == 0)
		return tally->met < 2 * run->users;
	return clock_ticks() < end;
}

/* An authorization of a random user with the user's own device and ip. */
static void
event_init(struct event *ev, struct texts *t, const struct set_run *run,
    struct tally *tally, unsigned *seed)
{
	const unsigned pick = run->seconds == 0 ? tally->met++ : next(seed);
	const unsigned user = pick / 2 % run->users;
	const unsigned amount = 100 + next(seed) % 20000;

	snprintf(t->id, sizeof(t->id), "b%08x%08x%08x", next(seed), next(seed),
	    next(seed));
	snprintf(t->user, sizeof(t->user), "u%u", user);
	snprintf(t->device, sizeof(t->device), "d%u-%u", user, pick % 2);
	snprintf(t->ip, sizeof(t->ip), "81.%u.%u.%u", user >> 16 & 255,
	    user >> 8 & 255, user & 255);
	snprintf(t->amount, sizeof(t->amount), "%u.%02u", amount / 100,
	    amount % 100);
	*ev = (struct event) {
		.type = EVENT_CARD_AUTHORIZE,
		.id = t->id,
		.has_amount = true,
		.amount = amount / 100.0,
		.amount_text = t->amount,
		.currency = "EUR",
		.user = t->user,
		.device = t->device,
		.ip = t->ip,
		.ip_public = true,
		.instrument_kind = "card",
		.bin = "411111",
		.issuer_country = "DE",
		.three_ds = value_bool(true),
	};
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
