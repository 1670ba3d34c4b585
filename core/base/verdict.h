/* SPDX-License-Identifier: ISC */
/* Verdicts: what an event's decision says. */
#ifndef CORE_BASE_VERDICT_H
#define CORE_BASE_VERDICT_H

/* In order of severity. */
enum verdict {
	VERDICT__NONE = 0,
#define VERDICT(id, name) VERDICT_##id,
#include "core/base/verdicts.tbl"
#undef VERDICT
	VERDICT__MAX
};

/* The name of a verdict, such as "allow". */
const char *verdict_name(enum verdict v);

/* The verdict that has this name; VERDICT__NONE if none has it. */
enum verdict verdict_parse(const char *name);

#endif
