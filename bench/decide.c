/* SPDX-License-Identifier: ISC */
/* Measure a pure decision, from signals to verdict, by the number of rules. */
#include "config.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/decide.h"
#include "core/signal/signals.h"
#include "t/unit/fixture.h"

#define EVENTS 256 /* different events, decided in turn */
#define ROUNDS 200 /* the fastest is printed, because noise only adds */
#define ROUND_NS 1000000.0 /* approximate length of a round */

/* One event as the rules see it. */
struct bench_sample {
	struct signals signals;
	struct event event;
	struct attr attrs[3];
};

static const struct ruleset *ruleset(struct arena *a, size_t n);
static void sample_fill(struct bench_sample *s);
static double measure(const struct rulebook *book, double *ret_hits);
static double decide_many(
    const struct rulebook *book, size_t n, double *ret_hits);
static double now_ns(void);
static double uniform(double low, double high);

static const size_t sizes[] = { 10, 100, 1000 };

/* Typical conditions; %d differs by rule. */
static const char *const conditions[] = {
	"velocity.attemptsLast2m > %d",
	"device.firstSeen == true && geo.ipSimMismatch == true",
	"graph.ringSize > %d",
	"anomaly.amountZScore > %d",
	"event.amount > %d00",
	"instrument.threeDS == false && event.amount > %d00",
	"device.usersOnDevice > %d",
	"geo.country in [\"BR\", \"NG\", \"RO\", \"RU\", \"VN\"] && "
	"event.amount >= %d0",
	"velocity.attemptsLast24h == 0 && event.amount > %d00 || "
	"graph.usersOnPhone > 3",
	"attr.memberDays < %d && !(attr.plan == \"gold\")",
};

static const char *const countries[] = { "DE", "FR", "US", "BR", "NG", "JP" };

static struct bench_sample samples[EVENTS];
static _Alignas(16) char block[1 << 24], scratch[1 << 20];

int
main(void)
{
	struct rulebook book = { .policy = &policy };
	struct arena arena;
	double ns, hits;
	size_t i;

	srand48(1);
	for (i = 0; i < EVENTS; i++)
		sample_fill(&samples[i]);
	printf(
	    "%8s %14s %10s %10s\n", "rules", "ns/decision", "ns/rule", "fired");
	for (i = 0; i < nitems(sizes); i++) {
		arena_init(&arena, block, sizeof(block));
		book.ruleset = ruleset(&arena, sizes[i]);
		ns = measure(&book, &hits);
		printf("%8zu %14.0f %10.1f %10.1f\n", sizes[i], ns,
		    ns / (double)sizes[i], hits);
		arena_reset(&arena);
	}
	return EXIT_SUCCESS;
}

/* Make a ruleset of n rules; a typical event fires one in six. */
static const struct ruleset *
ruleset(struct arena *a, size_t n)
{
	struct ruleset *rs;
	struct fail f = { 0 };
	struct str s;
	size_t i;

	str_init(&s, a);
	for (i = 0; i < n; i++) {
		str_addf(&s, "rule r%zu { when ", i);
/* The formats are the conditions above, each with at most one %d. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		str_addf(
		    &s, conditions[i % nitems(conditions)], (int)(8 + i % 50));
#pragma GCC diagnostic pop
		str_addf(
		    &s, " then score += %zu, tag t%zu }\n", 1 + i % 30, i / 2);
	}
	rs = rule_compile(a, str_text(&s), s.len, &f);
	if (rs == NULL)
		errx(EXIT_FAILURE, "%s: %s", f.where, f.why);
	return rs;
}

/* Make the signals of an event: most are ordinary, one in ten is unknown. */
static void
sample_fill(struct bench_sample *s)
{
	struct value *v = s->signals.value;
	unsigned int i;

	for (i = 0; i < SIGNAL__MAX; i++)
		switch (uniform(0, 10) < 1 ? VALUE_UNKNOWN
					   : signal_type((enum signal)i)) {
		case VALUE_NUMBER:
			v[i] = value_number((double)(int)uniform(0, 12));
			break;
		case VALUE_STRING:
			v[i] = value_string(
			    countries[(size_t)uniform(0, nitems(countries))]);
			break;
		case VALUE_BOOL:
			v[i] = value_bool(uniform(0, 4) < 1);
			break;
		case VALUE_UNKNOWN:
		case VALUE__MAX:
			v[i] = value_unknown();
			break;
		}
	v[SIGNAL_EVENT_AMOUNT] = value_number(uniform(1, 4000));
	s->attrs[0] = (struct attr) { "basket", NULL, value_number(3) };
	s->attrs[1] =
	    (struct attr) { "memberDays", NULL, value_number(uniform(0, 100)) };
	s->attrs[2] = (struct attr) { "plan", NULL, value_string("silver") };
	s->event.attrs = s->attrs;
	s->event.n_attrs = nitems(s->attrs);
	s->signals.event = &s->event;
}

/* Measure the cost of a decision and the mean number of fired rules. */
static double
measure(const struct rulebook *book, double *ret_hits)
{
	double ns, best;
	size_t n;
	int i;

	best = decide_many(book, EVENTS, ret_hits) / EVENTS;
	n = ((size_t)(ROUND_NS / best) / EVENTS + 1) * EVENTS;
	for (i = 0; i < ROUNDS; i++) {
		ns = decide_many(book, n, ret_hits) / (double)n;
		best = ns < best ? ns : best;
	}
	return best;
}

/* Decide n events and return the time it took. */
static double
decide_many(const struct rulebook *book, size_t n, double *ret_hits)
{
	static struct decision decision;
	struct arena arena;
	struct fail f = { 0 };
	size_t i, hits = 0;
	double start;

	arena_init(&arena, scratch, sizeof(scratch));
	start = now_ns();
	for (i = 0; i < n; i++) {
		if (decide(book, &samples[i % EVENTS].signals, &arena,
			&decision, &f) == -1)
			errx(EXIT_FAILURE, "%s", f.why);
		hits += decision.hits.n;
		arena_reset(&arena);
	}
	*ret_hits = (double)hits / (double)n;
	return now_ns() - start;
}

static double
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* A random number, at least low and less than high. */
static double
uniform(double low, double high)
{
	return low + (high - low) * drand48();
}
