/* SPDX-License-Identifier: ISC */
/* Numbers for names. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/replay/string_ids.h"

#define FIRST 1024 /* names that there is room for at first */
#define MAX (UINT32_C(1) << 30) /* so that twice as many slots are counted */

static uint32_t *slot_of(
    const struct string_ids *, unsigned char, const char *);
static bool grow_numbers(struct string_ids *);
static bool grow_text(struct string_ids *, size_t);
static uint64_t hash(unsigned char, const char *);

uint32_t
string_ids_add(struct string_ids *na, unsigned char kind, const char *name)
{
	const size_t size = strlen(name) + 1;
	uint32_t *slot = NULL;

	if (na->na_n > 0 && *(slot = slot_of(na, kind, name)) != 0)
		return *slot;
	if (!grow_text(na, size + 1))
		return 0;
	if (na->na_n == na->na_max) {
		if (!grow_numbers(na))
			return 0;
		slot = NULL;
	}
	if (slot == NULL)
		slot = slot_of(na, kind, name);
	na->na_at[na->na_n] = na->na_len;
	na->na_text[na->na_len] = (char)kind;
	memcpy(&na->na_text[na->na_len + 1], name, size);
	na->na_len += size + 1;
	return *slot = ++na->na_n;
}

void
string_ids_clear(struct string_ids *na)
{
	free(na->na_text);
	free(na->na_at);
	free(na->na_slots);
	memset(na, 0, sizeof(*na));
}

/* Where the number of the name is or belongs. */
static uint32_t *
slot_of(const struct string_ids *na, unsigned char kind, const char *name)
{
	uint64_t h = hash(kind, name);
	const char *text;
	uint32_t *slot;

	for (;; h++) {
		slot = &na->na_slots[h & na->na_mask];
		if (*slot == 0)
			return slot;
		text = &na->na_text[na->na_at[*slot - 1]];
		if ((unsigned char)*text == kind && strcmp(text + 1, name) == 0)
			return slot;
	}
}

/* Room for twice as many numbers, in a table twice as large as that. */
static bool
grow_numbers(struct string_ids *na)
{
	const uint32_t max = na->na_max == 0 ? FIRST : 2 * na->na_max;
	const size_t mask = 2 * (size_t)max - 1;
	const char *text;
	uint32_t i, *slots;
	size_t *at;

	if (max > MAX)
		return false;
	if ((at = realloc(na->na_at, max * sizeof(*at))) == NULL)
		return false;
	na->na_at = at;
	if ((slots = calloc(mask + 1, sizeof(*slots))) == NULL)
		return false;
	free(na->na_slots);
	na->na_slots = slots;
	na->na_mask = mask;
	na->na_max = max;
	for (i = 0; i < na->na_n; i++) {
		text = &na->na_text[at[i]];
		*slot_of(na, (unsigned char)*text, text + 1) = i + 1;
	}
	return true;
}

static bool
grow_text(struct string_ids *na, size_t more)
{
	size_t cap = na->na_cap == 0 ? 64 * FIRST : na->na_cap;
	char *text;

	while (cap - na->na_len < more)
		cap *= 2;
	if (cap == na->na_cap)
		return true;
	if ((text = realloc(na->na_text, cap)) == NULL)
		return false;
	na->na_text = text;
	na->na_cap = cap;
	return true;
}

/* FNV-1a, its high bits mixed into the low ones that choose a slot. */
static uint64_t
hash(unsigned char kind, const char *name)
{
	uint64_t h =
	    (UINT64_C(0xcbf29ce484222325) ^ kind) * UINT64_C(0x100000001b3);

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return h ^ h >> 32;
}
