/* SPDX-License-Identifier: ISC */
/* core/event/geo.c: distances, countries, calling codes. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/event/geo.h"
#include "t/unit/unit.h"

static const char *const country_codes[] = {
#define COUNTRY(code, lat, lon, radius) #code,
#include "core/event/countries.tbl"
#undef COUNTRY
};

static const struct {
	const char *code;
	const char *countries;
} calling_codes[] = {
#define CALLING_CODE(code, countries, trunk, digits) { code, countries },
#include "core/event/calling_codes.tbl"
#undef CALLING_CODE
};

/* Known distances, to about a tenth of a percent. */
static const struct {
	double lat1, lon1, lat2, lon2;
	double want, tolerance;
} distances[] = {
	{ 0, 0, 0, 0, 0, 0 },
	{ 9.03, 38.74, 9.03, 38.74, 0, 0 },
	{ 0, 0, 0, 1, 111.195, 0.001 }, /* a degree of the equator */
	{ 0, 0, 0, 180, 20015.115, 0.001 }, /* halfway around */
	{ 90, 0, -90, 77, 20015.115, 0.001 }, /* pole to pole */
	{ 60, 0, 60, 2, 111.186, 0.01 }, /* meridians converge */
	{ 0, 179.5, 0, -179.5, 111.195, 0.001 }, /* across the date line */
	{ 51.5074, -0.1278, 48.8566, 2.3522, 343.6, 0.5 }, /* London, Paris */
	{ 40.7128, -74.006, 35.6762, 139.6503, 10848, 15 }, /* NY, Tokyo */
	{ -33.8688, 151.2093, -34.6037, -58.3816, 11801, 20 },
};

static const struct {
	const char *country;
	double lat, lon;
	unsigned radius_km;
} near[] = {
	{ "AD", 42.5, 1.5, 20 },
	{ "ET", 9, 40, 680 },
	{ "SE", 62, 15, 700 },
	{ "BR", -10, -55, 2030 },
	{ "NZ", -42, 174, 710 },
	{ "XK", 42.6, 21, 70 },
	{ "ZW", -19, 30, 380 },
};

static const char *const unknown_countries[] = { "", "A", "AA", "XX", "ZZ",
	"et" };

static const struct {
	const char *phone;
	const char *country;
	enum truth want;
} phones[] = {
	{ "251911234567", "ET", TRUTH_TRUE },
	{ "251911234567", "KE", TRUTH_FALSE },
	{ "998901234567", "UZ", TRUTH_TRUE },
	{ "12025550123", "US", TRUTH_TRUE },
	{ "12025550123", "CA", TRUTH_TRUE },
	{ "18765550123", "JM", TRUTH_TRUE },
	{ "18765550123", "US", TRUTH_TRUE },
	{ "12025550123", "MX", TRUTH_FALSE },
	{ "79161234567", "RU", TRUTH_TRUE },
	{ "77011234567", "KZ", TRUTH_TRUE },
	{ "79781234567", "UA", TRUTH_TRUE },
	{ "79161234567", "BY", TRUTH_FALSE },
	{ "972599123456", "PS", TRUTH_TRUE },
	{ "970599123456", "IL", TRUTH_TRUE },
	{ "970599123456", "JO", TRUTH_FALSE },
	{ "903921234567", "CY", TRUTH_TRUE },
	{ "37744123456", "XK", TRUTH_TRUE },
	{ "262692123456", "FR", TRUTH_TRUE },
	{ "447911123456", "GB", TRUTH_TRUE },
	{ "447781123456", "GG", TRUTH_TRUE },
	{ "447781123456", "JE", TRUTH_TRUE },
	{ "447624123456", "IM", TRUTH_TRUE },
	{ "447911123456", "IE", TRUTH_FALSE },
	{ "4740612345", "SJ", TRUTH_TRUE },
	{ "390612345678", "VA", TRUTH_TRUE },
	{ "61412345678", "CX", TRUTH_TRUE },
	{ "212612345678", "EH", TRUTH_TRUE },
	{ "262692123456", "YT", TRUTH_TRUE },
	{ "358401234567", "AX", TRUTH_TRUE },
	{ "590690123456", "MF", TRUTH_TRUE },
	{ "59995123456", "BQ", TRUTH_TRUE },
	{ "67231234567", "NF", TRUTH_TRUE },
	{ "210123456789", "EG", TRUTH_UNKNOWN }, /* not assigned */
	{ "80012345678", "US", TRUTH_UNKNOWN }, /* not of a country */
	{ "88161234567", "US", TRUTH_UNKNOWN }, /* satellites */
	{ "01234567890", "GB", TRUTH_UNKNOWN },
	{ "99912345678", "UZ", TRUTH_UNKNOWN },
	{ "2", "EG", TRUTH_UNKNOWN },
	{ "", "US", TRUTH_UNKNOWN },
	{ "251911234567", "", TRUTH_FALSE },
};

