/* SPDX-License-Identifier: ISC */
/* core/model.c: the table of the bundled model makes sense. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/model.h"
#include "core/signals.h"
#include "t/unit/unit.h"

START_TEST(features)
{
	const struct model *m = model_bundled();
	const struct model_feature *f;
	enum signal sig;
	size_t i;

	ck_assert_uint_eq(m->n_features, 14);
	for (i = 0; i < m->n_features; i++) {
		f = &m->features[i];
		ck_assert(isfinite(f->weight) && f->scale >= 1);
		if (strcmp(f->name, "rules.score") == 0)
			continue;
		sig = signal_parse(f->name);
		ck_assert_int_ne(sig, SIGNAL__MAX);
		ck_assert_int_ne(signal_type(sig), VALUE_STRING);
		if (signal_type(sig) == VALUE_BOOL)
			ck_assert(f->scale == 1);
	}
}
END_TEST

START_TEST(figures)
{
	const struct model *m = model_bundled();

	ck_assert_uint_eq(strlen(m->trained_at), strlen("2026-11-21"));
	ck_assert(m->auc > 0.5 && m->auc <= 1);
	ck_assert(m->accuracy > 0.5 && m->accuracy <= 1);
	ck_assert_int_gt(m->samples, 1000);
	ck_assert(isfinite(m->bias) && m->bias < 0);
}
END_TEST

Suite *
suite_model(void)
{
	Suite *s = suite_create("model");
	TCase *tc = tcase_create("model");

	tcase_add_test(tc, features);
	tcase_add_test(tc, figures);
	suite_add_tcase(s, tc);
	return s;
}
