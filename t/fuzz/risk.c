/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: the risk counts of a device or an ip by slot.  The input is
 * tried as a packed history, to which a slot is added, and as events and
 * labels, which are compared with a recount.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/state/entity_risk.h"
#include "t/fuzz/fuzz.h"

#define DAY ENTITY_RISK_DAY_SLOTS
#define START (20000 * DAY) /* the first slot of a history */
#define STEP_SIZE 4 /* bytes of the input for one change */
#define STEPS_MAX 128
#define BACK_MAX 1024 /* slots that a change lies in the past */
#define JUMP_MAX 64 /* slots between two changes */
#define SPAN (BACK_MAX + STEPS_MAX * JUMP_MAX)

static void try_packed(const uint8_t *data, size_t size);
static void try_history(const uint8_t *data, size_t size);
static bool read_step(
    const uint8_t *data, int32_t now, struct entity_risk_slot *ret);
static void change_label(bool fraud, const struct entity_risk_slot *known,
    struct entity_risk_slot *ret);
static void check_rates(
    const struct entity_risk_history *history, int32_t now, int delay);
static struct entity_risk_slot sum(int32_t from, int32_t until);
static double rate(const struct entity_risk_slot *s);
static int32_t day_start(int32_t slot);
static void check_packed(const struct entity_risk_history *history);

/* The history by slot, from BACK_MAX slots before START. */
static struct entity_risk_slot counted[SPAN];

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_packed(data, size);
	try_history(data, size);
	return 0;
}

/* A history that is accepted packs to the same bytes, has rates and grows. */
static void
try_packed(const uint8_t *data, size_t size)
{
	const struct entity_risk_slot more = { START, 1, 1, 1 };
	uint8_t again[ENTITY_RISK_PACKED_MAX];
	struct entity_risk_history history;
	struct entity_risk_rates r;

	if (entity_risk_unpack(data, size, &history, NULL) == -1)
		return;
	if (size > 0 && data[0] != 1) {
		assert(entity_risk_pack(&history, again) == size);
		assert(memcmp(again, data, size) == 0);
	}
	check_packed(&history);
	r = entity_risk_rates(
	    &history, history.n > 0 ? history.slots[0].slot : 0, 1);
	assert(isfinite(r.rate) && r.rate > 0 && r.labels >= 0);
	entity_risk_add(&history, &more, 1);
	check_packed(&history);
	entity_risk_add(&history, &more, ENTITY_RISK_DELAY_MAX);
	check_packed(&history);
}

/* Each change counts in its slot until no window has that slot. */
static void
try_history(const uint8_t *data, size_t size)
{
	struct entity_risk_history history = { 0 };
	struct entity_risk_slot more;
	int32_t now = START;
	size_t i;
	int delay;

	if (size == 0)
		return;
	memset(counted, 0, sizeof(counted));
	delay = 1 + data[0] % ENTITY_RISK_DELAY_MAX;
	for (i = 0; i < STEPS_MAX && size >= STEP_SIZE; i++) {
		if (data[0] >= 128)
			now += data[0] % JUMP_MAX;
		if (read_step(data, now, &more))
			entity_risk_add(&history, &more, delay);
		check_packed(&history);
		check_rates(&history, now, delay);
		check_rates(&history, now + data[3], delay);
		data += STEP_SIZE;
		size -= STEP_SIZE;
	}
}

/*
 * Read a change, and count it in the array.  Return false if the step changes
 * nothing: its day is too old, or no event of its slot can get its label.
 */
static bool
read_step(const uint8_t *data, int32_t now, struct entity_risk_slot *ret)
{
	const int32_t back = (data[1] | (data[3] & 3) << 8) % BACK_MAX;
	struct entity_risk_slot *known =
	    &counted[now - back - START + BACK_MAX];

	*ret = (struct entity_risk_slot) { .slot = now - back };
	if (day_start(now) - day_start(ret->slot) >= ENTITY_RISK_DAYS_MAX * DAY)
		return false;
	ret->events = data[2] % 4;
	if (ret->events == 0)
		change_label(data[2] / 4 % 2 == 1, known, ret);
	known->events += ret->events;
	known->labels += ret->labels;
	known->fraud += ret->fraud;
	return ret->events != 0 || ret->labels != 0 || ret->fraud != 0;
}

/* Label an event that has no label, or change or remove a label. */
static void
change_label(bool fraud, const struct entity_risk_slot *known,
    struct entity_risk_slot *ret)
{
	if (known->labels < known->events) {
		ret->labels = 1;
		ret->fraud = fraud;
	} else if (known->fraud > 0) {
		ret->fraud = -1;
	} else if (known->labels > 0) {
		ret->labels = -1;
	}
}

static void
check_rates(const struct entity_risk_history *history, int32_t now, int delay)
{
	const struct entity_risk_rates r =
	    entity_risk_rates(history, now, delay);
	const int32_t until = now - delay * DAY;
	const struct entity_risk_slot month =
	    sum(day_start(until) - ENTITY_RISK_WINDOW * DAY, until);
	const struct entity_risk_slot week = sum(until - 7 * DAY, until);
	const struct entity_risk_slot day = sum(until - DAY, until);

	assert(r.rate == rate(&month) && r.labels == month.labels);
	assert(r.rate_7d == rate(&week) && r.rate_1d == rate(&day));
}

/* The sum of the slots from from to until - 1. */
static struct entity_risk_slot
sum(int32_t from, int32_t until)
{
	struct entity_risk_slot ret = { 0 };
	const struct entity_risk_slot *s;
	int32_t i;

	for (i = from; i < until; i++) {
		if (i < START - BACK_MAX || i >= START - BACK_MAX + SPAN)
			continue;
		s = &counted[i - START + BACK_MAX];
		ret.events += s->events;
		ret.labels += s->labels;
		ret.fraud += s->fraud;
	}
	return ret;
}

static double
rate(const struct entity_risk_slot *s)
{
	return (s->fraud + 0.01) / (s->events + 1.0);
}

static int32_t
day_start(int32_t slot)
{
	return slot / DAY * DAY;
}

/* A history unpacks from its bytes unchanged, newest first. */
static void
check_packed(const struct entity_risk_history *history)
{
	uint8_t packed[ENTITY_RISK_PACKED_MAX];
	const size_t size = entity_risk_pack(history, packed);
	const struct entity_risk_slot *const s = history->slots;
	struct entity_risk_history again;
	size_t i;

	assert(size <= sizeof(packed));
	assert(entity_risk_unpack(packed, size, &again, NULL) == 0);
	assert(again.n == history->n && history->n <= ENTITY_RISK_SLOTS_MAX);
	assert(memcmp(again.slots, s, history->n * sizeof(*s)) == 0);
	for (i = 0; i < history->n; i++) {
		assert(i == 0 || s[i].slot < s[i - 1].slot);
		assert(s[i].events >= 0 && s[i].labels >= 0 && s[i].fraud >= 0);
	}
}
