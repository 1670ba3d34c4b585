/* SPDX-License-Identifier: ISC */
/* A page of the samples of a backtest that get another verdict. */
#include "config.h"

#include <json-c/json_object.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/value.h"
#include "core/base/writer.h"
#include "core/signal/signals.h"
#include "fcgi/ep/flip_page.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

static int read_pair_verdict(struct json_object *json, const char *name,
    enum verdict *ret, struct fail *f);
static bool flip_is_wanted(
    const struct flip_page *page, const struct flip_sample *sample);
static void fill_flip_row(
    struct flip_row *row, const struct flip_sample *sample);
static void add_flip_row(
    struct str *s, const struct flip_row *row, bool personal);

/* The members that choose among the pages of flips. */
static const char *const choosers[] = { "flipsFrom", "flipsTo", "flipsBefore" };

int
flip_page_read(struct flip_page *ret, struct json_object *json, struct fail *f)
{
	int64_t at;
	size_t i;

	ret->limit = body_int(json, "flips", 0);
	for (i = 0; ret->limit == 0 && i < nitems(choosers); i++)
		if (body_has(json, choosers[i]))
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "flips",
			    "is required with %s", choosers[i]);
	if (read_pair_verdict(json, "flipsFrom", &ret->from, f) == -1 ||
	    read_pair_verdict(json, "flipsTo", &ret->to, f) == -1)
		return -1;
	ret->before = body_string(json, "flipsBefore");
	if (ret->before != NULL && crypt_id_time(ret->before, "vd_", &at) == -1)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "flipsBefore",
		    "must be the id of a decision");
	return 0;
}

void
flip_page_add(struct flip_page *page, const struct flip_sample *sample)
{
	uint8_t index;
	int i = 0;

	if (!flip_is_wanted(page, sample))
		return;
	while (
	    i < page->n && strcmp(page->row[page->order[i]].id, sample->id) > 0)
		i++;
	page->more = page->more || page->n == page->limit;
	if (i == page->limit)
		return;
	/* A full page loses its oldest row. */
	index = page->n == page->limit ? page->order[page->n - 1]
				       : (uint8_t)page->n++;
	memmove(&page->order[i + 1], &page->order[i],
	    (size_t)(page->n - 1 - i) * sizeof(page->order[0]));
	page->order[i] = index;
	fill_flip_row(&page->row[index], sample);
}

void
flip_page_json(struct str *s, const struct flip_page *page, bool personal)
{
	int i;

	writer_array(s, "flipped");
	for (i = 0; i < page->n; i++)
		add_flip_row(s, &page->row[page->order[i]], personal);
	writer_end(s);
	writer_text(s, "next",
	    page->more ? page->row[page->order[page->n - 1]].id : NULL);
}

static int
read_pair_verdict(struct json_object *json, const char *name, enum verdict *ret,
    struct fail *f)
{
	if (!body_has(json, name))
		return 0;
	*ret = verdict_parse(body_string(json, name));
	if (*ret == VERDICT__NONE)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, name,
		    "must be allow, challenge, review or deny");
	return 0;
}

static bool
flip_is_wanted(const struct flip_page *page, const struct flip_sample *sample)
{
	const struct backtest_label_result *r = sample->result;

	return (page->from == VERDICT__NONE || page->from == r->active) &&
	    (page->to == VERDICT__NONE || page->to == r->candidate) &&
	    (page->before == NULL || strcmp(sample->id, page->before) < 0);
}

static void
fill_flip_row(struct flip_row *row, const struct flip_sample *sample)
{
	const struct value *value = sample->result->signals->value;
	const struct value *amount = &value[SIGNAL_EVENT_AMOUNT];
	const struct value *currency = &value[SIGNAL_EVENT_CURRENCY];

	row->at = sample->at;
	snprintf(row->id, sizeof(row->id), "%s", sample->id);
	snprintf(row->event, sizeof(row->event), "%s", sample->event);
	snprintf(row->user, sizeof(row->user), "%s", sample->user);
	row->has_amount = amount->type == VALUE_NUMBER;
	row->amount = row->has_amount ? amount->number : 0;
	snprintf(row->currency, sizeof(row->currency), "%s",
	    currency->type == VALUE_STRING ? currency->string : "");
	row->result = *sample->result;
	row->result.signals = NULL;
}

static void
add_flip_row(struct str *s, const struct flip_row *row, bool personal)
{
	const struct backtest_label_result *r = &row->result;
	char at[CLOCK_TEXT_SIZE];

	clock_text(row->at, at);
	writer_object(s, NULL);
	writer_text(s, "id", row->id);
	writer_text(s, "decidedAt", at);
	writer_text(s, "eventId", row->event);
	writer_text(s, "userId", personal ? row->user : NULL);
	writer_number(
	    s, "amount", personal && row->has_amount ? row->amount : NAN);
	writer_text(s, "currency",
	    personal && row->currency[0] != '\0' ? row->currency : NULL);
	writer_text(s, "label",
	    r->label == LABEL_NONE	  ? NULL
		: r->label == LABEL_FRAUD ? "fraud"
					  : "legit");
	writer_text(s, "recorded", verdict_name(r->answered));
	writer_text(s, "active", verdict_name(r->active));
	writer_text(s, "candidate", verdict_name(r->candidate));
	writer_end(s);
}
