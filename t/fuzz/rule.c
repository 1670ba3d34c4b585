/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: rule text.  A ruleset that compiles fits into the promised
 * memory, prints, compiles again, prints the same, and decides invented
 * signals the same; so does its standard layout, which is its own layout.  A
 * list of all mistakes begins with the one for which the
 * text does not compile, follows the text, and is empty if it compiles.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/rule/rule.h"
#include "core/rule/rule_format.h"
#include "core/rule/rule_int.h"
#include "core/rule/rule_warn.h"
#include "core/rule/velocity.h"
#include "core/signal/signals.h"
#include "t/fuzz/fuzz.h"

#define TEXT_MAX ((size_t)1 << 14)
#define PRINTED_MAX (8 * TEXT_MAX) /* escapes and blanks, at most */
#define WORDS 3 /* different values of each type */

static void check_mistakes(const char *text, size_t size,
    const struct ruleset *rs, const struct fail *f);
static const char *print(struct arena *a, const struct ruleset *rs);
static void check_layout(
    struct arena *a, const char *text, size_t size, const char *printed);
static void same_hits(const struct ruleset *rs, const struct ruleset *again);
static void same_items(const struct ruleset *rs, const struct ruleset *again,
    const struct signals *sigs);
static void check_velocity(const struct velocity *v);
static void not_warned(const struct ruleset *rs, const struct rule_hits *hits);
static struct value made_up(enum value_type type, size_t which);

/* Room to compile, to compile again, and to print twice. */
static _Alignas(16) char first[RULE_ARENA_SIZE(TEXT_MAX)];
static _Alignas(16) char second[RULE_ARENA_SIZE(PRINTED_MAX)];
static _Alignas(16) char texts[8 * PRINTED_MAX];

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ruleset *rs, *again;
	struct arena a, b, c;
	struct fail f = { 0 };
	const char *text;
	size_t i;

	if (size > TEXT_MAX)
		return 0;
	arena_init(&a, first, RULE_ARENA_SIZE(size) / 16 * 16);
	rs = rule_compile(&a, (const char *)data, size, &f);
	check_mistakes((const char *)data, size, rs, &f);
	arena_init(&b, second, sizeof(second));
	arena_init(&c, texts, sizeof(texts));
	if (rs == NULL)
		assert(f.code == RULESET_INVALID && *f.where != '\0');
	else {
		text = print(&c, rs);
		again = rule_compile(&b, text, strlen(text), &f);
		assert(again != NULL);
		assert(strcmp(print(&c, again), text) == 0);
		for (i = 0; i < rs->n_velocities; i++)
			check_velocity(&rs->velocities[i]);
		same_hits(rs, again);
		arena_reset(&b);
		check_layout(&b, (const char *)data, size, text);
	}
	arena_reset(&a);
	arena_reset(&b);
	arena_reset(&c);
	return 0;
}

/* Find all mistakes, and compare them with the result of compiling. */
static void
check_mistakes(const char *text, size_t size, const struct ruleset *rs,
    const struct fail *f)
{
	struct rule_mistake list[RULE_MISTAKES_MAX];
	struct rule_mistakes mistakes = { list, RULE_MISTAKES_MAX, 0, false };
	const struct ruleset *all;
	struct arena a;
	char where[64];
	size_t i;

	arena_init(&a, second, RULE_ARENA_SIZE(size) / 16 * 16);
	all = rule_compile_all(&a, text, size, &mistakes);
	assert(!mistakes.no_memory && (all == NULL) == (rs == NULL));
	assert((mistakes.n > 0) == (rs == NULL));
	for (i = 0; i < mistakes.n; i++) {
		assert(list[i].end_column >= list[i].column);
		assert(i == 0 || list[i].line > list[i - 1].line ||
		    (list[i].line == list[i - 1].line &&
			list[i].column > list[i - 1].column));
	}
	if (rs == NULL) {
		snprintf(where, sizeof(where), "line %d, column %d",
		    list[0].line, list[0].column);
		assert(strcmp(where, f->where) == 0);
		assert(strcmp(list[0].why, f->why) == 0);
	}
	arena_reset(&a);
}

/* Compare the standard layout of a text with the text, printed. */
static void
check_layout(
    struct arena *a, const char *text, size_t size, const char *printed)
{
	const struct ruleset *rs;
	struct fail f = { 0 };
	struct str once, twice;

	str_init(&once, a);
	rule_format(a, &once, text, size);
	assert(str_text(&once) != NULL);
	str_init(&twice, a);
	rule_format(a, &twice, str_text(&once), once.len);
	assert(str_text(&twice) != NULL);
	assert(strcmp(str_text(&once), str_text(&twice)) == 0);
	rs = rule_compile(a, str_text(&once), once.len, &f);
	assert(rs != NULL && strcmp(print(a, rs), printed) == 0);
}

