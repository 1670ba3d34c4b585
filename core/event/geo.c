/* SPDX-License-Identifier: ISC */
/* Places on earth: distances, country centroids, calling codes. */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/event/geo.h"

#define EARTH_RADIUS_KM 6371.0088
#define RADIANS (3.14159265358979323846 / 180) /* radians per degree */
#define CODE_SIZE 4 /* bytes of the code at the start of each row */

struct country {
	char code[CODE_SIZE];
	double lat;
	double lon;
};

struct calling {
	char code[CODE_SIZE];
	const char *countries; /* two letters each, separated by spaces */
};

static const void *row_below(
    const void *rows, size_t n, size_t size, const char *key);

static const struct country countries[] = {
#define COUNTRY(code, lat, lon) { #code, lat, lon },
#include "core/event/countries.tbl"
#undef COUNTRY
};

static const struct calling callings[] = {
#define CALLING_CODE(code, countries) { code, countries },
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

int
geo_centroid(const char country[3], double *ret_lat, double *ret_lon)
{
	const struct country *row;

	row = row_below(countries, N_COUNTRIES, sizeof(*row), country);
	if (row == NULL || strcmp(row->code, country) != 0)
		return -1;
	*ret_lat = row->lat;
	*ret_lon = row->lon;
	return 0;
}

bool
geo_country(const char *country)
{
	const struct country *row;

	row = row_below(countries, N_COUNTRIES, sizeof(*row), country);
	return row != NULL && strcmp(row->code, country) == 0;
}

enum truth
geo_phone_in_country(const char *phone, const char country[3])
{
	const struct calling *row;
	const char *p;

	/*
	 * No code is a prefix of another, so the code of the phone can only be
	 * the last one that does not sort after it.
	 */
	row = row_below(callings, N_CALLINGS, sizeof(*row), phone);
	if (row == NULL || strncmp(row->code, phone, strlen(row->code)) != 0)
		return TRUTH_UNKNOWN;
	for (p = row->countries;; p += 3) {
		if (strncmp(p, country, 2) == 0)
			return TRUTH_TRUE;
		if (p[2] == '\0')
			return TRUTH_FALSE;
	}
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
