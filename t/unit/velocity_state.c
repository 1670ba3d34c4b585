/* SPDX-License-Identifier: ISC */
/* core/state/velocity_state.c, compared with a model that keeps all events. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/rule/velocity.h"
#include "core/state/velocity_state.h"
#include "t/unit/unit.h"

#define START INT64_C(1790000000123456) /* when the tests begin */
#define HOUR_US (60 * VELOCITY_MINUTE)
#define STEPS 1200
#define PARTS 3 /* states that share the events */
#define NUMBER_LARGEST INT64_C(1000000000000000000)
#define FUNCTIONS (VELOCITY_FUNCTION__MAX - 1)
#define EACH_VELOCITY (FUNCTIONS * (int)nitems(windows))

static const int64_t windows[] = { VELOCITY_MINUTE, 90 * VELOCITY_MINUTE,
	24 * HOUR_US, VELOCITY_WINDOW_MAX, VELOCITY_ALL };

/* An event that the model keeps. */
struct kept_event {
	int64_t index;
	int64_t number;
	uint64_t hash;
};

static struct kept_event kept[STEPS];
static size_t n_kept;
static uint64_t random_state;

/* Return a random number below that. */
static uint64_t
random_below(uint64_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) +
	    UINT64_C(1442695040888963407);
	return (random_state >> 24) % n;
}

/* A number in thousandths, sometimes large, but with an exact deviation. */
static int64_t
random_number(void)
{
	const int64_t size = (int64_t)random_below(
	    random_below(20) == 0 ? UINT64_C(1000000000000) : 100000);

	return random_below(4) == 0 ? -size : size;
}

/* Hashes differ in all of their bytes. */
static uint64_t
hash_of(uint64_t n)
{
	return (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* One of the EACH_VELOCITY velocities; i also seeds the random numbers. */
static struct velocity
velocity_of(int i)
{
	random_state = (uint64_t)i;
	return (struct velocity) {
		.function = (enum velocity_function)(1 + i % FUNCTIONS),
		.window = windows[i / FUNCTIONS],
	};
}

static int64_t
width_of(const struct velocity *v)
{
	return v->window == VELOCITY_ALL ? HOUR_US
					 : v->window / VELOCITY_BUCKETS;
}

static int64_t
model_index(const struct velocity *v, int64_t at)
{
	return v->window == VELOCITY_ALL ? 0 : at / width_of(v);
}

static void
model_settle(const struct velocity *v, int64_t now)
{
	const int64_t newest = model_index(v, now);
	size_t i, n = 0;

	for (i = 0; i < n_kept; i++) {
		if (kept[i].index < newest - VELOCITY_BUCKETS)
			continue;
		kept[n] = kept[i];
		if (kept[n].index > newest)
			kept[n].index = newest;
		n++;
	}
	n_kept = n;
}

static void
model_add(const struct velocity *v, int64_t at, int64_t now, int64_t number,
    uint64_t hash)
{
	kept[n_kept++] =
	    (struct kept_event) { model_index(v, at), number, hash };
	model_settle(v, now);
}

/* How many values the events of the model have. */
static size_t
model_distinct(void)
{
	size_t i, k, n = 0;

	for (i = 0; i < n_kept; i++) {
		for (k = 0; k < i && kept[k].hash != kept[i].hash; k++)
			continue;
		n += k == i;
	}
	return n < VELOCITY_DISTINCT_MAX ? n : VELOCITY_DISTINCT_MAX;
}

/* The value over the events of the model, whose numbers are not too large. */
static struct value
model_value(const struct velocity *v, int64_t now)
{
	velocity_sum sum = 0, squares = 0;
	int64_t least = INT64_MAX, most = INT64_MIN;
	double n;
	size_t i;

	model_settle(v, now);
	n = (double)n_kept;
	for (i = 0; i < n_kept; i++) {
		sum += kept[i].number;
		squares += (velocity_sum)kept[i].number * kept[i].number;
		least = kept[i].number < least ? kept[i].number : least;
		most = kept[i].number > most ? kept[i].number : most;
	}
	if (v->function == VELOCITY_COUNT)
		return value_number(n);
	if (v->function == VELOCITY_SUM)
		return value_number((double)sum / 1000);
	if (v->function == VELOCITY_DISTINCT)
		return value_number((double)model_distinct());
	if (n_kept == 0)
		return value_unknown();
	if (v->function == VELOCITY_AVG)
		return value_number((double)sum / n / 1000);
	if (v->function == VELOCITY_STDDEV)
		return value_number(
		    sqrt((double)(squares * (velocity_sum)n_kept - sum * sum)) /
		    n / 1000);
	return value_number(
	    (double)(v->function == VELOCITY_MIN ? least : most) / 1000);
}

static void
same_values(struct value a, struct value b)
{
	ck_assert_int_eq(a.type, b.type);
	ck_assert(a.number == b.number);
}

/* Unpack from memory of just that size; return what the function returns. */
static int
unpack_copy(const struct velocity *v, const uint8_t *packed, size_t size,
    struct velocity_state *ret)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);
	struct fail f = { 0 };
	int r;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, packed, size);
	r = velocity_state_unpack(v, copy, size, ret, &f);
	ck_assert_int_eq(f.kind, r == 0 ? 0 : FAIL_US);
	free(copy);
	return r;
}

