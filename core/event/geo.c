/* SPDX-License-Identifier: ISC */
/* Places on earth: distances, middles of countries, calling codes. */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "core/event/geo.h"

#define EARTH_RADIUS_KM 6371.0088
#define RADIANS (3.14159265358979323846 / 180) /* radians per degree */
#define CODE_SIZE 4 /* bytes of the code at the start of each row */

struct country {
	char code[CODE_SIZE];
	double lat;
	double lon;
	uint16_t radius_km;
};

struct calling {
	char code[CODE_SIZE];
	const char *countries; /* two letters each, separated by spaces */
	struct geo_trunk trunk;
};

static const struct country *country_row(const char *code);
static const struct calling *calling_row(const char *phone);
static const void *row_below(
    const void *rows, size_t n, size_t size, const char *key);

static const struct country countries[] = {
#define COUNTRY(code, lat, lon, radius) { #code, lat, lon, radius },
#include "core/event/countries.tbl"
#undef COUNTRY
};

static const struct calling callings[] = {
#define CALLING_CODE(code, countries, trunk, digits)                           \
	{ code, countries, { sizeof(code) - 1, trunk, digits } },
#include "core/event/calling_codes.tbl"
#undef CALLING_CODE
};

#define N_COUNTRIES (sizeof(countries) / sizeof(countries[0]))
#define N_CALLINGS (sizeof(callings) / sizeof(callings[0]))

double
geo_distance_km(double lat1, double lon1, double lat2, double lon2)
{
	const double a = sin((lat2 - lat1) * RADIANS / 2);
	const double b = sin((lon2 - lon1) * RADIANS / 2);
	const double h =
	    a * a + cos(lat1 * RADIANS) * cos(lat2 * RADIANS) * b * b;

	return 2 * EARTH_RADIUS_KM * asin(sqrt(h > 1 ? 1 : h));
}

double
geo_travel_km(const struct place *from, const struct place *to)
{
	double km;

	if (geo_same_network(from, to) ||
	    ((!from->city || !to->city) &&
		strcmp(from->country, to->country) == 0))
		return 0;
	km = geo_distance_km(from->lat, from->lon, to->lat, to->lon) -
	    from->radius_km - to->radius_km;
	return km < 0 ? 0 : km;
}

bool
geo_same_network(const struct place *a, const struct place *b)
{
	return a->network != 0 && a->network == b->network;
}

void
geo_locate_country(struct place *place)
{
	static const struct country unknown = { "", NAN, NAN, 0 };
	const struct country *row = country_row(place->country);

	if (row == NULL)
		row = &unknown;
	place->lat = row->lat;
	place->lon = row->lon;
	place->radius_km = row->radius_km;
}

bool
geo_country(const char *country)
{
	return country_row(country) != NULL;
}

bool
geo_issuer_country(const char *country)
{
	static const char withdrawn[][3] = { "AN", "BU", "CS", "DD", "FX", "NT",
		"SU", "TP", "YD", "YU", "ZR" };
	size_t i;

	for (i = 0; i < nitems(withdrawn); i++)
		if (strcmp(withdrawn[i], country) == 0)
			return true;
	return geo_country(country);
}

enum truth
geo_phone_in_country(const char *phone, const char country[3])
{
	const struct calling *row = calling_row(phone);
	const char *p;

	if (row == NULL)
		return TRUTH_UNKNOWN;
	for (p = row->countries;; p += 3) {
		if (strncmp(p, country, 2) == 0)
			return TRUTH_TRUE;
		if (p[2] == '\0')
			return TRUTH_FALSE;
	}
}

const struct geo_trunk *
geo_trunk(const char *phone)
{
	const struct calling *row = calling_row(phone);

	return row == NULL ? NULL : &row->trunk;
}

/*
 * The calling code of a phone number, or NULL.  No code is a prefix of another,
 * so it can only be the last one that does not sort after the number.
 */
static const struct calling *
calling_row(const char *phone)
{
	const struct calling *row =
	    row_below(callings, N_CALLINGS, sizeof(*row), phone);

	return row == NULL || strncmp(row->code, phone, strlen(row->code)) != 0
	    ? NULL
	    : row;
}

/* The country with this code, or NULL. */
static const struct country *
country_row(const char *code)
{
	const struct country *row =
	    row_below(countries, N_COUNTRIES, sizeof(*row), code);

	return row == NULL || strcmp(row->code, code) != 0 ? NULL : row;
}

/*
 * The last of n rows whose code does not sort after key, or NULL.  Each row has
 * size bytes and begins with its code; the rows are sorted by code.
 */
static const void *
row_below(const void *rows, size_t n, size_t size, const char *key)
{
	const char *row = rows;
	size_t low = 0, high = n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(row + mid * size, key) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low == 0 ? NULL : row + (low - 1) * size;
}
