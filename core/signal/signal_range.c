/* SPDX-License-Identifier: ISC */
/* The range of each signal. */
#include "config.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/event/event.h"
#include "core/event/geo.h"
#include "core/signal/signal_range.h"
#include "core/state/entity_graph.h"

static bool is_event_type(const char *text);

static const char *const kinds[] = { "card", "wallet", "bank", NULL };

static const struct signal_range domains[SIGNAL__MAX + 1] = {
#define DOMAIN(ident, from, to, steps)                                         \
	[SIGNAL_##ident] = { .least = (from), .most = (to), .parts = (steps) },
#define SHARE(ident, steps)                                                    \
	[SIGNAL_##ident] = {                                                   \
		.least = 0, .most = 1, .parts = (steps), .closed = true        \
	},
#define COUNT(ident, from, to)                                                 \
	[SIGNAL_##ident] = { .least = (from),                                  \
		.most = (to),                                                  \
		.parts = 1,                                                    \
		.closed = true,                                                \
		.whole = true },
#define KNOWN(ident, from, to)                                                 \
	[SIGNAL_##ident] = { .least = (from),                                  \
		.most = (to),                                                  \
		.parts = 1,                                                    \
		.closed = true,                                                \
		.whole = true,                                                 \
		.known = true },
#include "core/signal/signal_ranges.tbl"
#undef DOMAIN
#undef SHARE
#undef COUNT
#undef KNOWN
	[SIGNAL_EVENT_TYPE] = { .may = is_event_type, .form = "an event type" },
	[SIGNAL_EVENT_CURRENCY] = { .may = event_currency,
	    .form = "a code of ISO 4217" },
	[SIGNAL_INSTRUMENT_KIND] = { .words = kinds,
	    .form = "card, wallet or bank" },
	[SIGNAL_INSTRUMENT_BIN] = { .may = event_bin, .form = "6 to 8 digits" },
	[SIGNAL_INSTRUMENT_ISSUER_COUNTRY] = { .may = geo_issuer_country,
	    .form = "a code of ISO 3166" },
	[SIGNAL_GEO_COUNTRY] = { .may = geo_country,
	    .form = "a code of ISO 3166" },

	/* A caller may send attributes with any value. */
	[SIGNAL__MAX] = { .least = -DBL_MAX, .most = DBL_MAX, .parts = 1 },
};

const struct signal_range *
signal_range_of(enum signal sig)
{
	assert(sig <= SIGNAL__MAX);
	return &domains[sig];
}

bool
signal_range_has_text(const struct signal_range *range, const char *text)
{
	size_t i;

	if (range->words == NULL)
		return range->may == NULL || range->may(text);
	for (i = 0; range->words[i] != NULL; i++)
		if (strcmp(range->words[i], text) == 0)
			return true;
	return false;
}

double
signal_range_round(const struct signal_range *d, double n)
{
	return nearbyint(n * d->parts) / d->parts;
}

/*
 * Round n to a multiple of 1 / parts.  If the result is not beyond n in the
 * direction of way, take the next multiple.
 */
double
signal_range_next(const struct signal_range *d, double n, int way)
{
	double next = signal_range_round(d, n);

	if ((next - n) * way <= 0)
		next = (nearbyint(n * d->parts) + way) / d->parts;
	return (next - n) * way > 0 ? next : nextafter(n, way * HUGE_VAL);
}

static bool
is_event_type(const char *text)
{
	return event_type_parse(text) != EVENT_TYPE__NONE;
}