START_TEST(distance_is_that_on_the_sphere)
{
	ck_assert_double_eq_tol(
	    geo_distance_km(distances[_i].lat1, distances[_i].lon1,
		distances[_i].lat2, distances[_i].lon2),
	    distances[_i].want, distances[_i].tolerance + 1e-9);
	ck_assert_double_eq_tol(
	    geo_distance_km(distances[_i].lat2, distances[_i].lon2,
		distances[_i].lat1, distances[_i].lon1),
	    distances[_i].want, distances[_i].tolerance + 1e-9);
}
END_TEST

/* The place of a country. */
static struct place
country_place(const char *code)
{
	struct place place = { .city = false };

	snprintf(place.country, sizeof(place.country), "%s", code);
	geo_locate_country(&place);
	return place;
}

START_TEST(country_is_located_near_its_middle)
{
	const struct place place = country_place(near[_i].country);

	ck_assert_double_le(fabs(place.lat - near[_i].lat), 3);
	ck_assert_double_le(fabs(place.lon - near[_i].lon), 3);
	ck_assert_uint_eq(place.radius_km, near[_i].radius_km);
}
END_TEST

START_TEST(unknown_country_has_no_coordinates)
{
	const struct place place = country_place(unknown_countries[_i]);

	ck_assert(isnan(place.lat) && isnan(place.lon));
	ck_assert_uint_eq(place.radius_km, 0);
}
END_TEST

/* Moves between two places: the least distance in km. */
static const struct {
	struct place from, to;
	double want, tolerance;
} moves[] = {
	/* A degree of the equator, and the radius of both ends. */
	{ { "KE", true, 0, 36, 0, 1 }, { "KE", true, 0, 37, 0, 2 }, 111.2, 1 },
	{ { "KE", true, 0, 36, 50, 1 }, { "KE", true, 0, 37, 20, 2 }, 41.2, 1 },
	{ { "KE", true, 0, 36, 50, 1 }, { "KE", true, 0, 37, 62, 2 }, 0, 0 },
	{ { "KE", true, 0, 36, 999, 1 }, { "KE", true, 0, 37, 0, 2 }, 0, 0 },
	/* One network is one place, whatever the database says of it. */
	{ { "GB", true, 51.5, -0.1, 0, 7 }, { "FR", true, 48.9, 2.4, 0, 7 }, 0,
	    0 },
	/* Not known to be one network. */
	{ { "GB", true, 51.5, -0.1, 0, 0 }, { "FR", true, 48.9, 2.4, 0, 0 },
	    340, 10 },
	/* Of one country, one end is no city. */
	{ { "US", true, 40.7, -74, 20, 1 }, { "US", false, 39.5, -98, 2060, 2 },
	    0, 0 },
	/* Neighbours and countries far away. */
	{ { "CH", false, 46.8, 8.2, 150, 1 },
	    { "FR", false, 46.6, 2.5, 470, 2 }, 0, 0 },
	{ { "CH", false, 46.8, 8.2, 150, 1 },
	    { "AU", false, -25.7, 134.5, 1870, 2 }, 12760, 10 },
};

START_TEST(travel_is_beyond_the_radius_of_both_places)
{
	const struct place *from = &moves[_i].from, *to = &moves[_i].to;

	ck_assert_double_le(fabs(geo_travel_km(from, to) - moves[_i].want),
	    moves[_i].tolerance);
	ck_assert_double_le(fabs(geo_travel_km(to, from) - moves[_i].want),
	    moves[_i].tolerance);
}
END_TEST

START_TEST(travel_from_unknown_coordinates_is_unknown)
{
	const struct place atlantis = country_place("XX");
	const struct place kenya = country_place("KE");

	ck_assert(isnan(geo_travel_km(&atlantis, &kenya)));
	ck_assert(isnan(geo_travel_km(&kenya, &atlantis)));
}
END_TEST

