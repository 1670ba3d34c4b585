/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: a user's state.  The input is tried as a packed state, to which
 * one event is added, and as a history of events.  The history is compared
 * with a recount, and with the same history whose state is packed and unpacked
 * now and then.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "core/state/entity_graph.h"
#include "core/state/user_state_int.h"
#include "t/fuzz/fuzz.h"

#define START INT64_C(1790000000123456)
#define STEP_SIZE 4 /* bytes of the input for one event */
#define CURRENCIES 3
#define STEPS_MAX 160 /* more than the minutes and times of a state */
#define DAY_US (24 * 60 * MINUTE_US)
#define HOUR_US (60 * MINUTE_US)

/* An event of a history. */
struct fuzz_step {
	int64_t at; /* the counted time, which never goes back */
	const char *currency; /* NULL: without an amount */
	double amount;
	bool baseline;
};

static void try_packed(const uint8_t *data, size_t size);
static int64_t later(const struct user_state *st, uint8_t steps);
static void try_history(const uint8_t *data, size_t size);
static int64_t read_clock(const uint8_t *data, int64_t now);
static struct fuzz_step read_step(
    const uint8_t *data, int64_t now, int64_t last);
static void take(struct user_state *st, const struct fuzz_step *step,
    const uint8_t *data, int64_t now);
static void check_counts(
    const struct user_state *st, const struct fuzz_step *steps, size_t n);
static void check_amounts(
    const struct user_state *st, const struct fuzz_step *steps, size_t n);
static void check_twin(
    const struct user_state *a, const struct user_state *b, int64_t now);
static struct user_state *repacked(const struct user_state *st, int64_t now);
static int64_t since(const struct fuzz_step *steps, size_t n, int64_t from);

/* Fewer than a state keeps, so that a state drops none. */
static const char *const currencies[CURRENCIES] = { "ETB", "EUR", "USD" };

static const double amounts[] = { 0, 0.1, 0.2, 1, 12.5, 99.99, 1e6, 1e15 };

static _Alignas(16) char block[1 << 17];
static struct arena arena;

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	arena_init(&arena, block, sizeof(block));
	try_packed(data, size);
	arena_reset(&arena);
	try_history(data, size);
	arena_reset(&arena);
	return 0;
}

/* An accepted state can count an event at any later time. */
static void
try_packed(const uint8_t *data, size_t size)
{
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE,
		.user = "u",
		.has_amount = true,
		.amount = 12.5,
		.currency = "EUR" };
	const struct place place = { "ET", true, 9.025, 38.7469, 0, 0 };
	const struct user_state_link link = { 1, 2 };
	struct user_state *st = user_state_unpack(&arena, data, size, NULL);
	struct user_state_amounts got;
	int64_t now, attempts;

	if (st == NULL)
		return;
	check_twin(st, repacked(st, st->last), st->last);
	now = later(st, size == 0 ? 0 : data[size - 1]);
	check_twin(st, repacked(st, now), now);

	attempts = user_state_attempts_2m(st, now);
	user_state_count(st, &ev, true, &place, now);
	user_state_link_add(st, link);
	user_state_devices_add(st);
	assert(user_state_attempts_2m(st, now) >= 1);
	assert(user_state_attempts_2m(st, now) <= attempts + 1);
	user_state_amounts(st, "EUR", now, &got);
	assert(got.hour_known && got.baseline_known);
	assert(got.samples >= 1 && got.last_hour >= 12.5);
	assert(isfinite(got.mean) && isfinite(got.deviation));
	assert(user_state_link_known(st, link));
	assert(user_state_devices(st) > 0 &&
	    user_state_devices(st) <= ENTITY_GRAPH_CAP);
	check_twin(st, repacked(st, now), now);
}

/* A time from now to more than a day after the last event. */
static int64_t
later(const struct user_state *st, uint8_t steps)
{
	const int64_t now = st->last + steps * 7 * MINUTE_US;

	return now < TIME_MAX ? now : TIME_MAX;
}

/* A history in one state, and in one that is packed now and then. */
static void
try_history(const uint8_t *data, size_t size)
{
	static struct fuzz_step steps[STEPS_MAX];
	struct user_state *plain, *packed;
	struct arena_mark mark;
	int64_t now = START;
	size_t i, n = size / STEP_SIZE;

	n = n < STEPS_MAX ? n : STEPS_MAX;
	plain = user_state_unpack(&arena, NULL, 0, NULL);
	packed = user_state_unpack(&arena, NULL, 0, NULL);
	assert(plain != NULL && packed != NULL);
	mark = arena_mark(&arena);
	for (i = 0; i < n; i++, data += STEP_SIZE) {
		now = read_clock(data, now);
		steps[i] = read_step(data, now, i > 0 ? steps[i - 1].at : 0);
		take(plain, &steps[i], data, now);
		take(packed, &steps[i], data, now);
		if ((data[3] & 0xf0) != 0 && i + 1 < n)
			continue;
		check_counts(plain, steps, i + 1);
		check_amounts(plain, steps, i + 1);
		*packed = *repacked(packed, steps[i].at);
		check_twin(plain, packed, steps[i].at);
		check_twin(plain, packed, steps[i].at + data[1] * MINUTE_US);
		arena_rewind(&arena, mark);
	}
}

/* The clock moves from now by the input's bytes, or a little back. */
static int64_t
read_clock(const uint8_t *data, int64_t now)
{
	static const int64_t units[] = { 1000, SECOND_US, MINUTE_US, HOUR_US,
		-SECOND_US };

	now += data[1] * units[data[0] % 5];
	return now > START ? now : START;
}