/* Pack a state, and unpack it into itself. */
static void
pack_again(const struct velocity *v, struct velocity_state *st)
{
	uint8_t packed[VELOCITY_STATE_PACKED_MAX],
	    twice[VELOCITY_STATE_PACKED_MAX];
	const size_t size = velocity_state_pack(v, st, packed);

	ck_assert_uint_le(size, sizeof(packed));
	memset(st, 0xff, sizeof(*st));
	ck_assert_int_eq(unpack_copy(v, packed, size, st), 0);
	ck_assert_uint_eq(velocity_state_pack(v, st, twice), size);
	ck_assert_mem_eq(twice, packed, size);
}

/* Both states pack to the same bytes at now. */
static void
same_states(const struct velocity *v, struct velocity_state *a,
    struct velocity_state *b, int64_t now)
{
	uint8_t of_a[VELOCITY_STATE_PACKED_MAX],
	    of_b[VELOCITY_STATE_PACKED_MAX];
	size_t size;

	same_values(
	    velocity_state_value(v, a, now), velocity_state_value(v, b, now));
	size = velocity_state_pack(v, a, of_a);
	ck_assert_uint_eq(velocity_state_pack(v, b, of_b), size);
	ck_assert_mem_eq(of_a, of_b, size);
}

/* The time of an event, which may have left the window or be ahead. */
static int64_t
random_time(const struct velocity *v, int64_t now)
{
	if (random_below(10) == 0)
		return now + (int64_t)random_below((uint64_t)(5 * width_of(v)));
	return now - (int64_t)random_below((uint64_t)(62 * width_of(v)));
}

/* The clock goes on, sometimes far, and sometimes back. */
static int64_t
random_clock(const struct velocity *v, int64_t now)
{
	const int64_t width = width_of(v);

	if (random_below(200) == 0)
		return now + 70 * width;
	if (random_below(50) == 0)
		return now - (int64_t)random_below((uint64_t)(9 * width));
	return now + (int64_t)random_below((uint64_t)(width / 3));
}

/* The value is that of the model, whether the state is packed or not. */
START_TEST(value_is_that_of_all_events_in_the_window)
{
	const struct velocity v = velocity_of(_i);
	static struct velocity_state plain, packed;
	int64_t at, number, now = START;
	struct value want;
	uint64_t hash;
	int i;

	plain.n = packed.n = n_kept = 0;
	same_values(
	    velocity_state_value(&v, &plain, now), model_value(&v, now));
	for (i = 0; i < STEPS; i++) {
		now = random_clock(&v, now);
		at = random_time(&v, now);
		number = random_number();
		hash = hash_of(random_below(150));
		model_add(&v, at, now, number, hash);
		velocity_state_add(&v, &plain, at, now, number, hash);
		velocity_state_add(&v, &packed, at, now, number, hash);
		pack_again(&v, &packed);
		want = model_value(&v, now);
		same_values(velocity_state_value(&v, &plain, now), want);
		same_values(velocity_state_value(&v, &packed, now), want);
	}
	same_states(&v, &plain, &packed, now);
}
END_TEST

/* Events in several states, which are merged in any order. */
START_TEST(merged_states_are_one_with_all_events)
{
	const struct velocity v = velocity_of(_i);
	static struct velocity_state whole, part[PARTS], merged;
	int64_t at, number, now = START;
	uint64_t hash;
	size_t i;

	whole.n = merged.n = 0;
	for (i = 0; i < PARTS; i++)
		part[i].n = 0;
	for (i = 0; i < STEPS; i++) {
		now += (int64_t)random_below((uint64_t)width_of(&v) / 7);
		at = random_time(&v, now);
		number = random_number();
		hash = hash_of(random_below(600));
		velocity_state_add(&v, &whole, at, now, number, hash);
		velocity_state_add(
		    &v, &part[random_below(PARTS)], at, now, number, hash);
	}
	for (i = 0; i < PARTS; i++) {
		pack_again(&v, &part[i]);
		velocity_state_merge(
		    &v, &merged, &part[(i + (size_t)_i) % PARTS], now);
	}
	same_states(&v, &whole, &merged, now);
}
END_TEST

