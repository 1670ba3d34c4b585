/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: the packed state of a velocity.  The first byte of the input
 * chooses the function, the second one the window, and the rest is tried as a
 * state.  An accepted one packs again into the promised room, has a value that
 * is a number, can be merged with itself, and takes an event.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/array.h"
#include "core/rule/velocity.h"
#include "core/state/velocity_state.h"
#include "t/fuzz/fuzz.h"

#define NOW INT64_C(1790000000123456)
#define HEAD_SIZE 2
#define NUMBER 12500

static int64_t latest_event(
    const struct velocity *v, const struct velocity_state *s);
static void check_velocity_packed(
    const struct velocity *v, const struct velocity_state *st);
static double finite_value(
    const struct velocity *v, const struct velocity_state *st, int64_t now);

static const int64_t windows[] = { VELOCITY_MINUTE, 90 * VELOCITY_MINUTE,
	VELOCITY_WINDOW_MAX, VELOCITY_ALL };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t packed[VELOCITY_STATE_PACKED_MAX];
	struct velocity v = { .current = true };
	struct velocity_state st, same;
	double before;
	int64_t now;

	if (size < HEAD_SIZE)
		return 0;
	v.function = (enum velocity_function)(
	    1 + data[0] % (VELOCITY_FUNCTION__MAX - 1));
	v.window = windows[data[1] % nitems(windows)];
	if (velocity_state_unpack(
		&v, data + HEAD_SIZE, size - HEAD_SIZE, &st, NULL) == -1)
		return 0;
	check_velocity_packed(&v, &st);
	finite_value(&v, &st, NOW);
	now = latest_event(&v, &st);
	before = finite_value(&v, &st, now);
	same = st;
	velocity_state_merge(&v, &st, &same, now);
	if (v.function == VELOCITY_COUNT)
		assert(finite_value(&v, &st, now) == 2 * before);
	else if (v.function == VELOCITY_MIN || v.function == VELOCITY_MAX ||
	    v.function == VELOCITY_DISTINCT)
		assert(finite_value(&v, &st, now) == before);
	velocity_state_add(&v, &st, now, now, NUMBER, NUMBER);
	assert(st.n > 0);
	finite_value(&v, &st, now);
	assert(velocity_state_pack(&v, &st, packed) <= sizeof(packed));
	return 0;
}

/* The time of the latest event, as far as times go. */
static int64_t
latest_event(const struct velocity *v, const struct velocity_state *s)
{
	const int64_t width = v->window / VELOCITY_BUCKETS;
	int64_t index = 0;
	size_t i;

	if (v->window == VELOCITY_ALL)
		return NOW;
	for (i = 0; i < s->n; i++)
		if (v->function != VELOCITY_DISTINCT)
			index = s->bucket[i].index;
		else if (s->distinct[i].index > index)
			index = s->distinct[i].index;
	return index < INT64_MAX / width ? index * width : NOW;
}

/* Packing a state and what is unpacked of it gives equal bytes. */
static void
check_velocity_packed(const struct velocity *v, const struct velocity_state *st)
{
	static uint8_t once[VELOCITY_STATE_PACKED_MAX],
	    twice[VELOCITY_STATE_PACKED_MAX];
	const size_t size = velocity_state_pack(v, st, once);
	struct velocity_state again;

	assert(size <= sizeof(once));
	assert(velocity_state_unpack(v, once, size, &again, NULL) == 0);
	assert(velocity_state_pack(v, &again, twice) == size);
	assert(memcmp(once, twice, size) == 0);
}

/* The value at now, 0 if it is unknown, without a change of the state. */
static double
finite_value(
    const struct velocity *v, const struct velocity_state *st, int64_t now)
{
	struct velocity_state copy = *st;
	const struct value value = velocity_state_value(v, &copy, now);

	assert(value.type == VALUE_UNKNOWN || isfinite(value.number));
	return value.number;
}
