/* SPDX-License-Identifier: ISC */
/* The smallest change of one signal that gives another verdict. */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/analyse/explain.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/sample.h"
#include "core/event/event.h"
#include "core/rule/rule_explain.h"
#include "core/rule/velocity.h"
#include "core/signal/signal_range.h"
#include "core/signal/signals.h"

/* The work of a search, in terms of rules that are evaluated. */
#define WORK_MAX 100000000 /* limit of one search */
#define WORK_LEAST 1000 /* fixed cost of one decision */
#define WORK_HIT 20 /* cost of each rule that fires */

#define DOUBLINGS 64 /* of the smallest step; reaches the end of each range */
#define SIZE_UNKNOWN 2 /* size of a change to or from unknown */

/* The signal or attribute that is changed. */
struct subject {
	const char *name;
	bool attr;
	enum value_type type; /* only of a signal */
	const struct signal_range *domain;
	struct value was;
	struct value *place; /* the value in the sample that is changed */
	const struct rule_literal *literals; /* that rules compare it with */
	size_t n; /* number of literals */
};

/* The state of a search. */
struct search {
	const struct rulebook *book;
	struct sample changed; /* copy of the sample with one value changed */
	struct attr *attrs; /* of the event in changed */
	struct velocity_value *velocities; /* of the ruleset, in its order */
	const char **velocity_names; /* with "velocity." */
	struct arena *arena;
	struct decision decision;
	enum verdict verdict; /* of the unchanged sample */
	int64_t left; /* work that remains, in terms of rules */
	int64_t each; /* work of a decision in which no rule fires */
	const char *other; /* a text that is not a literal of any rule */
	bool smooth; /* a model: scores also change between literals */
	struct counterfactuals *found;
	struct fail *fail;
};

/* Numbers to try, ascending. */
struct numbers {
	double *all;
	size_t n;
};

static int search_begin(struct search *s, const struct sample *sample);
static int copy_attrs(struct search *s, const struct sample *sample);
static int search_signals(
    struct search *s, const struct rule_literal *literals, size_t n);
static int search_attrs(
    struct search *s, const struct rule_literal *literals, size_t n);
static const char **name_velocities(struct arena *a, const struct ruleset *rs);
static int copy_velocities(struct search *s, const struct sample *sample);
static int search_velocities(
    struct search *s, const struct rule_literal *literals, size_t n);
static size_t literals_of(struct subject *of, uint16_t signal,
    const struct rule_literal *literals, size_t n);
static int search_one(struct search *s, const struct subject *of);
static int search_bools(struct search *s, const struct subject *of);
static int search_texts(struct search *s, const struct subject *of);
static int search_numbers(struct search *s, const struct subject *of);
static bool may_be(const struct subject *of, enum value_type type);
static void add_candidate_literals(
    const struct subject *of, struct numbers *ret);
static void add_doublings(const struct subject *of, struct numbers *ret);
static void add_candidate(
    const struct signal_range *d, struct numbers *ret, double n);
static int walk_candidates(
    struct search *s, const struct subject *of, const struct numbers *part);
static int refine_boundary(struct search *s, const struct subject *of,
    double from, double to, int way);
static int try_value(struct search *s, const struct subject *of,
    struct value to, bool other, int *ret_way);
static double size_of(const struct value *from, const struct value *to);
static bool is_hopeless(const struct search *s, double size);
static void reverse_numbers(struct numbers *numbers);
static int number_order(const void *a, const void *b);

int
counterfactual_find(const struct rulebook *book, const struct sample *sample,
    struct arena *a, struct counterfactuals *ret, struct fail *f)
{
	const char **names = name_velocities(a, book->ruleset);
	char *other = arena_alloc(a, RULE_STRING_MAX + 2);
	const struct arena_mark mark = arena_mark(a);
	struct search *s = arena_alloc(a, sizeof(*s));
	const struct rule_literal *literals;
	size_t n;
	int r;

	*ret = (struct counterfactuals) { .complete = true };
	if (names == NULL || other == NULL || s == NULL ||
	    (literals = rule_literals(a, book->ruleset, &n)) == NULL)
		return fail_memory(f);

	/* It is longer than any literal, so it equals none. */
	memset(other, 'x', RULE_STRING_MAX + 1);
	s->velocity_names = names;
	s->other = other;
	s->book = book;
	s->arena = a;
	s->found = ret;
	s->fail = f;
	r = search_begin(s, sample);
	if (r == 0)
		r = search_signals(s, literals, n);
	if (r == 0)
		r = search_attrs(s, literals, n);
	if (r == 0)
		r = search_velocities(s, literals, n);
	arena_rewind(a, mark);
	return r;
}

