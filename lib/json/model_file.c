/* SPDX-License-Identifier: ISC */
/* Read model files. */
#include "config.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/decide/model.h"
#include "lib/json/body.h"
#include "lib/json/body_int.h"
#include "lib/json/model_file.h"
#include "lib/sys/clock.h"

#define PATH_SIZE 64
#define DATE_SIZE 10 /* like 2026-11-21 */
#define YEAR_2000 (INT64_C(946684800) * CLOCK_SECOND)
#define YEAR_3000 (INT64_C(32503680000) * CLOCK_SECOND)

static int read_numbers(
    struct json_object *json, struct model *m, struct fail *f);
static int read_names(struct json_object *list, struct fail *f);
static int read_weights(
    struct json_object *list, double *ret_weights, struct fail *f);
static int read_ranges(
    struct json_object *list, struct model_range *ret, struct fail *f);
static int read_range(struct json_object *pair, size_t i,
    struct model_range *ret, struct fail *f);
static int read_date(struct arena *a, struct json_object *json,
    const char **ret, struct fail *f);
static int read_metrics(
    struct json_object *json, struct model_metrics *ret, struct fail *f);
static int read_within(struct json_object *json, double min, double max,
    const char *where, double *ret, struct fail *f);
static double checked_number(struct json_object *json, const char *name);
static int refuse_model(struct fail *f, const char *where, const char *why);

static const struct body_field fields[] = {
	{ "featuresVersion", BODY_INT, BODY_REQUIRED, 1, INT32_MAX },
	{ "featureNames", BODY_ARRAY, BODY_REQUIRED, FEATURE__MAX,
	    FEATURE__MAX },
	{ "weights", BODY_ARRAY, BODY_REQUIRED, FEATURE__MAX, FEATURE__MAX },
	{ "ranges", BODY_ARRAY, BODY_OPTIONAL, FEATURE__MAX, FEATURE__MAX },
	{ "bias", BODY_NUMBER, BODY_REQUIRED, -MODEL_WEIGHT_MAX,
	    MODEL_WEIGHT_MAX },
	{ "trainedAt", BODY_STRING, BODY_REQUIRED, DATE_SIZE,
	    CLOCK_TEXT_SIZE + 2 },
	{ "baseRate", BODY_NUMBER, BODY_REQUIRED, 0, 1 },
	{ "calibration", BODY_OBJECT, BODY_REQUIRED, 0, 0 },
	{ "metrics", BODY_OBJECT, BODY_REQUIRED, 0, 0 },
};

static const struct body_field calibration_fields[] = {
	{ "a", BODY_NUMBER, BODY_REQUIRED, 0, MODEL_CALIBRATION_MAX },
	{ "b", BODY_NUMBER, BODY_REQUIRED, -MODEL_CALIBRATION_MAX,
	    MODEL_CALIBRATION_MAX },
};

static const struct body_field metrics_fields[] = {
	{ "auc", BODY_NUMBER, BODY_REQUIRED, 0, 1 },
	{ "accuracy", BODY_NUMBER, BODY_REQUIRED, 0, 1 },
	{ "samples", BODY_INT, BODY_REQUIRED, 1, INT64_C(1) << 53 },
	{ "averagePrecision", BODY_NUMBER, BODY_OPTIONAL, 0, 1 },
	{ "cardPrecision100", BODY_NUMBER, BODY_OPTIONAL, 0, 1 },
	{ "brier", BODY_NUMBER, BODY_OPTIONAL, 0, 1 },
	{ "logLoss", BODY_NUMBER, BODY_OPTIONAL, 0, 1000 },
};

int
model_file_read(struct arena *a, const char *text, size_t size,
    struct model *ret, struct fail *f)
{
	struct model m = *ret;
	struct json_object *json;

	if (size == 0)
		return refuse_model(f, NULL, "the file is empty");
	if (size > MODEL_FILE_MAX)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "the file is over %d bytes", MODEL_FILE_MAX);
	if ((json = body_parse(a, text, size, f)) == NULL)
		return -1;
	if (!json_object_is_type(json, json_type_object))
		return refuse_model(f, NULL, "the file must be a JSON object");
	if (body_check(json, fields, nitems(fields), f) == -1)
		return f->where[0] != '\0'
		    ? -1
		    : refuse_model(f, NULL, "the file has an unknown member");
	if (read_numbers(json, &m, f) == -1 ||
	    read_names(json_object_object_get(json, "featureNames"), f) == -1 ||
	    read_weights(
		json_object_object_get(json, "weights"), m.weight, f) == -1 ||
	    read_ranges(json_object_object_get(json, "ranges"), m.range, f) ==
		-1 ||
	    read_date(a, json, &m.trained_at, f) == -1 ||
	    read_metrics(
		json_object_object_get(json, "metrics"), &m.metrics, f) == -1)
		return -1;
	*ret = m;
	return 0;
}

/*
 * Read the single numbers.  A wrong feature version is reported first, because
 * it causes other faults.
 */
