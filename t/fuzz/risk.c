/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: the risk counts of a device or an ip by day.  The input is
 * tried as packed days, to which a day is added, and as a history of events
 * and labels, which is compared with a recount.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/state/entity_risk.h"
#include "t/fuzz/fuzz.h"

#define START 20000 /* the first day of a history */
#define STEP_SIZE 4 /* bytes of the input for one change */
#define STEPS_MAX 256
#define BACK_MAX 128 /* days that a change lies in the past */
#define JUMP_MAX 32 /* days between two changes */
#define SPAN (BACK_MAX + STEPS_MAX * JUMP_MAX)

static void try_packed(const uint8_t *data, size_t size);
static void try_history(const uint8_t *data, size_t size);
static struct entity_risk_day read_step(const uint8_t *data, int32_t today);
static void recount(const struct entity_risk_day *more, int32_t today);
static int32_t not_negative(int64_t n);
static void check_rates(
    const struct entity_risk_days *days, int32_t today, int delay);
static struct entity_risk_day sum(int32_t until, int window);
static double rate(const struct entity_risk_day *d);
static void check_packed(const struct entity_risk_days *days);

/* The history by day, from BACK_MAX days before START. */
static struct entity_risk_day counted[SPAN];

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_packed(data, size);
	try_history(data, size);
	return 0;
}

/* Days that are accepted pack to the same bytes, have rates and can grow. */
static void
try_packed(const uint8_t *data, size_t size)
{
	const struct entity_risk_day more = { START, 1, 1, 1 };
	uint8_t again[ENTITY_RISK_PACKED_MAX];
	struct entity_risk_days days;
	struct entity_risk_rates r;

	if (entity_risk_unpack(data, size, &days, NULL) == -1)
		return;
	assert(size == 0 || entity_risk_pack(&days, again) == size);
	assert(size == 0 || memcmp(again, data, size) == 0);
	r = entity_risk_rates(&days, days.n > 0 ? days.day[0].day : 0, 1);
	assert(isfinite(r.rate) && r.rate > 0 && r.labels >= 0);
	entity_risk_add(&days, &more);
	check_packed(&days);
	entity_risk_forget(&days, START);
	check_packed(&days);
}

/* Each change counts on its day until no window has that day. */
static void
try_history(const uint8_t *data, size_t size)
{
	struct entity_risk_days days = { 0 };
	struct entity_risk_day more;
	int32_t today = START;
	size_t i;

	memset(counted, 0, sizeof(counted));
	for (i = 0; i < STEPS_MAX && size >= STEP_SIZE; i++) {
		if (data[0] >= BACK_MAX)
			today += data[0] % JUMP_MAX;
		more = read_step(data, today);
		entity_risk_add(&days, &more);
		entity_risk_forget(&days, today);
		recount(&more, today);
		check_packed(&days);
		check_rates(&days, today, 1 + data[3] % ENTITY_RISK_DELAY_MAX);
		data += STEP_SIZE;
		size -= STEP_SIZE;
	}
}

static struct entity_risk_day
read_step(const uint8_t *data, int32_t today)
{
	return (struct entity_risk_day) {
		.day = today - data[1] % BACK_MAX,
		.events = data[2] % 4,
		.labels = data[2] / 4 % 2,
		.fraud = data[2] / 8 % 3 - 1,
	};
}

/* Count the change in an array with an element for each day. */
static void
recount(const struct entity_risk_day *more, int32_t today)
{
	struct entity_risk_day *d = &counted[more->day - START + BACK_MAX];

	if (more->day <= today - ENTITY_RISK_DAYS_MAX)
		return;
	d->events = not_negative((int64_t)d->events + more->events);
	d->labels = not_negative((int64_t)d->labels + more->labels);
	d->fraud = not_negative((int64_t)d->fraud + more->fraud);
}

static int32_t
not_negative(int64_t n)
{
	return n < 0 ? 0 : (int32_t)n;
}

static void
check_rates(const struct entity_risk_days *days, int32_t today, int delay)
{
	const struct entity_risk_rates r =
	    entity_risk_rates(days, today, delay);
	const struct entity_risk_day month =
	    sum(today - delay, ENTITY_RISK_WINDOW);
	const struct entity_risk_day week = sum(today - delay, 7);
	const struct entity_risk_day day = sum(today - delay, 1);

	assert(r.rate == rate(&month) && r.labels == month.labels);
	assert(r.rate_7d == rate(&week) && r.rate_1d == rate(&day));
}

/* The sum of the days of a window that ends before until. */
static struct entity_risk_day
sum(int32_t until, int window)
{
	struct entity_risk_day ret = { 0 };
	const struct entity_risk_day *d;
	int32_t i;

	for (i = until - window; i < until; i++) {
		if (i < START - BACK_MAX)
			continue;
		d = &counted[i - START + BACK_MAX];
		ret.events += d->events;
		ret.labels += d->labels;
		ret.fraud += d->fraud;
	}
	return ret;
}

static double
rate(const struct entity_risk_day *d)
{
	return (d->fraud + 0.01) / (d->events + 1.0);
}

/* Days unpack from their bytes unchanged, newest first. */
static void
check_packed(const struct entity_risk_days *days)
{
	uint8_t packed[ENTITY_RISK_PACKED_MAX];
	const size_t size = entity_risk_pack(days, packed);
	struct entity_risk_days again;
	size_t i;

	assert(size <= sizeof(packed));
	assert(entity_risk_unpack(packed, size, &again, NULL) == 0);
	assert(again.n == days->n && days->n <= ENTITY_RISK_DAYS_MAX);
	assert(memcmp(again.day, days->day, days->n * sizeof(*days->day)) == 0);
	for (i = 0; i < days->n; i++) {
		assert(i == 0 || days->day[i].day < days->day[i - 1].day);
		assert(days->day[i].events >= 0 && days->day[i].labels >= 0 &&
		    days->day[i].fraud >= 0);
	}
}
