/* SPDX-License-Identifier: ISC */
/* Give numbers to names. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/engine/string_ids.h"

#define FIRST 1024 /* initial capacity, names */
#define MAX (UINT32_C(1) << 30) /* names; there are twice as many slots */

static uint32_t *slot_of(
    const struct string_ids *na, unsigned char kind, const char *name);
static bool grow_numbers(struct string_ids *na);
static bool grow_text(struct string_ids *na, size_t more);
static uint64_t hash_name(unsigned char kind, const char *name);

uint32_t
string_ids_add(struct string_ids *na, unsigned char kind, const char *name)
{
	const size_t size = strlen(name) + 1;
	uint32_t *slot = NULL;

	if (na->n > 0 && *(slot = slot_of(na, kind, name)) != 0)
		return *slot;
	if (!grow_text(na, size + 1))
		return 0;
	if (na->n == na->max) {
		if (!grow_numbers(na))
			return 0;
		slot = NULL;
	}
	if (slot == NULL)
		slot = slot_of(na, kind, name);
	na->at[na->n] = na->len;
	na->text[na->len] = (char)kind;
	memcpy(&na->text[na->len + 1], name, size);
	na->len += size + 1;
	return *slot = ++na->n;
}

const char *
string_ids_name(
    const struct string_ids *na, uint32_t number, unsigned char *ret_kind)
{
	const char *text = &na->text[na->at[number - 1]];

	*ret_kind = (unsigned char)*text;
	return text + 1;
}

size_t
string_ids_size(const struct string_ids *na)
{
	return na->cap + na->max * (sizeof(*na->at) + 2 * sizeof(*na->slots));
}

void
string_ids_clear(struct string_ids *na)
{
	free(na->text);
	free(na->at);
	free(na->slots);
	memset(na, 0, sizeof(*na));
}

/* Return the slot of a name, or the free slot for it. */
static uint32_t *
slot_of(const struct string_ids *na, unsigned char kind, const char *name)
{
	uint64_t h = hash_name(kind, name);
	const char *text;
	uint32_t *slot;

	for (;; h++) {
		slot = &na->slots[h & na->mask];
		if (*slot == 0)
			return slot;
		text = &na->text[na->at[*slot - 1]];
		if ((unsigned char)*text == kind && strcmp(text + 1, name) == 0)
			return slot;
	}
}

/* Double the capacity; the hash table has twice as many slots. */
static bool
grow_numbers(struct string_ids *na)
{
	const uint32_t max = na->max == 0 ? FIRST : 2 * na->max;
	const size_t mask = 2 * (size_t)max - 1;
	const char *text;
	uint32_t i, *slots;
	size_t *at;

	if (max > MAX)
		return false;
	if ((at = realloc(na->at, max * sizeof(*at))) == NULL)
		return false;
	na->at = at;
	if ((slots = calloc(mask + 1, sizeof(*slots))) == NULL)
		return false;
	free(na->slots);
	na->slots = slots;
	na->mask = mask;
	na->max = max;
	for (i = 0; i < na->n; i++) {
		text = &na->text[at[i]];
		*slot_of(na, (unsigned char)*text, text + 1) = i + 1;
	}
	return true;
}

static bool
grow_text(struct string_ids *na, size_t more)
{
	size_t cap = na->cap == 0 ? 64 * FIRST : na->cap;
	char *text;

	while (cap - na->len < more)
		cap *= 2;
	if (cap == na->cap)
		return true;
	if ((text = realloc(na->text, cap)) == NULL)
		return false;
	na->text = text;
	na->cap = cap;
	return true;
}

/* FNV-1a, with its high bits mixed into the low bits that choose a slot. */
static uint64_t
hash_name(unsigned char kind, const char *name)
{
	uint64_t h =
	    (UINT64_C(0xcbf29ce484222325) ^ kind) * UINT64_C(0x100000001b3);

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return h ^ h >> 32;
}