START_TEST(order_of_events_makes_no_difference)
{
	const struct velocity v = velocity_of(_i);
	static struct velocity_state forth, back;
	static int64_t at[STEPS], number[STEPS];
	static uint64_t hash[STEPS];
	int i;

	forth.n = back.n = 0;
	for (i = 0; i < STEPS; i++) {
		at[i] = random_time(&v, START);
		number[i] = random_number();
		hash[i] = hash_of(random_below(600));
		velocity_state_add(
		    &v, &forth, at[i], START, number[i], hash[i]);
	}
	while (i-- > 0)
		velocity_state_add(&v, &back, at[i], START, number[i], hash[i]);
	same_states(&v, &forth, &back, START);
}
END_TEST

/* Of many values the latest are kept, so the count reaches its limit again. */
START_TEST(distinct_values_have_a_limit)
{
	const struct velocity v = { .function = VELOCITY_DISTINCT,
		.window = windows[_i] };
	static struct velocity_state st;
	int64_t now = START;
	int i;

	random_state = 1;
	st.n = n_kept = 0;
	for (i = 0; i < STEPS; i++) {
		now += (int64_t)random_below((uint64_t)width_of(&v) / 5);
		if (i == STEPS / 2)
			now += 40 * width_of(&v);
		velocity_state_add(
		    &v, &st, now, now, 0, hash_of((uint64_t)i % 500));
		model_add(&v, now, now, 0, hash_of((uint64_t)i % 500));
		pack_again(&v, &st);
		same_values(
		    velocity_state_value(&v, &st, now), model_value(&v, now));
	}
	ck_assert_uint_eq(st.n, VELOCITY_DISTINCT_MAX);
}
END_TEST

/* The largest numbers in each bucket, doubled again and again. */
START_TEST(largest_state_can_be_packed)
{
	const struct velocity v = velocity_of(_i);
	static struct velocity_state st, same;
	const int64_t now = INT64_C(253402300799000000); /* the year 9999 */
	int64_t at;
	int i;

	st.n = 0;
	for (i = 0; i < 600; i++) {
		at = now - i % VELOCITY_BUCKETS_MAX * width_of(&v);
		velocity_state_add(&v, &st, at, now,
		    i / 61 % 2 == 0 ? -NUMBER_LARGEST : NUMBER_LARGEST,
		    hash_of((uint64_t)i));
	}
	for (i = 0; i < 40; i++) {
		same = st;
		velocity_state_merge(&v, &st, &same, now);
		pack_again(&v, &st);
	}
	ck_assert_uint_eq(st.n,
	    v.function == VELOCITY_DISTINCT ? VELOCITY_DISTINCT_MAX
		: v.window == VELOCITY_ALL  ? 1
					    : VELOCITY_BUCKETS_MAX);
}
END_TEST

static struct value
deviation_of(const int64_t *numbers, size_t n)
{
	const struct velocity v = { .function = VELOCITY_STDDEV,
		.window = VELOCITY_ALL };
	struct velocity_state st = { 0 };

	while (n-- > 0)
		velocity_state_add(&v, &st, START, START, numbers[n], 0);
	pack_again(&v, &st);
	return velocity_state_value(&v, &st, START);
}

/* It is that of all numbers, in units of a thousand thousandths. */
START_TEST(deviation_of_huge_numbers_is_near_or_unknown)
{
	static int64_t huge[400];
	struct value got;
	size_t i;

	same_values(deviation_of((int64_t[]) { 7 }, 1), value_number(0));
	same_values(deviation_of((int64_t[]) { 2000, 4000, 4000, 4000, 5000,
				     5000, 7000, 9000 },
			8),
	    value_number(2));
	for (i = 0; i < nitems(huge); i++)
		huge[i] = i % 2 == 0 ? NUMBER_LARGEST : -NUMBER_LARGEST;
	got = deviation_of(huge, 4);
	ck_assert_int_eq(got.type, VALUE_NUMBER);
	ck_assert_double_eq_tol(got.number / 1e15, 1, 1e-9);
	got = deviation_of(huge, 300);
	ck_assert_double_eq_tol(got.number / 1e15, 1, 1e-9);
	same_values(deviation_of(huge, 400), value_unknown());
}
END_TEST

/* A state after a few events. */
static size_t
packed_events(const struct velocity *v, uint8_t *ret)
{
	struct velocity_state st = { 0 };
	int i;

	for (i = 0; i < 9; i++)
		velocity_state_add(v, &st, START + i * width_of(v) / 2,
		    START + i * width_of(v), random_number(),
		    hash_of((uint64_t)i));
	return velocity_state_pack(v, &st, ret);
}

