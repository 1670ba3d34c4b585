/* SPDX-License-Identifier: ISC */
/* A model for tests that set the weights they need. */
#include "config.h"

#include "t/unit/blank_model.h"

struct model
blank_model(void)
{
	struct model m = *model_bundled();
	int i;

	for (i = 0; i < FEATURE__MAX; i++) {
		m.weight[i] = 0;
		m.range[i] = (struct model_range) { 0, 1 };
	}
	return m;
}
