/* SPDX-License-Identifier: ISC */
/* Policies: bands that map a score to a verdict. */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/decide/policy.h"
#include "core/decide/score.h"

static int check_band(const struct policy *p, size_t i, struct fail *f);
static int band_fail(
    struct fail *f, size_t i, const char *member, const char *why);

static const char *const on_errors[ON_ERROR__MAX] = {
	[ON_ERROR_FAIL_OPEN] = "fail_open",
	[ON_ERROR_FAIL_CLOSED] = "fail_closed",
};

int
policy_check(const struct policy *p, struct fail *f)
{
	size_t i;

	if (p->n_bands == 0 || p->n_bands > POLICY_BANDS_MAX)
		return fail_set(f, FAIL_INPUT, POLICY_INVALID, "bands",
		    "must hold 1 to %d bands", POLICY_BANDS_MAX);
	for (i = 0; i < p->n_bands; i++)
		if (check_band(p, i, f) == -1)
			return -1;
	return 0;
}

const struct band *
policy_band(const struct policy *p, double score)
{
	size_t i;

	for (i = p->n_bands - 1; i > 0; i--)
		if (p->bands[i].min <= score)
			break;
	return &p->bands[i];
}

enum verdict
policy_degraded(const struct policy *p)
{
	assert(p->on_error > 0 && p->on_error < ON_ERROR__MAX);
	return p->on_error == ON_ERROR_FAIL_CLOSED ? VERDICT_DENY
						   : VERDICT_ALLOW;
}

const char *
policy_queue(const struct band *band)
{
	return band->queue == NULL ? POLICY_QUEUE_DEFAULT : band->queue;
}

const char *
policy_review_queue(const struct policy *p)
{
	size_t i;

	for (i = 0; i < p->n_bands; i++)
		if (p->bands[i].verdict == VERDICT_REVIEW)
			return policy_queue(&p->bands[i]);
	return POLICY_QUEUE_DEFAULT;
}

const char *
policy_on_error_name(enum on_error e)
{
	assert(e >= ON_ERROR_FAIL_OPEN && e < ON_ERROR__MAX);
	return on_errors[e];
}

enum on_error
policy_on_error_parse(const char *name)
{
	return name_index(on_errors, name);
}

/* Check one band: its verdict, its numbers, and that it follows band i-1. */
static int
check_band(const struct policy *p, size_t i, struct fail *f)
{
	const struct band *b = &p->bands[i];

	if (b->verdict < VERDICT_ALLOW || b->verdict >= VERDICT__MAX)
		return band_fail(f, i, "verdict",
		    "must be allow, challenge, review or deny");
	if (b->min != trunc(b->min))
		return band_fail(f, i, "min", "must be a whole number");
	if (b->max != trunc(b->max))
		return band_fail(f, i, "max", "must be a whole number");
	if (i == 0 && b->min != 0)
		return band_fail(f, i, "min", "must be 0 in the first band");
	if (i > 0 && b->min != p->bands[i - 1].max + 1)
		return band_fail(f, i, "min",
		    "must be one above the max of the band before");
	if (b->max < b->min)
		return band_fail(f, i, "max", "must not be below min");
	if (b->max > SCORE_MAX)
		return band_fail(f, i, "max", "must not be above 100");
	if (i + 1 == p->n_bands && b->max != SCORE_MAX)
		return band_fail(f, i, "max", "must be 100 in the last band");
	return 0;
}

static int
band_fail(struct fail *f, size_t i, const char *member, const char *why)
{
	char where[64];

	snprintf(where, sizeof(where), "bands[%zu].%s", i, member);
	return fail_set(f, FAIL_INPUT, POLICY_INVALID, where, "%s", why);
}
