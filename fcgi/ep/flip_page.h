/* SPDX-License-Identifier: ISC */
/*
 * A page of the samples of a backtest whose verdict by the candidate differs
 * from the active one: the newest of those that are older than the last page.
 * The order is that of the decisions' ids, which begin with the time.
 */
#ifndef FCGI_EP_FLIP_PAGE_H
#define FCGI_EP_FLIP_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/analyse/backtest.h"
#include "core/event/event.h"
#include "lib/sys/crypt.h"

struct fail;
struct json_object;
struct str;

#define FLIP_PAGE_MAX 100

/* One decided sample.  The strings belong to the caller of flip_page_add(). */
struct flip_sample {
	int64_t at; /* when it was decided, microseconds UTC */
	const char *id; /* of the decision */
	const char *event;
	const char *user;
	const struct backtest_label_result *result; /* with signals */
};

/* What a page keeps of a sample. */
struct flip_row {
	int64_t at;
	char id[CRYPT_ID_SIZE];
	char event[EVENT_ID_MAX + 1];
	char user[EVENT_ID_MAX + 1];
	char currency[4]; /* "": unknown */
	bool has_amount;
	double amount;
	struct backtest_label_result result; /* without signals */
};

/* Zero it first. */
struct flip_page {
	int64_t limit; /* rows; 0: no page is wanted */
	enum verdict from, to; /* only this pair; VERDICT__NONE: any */
	const char *before; /* only older samples than this one; NULL: all */
	bool more; /* older ones are left */
	int n;
	uint8_t order[FLIP_PAGE_MAX]; /* indexes of row, the newest first */
	struct flip_row row[FLIP_PAGE_MAX];
};

/*
 * Read flips, flipsFrom, flipsTo and flipsBefore of a body that has passed
 * body_check(), and that lives as long as the page.  Return 0, or -1 with f
 * set.
 */
int flip_page_read(struct flip_page *ret, struct json_object *json,
    struct fail *f) __attribute__((warn_unused_result));

/* Keep a sample that differs if it belongs to this page, which has rows. */
void flip_page_add(struct flip_page *page, const struct flip_sample *sample);

/*
 * Append the members flipped and next with a comma before each.  If it is not
 * personal, users and amounts are null.
 */
void flip_page_json(struct str *s, const struct flip_page *page, bool personal);

#endif