/* Copy the sample and decide it unchanged. */
static int
search_begin(struct search *s, const struct sample *sample)
{
	struct arena_mark mark;

	s->changed = *sample;
	s->left = WORK_MAX;
	s->each = WORK_LEAST + (int64_t)rule_terms(s->book->ruleset);
	s->smooth =
	    s->book->scoring != NULL && s->book->scoring->scorer == SCORER_ML;
	if (copy_attrs(s, sample) == -1 || copy_velocities(s, sample) == -1)
		return fail_memory(s->fail);
	mark = arena_mark(s->arena);
	if (explain_decide(
		s->book, &s->changed, s->arena, &s->decision, s->fail) == -1)
		return -1;
	arena_rewind(s->arena, mark);
	s->verdict = s->decision.verdict;
	return 0;
}

/*
 * Copy the event's attributes.  Add those that rules read and the event lacks,
 * as unknown.
 */
static int
copy_attrs(struct search *s, const struct sample *sample)
{
	const struct ruleset *rs = s->book->ruleset;
	struct event *ev = &s->changed.event;
	struct attr *all = arena_array(
	    s->arena, EVENT_ATTRS_MAX + RULE_ATTRS_MAX, sizeof(*all));
	const char *name;
	size_t i;

	if (all == NULL)
		return -1;
	if (ev->n_attrs > 0)
		memcpy(all, sample->event.attrs, ev->n_attrs * sizeof(*all));
	ev->attrs = s->attrs = all;
	s->changed.signals.event = ev;
	for (i = 0; (name = rule_attr(rs, i)) != NULL; i++)
		if (event_attr(ev, name) == NULL)
			all[ev->n_attrs++] = (struct attr) {
				.name = name,
				.value = value_unknown(),
			};
	return 0;
}

/* The names of the velocities of a ruleset; they outlive the search. */
static const char **
name_velocities(struct arena *a, const struct ruleset *rs)
{
	const char **names =
	    arena_array(a, rs->n_velocities + 1, sizeof(*names));
	char name[RULE_VALUE_NAME_SIZE];
	size_t i;

	for (i = 0; names != NULL && i < rs->n_velocities; i++) {
		rule_value_name(rs, (uint16_t)(RULE_VELOCITY + i), name);
		if ((names[i] = arena_strdup(a, name)) == NULL)
			return NULL;
	}
	return names;
}

/* Copy the values of the velocities that the ruleset defines. */
static int
copy_velocities(struct search *s, const struct sample *sample)
{
	const struct ruleset *rs = s->book->ruleset;
	size_t i;

	s->velocities =
	    arena_array(s->arena, rs->n_velocities + 1, sizeof(*s->velocities));
	if (s->velocities == NULL)
		return -1;
	for (i = 0; i < rs->n_velocities; i++)
		s->velocities[i] = (struct velocity_value) {
			.id = rs->velocities[i].id,
			.value = velocity_value_of(
			    sample->signals.velocities, rs->velocities[i].id),
		};
	s->changed.velocities = (struct velocity_values) {
		.list = s->velocities,
		.n = rs->n_velocities,
	};
	s->changed.signals.velocities = &s->changed.velocities;
	return 0;
}

/* Never change the type of the event: each type has its own rules. */
static int
search_signals(struct search *s, const struct rule_literal *literals, size_t n)
{
	struct subject of;
	uint16_t i;

	for (i = 0; i < SIGNAL__MAX; i++) {
		of = (struct subject) {
			.name = signal_name((enum signal)i),
			.type = signal_type((enum signal)i),
			.domain = signal_range_of((enum signal)i),
			.was = s->changed.signals.value[i],
			.place = &s->changed.signals.value[i],
		};
		if (i == SIGNAL_EVENT_TYPE ||
		    (literals_of(&of, i, literals, n) == 0 && !s->smooth))
			continue;
		if (search_one(s, &of) == -1)
			return -1;
	}
	return 0;
}

static int
search_attrs(struct search *s, const struct rule_literal *literals, size_t n)
{
	struct attr *attr;
	struct subject of;
	const char *name;
	uint16_t i;

	for (i = 0; (name = rule_attr(s->book->ruleset, i)) != NULL; i++) {
		for (attr = s->attrs; strcmp(attr->name, name) != 0; attr++)
			continue;
		of = (struct subject) {
			.name = name,
			.attr = true,
			.domain = signal_range_of(SIGNAL__MAX),
			.was = attr->value,
			.place = &attr->value,
		};
		literals_of(&of, (uint16_t)(SIGNAL__MAX + i), literals, n);
		if (search_one(s, &of) == -1)
			return -1;
	}
	return 0;
}

static int
search_velocities(
    struct search *s, const struct rule_literal *literals, size_t n)
{
	const struct ruleset *rs = s->book->ruleset;
	struct subject of;
	size_t i;

