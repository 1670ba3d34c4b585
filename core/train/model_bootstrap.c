/* SPDX-License-Identifier: ISC */
/* Where the measures of a classifier are with 95 % confidence. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/train/model_bootstrap.h"

#define TAIL 0.025 /* share of the rounds beyond each bound */

static size_t list_users(
    const struct eval_order *o, struct bootstrap_space *space);
static bool has_enough_users(
    const struct eval_order *o, struct bootstrap_space *space);
static void draw_users(
    struct bootstrap_space *space, size_t present, uint64_t *seed);
static uint64_t next_draw(uint64_t *seed);
static struct eval_bounds bounds_of(double *value, size_t n);
static int by_measure(const void *a, const void *b);

void
model_bootstrap(const struct eval_order *model, const struct eval_order *other,
    size_t k, struct bootstrap_space *space, bool (*stop)(void),
    struct eval_bounds ret[EVAL_MEASURE__MAX])
{
	const bool enough = has_enough_users(model, space);
	const size_t present = list_users(model, space);
	double of_model[EVAL_MEASURE__MAX];
	double of_other[EVAL_MEASURE__MAX] = { 0 };
	size_t defined[EVAL_MEASURE__MAX] = { 0 };
	uint64_t seed = 0;
	double value;
	int i, round;

	for (round = 0; enough && round < MODEL_BOOTSTRAP_ROUNDS && !stop();
	     round++) {
		draw_users(space, present, &seed);
		model_eval_measure(model, k, space->times, space->found,
		    space->users, of_model);
		if (other != NULL)
			model_eval_measure(other, k, space->times, space->found,
			    space->users, of_other);
		for (i = 0; i < EVAL_MEASURE__MAX; i++) {
			value = of_model[i] - of_other[i];
			if (!isnan(value))
				space->value[i][defined[i]++] = value;
		}
	}
	for (i = 0; i < EVAL_MEASURE__MAX; i++)
		ret[i] = bounds_of(space->value[i], enough ? defined[i] : 0);
}

/* List the users of the test in ascending order, and return their number. */
static size_t
list_users(const struct eval_order *o, struct bootstrap_space *space)
{
	size_t i, n = 0;

	if (space->users > 0)
		memset(space->found, 0, space->users * sizeof(*space->found));
	for (i = 0; i < o->n; i++)
		space->found[o->ranked[i].user] = 1;
	for (i = 0; i < space->users; i++)
		if (space->found[i])
			space->who[n++] = (uint32_t)i;
	return n;
}

/* Whether enough users have a fraud, and enough have a legit event. */
static bool
has_enough_users(const struct eval_order *o, struct bootstrap_space *space)
{
	size_t i, n[2] = { 0 };
	uint32_t kind;

	if (space->users > 0)
		memset(space->found, 0, space->users * sizeof(*space->found));
	for (i = 0; i < o->n; i++) {
		kind = o->ranked[i].fraud ? 2 : 1;
		n[kind - 1] += (space->found[o->ranked[i].user] & kind) == 0;
		space->found[o->ranked[i].user] |= kind;
	}
	return n[0] >= MODEL_BOOTSTRAP_USERS && n[1] >= MODEL_BOOTSTRAP_USERS;
}

/* Draw as many users as are present, and count how often each was drawn. */
static void
draw_users(struct bootstrap_space *space, size_t present, uint64_t *seed)
{
	size_t i;

	if (space->users > 0)
		memset(space->times, 0, space->users * sizeof(*space->times));
	for (i = 0; i < present; i++)
		space->times[space->who[next_draw(seed) % present]]++;
}

/*
 * The next number of a sequence (splitmix64: G. Steele, D. Lea, C. Flood, "Fast
 * Splittable Pseudorandom Number Generators", OOPSLA 2014).
 */
static uint64_t
next_draw(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static struct eval_bounds
bounds_of(double *value, size_t n)
{
	const size_t tail = (size_t)(TAIL * (double)n);

	if (2 * n < MODEL_BOOTSTRAP_ROUNDS)
		return (struct eval_bounds) { NAN, NAN };
	qsort(value, n, sizeof(*value), by_measure);
	return (struct eval_bounds) { value[tail], value[n - 1 - tail] };
}

static int
by_measure(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}
