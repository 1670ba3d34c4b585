/* SPDX-License-Identifier: ISC */
/* The reason codes of chargebacks. */
#include "config.h"

#include <stddef.h>
#include <strings.h>

#include "core/base/array.h"
#include "fcgi/ep/chargeback_reason.h"

static const char *const codes[] = {
#define REASON(code, meaning) code,
#include "fcgi/ep/chargeback_reasons.tbl"
#undef REASON
};

bool
chargeback_reason_is_fraud(const char *code)
{
	size_t i;

	for (i = 0; i < nitems(codes); i++)
		if (strcasecmp(codes[i], code) == 0)
			return true;
	return false;
}