/* The event at now; last is the time of the previous one. */
static struct fuzz_step
read_step(const uint8_t *data, int64_t now, int64_t last)
{
	struct fuzz_step step = { .at = now > last ? now : last };

	step.baseline = (data[0] & 0x40) != 0;
	step.amount = amounts[data[2] >> 5];
	if ((data[0] & 0x80) != 0)
		step.currency = currencies[data[2] % CURRENCIES];
	return step;
}

/* Count one event, with a link, a device and a place by the input's bytes. */
static void
take(struct user_state *st, const struct fuzz_step *step, const uint8_t *data,
    int64_t now)
{
	const struct event ev = { .user = "u",
		.has_amount = step->currency != NULL,
		.amount = step->amount,
		.currency = step->currency };
	struct place place = { .city = (data[3] & 2) != 0,
		.lat = data[3] / 3.0,
		.lon = -data[3] / 7.0,
		.radius_km = data[3],
		.network = data[3] };
	const struct user_state_link link = { 1 + data[3] % 16, 17 + data[3] };

	if ((data[3] & 1) != 0)
		memcpy(place.country, "ET", sizeof(place.country));
	user_state_count(st, &ev, step->baseline, &place, now);
	if (!user_state_link_touch(st, link))
		user_state_link_add(st, link);
	if ((data[3] & 4) != 0)
		user_state_devices_add(st);
}

/* Attempts are exact where the manual promises it, and never too many. */
static void
check_counts(
    const struct user_state *st, const struct fuzz_step *steps, size_t n)
{
	const int64_t now = steps[n - 1].at;
	const int64_t minutes = since(steps, n, now - 2 * MINUTE_US);
	int64_t got = user_state_attempts_2m(st, now);

	assert(got <= minutes);
	assert(got >= since(steps, n, now - 2 * MINUTE_US + SECOND_US));
	assert(got == minutes || minutes > TIMES_MAX);
	got = user_state_attempts_24h(st, now);
	assert(got <= since(steps, n, now - DAY_US));
	assert(got >= since(steps, n, now - DAY_US + QUARTER_US));
}

/* Sums and baselines of each currency agree with a recount. */
static void
check_amounts(
    const struct user_state *st, const struct fuzz_step *steps, size_t n)
{
	const int64_t now = steps[n - 1].at;
	double sum, most, least;
	struct user_state_amounts got;
	int64_t samples;
	size_t i, c;

	for (c = 0; c < CURRENCIES; c++) {
		sum = most = least = 0;
		samples = 0;
		for (i = 0; i < n; i++) {
			if (steps[i].currency != currencies[c])
				continue;
			if (steps[i].at > now - HOUR_US)
				most += steps[i].amount;
			if (steps[i].at > now - HOUR_US + MINUTE_US)
				least += steps[i].amount;
			if (steps[i].baseline) {
				sum += steps[i].amount;
				samples++;
			}
		}
		user_state_amounts(st, currencies[c], now, &got);
		assert(got.hour_known && got.baseline_known);
		assert(got.samples == samples);
		assert(got.last_hour <= most * (1 + 1e-9) &&
		    got.last_hour >= least * (1 - 1e-9));
		assert(samples == 0 ||
		    fabs(got.mean - sum / (double)samples) <= 1e-9 * (1 + sum));
		assert(isfinite(got.deviation) && got.deviation >= 0);
	}
}

/* Two states of one history have the same signals. */
static void
check_twin(const struct user_state *a, const struct user_state *b, int64_t now)
{
	struct user_state_amounts x, y;
	size_t i;

	assert(
	    user_state_attempts_2m(a, now) == user_state_attempts_2m(b, now));
	assert(
	    user_state_attempts_24h(a, now) == user_state_attempts_24h(b, now));
	for (i = 0; i < CURRENCIES; i++) {
		user_state_amounts(a, currencies[i], now, &x);
		user_state_amounts(b, currencies[i], now, &y);
		assert(x.hour_known == y.hour_known &&
		    x.baseline_known == y.baseline_known);
		assert(x.samples == y.samples && x.last_hour == y.last_hour);
		assert(x.mean == y.mean && x.deviation == y.deviation);
	}
	assert(user_state_devices(a) == user_state_devices(b));
	assert(a->n_links == b->n_links);
	for (i = 0; i < a->n_links; i++)
		assert(a->links[i].first == b->links[i].first &&
		    a->links[i].second == b->links[i].second);
	assert(a->place.at == b->place.at);
	assert(strcmp(a->place.place.country, b->place.place.country) == 0);
	assert(a->place.place.city == b->place.place.city);
	assert(a->place.place.network == b->place.place.network);
	assert(!a->place.place.city ||
	    a->place.place.radius_km == b->place.place.radius_km);
}

/* The state after packing and unpacking; packing twice gives equal bytes. */
static struct user_state *
repacked(const struct user_state *st, int64_t now)
{
	static uint8_t once[USER_STATE_PACKED_MAX],
	    twice[USER_STATE_PACKED_MAX];
	const size_t size = user_state_pack(st, now, once);
	struct user_state *again;

	assert(size > 0 && size <= sizeof(once));
	again = user_state_unpack(&arena, once, size, NULL);
	assert(again != NULL);
	assert(user_state_pack(again, now, twice) == size);
	assert(memcmp(once, twice, size) == 0);
	return again;
}

/* Return the number of events after a time. */
static int64_t
since(const struct fuzz_step *steps, size_t n, int64_t from)
{
	int64_t count = 0;

	while (n > 0 && steps[n - 1].at > from) {
		count++;
		n--;
	}
	return count;
}
