/* SPDX-License-Identifier: ISC */
/* The exceptions from rules in the memory of a worker. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/db/db.h"
#include "lib/engine/exception_cache.h"

#define SCRATCH_SIZE 4096 /* for parameters; libpq has the rows */
#define EXPIRED (-1) /* an epoch that no database has */

struct cached_exception {
	enum list_subject subject;
	const char *value; /* in normal form */
	enum event_type type; /* EVENT_TYPE__NONE: events of all types */
	struct rule_silence silence;
	const char *id;
	int64_t expires_at; /* microseconds UTC */
};

struct exception_cache {
	struct cached_exception *all; /* sorted; after them their texts */
	size_t n;
	int64_t epoch; /* 0: nothing is loaded; or EXPIRED */
};

static int hold_exceptions(
    struct exception_cache *c, const struct rows *r, struct fail *f);
static const char *hold_text(char **room, const char *text);
static size_t find_first(
    const struct exception_cache *c, const struct list_key *key);
static int compare_exceptions(const void *pa, const void *pb);
static int compare_with_key(
    const struct cached_exception *e, const struct list_key *key);
static int add_match(struct exception_match **ret,
    const struct cached_exception *e, struct arena *a, struct fail *f);

struct exception_cache *
exception_cache_new(void)
{
	return calloc(1, sizeof(struct exception_cache));
}

void
exception_cache_free(struct exception_cache *c)
{
	if (c != NULL)
		free(c->all);
	free(c);
}

int
exception_cache_refresh(
    struct exception_cache *c, struct db *db, int64_t epoch, struct fail *f)
{
	_Alignas(16) char block[SCRATCH_SIZE];
	struct arena a;
	struct rows r;
	int result;

	if (c->epoch == epoch)
		return 0;
	arena_init(&a, block, sizeof(block));
	result = db_run(db, &a, STMT_ENGINE_EXCEPTIONS, NULL, &r, f);
	if (result == 0)
		result = hold_exceptions(c, &r, f);
	if (result == 0)
		c->epoch = epoch;
	arena_reset(&a);
	return result;
}

void
exception_cache_expire(struct exception_cache *c)
{
	c->epoch = EXPIRED;
}

int
exception_cache_match(const struct exception_cache *c, enum event_type type,
    const struct list_key *keys, size_t n, int64_t now, struct arena *a,
    struct exception_match **ret, struct fail *f)
{
	const struct cached_exception *e;
	size_t i, k;

	*ret = NULL;
	for (i = 0; i < n && c->n > 0; i++) {
		for (k = find_first(c, &keys[i]); k < c->n; k++) {
			e = &c->all[k];
			if (compare_with_key(e, &keys[i]) != 0)
				break;
			if (e->expires_at > now &&
			    (e->type == EVENT_TYPE__NONE || e->type == type) &&
			    add_match(ret, e, a, f) == -1)
				return -1;
		}
	}
	return 0;
}

/* Replace the exceptions by these rows, sorted, in one block of memory. */
static int
hold_exceptions(struct exception_cache *c, const struct rows *r, struct fail *f)
{
	static const char *const texts[] = { "value", "name", "id" };
	struct cached_exception *all = NULL;
	size_t size = 0, k, n = 0;
	enum event_type type;
	char *room;
	int i;

	for (i = 0; i < r->n; i++) {
		size += sizeof(*all);
		for (k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
			size += strlen(rows_text(r, i, texts[k])) + 1;
	}
	if (size > 0 && (all = malloc(size)) == NULL)
		return fail_memory(f);
	room = (char *)(all + r->n);
	for (i = 0; i < r->n; i++) {
		/* A later release made it for a type that this one lacks. */
		type = event_type_parse(rows_text(r, i, "event_type"));
		if (type == EVENT_TYPE__NONE && !rows_null(r, i, "event_type"))
			continue;
		all[n++] = (struct cached_exception) {
			.subject =
			    list_subject_parse(rows_text(r, i, "subject")),
			.value = hold_text(&room, rows_text(r, i, "value")),
			.type = type,
			.silence.name =
			    hold_text(&room, rows_text(r, i, "name")),
			.silence.tag = rows_bool(r, i, "tag"),
			.id = hold_text(&room, rows_text(r, i, "id")),
			.expires_at = rows_time(r, i, "expires_at"),
		};
	}
	if (n > 0)
		qsort(all, n, sizeof(*all), compare_exceptions);
	free(c->all);
	c->all = all;
	c->n = n;
	return 0;
}

static const char *
hold_text(char **room, const char *text)
{
	const size_t len = strlen(text) + 1;
	char *copy = *room;

	memcpy(copy, text, len);
	*room += len;
	return copy;
}

/* The place of the first exception of a key, or of the next one after it. */
static size_t
find_first(const struct exception_cache *c, const struct list_key *key)
{
	size_t low = 0, high = c->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare_with_key(&c->all[mid], key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* By subject and value; those of one value by id, so the oldest come first. */
static int
compare_exceptions(const void *pa, const void *pb)
{
	const struct cached_exception *a = pa, *b = pb;
	int order;

	if (a->subject != b->subject)
		return a->subject < b->subject ? -1 : 1;
	order = strcmp(a->value, b->value);
	return order != 0 ? order : strcmp(a->id, b->id);
}

static int
compare_with_key(const struct cached_exception *e, const struct list_key *key)
{
	int order;

	if (e->subject != key->subject)
		return e->subject < key->subject ? -1 : 1;
	order = strncmp(e->value, key->value, key->len);
	return order != 0 ? order : e->value[key->len] != '\0';
}

/* Add an exception; the first one makes the match. */
static int
add_match(struct exception_match **ret, const struct cached_exception *e,
    struct arena *a, struct fail *f)
{
	struct exception_match *m = *ret;

	if (m == NULL) {
		if ((m = arena_alloc(a, sizeof(*m))) == NULL)
			return fail_memory(f);
		m->silences.list = m->silence;
		m->silences.n = 0;
		*ret = m;
	}
	if (m->silences.n == RULE_SILENCES_MAX)
		return 0;
	m->id[m->silences.n] = e->id;
	m->silence[m->silences.n++] = e->silence;
	return 0;
}
