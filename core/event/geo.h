/* SPDX-License-Identifier: ISC */
/* Places on earth: distances, middles of countries, calling codes. */
#ifndef CORE_EVENT_GEO_H
#define CORE_EVENT_GEO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/value.h"

#define PLACE_RADIUS_MAX 9999 /* km */

/* The place of an address; unknown if country is empty. */
struct place {
	char country[3]; /* ISO 3166, upper case; "" if unknown */
	bool city; /* coordinates of a city, not of a country's middle */
	double lat; /* degrees, north positive; NAN if unknown */
	double lon; /* degrees, east positive; NAN if unknown */
	uint16_t radius_km; /* the address is within; to PLACE_RADIUS_MAX */
	uint32_t network; /* a hash of the address's /24 or /48; 0: unknown */
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
 * The least distance in km between two addresses: that of their places, less
 * the radius of both.  It is 0 within one network, and within one country if
 * one place is no city; NAN if a coordinate is unknown.
 */
double geo_travel_km(const struct place *from, const struct place *to);

/* Whether two places are of addresses in the same network. */
bool geo_same_network(const struct place *a, const struct place *b);

/*
 * Set the coordinates and the radius of a place to those of its country; to NAN
 * and 0 if core/event/countries.tbl does not have it.
 */
void geo_locate_country(struct place *place);

/* Whether country is a code of ISO 3166-1, or XK, in upper case. */
bool geo_country(const char *country);

/*
 * The same, or a code that ISO 3166 has withdrawn since cards have issuers and
 * has given to no other country (ISO 3166-3): tables of bins still have these.
 */
bool geo_issuer_country(const char *country);

/* How the numbers of a calling code are dialled inside their countries. */
struct geo_trunk {
	size_t code; /* digits of the calling code */
	const char *trunk; /* dialled before a number, but not after the code */
	size_t digits; /* of a number, if it may begin with trunk; else 0 */
};

/*
 * The trunk of the calling code with which a phone number, given as digits,
 * begins; NULL if the code belongs to no country.
 */
const struct geo_trunk *geo_trunk(const char *phone);

/*
 * Whether country uses the calling code of the phone number, given as digits
 * with the calling code: true, false, or unknown if the code belongs to no
 * country.  Several countries share some codes (+1, +7, +44, +47, ...).
 */
enum truth geo_phone_in_country(const char *phone, const char country[3]);

#endif
