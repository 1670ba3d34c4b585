/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: the reader of samples.  An accepted sample is within its
 * bounds, can be recomputed, and reads back the same when it is written; a
 * partial reading of its head agrees with the whole.
 */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/decide/decide.h"
#include "core/decide/model.h"
#include "core/decide/sample.h"
#include "core/decide/score.h"
#include "core/rule/rule.h"
#include "t/fuzz/fuzz.h"

static void check_again(const struct sample *first);
static void same_velocities(
    const struct velocity_values *a, const struct velocity_values *b);
static bool same(const struct value *a, const struct value *b);

static const struct ruleset no_rules = { .version = "fuzz" };

static _Alignas(16) char block[8 << 20];
static struct arena arena;

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct sample whole, head;
	int r;

	arena_init(&arena, block, sizeof(block));
	r = sample_read(&arena, text, size, &whole);
	if (r == 0) {
		assert(whole.score >= 0 && whole.score <= SCORE_MAX);
		assert(whole.verdict > 0 && whole.verdict < VERDICT__MAX);
		assert(whole.event.n_attrs <= EVENT_ATTRS_MAX);
		check_again(&whole);
	}
	if (sample_read_head(text, size, &head) == 0)
		assert(head.score >= 0 && head.score <= SCORE_MAX);
	arena_reset(&arena);
	return 0;
}

/* Write the sample and read it again. */
static void
check_again(const struct sample *first)
{
	const struct decision d = {
		.verdict = first->verdict,
		.score = { .total = first->score },
		.scorer = first->scorer == 0 ? SCORER_WEIGHTED : first->scorer,
		.rules = { .total = first->rules_score < 0
			? 0
			: first->rules_score },
		.model = model_bundled(),
	};
	struct sample again, head;
	const char *text;
	struct str s;
	size_t i;

	str_init(&s, &arena);
	sample_json(&s, &no_rules, &d, first->watched, NULL, &first->signals);
	text = str_text(&s);
	assert(text != NULL);
	assert(sample_read(&arena, text, s.len, &again) == 0);
	assert(again.score == first->score);
	assert(again.scorer == d.scorer);
	assert(again.rules_score ==
	    (d.scorer == SCORER_WEIGHTED ? d.score.total : d.rules.total));
	assert(again.verdict == first->verdict);
	assert(again.watched == first->watched);
	for (i = 0; i < SIGNAL__MAX; i++)
		assert(same(&again.signals.value[i], &first->signals.value[i]));
	assert(again.event.n_attrs <= first->event.n_attrs);
	same_velocities(again.signals.velocities, first->signals.velocities);
	assert(sample_read_head(text, s.len < SAMPLE_HEAD ? s.len : SAMPLE_HEAD,
		   &head) == 0);
	assert(head.score == first->score && head.verdict == first->verdict);
	assert(head.watched == first->watched);
}

static void
same_velocities(
    const struct velocity_values *a, const struct velocity_values *b)
{
	size_t i;

	assert((a == NULL) == (b == NULL));
	assert(a == NULL || (a->n == b->n && a->n <= VELOCITIES_MAX));
	for (i = 0; a != NULL && i < a->n; i++)
		assert(a->list[i].id == b->list[i].id &&
		    same(&a->list[i].value, &b->list[i].value));
}

static bool
same(const struct value *a, const struct value *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case VALUE_NUMBER:
		return a->number == b->number;
	case VALUE_STRING:
		return strcmp(a->string, b->string) == 0;
	case VALUE_BOOL:
		return a->flag == b->flag;
	case VALUE_UNKNOWN:
	case VALUE__MAX:
		break;
	}
	return true;
}