/* Countries with a border, by land: their people do not travel in a second. */
static const char *const neighbours[] = { "CH FR", "CH DE", "DE PL", "FR ES",
	"ES PT", "GB IE", "BE NL", "IT AT", "SE NO", "NO FI", "US CA", "US MX",
	"BR AR", "CL AR", "CO VE", "IN PK", "CN IN", "CN RU", "KZ RU", "UA RU",
	"KE ET", "KE TZ", "ZA ZW", "NG CM", "EG LY", "SA AE", "TR GR", "MY SG",
	"ID MY", "TH VN", "AU NZ" };

START_TEST(neighbours_are_near)
{
	const struct place one = country_place(
	    (char[]) { neighbours[_i][0], neighbours[_i][1], '\0' });
	const struct place other = country_place(&neighbours[_i][3]);

	ck_assert_double_le(geo_travel_km(&one, &other),
	    strcmp(neighbours[_i], "AU NZ") == 0 ? 2000 : 100);
}
END_TEST

START_TEST(countries_are_sorted_and_on_earth)
{
	struct place place;
	size_t i;

	ck_assert_uint_eq(nitems(country_codes), 250);
	for (i = 0; i < nitems(country_codes); i++) {
		ck_assert_uint_eq(strlen(country_codes[i]), 2);
		place = country_place(country_codes[i]);
		ck_assert_double_le(fabs(place.lat), 90);
		ck_assert_double_le(fabs(place.lon), 180);
		ck_assert_uint_ge(place.radius_km, 10);
		ck_assert_uint_le(place.radius_km, 6000);
		if (i > 0)
			ck_assert_str_lt(
			    country_codes[i - 1], country_codes[i]);
	}
}
END_TEST

START_TEST(phone_matches_countries_of_its_code)
{
	ck_assert_int_eq(
	    geo_phone_in_country(phones[_i].phone, phones[_i].country),
	    phones[_i].want);
}
END_TEST

START_TEST(no_calling_code_is_a_prefix_of_another)
{
	const char *before, *code;
	size_t i;

	for (i = 1; i < nitems(calling_codes); i++) {
		before = calling_codes[i - 1].code;
		code = calling_codes[i].code;
		ck_assert_str_lt(before, code);
		ck_assert_int_ne(strncmp(before, code, strlen(before)), 0);
		ck_assert_uint_le(strlen(code), 3);
	}
}
END_TEST

/*
 * Each country of a calling code is known, and each country has a code.
 */
START_TEST(calling_codes_and_countries_match)
{
	bool called[nitems(country_codes)] = { false };
	const char *p;
	char code[3] = "";
	size_t i, j;

	for (i = 0; i < nitems(calling_codes); i++) {
		for (p = calling_codes[i].countries;; p += 3) {
			memcpy(code, p, 2);
			ck_assert(geo_country(code));
			for (j = 0; j < nitems(country_codes); j++)
				called[j] |=
				    strcmp(code, country_codes[j]) == 0;
			if (p[2] == '\0')
				break;
		}
	}
	for (j = 0; j < nitems(country_codes); j++)
		ck_assert_msg(called[j], "%s", country_codes[j]);
}
END_TEST

Suite *
suite_geo(void)
{
	Suite *s = suite_create("geo");
	TCase *tc = tcase_create("geo");

	tcase_add_loop_test(
	    tc, distance_is_that_on_the_sphere, 0, (int)nitems(distances));
	tcase_add_loop_test(
	    tc, country_is_located_near_its_middle, 0, (int)nitems(near));
	tcase_add_loop_test(tc, unknown_country_has_no_coordinates, 0,
	    (int)nitems(unknown_countries));
	tcase_add_loop_test(tc, travel_is_beyond_the_radius_of_both_places, 0,
	    (int)nitems(moves));
	tcase_add_test(tc, travel_from_unknown_coordinates_is_unknown);
	tcase_add_loop_test(
	    tc, neighbours_are_near, 0, (int)nitems(neighbours));
	tcase_add_test(tc, countries_are_sorted_and_on_earth);
	tcase_add_loop_test(
	    tc, phone_matches_countries_of_its_code, 0, (int)nitems(phones));
	tcase_add_test(tc, no_calling_code_is_a_prefix_of_another);
	tcase_add_test(tc, calling_codes_and_countries_match);
	suite_add_tcase(s, tc);
	return s;
}
