/* SPDX-License-Identifier: ISC */
/* Places on earth: distances, country centroids, calling codes. */
#ifndef CORE_EVENT_GEO_H
#define CORE_EVENT_GEO_H

#include <stdbool.h>

#include "core/base/value.h"

/* Where something is; known only if country is not empty. */
struct place {
	char country[3]; /* ISO 3166, upper case, or "" when unknown */
	bool city; /* lat and lon are a city's, not a country's centroid */
	double lat; /* degrees, north positive; NAN without a centroid */
	double lon; /* degrees, east positive; NAN without a centroid */
};

/*
 * Great-circle distance in km on a sphere of radius 6371.0088 km; NAN when a
 * coordinate is.
 */
double geo_distance_km(double lat1, double lon1, double lat2, double lon2);

/*
 * The centroid of a country into *ret_lat and *ret_lon.  Returns 0, or -1
 * for a code that the table does not hold.
 */
int geo_centroid(const char country[3], double *ret_lat, double *ret_lon);

/* Whether country is a code of ISO 3166-1, or XK, in upper case. */
bool geo_country(const char *country);

/*
 * Whether the phone (digits, with its calling code) belongs to a numbering
 * plan that country is part of: true or false, unknown when the calling code
 * is not assigned.  Shared codes (+1, +7, +44, +47, ...) compare as sets.
 */
enum truth geo_phone_in_country(const char *phone, const char country[3]);

#endif
