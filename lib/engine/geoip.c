/* SPDX-License-Identifier: ISC */
/* Places of IP addresses, from a database in MaxMind format. */
#include "config.h"

#include <sys/socket.h>

#include <arpa/inet.h>
#include <math.h>
#include <maxminddb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "core/event/event.h"
#include "core/base/fail.h"
#include "core/event/geo.h"
#include "lib/engine/geoip.h"

#define PATH_MAX_KEYS 3 /* keys of the path of a value, with NULL */

struct geoip {
	MMDB_s db;
};

/* The paths of the values in one layout of records. */
struct geoip_layout {
	const char *country[PATH_MAX_KEYS];
	const char *lat[PATH_MAX_KEYS];
	const char *lon[PATH_MAX_KEYS];
};

static int parse_address(const char *ip, struct sockaddr_storage *ret);
static int record_country(
    MMDB_entry_s *record, const char *const *path, char *ret);
static int record_degrees(
    MMDB_entry_s *record, const char *const *path, double max, double *ret);
static void place_locate(
    MMDB_entry_s *record, const struct geoip_layout *layout, struct place *ret);

static const struct geoip_layout layouts[] = {
	{ { "country", "iso_code" }, { "location", "latitude" },
	    { "location", "longitude" } },
	{ { "country_code" }, { "latitude" }, { "longitude" } },
};

struct geoip *
geoip_open(const char *path, struct fail *f)
{
	struct geoip *g;
	int error;

	g = calloc(1, sizeof(*g));
	if (g == NULL) {
		fail_set(f, FAIL_US, INTERNAL, "GEOIP_DB", "out of memory");
		return NULL;
	}
	error = MMDB_open(path, MMDB_MODE_MMAP, &g->db);
	if (error != MMDB_SUCCESS) {
		fail_set(f, FAIL_US, INTERNAL, "GEOIP_DB", "cannot be read: %s",
		    MMDB_strerror(error));
		free(g);
		return NULL;
	}
	return g;
}

void
geoip_close(struct geoip *g)
{
	if (g == NULL)
		return;
	MMDB_close(&g->db);
	free(g);
}

void
geoip_place(const struct geoip *g, const struct event *ev, struct place *ret)
{
	struct sockaddr_storage ss;
	MMDB_lookup_result_s found;
	size_t i;
	int error;

	memset(ret, 0, sizeof(*ret));
	if (g == NULL || ev->ip == NULL || !ev->ip_public ||
	    parse_address(ev->ip, &ss) == -1)
		return;
	found =
	    MMDB_lookup_sockaddr(&g->db, (const struct sockaddr *)&ss, &error);
	if (error != MMDB_SUCCESS || !found.found_entry)
		return;
	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (record_country(
			&found.entry, layouts[i].country, ret->country) == -1)
			continue;
		place_locate(&found.entry, &layouts[i], ret);
		return;
	}
}

/* Use the city's coordinates if there are any, else the country's centroid. */
static void
place_locate(
    MMDB_entry_s *record, const struct geoip_layout *layout, struct place *ret)
{
	ret->city = record_degrees(record, layout->lat, 90, &ret->lat) == 0 &&
	    record_degrees(record, layout->lon, 180, &ret->lon) == 0;
	if (!ret->city &&
	    geo_centroid(ret->country, &ret->lat, &ret->lon) == -1)
		ret->lat = ret->lon = NAN;
}

static int
parse_address(const char *ip, struct sockaddr_storage *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;

	memset(ret, 0, sizeof(*ret));
	if (inet_pton(AF_INET, ip, &v4->sin_addr) == 1)
		ret->ss_family = AF_INET;
	else if (inet_pton(AF_INET6, ip, &v6->sin6_addr) == 1)
		ret->ss_family = AF_INET6;
	else
		return -1;
	return 0;
}

/* Read a country code in upper case; -1 if the record has none. */
static int
record_country(MMDB_entry_s *record, const char *const *path, char *ret)
{
	MMDB_entry_data_s data;
	char code[3] = "";
	int i;

	if (MMDB_aget_value(record, &data, path) != MMDB_SUCCESS ||
	    !data.has_data || data.type != MMDB_DATA_TYPE_UTF8_STRING ||
	    data.data_size != 2)
		return -1;
	for (i = 0; i < 2; i++) {
		code[i] = data.utf8_string[i];
		if (code[i] >= 'a' && code[i] <= 'z')
			code[i] = (char)(code[i] - 'a' + 'A');
		if (code[i] < 'A' || code[i] > 'Z')
			return -1;
	}
	memcpy(ret, code, sizeof(code));
	return 0;
}

/* Read degrees from -max to max; -1 if the record has none. */
static int
record_degrees(
    MMDB_entry_s *record, const char *const *path, double max, double *ret)
{
	MMDB_entry_data_s data;
	double degrees;

	if (MMDB_aget_value(record, &data, path) != MMDB_SUCCESS ||
	    !data.has_data)
		return -1;
	if (data.type == MMDB_DATA_TYPE_DOUBLE)
		degrees = data.double_value;
	else if (data.type == MMDB_DATA_TYPE_FLOAT)
		degrees = (double)data.float_value;
	else
		return -1;
	if (!(fabs(degrees) <= max))
		return -1;
	*ret = degrees;
	return 0;
}
