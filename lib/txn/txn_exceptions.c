/* SPDX-License-Identifier: ISC */
/* Exceptions: rules that do not fire for an event, and what that changes. */
#include "config.h"

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/decide.h"
#include "core/rule/rule.h"
#include "lib/engine/engine.h"
#include "lib/engine/exception_cache.h"
#include "lib/txn/txn_int.h"

static const char *silencing_ids(struct arena *a,
    const struct exception_match *m, const struct ruleset *rs,
    const struct rule_hits *silenced);
static bool silences_one(const struct exception_match *m, size_t i,
    const struct ruleset *rs, const struct rule_hits *silenced);

int
txn_find_exceptions(struct txn *txn, struct txn_event *ev, struct fail *f)
{
	if (exception_cache_match(engine_exceptions(txn->engine),
		ev->item->event->type, ev->keys, ev->n_keys, ev->now,
		txn->arena, &ev->exceptions, f) == -1)
		return -1;
	if (ev->exceptions != NULL)
		ev->signals.silences = &ev->exceptions->silences;
	return 0;
}

void
txn_note_silenced(
    struct txn *txn, struct txn_event *ev, const struct rulebook *book)
{
	const struct arena_mark mark = arena_mark(txn->arena);
	struct signals signals = ev->signals;
	struct rule_hits silenced;
	struct decision without;
	struct fail no_room = { 0 };

	rule_eval_silenced(book->ruleset, &ev->signals, &silenced);
	if (silenced.n == 0)
		return;
	signals.silences = NULL;
	ev->silenced_by =
	    silencing_ids(txn->arena, ev->exceptions, book->ruleset, &silenced);
	if (ev->silenced_by == NULL ||
	    txn_decide_by(txn, ev, book, &signals, &without, &no_room) == -1) {
		arena_rewind(txn->arena, mark);
		ev->silenced_by = NULL;
		return;
	}
	ev->verdict_without = without.verdict;
}

/*
 * The ids of the exceptions that silence one of these rules, with commas
 * between them; NULL if the arena is full.
 */
static const char *
silencing_ids(struct arena *a, const struct exception_match *m,
    const struct ruleset *rs, const struct rule_hits *silenced)
{
	struct str s;
	size_t i;

	str_init(&s, a);
	for (i = 0; i < m->silences.n; i++)
		if (silences_one(m, i, rs, silenced))
			str_addf(&s, "%s%s", s.len == 0 ? "" : ",", m->id[i]);
	return str_text(&s);
}

/* Whether the exception number i silences one of these rules. */
static bool
silences_one(const struct exception_match *m, size_t i,
    const struct ruleset *rs, const struct rule_hits *silenced)
{
	const struct rule_silences alone = { .list = &m->silence[i], .n = 1 };
	size_t k;

	for (k = 0; k < silenced->n; k++)
		if (rule_silenced(&rs->rules[silenced->index[k]], &alone))
			return true;
	return false;
}
