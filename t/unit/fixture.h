/* SPDX-License-Identifier: ISC */
/* A policy with the bands of card.authorize. */
#ifndef T_UNIT_FIXTURE_H
#define T_UNIT_FIXTURE_H

#include "core/base/array.h"
#include "core/decide/policy.h"

static const struct band bands[] = {
	{ VERDICT_ALLOW, 0, 24, NULL },
	{ VERDICT_CHALLENGE, 25, 44, NULL },
	{ VERDICT_REVIEW, 45, 69, NULL },
	{ VERDICT_DENY, 70, 100, NULL },
};

static const struct policy policy = {
	.id = "pol_card_authorize",
	.version = "v1",
	.on_error = ON_ERROR_FAIL_CLOSED,
	.bands = bands,
	.n_bands = nitems(bands),
};

#endif