START_TEST(cut_state_is_refused)
{
	uint8_t packed[VELOCITY_STATE_PACKED_MAX + 1];
	const struct velocity v = velocity_of(_i);
	struct velocity_state st;
	size_t i, size = packed_events(&v, packed);

	ck_assert_int_eq(velocity_state_unpack(&v, NULL, 0, &st, NULL), 0);
	ck_assert_uint_eq(st.n, 0);
	for (i = 1; i < size; i++)
		ck_assert_int_eq(unpack_copy(&v, packed, i, &st), -1);
	ck_assert_int_eq(unpack_copy(&v, packed, size, &st), 0);
	packed[size] = 0;
	ck_assert_int_eq(unpack_copy(&v, packed, size + 1, &st), -1);
}
END_TEST

/* What is unpacked can be used: it has a value, grows, and fits its room. */
static void
use_state(const struct velocity *v, struct velocity_state *st)
{
	static struct velocity_state same;
	struct value value;
	int64_t now = START;

	pack_again(v, st);
	if (st->n > 0 && v->window != VELOCITY_ALL)
		now = v->function == VELOCITY_DISTINCT
		    ? st->distinct[0].index
		    : st->bucket[st->n - 1].index;
	if (now != START && now < INT64_MAX / width_of(v) - 1)
		now *= width_of(v);
	same = *st;
	value = velocity_state_value(v, &same, now);
	ck_assert(value.type == VALUE_UNKNOWN || isfinite(value.number));
	velocity_state_merge(v, st, &same, now);
	velocity_state_add(v, st, now, now, NUMBER_LARGEST, 1);
	value = velocity_state_value(v, st, now);
	ck_assert(value.type == VALUE_UNKNOWN || isfinite(value.number));
	pack_again(v, st);
}

/* Bytes of other origin are refused, or are a state that can be used. */
START_TEST(changed_state_is_refused_or_usable)
{
	uint8_t good[VELOCITY_STATE_PACKED_MAX], bad[VELOCITY_STATE_PACKED_MAX];
	const struct velocity v = velocity_of(_i);
	static struct velocity_state st;
	size_t round, i, n, size = packed_events(&v, good);

	for (round = 0; round < 6000; round++) {
		memcpy(bad, good, size);
		n = round % 5 == 0 ? size : 1 + random_below(4);
		for (i = 0; i < n; i++)
			bad[round % 5 == 0 ? i : random_below(size)] =
			    (uint8_t)random_below(256);
		if (round % 5 == 0) {
			bad[0] = 1;
			bad[1] = (uint8_t)random_below(4);
		}
		n = round % 3 == 0 ? size : 2 + random_below(size - 2);
		if (unpack_copy(&v, bad, n, &st) == 0)
			use_state(&v, &st);
	}
}
END_TEST

START_TEST(state_expires_after_its_window)
{
	const struct velocity v = velocity_of(_i);
	struct velocity_state none = { 0 }, st = { 0 };
	int64_t now = START, end = velocity_state_expiry(&v, START);
	int changes = 0, i;

	ck_assert_int_gt(end, START + v.window);
	velocity_state_add(&v, &st, START, START, 1000, 1);
	if (v.window != VELOCITY_ALL)
		same_values(velocity_state_value(&v, &st, end),
		    velocity_state_value(&v, &none, end));
	for (i = 0; i < 3600; i++, now += VELOCITY_MINUTE / 60) {
		changes += velocity_state_expiry(&v, now) != end;
		end = velocity_state_expiry(&v, now);
		ck_assert_int_ge(end, now + v.window);
	}
	ck_assert_int_le(changes, 1);
}
END_TEST

Suite *
suite_velocity_state(void)
{
	Suite *s = suite_create("velocity_state");
	TCase *tc = tcase_create("velocity_state");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(
	    tc, value_is_that_of_all_events_in_the_window, 0, EACH_VELOCITY);
	tcase_add_loop_test(
	    tc, merged_states_are_one_with_all_events, 0, EACH_VELOCITY);
	tcase_add_loop_test(
	    tc, order_of_events_makes_no_difference, 0, EACH_VELOCITY);
	tcase_add_loop_test(
	    tc, distinct_values_have_a_limit, 0, nitems(windows));
	tcase_add_loop_test(tc, largest_state_can_be_packed, 0, EACH_VELOCITY);
	tcase_add_test(tc, deviation_of_huge_numbers_is_near_or_unknown);
	tcase_add_loop_test(tc, cut_state_is_refused, 0, EACH_VELOCITY);
	tcase_add_loop_test(
	    tc, changed_state_is_refused_or_usable, 0, EACH_VELOCITY);
	tcase_add_loop_test(
	    tc, state_expires_after_its_window, 0, EACH_VELOCITY);
	suite_add_tcase(s, tc);
	return s;
}
