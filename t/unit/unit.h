/* SPDX-License-Identifier: ISC */
/* The suites of the unit runner. */
#ifndef T_UNIT_UNIT_H
#define T_UNIT_UNIT_H

#include <check.h>
#include <stddef.h>

#define SUITE(name) Suite *suite_##name(void);
#include "t/unit/suites.tbl"

#include "core/base/array.h"
#undef SUITE

#endif
