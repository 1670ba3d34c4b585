/* SPDX-License-Identifier: ISC */
/* The suites of the unit runner. */
#ifndef T_UNIT_UNIT_H
#define T_UNIT_UNIT_H

#include <check.h>
#include <stddef.h>

#define nitems(a) (sizeof(a) / sizeof((a)[0]))

#define SUITE(name) Suite *suite_##name(void);
#include "t/unit/suites.tbl"
#undef SUITE

#endif
