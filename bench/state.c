/* SPDX-License-Identifier: ISC */
/*
 * Measure the user state: the time of each step of a decision in nanoseconds,
 * and the size in bytes, for a new, a typical, a busy and the busiest user.
 */
#include "config.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/arena.h"
#include "core/event/event.h"
#include "core/signal/signals.h"
#include "core/state/user_state.h"
#include "lib/sys/clock.h"

#define START INT64_C(1790000000000000)
#define HOUR (3600 * CLOCK_SECOND)
#define ROUNDS 5000
#define TRIES 20 /* the fastest counts, because the machine is shared */

/* A user: the number of events, their distance, and their contents. */
struct bench_user {
	const char *name;
	int events;
	int64_t apart;
	int currencies;
	double step; /* between amounts */
	int links;
	int ids; /* from which links start */
};

/* One user under measurement. */
struct state_run {
	const struct bench_user *user;
	struct arena arena;
	uint8_t packed[USER_STATE_PACKED_MAX];
	size_t size;
	struct user_state *st;
	int64_t now;
	int events;
	struct signals sigs;
};

static void apply_history(struct state_run *run);
static void step_unpack(struct state_run *run);
static void step_signals(struct state_run *run);
static void step_links(struct state_run *run);
static void step_count(struct state_run *run);
static void step_pack(struct state_run *run);
static int64_t measure(struct state_run *run, void (*step)(struct state_run *));
static struct event event_at(const struct state_run *run);
static struct user_state_link link_of(const struct bench_user *user, int i);

static const struct bench_user users[] = {
	{ "new", 0, 24 * HOUR, 1, 1.37, 0, 5 },
	{ "usual", 150, 24 * HOUR / 5, 1, 1.37, 14, 5 },
	{ "busy", 5000, CLOCK_SECOND + 3, 2, 1.37, 30, 10 },
	{ "busiest", 900000, 100003, 8, 1e6 / 7, 64, 64 },
};

static const struct place addis = { "ET", true, 9.025, 38.7469, 0, 0 };

static void (*const steps[])(struct state_run *) = {
	step_unpack,
	step_signals,
	step_links,
	step_count,
	step_pack,
};

#define N_USERS (sizeof(users) / sizeof(users[0]))
#define N_STEPS (sizeof(steps) / sizeof(steps[0]))

static _Alignas(16) char block[65536];

int
main(void)
{
	static struct state_run run;
	int64_t ns, total;
	size_t i, j;

	printf("%-8s %8s %8s %8s %8s %8s %8s %8s\n", "user", "bytes", "unpack",
	    "signals", "links", "count", "pack", "ns");
	for (i = 0; i < N_USERS; i++) {
		run = (struct state_run) { .user = &users[i], .now = START };
		arena_init(&run.arena, block, sizeof(block));
		apply_history(&run);
		printf("%-8s %8zu", users[i].name, run.size);
		for (j = 0, total = 0; j < N_STEPS; j++) {
			ns = measure(&run, steps[j]);
			total += ns;
			printf(" %8lld", (long long)ns);
		}
		printf(" %8lld\n", (long long)total);
		arena_reset(&run.arena);
	}
	return EXIT_SUCCESS;
}

/* Apply the user's earlier events. */
static void
apply_history(struct state_run *run)
{
	int i;

	step_unpack(run);
	for (i = 0; i < run->user->events; i++)
		step_count(run);
	for (i = 0; i < run->user->links; i++)
		user_state_link_add(run->st, link_of(run->user, i));
	step_pack(run);
}

/* Return the nanoseconds of the fastest round of a step. */
static int64_t
measure(struct state_run *run, void (*step)(struct state_run *))
{
	int64_t took, best = INT64_MAX;
	int i, round;

	for (i = 0; i < TRIES; i++) {
		took = -clock_ticks();
		for (round = 0; round < ROUNDS; round++)
			step(run);
		took += clock_ticks();
		if (took < best)
			best = took;
	}
	return best * 1000 / ROUNDS;
}

static void
step_unpack(struct state_run *run)
{
	arena_reset(&run->arena);
	run->st = user_state_unpack(&run->arena, run->packed, run->size, NULL);
	if (run->st == NULL)
		errx(EXIT_FAILURE, "%s: does not unpack", run->user->name);
}

static void
step_signals(struct state_run *run)
{
	const struct event ev = event_at(run);
	const struct signal_facts facts = {
		.now = run->now,
		.state = run->st,
		.place = addis,
		.ring_size = 1,
	};

	signals_compute(&ev, &facts, &run->sigs);
}

/* An event with user, device, ip and phone, all linked with each other. */
static void
step_links(struct state_run *run)
{
	int i;

	for (i = 0; i < 6 && i < run->user->links; i++)
		user_state_link_touch(run->st, link_of(run->user, i));
}

static void
step_count(struct state_run *run)
{
	const struct event ev = event_at(run);

	run->now += run->user->apart;
	run->events++;
	user_state_count(run->st, &ev, true, &addis, run->now);
}

static void
step_pack(struct state_run *run)
{
	run->size = user_state_pack(run->st, run->now, run->packed);
}

/* The next event of a run, with an amount of many digits. */
static struct event
event_at(const struct state_run *run)
{
	static const char *const currencies[] = { "ETB", "USD", "EUR", "GBP",
		"KES", "AED", "CNY", "ZAR" };

	return (struct event) { .type = EVENT_CARD_AUTHORIZE,
		.user = "u",
		.has_amount = true,
		.amount = 19.99 + run->events % 997 * run->user->step,
		.currency = currencies[run->events % run->user->currencies] };
}

/* One of a user's links. */
static struct user_state_link
link_of(const struct bench_user *user, int i)
{
	return (
	    struct user_state_link) { 1000000 + i % user->ids, 2000000 + i };
}
