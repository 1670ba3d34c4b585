/* SPDX-License-Identifier: ISC */
/* Sets of numbered names: the ids, tags and attributes of a ruleset. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/rule/rule_int.h"

static bool names_search(
    const struct rule_interned *names, const char *text, size_t *ret_place);

int
rule_intern_find(const struct rule_interned *names, const char *text)
{
	size_t place;

	return names_search(names, text, &place) ? names->order[place] : -1;
}

void
rule_intern_add(struct rule_interned *names, const char *text)
{
	size_t place;

	names_search(names, text, &place);
	memmove(names->order + place + 1, names->order + place,
	    (names->n - place) * sizeof(*names->order));
	names->order[place] = (uint16_t)names->n;
	names->text[names->n++] = text;
}

const struct rule_interned *
rule_intern_dup(struct arena *a, const struct rule_interned *names)
{
	struct rule_interned *copy;

	copy = arena_alloc(a, sizeof(*copy));
	if (copy == NULL)
		return NULL;
	copy->n = names->n;
	copy->text = arena_array(a, names->n, sizeof(*copy->text));
	copy->order = arena_array(a, names->n, sizeof(*copy->order));
	if (copy->text == NULL || copy->order == NULL)
		return NULL;
	memcpy(copy->text, names->text, names->n * sizeof(*copy->text));
	memcpy(copy->order, names->order, names->n * sizeof(*copy->order));
	return copy;
}

/*
 * Search a name by bisection.  Set *ret_place to its index in order, or to the
 * index at which to insert it.
 */
static bool
names_search(
    const struct rule_interned *names, const char *text, size_t *ret_place)
{
	size_t low = 0, high = names->n, mid;
	int order;

	while (low < high) {
		mid = low + (high - low) / 2;
		order = strcmp(text, names->text[names->order[mid]]);
		if (order == 0) {
			*ret_place = mid;
			return true;
		}
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	*ret_place = low;
	return false;
}