	for (i = 0; i < rs->n_velocities; i++) {
		of = (struct subject) {
			.name = s->velocity_names[i],
			.type = VALUE_NUMBER,
			.domain = velocity_range(&rs->velocities[i]),
			.was = s->velocities[i].value,
			.place = &s->velocities[i].value,
		};
		if (literals_of(
			&of, (uint16_t)(RULE_VELOCITY + i), literals, n) > 0 &&
		    search_one(s, &of) == -1)
			return -1;
	}
	return 0;
}

/* Set the literals of one signal and return their number. */
static size_t
literals_of(struct subject *of, uint16_t signal,
    const struct rule_literal *literals, size_t n)
{
	size_t i = 0;

	while (i < n && literals[i].signal < signal)
		i++;
	of->literals = &literals[i];
	for (; i < n && literals[i].signal == signal; i++)
		of->n++;
	return of->n;
}

/* Try all candidates of one signal. */
static int
search_one(struct search *s, const struct subject *of)
{
	int way;

	if ((may_be(of, VALUE_NUMBER) && search_numbers(s, of) == -1) ||
	    (may_be(of, VALUE_STRING) && search_texts(s, of) == -1) ||
	    (may_be(of, VALUE_BOOL) && search_bools(s, of) == -1))
		return -1;
	if (of->domain->known || of->was.type == VALUE_UNKNOWN)
		return 0;
	return try_value(s, of, value_unknown(), false, &way);
}

/* An attribute can have each type that rules compare it with. */
static bool
may_be(const struct subject *of, enum value_type type)
{
	size_t i;

	if (!of->attr)
		return of->type == type;
	for (i = 0; i < of->n; i++)
		if (of->literals[i].value.type == type)
			return true;
	return false;
}

static int
search_bools(struct search *s, const struct subject *of)
{
	int i, way;

	for (i = 1; i >= 0; i--) {
		if (of->was.type == VALUE_BOOL && of->was.flag == (i == 1))
			continue;
		if (try_value(s, of, value_bool(i == 1), false, &way) == -1)
			return -1;
	}
	return 0;
}

/*
 * Try all words of the signal.  If it can be any text, try the literals and
 * one other text.
 */
static int
search_texts(struct search *s, const struct subject *of)
{
	const struct signal_range *d = of->domain;
	const struct value *v;
	size_t i;
	int way;

	for (i = 0; d->words != NULL && d->words[i] != NULL; i++)
		if (try_value(s, of, value_string(d->words[i]), false, &way) ==
		    -1)
			return -1;
	if (d->words != NULL)
		return 0;
	for (i = 0; i < of->n; i++) {
		v = &of->literals[i].value;
		if (v->type != VALUE_STRING ||
		    (d->may != NULL && !d->may(v->string)))
			continue;
		if (try_value(s, of, *v, false, &way) == -1)
			return -1;
	}
	return try_value(s, of, value_string(s->other), true, &way);
}

/*
 * Try larger numbers in ascending order, then smaller ones in descending
 * order.  If the current value is unknown, try all in ascending order.
 */
static int
search_numbers(struct search *s, const struct subject *of)
{
	const struct arena_mark mark = arena_mark(s->arena);
	const size_t most = 3 * of->n + 2 * DOUBLINGS + 2;
	const bool known = of->was.type == VALUE_NUMBER;
	struct numbers all = { 0 }, part;
	size_t n = 0;
	int r;

	if ((all.all = arena_array(s->arena, most, sizeof(double))) == NULL)
		return fail_memory(s->fail);
	add_candidate_literals(of, &all);
	if (s->smooth && !of->attr)
		add_doublings(of, &all);
	qsort(all.all, all.n, sizeof(double), number_order);
	while (known && n < all.n && all.all[n] <= of->was.number)
		n++;
	part = (struct numbers) { all.all + n, all.n - n };
	r = walk_candidates(s, of, &part);

	/* The smaller numbers, in descending order. */
	part = (struct numbers) { all.all, n };
	reverse_numbers(&part);
	if (r == 0)
		r = walk_candidates(s, of, &part);
	arena_rewind(s->arena, mark);
	return r;
}

/*
 * Add each literal and the nearest value on each side of it.  All values
 * between two adjacent literals give the same comparisons.
 */
static void
add_candidate_literals(const struct subject *of, struct numbers *ret)
{
	const struct signal_range *d = of->domain;
	const struct rule_literal *l = of->literals, *end = l + of->n;
	double at, before = -INFINITY, below;

	for (; l < end; l++) {
		if (l->value.type != VALUE_NUMBER)
			continue;
		at = l->value.number;
		add_candidate(d, ret, at);
		add_candidate(d, ret, signal_range_next(d, at, 1));
		below = signal_range_next(d, at, -1);
		if (!d->whole && below <= before)
			below = before + (at - before) / 2;
		add_candidate(d, ret, below);
		before = at;
	}
}