static int
read_numbers(struct json_object *json, struct model *m, struct fail *f)
{
	struct json_object *calibration =
	    json_object_object_get(json, "calibration");

	m->features_version = (int)body_int(json, "featuresVersion", 0);
	if (m->features_version != FEATURES_VERSION)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
		    "featuresVersion",
		    "must be %d: it was trained for another feature vector",
		    FEATURES_VERSION);
	m->bias = checked_number(json, "bias");
	m->base_rate = checked_number(json, "baseRate");
	if (!(m->base_rate > 0 && m->base_rate < 1))
		return refuse_model(
		    f, "baseRate", "must be a number between 0 and 1");
	if (body_check_in(calibration, calibration_fields,
		nitems(calibration_fields), INVALID_REQUEST, "calibration",
		f) == -1)
		return -1;
	m->calibration.a = checked_number(calibration, "a");
	m->calibration.b = checked_number(calibration, "b");
	if (!(m->calibration.a > 0))
		return refuse_model(
		    f, "calibration.a", "must be a number above 0");
	return 0;
}

/* The names must be those of features.tbl, in their order. */
static int
read_names(struct json_object *list, struct fail *f)
{
	struct json_object *name;
	char where[PATH_SIZE];
	const char *want;
	size_t i;

	for (i = 0; i < FEATURE__MAX; i++) {
		name = json_object_array_get_idx(list, i);
		want = feature_name((enum feature)i);
		if (json_object_is_type(name, json_type_string) &&
		    (size_t)json_object_get_string_len(name) == strlen(want) &&
		    strcmp(json_object_get_string(name), want) == 0)
			continue;
		snprintf(where, sizeof(where), "featureNames[%zu]", i);
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, where,
		    "must be \"%s\"", want);
	}
	return 0;
}

static int
read_weights(struct json_object *list, double *ret_weights, struct fail *f)
{
	char where[PATH_SIZE];
	size_t i;

	for (i = 0; i < FEATURE__MAX; i++) {
		snprintf(where, sizeof(where), "weights[%zu]", i);
		if (read_within(json_object_array_get_idx(list, i),
			-MODEL_WEIGHT_MAX, MODEL_WEIGHT_MAX, where,
			&ret_weights[i], f) == -1)
			return -1;
	}
	return 0;
}

/* A file without ranges is of a release before them: any value counts. */
static int
read_ranges(struct json_object *list, struct model_range *ret, struct fail *f)
{
	size_t i;

	for (i = 0; i < FEATURE__MAX; i++) {
		ret[i] = (struct model_range) { 0, 1 };
		if (list != NULL &&
		    read_range(json_object_array_get_idx(list, i), i, &ret[i],
			f) == -1)
			return -1;
	}
	return 0;
}

/* Read the least and the largest value of feature i. */
static int
read_range(
    struct json_object *pair, size_t i, struct model_range *ret, struct fail *f)
{
	char where[PATH_SIZE];

	snprintf(where, sizeof(where), "ranges[%zu]", i);
	if (!json_object_is_type(pair, json_type_array) ||
	    json_object_array_length(pair) != 2)
		return refuse_model(f, where, "must be an array of 2 numbers");
	if (read_within(json_object_array_get_idx(pair, 0), 0, 1, where,
		&ret->min, f) == -1 ||
	    read_within(json_object_array_get_idx(pair, 1), 0, 1, where,
		&ret->max, f) == -1)
		return -1;
	if (ret->min > ret->max)
		return refuse_model(
		    f, where, "must have the smaller number first");
	return 0;
}

/* Read a date or a time in UTC that is valid. */
static int
read_date(
    struct arena *a, struct json_object *json, const char **ret, struct fail *f)
{
	const char *text = body_string(json, "trainedAt");
	const size_t size = strlen(text);
	char time[CLOCK_TEXT_SIZE + 16];
	int64_t us;

	snprintf(time, sizeof(time), "%s%s", text,
	    size == DATE_SIZE ? "T00:00:00Z" : "");
	if (size < DATE_SIZE || time[DATE_SIZE] != 'T' ||
	    time[strlen(time) - 1] != 'Z' || clock_parse(time, &us) == -1 ||
	    us < YEAR_2000 || us >= YEAR_3000)
		return refuse_model(f, "trainedAt",
		    "must be a date, as 2026-11-21 or 2026-11-21T09:57:51Z");
	if ((*ret = arena_strdup(a, text)) == NULL)
		return fail_memory(f);
	return 0;
}

static int
read_metrics(
    struct json_object *json, struct model_metrics *ret, struct fail *f)
{
	if (body_check_in(json, metrics_fields, nitems(metrics_fields),
		INVALID_REQUEST, "metrics", f) == -1)
		return -1;
	ret->auc = checked_number(json, "auc");
	ret->accuracy = checked_number(json, "accuracy");
	ret->average_precision = checked_number(json, "averagePrecision");
	ret->card_precision = checked_number(json, "cardPrecision100");
	ret->brier = checked_number(json, "brier");
	ret->log_loss = checked_number(json, "logLoss");
	ret->samples = body_int(json, "samples", 0);
	return 0;
}

/* Read a number that is an element, not a member. */
static int
read_within(struct json_object *json, double min, double max, const char *where,
    double *ret, struct fail *f)
{
	const double n = json_object_get_double(json);

	if (!body_is_number(json) || !(n >= min && n <= max))
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, where,
		    "must be a number from %.0f to %.0f", min, max);
	*ret = n;
	return 0;
}

/* Read a number that body_check() has checked; NAN if it is absent. */
static double
checked_number(struct json_object *json, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(json, name, &value))
		return NAN;
	return json_object_get_double(value);
}

static int
refuse_model(struct fail *f, const char *where, const char *why)
{
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, where, "%s", why);
}
