/* SPDX-License-Identifier: ISC */
/* Calibrate the log odds of a classifier to probabilities (Platt scaling). */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/analyse/backtest.h"
#include "core/base/fail.h"
#include "core/train/logit.h"
#include "core/train/platt_calibrate.h"

#define ROUNDS_MAX 100
#define HALVINGS_MAX 40
#define RIDGE 1e-12 /* added to the diagonal, so that a step always exists */
#define STEP_ENOUGH 1e-10 /* a smaller step is the last */
#define LOSS_NOISE 1e-13 /* relative growth of a loss due to rounding */

/* The state of a fit; it uses z centred and divided by its deviation. */
struct calibrate_work {
	const double *z;
	const uint8_t *label;
	size_t n;
	double mean;
	double scale;
	double target[2]; /* of legit, of fraud */
	double total;

	/* The derivatives at the last point of measure_mean_loss(). */
	double slope[2]; /* by a, by b */
	double curve[3]; /* by a twice, by a and b, by b twice */
};

static int count_target_classes(struct calibrate_work *w, struct fail *f);
static void find_spread(struct calibrate_work *w);
static double measure_mean_loss(
    struct calibrate_work *w, const struct model_calibration *at);
static bool newton_step(
    const struct calibrate_work *w, struct model_calibration *ret);

int
platt_calibrate(const double *z, const uint8_t *label, size_t n,
    struct model_calibration *ret, struct fail *f)
{
	struct calibrate_work w = { .z = z, .label = label, .n = n };
	struct model_calibration now = { 0 }, move, next;
	double loss, tried, share;
	int rounds = 0, halvings;
	bool more = true;

	if (count_target_classes(&w, f) == -1)
		return -1;
	find_spread(&w);
	loss = measure_mean_loss(&w, &now);
	while (more && rounds++ < ROUNDS_MAX) {
		more = newton_step(&w, &move);
		share = 1;
		for (halvings = 0; halvings < HALVINGS_MAX; halvings++) {
			next.a = now.a - share * move.a;
			next.b = now.b - share * move.b;
			tried = measure_mean_loss(&w, &next);
			if (tried <= loss + LOSS_NOISE * loss)
				break;
			share /= 2;
		}
		now = next;
		loss = tried;
	}
	ret->a = now.a / w.scale;
	ret->b = now.b - ret->a * w.mean;
	return 0;
}

/* Count the classes, and set their targets. */
static int
count_target_classes(struct calibrate_work *w, struct fail *f)
{
	double n[2] = { 0 };
	size_t i;

	for (i = 0; i < w->n; i++) {
		if (w->label[i] == LABEL_NONE)
			continue;
		if (!isfinite(w->z[i]))
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
			    "row %zu is not finite", i + 1);
		n[w->label[i] == LABEL_FRAUD]++;
	}
	if (n[0] == 0 || n[1] == 0)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL, "%s",
		    n[0] + n[1] == 0 ? "there is no row to calibrate with"
			: n[1] == 0  ? "no row is fraud"
				     : "every row is fraud");
	w->total = n[0] + n[1];
	w->target[0] = 1 / (n[0] + 2);
	w->target[1] = (n[1] + 1) / (n[1] + 2);
	return 0;
}

/* Compute the mean and deviation of z; the deviation is 1 if all are equal. */
static void
find_spread(struct calibrate_work *w)
{
	double least = INFINITY, most = -INFINITY, squares = 0, d;
	size_t i;

	for (i = 0; i < w->n; i++) {
		if (w->label[i] == LABEL_NONE)
			continue;
		least = fmin(least, w->z[i]);
		most = fmax(most, w->z[i]);
		w->mean += w->z[i] / w->total;
	}
	if (least == most) {
		w->mean = least;
		w->scale = 1;
		return;
	}
	for (i = 0; i < w->n; i++) {
		d = w->label[i] != LABEL_NONE ? w->z[i] - w->mean : 0;
		squares += d * d / w->total;
	}
	w->scale = sqrt(squares);
}

/*
 * Return the mean loss of a calibration of the standardized z, and set its
 * derivatives.
 */
static double
measure_mean_loss(struct calibrate_work *w, const struct model_calibration *at)
{
	double loss = 0, z, eta, p, q, target;
	size_t i;

	memset(w->slope, 0, sizeof(w->slope));
	memset(w->curve, 0, sizeof(w->curve));
	for (i = 0; i < w->n; i++) {
		if (w->label[i] == LABEL_NONE)
			continue;
		z = (w->z[i] - w->mean) / w->scale;
		eta = at->a * z + at->b;
		p = logit_p(eta);
		q = logit_p(-eta);
		target = w->target[w->label[i] == LABEL_FRAUD];
		loss +=
		    target * logit_loss(-eta) + (1 - target) * logit_loss(eta);
		w->slope[0] += (p - target) * z;
		w->slope[1] += p - target;
		w->curve[0] += p * q * z * z;
		w->curve[1] += p * q * z;
		w->curve[2] += p * q;
	}
	return loss / w->total;
}

/* Compute the Newton step; return false if it is small enough to stop. */
static bool
newton_step(const struct calibrate_work *w, struct model_calibration *ret)
{
	const double aa = w->curve[0] + RIDGE, ab = w->curve[1];
	const double bb = w->curve[2] + RIDGE;
	const double det = aa * bb - ab * ab;

	ret->a = (bb * w->slope[0] - ab * w->slope[1]) / det;
	ret->b = (aa * w->slope[1] - ab * w->slope[0]) / det;
	return fmax(fabs(ret->a), fabs(ret->b)) > STEP_ENOUGH;
}
