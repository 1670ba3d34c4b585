/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: the reader of model files.  An accepted model can score, and
 * reads back the same when it is written.  A refused one changes nothing and
 * has a reason.  Each input is tried as a file and as a replacement for a
 * piece of the bundled model's file, so inputs stay useful when the features
 * change.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/model.h"
#include "lib/json/model_file.h"
#include "t/fuzz/fuzz.h"

static void check_file(const char *text, size_t size);
static void check_splice(const uint8_t *data, size_t size);
static void check(const struct model *m);
static void check_again(const struct model *first);
static bool same(double a, double b);

static _Alignas(16) char block[8 << 20];
static struct arena arena;

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_file((const char *)data, size);
	if (size >= 3)
		check_splice(data, size);
	return 0;
}

static void
check_file(const char *text, size_t size)
{
	struct model m = *model_bundled(), before = m;
	struct fail f = { 0 };

	arena_init(&arena, block, sizeof(block));
	if (model_file_read(&arena, text, size, &m, &f) == 0) {
		assert(size <= MODEL_FILE_MAX);
		check(&m);
		check_again(&m);
	} else {
		assert(f.kind == FAIL_INPUT && f.why[0] != '\0');
		assert(memcmp(&m, &before, sizeof(m)) == 0);
	}
	arena_reset(&arena);
}

/* Where the piece is, its length, and its replacement. */
static void
check_splice(const uint8_t *data, size_t size)
{
	static _Alignas(16) char room[4 * MODEL_FILE_MAX];
	size_t at, out, whole;
	struct str s, all;
	struct arena a;

	arena_init(&a, room, sizeof(room));
	str_init(&s, &a);
	model_file_json(&s, model_bundled());
	assert(str_text(&s) != NULL);
	whole = s.len;
	at = ((size_t)data[0] << 8 | data[1]) % (whole + 1);
	out = data[2] < whole - at ? data[2] : whole - at;
	str_init(&all, &a);
	str_addn(&all, s.text, at);
	str_addn(&all, (const char *)data + 3, size - 3);
	str_add(&all, s.text + at + out);
	if (str_text(&all) != NULL)
		check_file(str_text(&all), all.len);
	arena_reset(&a);
}

/* The model can score: its risk of any event is a probability. */
static void
check(const struct model *m)
{
	double x[FEATURE__MAX] = { 0 };
	struct model_risk risk;
	int i;

	for (i = 0; i <= FEATURE__MAX; i++) {
		model_risk(m, x, &risk);
		assert(risk.p >= 0 && risk.p <= 1);
		assert(risk.p_even >= 0 && risk.p_even <= 1);
		if (i < FEATURE__MAX)
			x[i] = 1;
	}
	for (i = 0; i < FEATURE__MAX; i++)
		assert(0 <= m->range[i].min &&
		    m->range[i].min <= m->range[i].max && m->range[i].max <= 1);
	assert(m->base_rate > 0 && m->base_rate < 1 && m->calibration.a > 0);
	assert(m->metrics.samples > 0 && strlen(m->trained_at) >= 10);
}

/* Write the model and read it again. */
static void
check_again(const struct model *first)
{
	struct model again = *model_bundled();
	struct fail f = { 0 };
	struct str s;
	int i;

	str_init(&s, &arena);
	model_file_json(&s, first);
	assert(str_text(&s) != NULL && s.len <= MODEL_FILE_MAX);
	assert(model_file_read(&arena, str_text(&s), s.len, &again, &f) == 0);
	for (i = 0; i < FEATURE__MAX; i++)
		assert(again.weight[i] == first->weight[i] &&
		    again.range[i].min == first->range[i].min &&
		    again.range[i].max == first->range[i].max);
	assert(again.bias == first->bias);
	assert(again.base_rate == first->base_rate);
	assert(again.calibration.a == first->calibration.a);
	assert(again.calibration.b == first->calibration.b);
	assert(strcmp(again.trained_at, first->trained_at) == 0);
	assert(again.metrics.samples == first->metrics.samples);
	assert(same(again.metrics.auc, first->metrics.auc));
	assert(same(again.metrics.log_loss, first->metrics.log_loss));
	assert(same(again.metrics.brier, first->metrics.brier));
}

static bool
same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}
