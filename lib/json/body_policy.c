/* SPDX-License-Identifier: ISC */
/* Read policies from JSON, and write their bands for the database. */
#include "config.h"

#include <json-c/json_object.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/writer.h"
#include "core/decide/policy.h"
#include "core/event/event.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"

static int read_policy_members(struct arena *a, struct json_object *json,
    struct policy *ret, struct fail *f);
static int read_band(
    struct json_object *json, size_t index, struct band *ret, struct fail *f);
static int refuse_policy(struct fail *f, const char *where, const char *why);

static const struct body_field band_fields[] = {
	{ "verdict", BODY_STRING, BODY_REQUIRED, 1, 16 },
	{ "min", BODY_NUMBER, BODY_REQUIRED, 0, 100 },
	{ "max", BODY_NUMBER, BODY_REQUIRED, 0, 100 },
	{ "reviewQueue", BODY_LINE, BODY_NULLABLE, 1, EVENT_ID_MAX },
};

int
body_policy(struct arena *a, struct json_object *json, const char *where,
    struct policy *ret, struct fail *f)
{
	struct fail inner = { 0 };
	char path[sizeof(inner.where)];

	if (read_policy_members(a, json, ret, &inner) == 0)
		return 0;
	snprintf(path, sizeof(path), "%.64s%s%.64s", where,
	    *where == '\0' ? "" : ".", inner.where);
	return fail_set(f, inner.kind, inner.code,
	    inner.kind == FAIL_INPUT ? path : NULL, "%s", inner.why);
}

int
body_policy_text(
    struct arena *a, const char *text, struct policy *ret, struct fail *f)
{
	struct json_object *json = body_parse(a, text, strlen(text), f);

	return json == NULL ? -1 : body_policy(a, json, "", ret, f);
}

void
body_bands(struct str *s, const struct policy *p)
{
	const struct band *b;

	writer_array(s, NULL);
	for (b = p->bands; b < p->bands + p->n_bands; b++) {
		writer_object(s, NULL);
		writer_text(s, "verdict", verdict_name(b->verdict));
		writer_number(s, "min", b->min);
		writer_number(s, "max", b->max);
		if (b->queue != NULL)
			writer_text(s, "reviewQueue", b->queue);
		writer_end(s);
	}
	writer_end(s);
}

static int
read_policy_members(struct arena *a, struct json_object *json,
    struct policy *ret, struct fail *f)
{
	struct json_object *on_error, *list;
	struct band *bands;
	size_t i, n;

	on_error = json_object_object_get(json, "onError");
	list = json_object_object_get(json, "bands");
	if (!json_object_is_type(on_error, json_type_string) ||
	    (ret->on_error = policy_on_error_parse(
		 json_object_get_string(on_error))) == 0)
		return refuse_policy(
		    f, "onError", "must be \"fail_open\" or \"fail_closed\"");
	if (!json_object_is_type(list, json_type_array))
		return refuse_policy(f, "bands", "must be an array");
	n = json_object_array_length(list);

	/* policy_check() checks their number. */
	if ((bands = arena_array(a, n + 1, sizeof(*bands))) == NULL)
		return fail_memory(f);
	for (i = 0; i < n && i < POLICY_BANDS_MAX; i++)
		if (read_band(json_object_array_get_idx(list, i), i, &bands[i],
			f) == -1)
			return -1;
	ret->bands = bands;
	ret->n_bands = n;
	return policy_check(ret, f);
}

static int
read_band(
    struct json_object *json, size_t index, struct band *ret, struct fail *f)
{
	char where[64];

	snprintf(where, sizeof(where), "bands[%zu]", index);
	if (body_check_in(json, band_fields, nitems(band_fields),
		POLICY_INVALID, where, f) == -1)
		return -1;
	ret->verdict = verdict_parse(body_string(json, "verdict"));
	ret->min = json_object_get_double(json_object_object_get(json, "min"));
	ret->max = json_object_get_double(json_object_object_get(json, "max"));
	ret->queue = body_string(json, "reviewQueue");
	return 0;
}

static int
refuse_policy(struct fail *f, const char *where, const char *why)
{
	return fail_set(f, FAIL_INPUT, POLICY_INVALID, where, "%s", why);
}
