/* SPDX-License-Identifier: ISC */
/* Fuzz target: packed states, and counting one more event in them. */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/event.h"
#include "core/geo.h"
#include "core/state_int.h"
#include "t/fuzz/fuzz.h"

static int64_t later(const struct state *, uint8_t);
static size_t repack(const void *, size_t, int64_t, uint8_t *);

static _Alignas(16) char block[65536];

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE,
		.user = "u",
		.has_amount = true,
		.amount = 12.5,
		.currency = "EUR" };
	const struct place place = { "ET", true, 9.025, 38.7469 };
	const struct state_link link = { 1, 2 };
	uint8_t once[STATE_PACKED_MAX], twice[STATE_PACKED_MAX];
	struct state_amounts amounts;
	struct state *st;
	struct arena a;
	int64_t now, attempts;

	/* Whatever was accepted can count, at any later time. */
	arena_init(&a, block, sizeof(block));
	st = state_unpack(&a, data, size, NULL);
	if (st == NULL) {
		arena_reset(&a);
		return 0;
	}
	now = later(st, size == 0 ? 0 : data[size - 1]);
	attempts = state_attempts_2m(st, now);
	state_count(st, &ev, true, &place, now);
	state_link_add(st, link);
	state_devices_add(st);
	assert(state_attempts_2m(st, now) >= 1);
	assert(state_attempts_2m(st, now) <= attempts + 1);
	state_amounts(st, "EUR", now, &amounts);
	assert(amounts.samples >= 1 && amounts.last_hour >= 12.5);
	assert(isfinite(amounts.mean) && isfinite(amounts.deviation));
	assert(state_link_known(st, link));

	/* What is packed comes back the same. */
	size = state_pack(st, now, once);
	assert(size <= sizeof(once));
	arena_reset(&a);
	assert(repack(once, size, now, twice) == size);
	assert(memcmp(once, twice, size) == 0);
	return 0;
}

/* Some time from now to more than a day after the last event. */
static int64_t
later(const struct state *st, uint8_t steps)
{
	const int64_t now = st->last + steps * 7 * MINUTE_US;

	return now < TIME_MAX ? now : TIME_MAX;
}

/* Unpack and pack again. */
static size_t
repack(const void *packed, size_t size, int64_t now, uint8_t *ret)
{
	struct state *st;
	struct arena a;

	arena_init(&a, block, sizeof(block));
	st = state_unpack(&a, packed, size, NULL);
	assert(st != NULL);
	size = state_pack(st, now, ret);
	arena_reset(&a);
	return size;
}