/* Add numbers at doubling distances, and both ends of the range. */
static void
add_doublings(const struct subject *of, struct numbers *ret)
{
	const struct signal_range *d = of->domain;
	const double from =
	    of->was.type == VALUE_NUMBER ? of->was.number : d->least;
	double step = 1 / d->parts;
	int i;

	add_candidate(d, ret, d->least);
	add_candidate(d, ret, d->most);
	for (i = 0; i < DOUBLINGS; i++, step *= 2) {
		add_candidate(d, ret, signal_range_round(d, from + step));
		add_candidate(d, ret, signal_range_round(d, from - step));
	}
}

static void
add_candidate(const struct signal_range *d, struct numbers *ret, double n)
{
	if (n >= d->least && n <= d->most && (!d->whole || n == floor(n)))
		ret->all[ret->n++] = n;
}

/*
 * Try numbers in order of their distance from the current one.  Stop when no
 * further number can be a smaller change than those found.  With a model, stop
 * only if no number after the previous candidate can be one: the boundary may
 * lie between two candidates.
 */
static int
walk_candidates(
    struct search *s, const struct subject *of, const struct numbers *part)
{
	struct value v, before = of->was;
	int way, was_way = 0;
	size_t i;

	for (i = 0; i < part->n; i++) {
		v = value_number(part->all[i]);
		if (is_hopeless(s, size_of(&of->was, s->smooth ? &before : &v)))
			return 0;
		if (try_value(s, of, v, false, &way) == -1)
			return -1;
		if (s->smooth && way != 0 && way != was_way &&
		    before.type == VALUE_NUMBER &&
		    refine_boundary(s, of, before.number, v.number, way) == -1)
			return -1;
		was_way = way;
		before = v;
	}
	return 0;
}

/*
 * Find by bisection where the verdict begins to differ in that direction
 * (way); at from it does not yet, at to it does.
 */
static int
refine_boundary(
    struct search *s, const struct subject *of, double from, double to, int way)
{
	const struct signal_range *d = of->domain;
	double middle;
	int got;

	for (;;) {
		middle = signal_range_round(d, from + (to - from) / 2);
		if (middle <= fmin(from, to) || middle >= fmax(from, to))
			return 0;
		if (try_value(s, of, value_number(middle), false, &got) == -1)
			return -1;
		if (got == way)
			to = middle;
		else
			from = middle;
	}
}

/*
 * Decide the sample with another value of the signal, and keep it if it is the
 * smallest change in its direction.  Set *ret_way to 1 if the verdict is
 * stricter, -1 if it is milder, and 0 if it is the same.
 */
static int
try_value(struct search *s, const struct subject *of, struct value to,
    bool other, int *ret_way)
{
	const double size = size_of(&of->was, &to);
	const struct arena_mark mark = arena_mark(s->arena);
	struct counterfactual *best;
	int r;

	*ret_way = 0;
	if (s->left <= 0) {
		s->found->complete = false;
		return 0;
	}
	s->found->tried++;
	*of->place = to;
	r = explain_decide(
	    s->book, &s->changed, s->arena, &s->decision, s->fail);
	s->left -= s->each + WORK_HIT * (int64_t)s->decision.hits.n;
	*of->place = of->was;
	arena_rewind(s->arena, mark);
	if (r == -1 || s->decision.verdict == s->verdict)
		return r;
	*ret_way = s->decision.verdict > s->verdict ? 1 : -1;
	best = *ret_way > 0 ? &s->found->stricter : &s->found->milder;
	if (best->verdict == 0 || size < best->size)
		*best = (struct counterfactual) {
			.signal = of->name,
			.attr = of->attr,
			.from = of->was,
			.to = to,
			.other = other,
			.verdict = s->decision.verdict,
			.score = s->decision.score.total,
			.size = size,
		};
	return 0;
}

/* The size of a change, as counterfactual_find() defines it. */
static double
size_of(const struct value *from, const struct value *to)
{
	double most;

	if (from->type == VALUE_UNKNOWN || to->type == VALUE_UNKNOWN)
		return SIZE_UNKNOWN;
	if (from->type != VALUE_NUMBER || to->type != VALUE_NUMBER)
		return 1;
	most = fmax(fabs(from->number), fabs(to->number));
	return fmin(1, fabs(from->number - to->number) / most);
}

/* Whether a change of that size is too large to replace one found so far. */
static bool
is_hopeless(const struct search *s, double size)
{
	const struct counterfactual *a = &s->found->stricter,
				    *b = &s->found->milder;

	return a->verdict != 0 && b->verdict != 0 && size >= a->size &&
	    size >= b->size;
}

static void
reverse_numbers(struct numbers *numbers)
{
	double *a = numbers->all, *b = a + numbers->n, was;

	while (a < b) {
		was = *a;
		*a++ = *--b;
		*b = was;
	}
}

static int
number_order(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}
