/* SPDX-License-Identifier: ISC */
/* A model for tests that set the weights they need. */
#ifndef T_UNIT_BLANK_MODEL_H
#define T_UNIT_BLANK_MODEL_H

#include "core/decide/model.h"

/*
 * Return the bundled model with weights of 0, and with ranges from 0 to 1,
 * which clamp nothing.
 */
struct model blank_model(void);

#endif
