/* SPDX-License-Identifier: ISC */
/* The range of each signal. */
#include "config.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "core/event/event.h"
#include "core/state/entity_graph.h"
#include "core/signal/signal_range.h"

static bool is_country(const char *text);
static bool is_currency(const char *text);
static bool is_letters(const char *text, size_t n);

static const char *const kinds[] = { "card", "wallet", "bank", NULL };

static const struct signal_range domains[SIGNAL__MAX + 1] = {
#define DOMAIN(ident, from, to, steps)                                         \
	[SIGNAL_##ident] = { .least = (from), .most = (to), .parts = (steps) },
#define COUNT(ident, from, to)                                                 \
	[SIGNAL_##ident] = {                                                   \
		.least = (from), .most = (to), .parts = 1, .whole = true       \
	},
#define KNOWN(ident, from, to)                                                 \
	[SIGNAL_##ident] = { .least = (from),                                  \
		.most = (to),                                                  \
		.parts = 1,                                                    \
		.whole = true,                                                 \
		.known = true },
#include "core/signal/signal_ranges.tbl"
#undef DOMAIN
#undef COUNT
#undef KNOWN
	[SIGNAL_EVENT_CURRENCY] = { .may = is_currency },
	[SIGNAL_INSTRUMENT_KIND] = { .words = kinds },
	[SIGNAL_INSTRUMENT_BIN] = { .may = event_bin },
	[SIGNAL_INSTRUMENT_ISSUER_COUNTRY] = { .may = is_country },
	[SIGNAL_GEO_COUNTRY] = { .may = is_country },

	/* A caller may send attributes with any value. */
	[SIGNAL__MAX] = { .least = -DBL_MAX, .most = DBL_MAX, .parts = 1 },
};

const struct signal_range *
signal_range_of(enum signal sig)
{
	assert(sig <= SIGNAL__MAX);
	return &domains[sig];
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
is_country(const char *text)
{
	return is_letters(text, 2);
}

static bool
is_currency(const char *text)
{
	return is_letters(text, 3);
}

static bool
is_letters(const char *text, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (text[i] < 'A' || text[i] > 'Z')
			return false;
	return text[n] == '\0';
}
