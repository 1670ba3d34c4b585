/* SPDX-License-Identifier: ISC */
/* Places on earth: distances, country centroids, calling codes. */
#ifndef CORE_EVENT_GEO_H
#define CORE_EVENT_GEO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/value.h"

/* A place on earth; unknown if country is empty. */
struct place {
	char country[3]; /* ISO 3166, upper case; "" if unknown */
	bool city; /* coordinates of a city, not of a country's centroid */
	double lat; /* degrees, north positive; NAN without a centroid */
	double lon; /* degrees, east positive; NAN without a centroid */
};

/* What else is known of an address; all zero if nothing is. */
struct ip_facts {
	const char *city; /* its name; NULL if unknown */
	const char *asn_org; /* who has the asn; NULL if unknown */
	uint32_t asn; /* of the autonomous system; 0 if unknown */
};

/*
 * The great-circle distance in km on a sphere of radius 6371.0088 km; NAN if a
 * coordinate is NAN.
 */
double geo_distance_km(double lat1, double lon1, double lat2, double lon2);

/*
 * Set *ret_lat and *ret_lon to the centroid of a country.  Return 0, or -1 if
 * core/event/countries.tbl does not have the code.
 */
int geo_centroid(const char country[3], double *ret_lat, double *ret_lon);

/* Whether country is a code of ISO 3166-1, or XK, in upper case. */
bool geo_country(const char *country);

/*
 * Whether country uses the calling code of the phone number, given as digits
 * with the calling code: true, false, or unknown if the code belongs to no
 * country.  Several countries share some codes (+1, +7, +44, +47, ...).
 */
enum truth geo_phone_in_country(const char *phone, const char country[3]);

#endif