/* Print all velocities, rules and tests in canonical form. */
static const char *
print(struct arena *a, const struct ruleset *rs)
{
	struct str s;

	str_init(&s, a);
	rule_print_all(&s, rs);
	assert(str_text(&s) != NULL);
	return str_text(&s);
}

/* A velocity is within its bounds, and its text alone is the same velocity. */
static void
check_velocity(const struct velocity *v)
{
	static _Alignas(16) char block[1 << 18];
	const struct velocity *again;
	struct arena a;
	struct fail f = { 0 };
	struct str s;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	velocity_print(&s, v);
	assert(str_text(&s) != NULL && s.len <= VELOCITY_TEXT_MAX);
	again = velocity_compile(&a, str_text(&s), &f);
	assert(again != NULL && again->id == v->id && v->id != 0);
	assert(again->window == v->window && again->current == v->current);
	assert(v->n_keys >= 1 && v->n_keys <= VELOCITY_KEYS_MAX);
	assert(v->window >= 0 && v->window <= VELOCITY_WINDOW_MAX);
	arena_reset(&a);
}

/* Evaluate both over a few events with the attributes that they read. */
static void
same_hits(const struct ruleset *rs, const struct ruleset *again)
{
	static struct rule_hits hits, hits_again;
	static struct signals sigs;
	struct attr attrs[EVENT_ATTRS_MAX] = { 0 };
	struct velocity_value velocity[RULE_VELOCITIES_MAX] = { 0 };
	struct velocity_values velocities = { velocity, rs->n_velocities };
	struct event ev = { .attrs = attrs };
	size_t i, round;

	sigs.event = &ev;
	sigs.velocities = &velocities;
	for (round = 0; round < 8; round++) {
		for (i = 0; i < SIGNAL__MAX; i++)
			sigs.value[i] =
			    made_up(signal_type((enum signal)i), round + i);
		for (i = 0; i < rs->names.attrs->n && i < EVENT_ATTRS_MAX;
		     i++) {
			attrs[i].name = rs->names.attrs->text[i];
			attrs[i].value = made_up(
			    VALUE_NUMBER + (unsigned int)((i + round) % 3),
			    round / 2);
		}
		ev.n_attrs = i;
		for (i = 0; i < rs->n_velocities; i++) {
			velocity[i].id = rs->velocities[i].id;
			velocity[i].value = made_up(VALUE_NUMBER, round + i);
		}
		rule_eval(rs, &sigs, &hits);
		rule_eval(again, &sigs, &hits_again);
		assert(hits.n == hits_again.n);
		assert(memcmp(hits.index, hits_again.index,
			   hits.n * sizeof(hits.index[0])) == 0);
		not_warned(rs, &hits);
		same_items(rs, again, &sigs);
	}
}

/* An event adds the same to the velocities of both, at each verdict. */
static void
same_items(const struct ruleset *rs, const struct ruleset *again,
    const struct signals *sigs)
{
	const struct velocity_event ev = { .subject = { "u", "d" },
		.event = sigs->event };
	struct velocity_item a, b;
	unsigned int verdict;
	size_t i, k;

	for (i = 0; i < rs->n_velocities; i++) {
		k = 0;
		while (again->velocities[k].id != rs->velocities[i].id)
			assert(++k < again->n_velocities);
		for (verdict = VERDICT__NONE; verdict < VERDICT__MAX;
		     verdict++) {
			velocity_item(&rs->velocities[i], &ev, sigs,
			    (enum verdict)verdict, &a);
			velocity_item(&again->velocities[k], &ev, sigs,
			    (enum verdict)verdict, &b);
			assert(a.counts == b.counts && a.number == b.number);
		}
	}
}

/* No rule that fired has a warning that it never fires. */
static void
not_warned(const struct ruleset *rs, const struct rule_hits *hits)
{
	static _Alignas(16) char block[65536];
	struct arena a;
	struct str s;
	size_t i;

	for (i = 0; i < hits->n; i++) {
		arena_init(&a, block, sizeof(block));
		str_init(&s, &a);
		rule_warn(&s, rs, hits->index[i]);
		assert(str_text(&s) == NULL ||
		    strncmp(str_text(&s), "never", 5) != 0);
		arena_reset(&a);
	}
}

/* The which-th value of a type; some are unknown. */
static struct value
made_up(enum value_type type, size_t which)
{
	static const double numbers[WORDS] = { 1, 5, 500 };
	static const char *const strings[WORDS] = { "", "DE", "gold" };

	if (which % (WORDS + 1) == WORDS)
		return value_unknown();
	if (type == VALUE_NUMBER)
		return value_number(numbers[which % (WORDS + 1)]);
	if (type == VALUE_STRING)
		return value_string(strings[which % (WORDS + 1)]);
	return value_bool(which % 2 == 0);
}
