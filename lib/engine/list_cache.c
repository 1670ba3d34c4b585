/* SPDX-License-Identifier: ISC */
/* The cache of block, allow and watch lists in the memory of a worker. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/list_network.h"
#include "lib/db/db.h"
#include "lib/engine/list_cache.h"

#define SCRATCH_SIZE 4096 /* for parameters; libpq has the rows */
#define EXPIRED (-1) /* an epoch below all others */

/* The cached entries of one subject, sorted. */
struct cached_subject {
	struct list_entry *entries; /* and after them their texts, or NULL */
	struct list_network *networks; /* those of ips instead, or NULL */
	size_t n;
};

struct list_cache {
	struct cached_subject held[LIST_SUBJECT__MAX];
	unsigned long_subjects; /* bits 1 << subject */
	int64_t epoch; /* 0: nothing is loaded; or EXPIRED */
};

static int load_subject(struct list_cache *l, struct db *db,
    enum list_subject subject, int64_t size, struct fail *f);
static int hold_entries(
    struct cached_subject *ret, const struct rows *r, struct fail *f);
static int hold_networks(
    struct cached_subject *ret, const struct rows *r, struct fail *f);
static void drop_subject(struct cached_subject *held);

struct list_cache *
list_cache_new(void)
{
	return calloc(1, sizeof(struct list_cache));
}

void
list_cache_free(struct list_cache *l)
{
	int subject;

	if (l == NULL)
		return;
	for (subject = LIST_SUBJECT__NONE; subject < LIST_SUBJECT__MAX;
	     subject++)
		drop_subject(&l->held[subject]);
	free(l);
}

int
list_cache_refresh(
    struct list_cache *l, struct db *db, int64_t epoch, struct fail *f)
{
	_Alignas(16) char block[SCRATCH_SIZE];
	enum list_subject subject;
	struct arena a;
	struct params p;
	struct rows r;
	int i, result;

	if (l->epoch == epoch)
		return 0;
	arena_init(&a, block, sizeof(block));
	params_init(&p, &a);

	/* A lower epoch means a restored database: read everything. */
	params_int(&p, epoch < l->epoch ? EXPIRED : l->epoch);
	params_int(&p, LIST_CACHE_ENTRIES_MAX);
	result = db_run(db, &a, STMT_LIST_SIZES, &p, &r, f);
	for (i = 0; result == 0 && i < r.n; i++) {
		subject = list_subject_parse(rows_text(&r, i, "subject"));
		if (subject != LIST_SUBJECT__NONE)
			result = load_subject(
			    l, db, subject, rows_int(&r, i, "size"), f);
	}
	if (result == 0)
		l->epoch = epoch;
	arena_reset(&a);
	return result;
}

void
list_cache_expire(struct list_cache *l)
{
	l->epoch = EXPIRED;
}

unsigned
list_cache_long(const struct list_cache *l)
{
	return l->long_subjects;
}

struct list_match
list_cache_match(const struct list_cache *l, const struct list_key *keys,
    size_t n, int64_t now)
{
	struct list_match ret = { 0 };
	const struct cached_subject *held;
	size_t i;

	for (i = 0; i < n; i++) {
		held = &l->held[keys[i].subject];
		if (keys[i].subject == LIST_IP)
			list_network_match(
			    held->networks, held->n, &keys[i], now, &ret);
		else
			list_match_add(&ret,
			    list_find(held->entries, held->n, &keys[i], now),
			    0);
	}
	return ret;
}

/* Read the entries of one subject again, unless there are too many. */
static int
load_subject(struct list_cache *l, struct db *db, enum list_subject subject,
    int64_t size, struct fail *f)
{
	_Alignas(16) char block[SCRATCH_SIZE];
	struct cached_subject held = { 0 };
	struct rows r = { 0 };
	struct params p;
	struct arena a;
	int result = 0;

	arena_init(&a, block, sizeof(block));
	if (size > 0 && size <= LIST_CACHE_ENTRIES_MAX) {
		params_init(&p, &a);
		params_text(&p, list_subject_name(subject));
		params_int(&p, LIST_CACHE_ENTRIES_MAX + 1);
		result = db_run(db, &a, STMT_LIST_LOAD, &p, &r, f);
		size = r.n; /* entries may have been added since the count */
	}
	if (result == 0 && size <= LIST_CACHE_ENTRIES_MAX)
		result = subject == LIST_IP ? hold_networks(&held, &r, f)
					    : hold_entries(&held, &r, f);
	arena_reset(&a);
	if (result == -1)
		return -1;
	drop_subject(&l->held[subject]);
	l->held[subject] = held;
	l->long_subjects &= ~(1u << subject);
	if (size > LIST_CACHE_ENTRIES_MAX)
		l->long_subjects |= 1u << subject;
	return 0;
}

/* Store rows as sorted entries in one block of memory. */
static int
hold_entries(struct cached_subject *ret, const struct rows *r, struct fail *f)
{
	int i;
	size_t len, size = 0;
	char *text;

	if (r->n == 0)
		return 0;
	for (i = 0; i < r->n; i++)
		size += sizeof(*ret->entries) +
		    strlen(rows_text(r, i, "value")) + 1;
	if ((ret->entries = malloc(size)) == NULL)
		return fail_memory(f);
	ret->n = (size_t)r->n;
	text = (char *)(ret->entries + ret->n);
	for (i = 0; i < r->n; i++) {
		len = strlen(rows_text(r, i, "value")) + 1;
		memcpy(text, rows_text(r, i, "value"), len);
		ret->entries[i] = (struct list_entry) {
			.value = text,
			.expires_at = rows_time(r, i, "expires_at"),
			.kind = list_kind_parse(rows_text(r, i, "kind")),
		};
		text += len;
	}
	list_sort(ret->entries, ret->n);
	return 0;
}

/* Store rows of addresses and networks, sorted. */
static int
hold_networks(struct cached_subject *ret, const struct rows *r, struct fail *f)
{
	int i;
	struct list_network *net;

	if (r->n == 0)
		return 0;
	if ((ret->networks = calloc((size_t)r->n, sizeof(*net))) == NULL)
		return fail_memory(f);
	for (i = 0; i < r->n; i++) {
		net = &ret->networks[ret->n];
		if (ip_network_parse(rows_text(r, i, "value"), &net->network) ==
		    -1)
			continue;
		net->expires_at = rows_time(r, i, "expires_at");
		net->kind = list_kind_parse(rows_text(r, i, "kind"));
		ret->n++;
	}
	list_network_sort(ret->networks, ret->n);
	return 0;
}

static void
drop_subject(struct cached_subject *held)
{
	free(held->entries);
	free(held->networks);
}
