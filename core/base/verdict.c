/* SPDX-License-Identifier: ISC */
/* The names of verdicts. */
#include "config.h"

#include <assert.h>

#include "core/base/array.h"
#include "core/base/verdict.h"

static const char *const verdicts[VERDICT__MAX] = {
#define VERDICT(id, name) [VERDICT_##id] = name,
#include "core/base/verdicts.tbl"
#undef VERDICT
};

const char *
verdict_name(enum verdict v)
{
	assert(v >= VERDICT_ALLOW && v < VERDICT__MAX);
	return verdicts[v];
}

enum verdict
verdict_parse(const char *name)
{
	return name_index(verdicts, name);
}
