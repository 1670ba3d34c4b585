/* SPDX-License-Identifier: ISC */
/* Sums of the amounts of events, by currency. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/analyse/amounts.h"
#include "core/base/value.h"
#include "core/base/writer.h"
#include "core/signal/signals.h"

#define DECIMALS 1e4 /* no currency of ISO 4217 has more than four */

void
amounts_add(struct amounts *amounts, const struct signals *sigs)
{
	const struct value *amount = &sigs->value[SIGNAL_EVENT_AMOUNT];
	const struct value *currency = &sigs->value[SIGNAL_EVENT_CURRENCY];
	size_t i;

	if (amount->type != VALUE_NUMBER || currency->type != VALUE_STRING ||
	    strlen(currency->string) >= sizeof(amounts->of[0].currency))
		return;
	for (i = 0; i < AMOUNTS_CURRENCIES; i++) {
		if (amounts->of[i].currency[0] == '\0')
			memcpy(amounts->of[i].currency, currency->string,
			    strlen(currency->string) + 1);
		if (strcmp(amounts->of[i].currency, currency->string) == 0) {
			amounts->of[i].sum += amount->number;
			return;
		}
	}
}

void
amounts_json(struct str *s, const char *name, const struct amounts *amounts)
{
	size_t i;

	writer_object(s, name);
	for (i = 0;
	     i < AMOUNTS_CURRENCIES && amounts->of[i].currency[0] != '\0'; i++)
		writer_number(s, amounts->of[i].currency,
		    round(amounts->of[i].sum * DECIMALS) / DECIMALS);
	writer_end(s);
}
