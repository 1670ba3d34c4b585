/* SPDX-License-Identifier: ISC */
/* The suites of the unit runner. */
#ifndef T_UNIT_UNIT_H
#define T_UNIT_UNIT_H

#include <check.h>
#include <stddef.h>

#include "core/base/array.h"

#define SUITE(name) Suite *suite_##name(void);
#define SUITE_APART(name) SUITE(name)
#include "t/unit/suites.tbl"
#undef SUITE_APART
#undef SUITE

#endif
