/* SPDX-License-Identifier: ISC */
/* Places and networks of IP addresses, from databases in MaxMind format. */
#include "config.h"

#include <sys/socket.h>

#include <arpa/inet.h>
#include <math.h>
#include <maxminddb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/utf8.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "lib/engine/geoip.h"
#include "lib/engine/mmdb_copy.h"
#include "lib/sys/clock.h"

#define PATH_MAX_KEYS 4 /* keys of the path of a value, with NULL */
#define GEOIP_TEXT_MAX 255 /* bytes */
#define DEGREES_TEXT_MAX 24 /* bytes of degrees in text */

/*
 * Of a city without accuracy_radius.  A region is a place, too, if its radius
 * is at most this.
 */
#define RADIUS_KM 50

struct geoip {
	struct mmdb_copy files[GEOIP__MAX];
};

/*
 * The paths of the values in one layout of records of places.  A record without
 * the member city is of its coordinates if coordinates_suffice, else of its
 * country.
 */
struct geoip_layout {
	const char *country[PATH_MAX_KEYS];
	const char *city[PATH_MAX_KEYS];
	const char *lat[PATH_MAX_KEYS];
	const char *lon[PATH_MAX_KEYS];
	const char *radius[PATH_MAX_KEYS];
	const char *region[PATH_MAX_KEYS];
	bool coordinates_suffice;
};

static mmdb_wanted_fn has_place, has_asn;
static bool find_record(const struct geoip *g, enum geoip_subject subject,
    const struct event *ev, MMDB_entry_s *ret);
static const struct geoip_layout *find_place(const struct geoip *g,
    const struct event *ev, MMDB_entry_s *ret_record, struct place *ret);
static const struct geoip_layout *read_place(
    MMDB_entry_s *record, struct place *ret);
static void place_locate(
    MMDB_entry_s *record, const struct geoip_layout *layout, struct place *ret);
static bool names_place(MMDB_entry_s *record, const struct geoip_layout *layout,
    uint16_t radius_km);
static int parse_address(const char *ip, struct sockaddr_storage *ret);
static uint32_t network_of(const char *ip);
static int record_country(
    MMDB_entry_s *record, const char *const *path, char *ret);
static const char *record_text(
    MMDB_entry_s *record, const char *const *path, struct arena *a);
static uint32_t record_asn(MMDB_entry_s *record);
static uint16_t record_radius(MMDB_entry_s *record, const char *const *path);
static int parse_degrees(const MMDB_entry_data_s *data, double *ret);
static int record_degrees(
    MMDB_entry_s *record, const char *const *path, double max, double *ret);

static const struct geoip_layout layouts[] = {
	/* MaxMind, DB-IP, IP2Location */
	{ { "country", "iso_code" }, { "city", "names", "en" },
	    { "location", "latitude" }, { "location", "longitude" },
	    { "location", "accuracy_radius" },
	    { "subdivisions", "0", "iso_code" }, false },
	/* ip-location-db, IPinfo Lite */
	{ { "country_code" }, { "city" }, { "latitude" }, { "longitude" },
	    { NULL }, { NULL }, true },
	/* IPinfo: its locations and its older countries */
	{ { "country" }, { "city" }, { "lat" }, { "lng" }, { NULL }, { NULL },
	    true },
	/* IPinfo Core */
	{ { "geo", "country_code" }, { "geo", "city" }, { "geo", "latitude" },
	    { "geo", "longitude" }, { NULL }, { NULL }, true },
};

static const char *const asn_path[] = { "autonomous_system_number", NULL };
static const char *const asn_org_path[] = { "autonomous_system_organization",
	NULL };

/* The setting of each file, for messages, and what the file is for. */
static const struct {
	const char *name;
	mmdb_wanted_fn *wanted;
} settings[GEOIP__MAX] = {
	[GEOIP_PLACES] = { "GEOIP_DB", has_place },
	[GEOIP_MORE_PLACES] = { "GEOIP_MORE_DB", has_place },
	[GEOIP_ASN] = { "GEOIP_ASN_DB", has_asn },
};

struct geoip *
geoip_new(const char *const paths[GEOIP__MAX], struct fail *f)
{
	struct geoip *g = calloc(1, sizeof(*g));
	unsigned i;

	if (g == NULL) {
		fail_set(f, FAIL_US, INTERNAL, "GEOIP_DB", "out of memory");
		return NULL;
	}
	for (i = 0; i < GEOIP__MAX; i++) {
		g->files[i].wanted = settings[i].wanted;
		if (paths[i] == NULL)
			continue;
		if ((g->files[i].path = strdup(paths[i])) == NULL) {
			fail_set(f, FAIL_US, INTERNAL, settings[i].name,
			    "out of memory");
			geoip_close(g);
			return NULL;
		}
	}
	return g;
}

void
geoip_take(struct geoip *g, struct geoip *from)
{
	struct mmdb_copy *to, taken;
	unsigned i;

	for (i = 0; i < GEOIP__MAX; i++) {
		to = &g->files[i];
		taken = from->files[i];
		if (to->path == NULL || taken.path == NULL ||
		    strcmp(to->path, taken.path) != 0)
			continue;
		from->files[i] = *to;
		*to = taken;
		to->tried = false;
	}
}

int
geoip_refresh(struct geoip *g, enum geoip_subject subject, struct fail *f)
{
	if (g->files[subject].path == NULL)
		return 0;
	return mmdb_copy_refresh(&g->files[subject], settings[subject].name, f);
}

struct geoip *
geoip_open(const char *const paths[GEOIP__MAX], struct fail *f)
{
	struct geoip *g = geoip_new(paths, f);
	unsigned i;

	for (i = 0; g != NULL && i < GEOIP__MAX; i++) {
		if (geoip_refresh(g, i, f) != -1)
			continue;
		geoip_close(g);
		return NULL;
	}
	return g;
}

const char *
geoip_path(const struct geoip *g, enum geoip_subject subject)
{
	return g->files[subject].path;
}

unsigned
geoip_families(const struct geoip *g, enum geoip_subject subject)
{
	return g->files[subject].families;
}

const char *
geoip_type(const struct geoip *g, enum geoip_subject subject)
{
	return g->files[subject].families == 0
	    ? ""
	    : g->files[subject].db.metadata.database_type;
}

int64_t
geoip_built(const struct geoip *g, enum geoip_subject subject)
{
	const uint64_t max = INT64_MAX / CLOCK_SECOND;
	const struct mmdb_copy *c = &g->files[subject];

	if (c->families == 0)
		return 0;
	if (c->db.metadata.build_epoch > max)
		return INT64_MAX;
	return (int64_t)c->db.metadata.build_epoch * CLOCK_SECOND;
}

void
geoip_close(struct geoip *g)
{
	unsigned i;

	for (i = 0; g != NULL && i < GEOIP__MAX; i++) {
		mmdb_copy_close(&g->files[i]);
		free(g->files[i].path);
	}
	free(g);
}

void
geoip_place(const struct geoip *g, const struct event *ev, struct place *ret)
{
	MMDB_entry_s record;

	find_place(g, ev, &record, ret);
}

void
geoip_look_up(const struct geoip *g, const struct event *ev, struct arena *a,
    struct place *ret_place, struct ip_facts *ret_facts)
{
	const struct geoip_layout *layout;
	MMDB_entry_s record;

	memset(ret_facts, 0, sizeof(*ret_facts));
	if ((layout = find_place(g, ev, &record, ret_place)) != NULL)
		ret_facts->city = record_text(&record, layout->city, a);
	if (find_record(g, GEOIP_ASN, ev, &record) &&
	    (ret_facts->asn = record_asn(&record)) != 0)
		ret_facts->asn_org = record_text(&record, asn_org_path, a);
}

static bool
has_place(MMDB_entry_s *record)
{
	struct place place;

	return read_place(record, &place) != NULL;
}

static bool
has_asn(MMDB_entry_s *record)
{
	return record_asn(record) != 0;
}

/*
 * Find the place of the event's ip, with the layout of its record; NULL if the
 * place is unknown.  The second file is asked where the first one has no city;
 * its city counts if it is in the country of the first.
 */
static const struct geoip_layout *
find_place(const struct geoip *g, const struct event *ev,
    MMDB_entry_s *ret_record, struct place *ret)
{
	const struct geoip_layout *layout = NULL, *more_layout;
	MMDB_entry_s more;
	struct place place;

	memset(ret, 0, sizeof(*ret));
	if (find_record(g, GEOIP_PLACES, ev, ret_record))
		layout = read_place(ret_record, ret);
	if (!ret->city && find_record(g, GEOIP_MORE_PLACES, ev, &more) &&
	    (more_layout = read_place(&more, &place)) != NULL &&
	    (layout == NULL ||
		(place.city && strcmp(place.country, ret->country) == 0))) {
		layout = more_layout;
		*ret_record = more;
		*ret = place;
	}
	if (layout != NULL)
		ret->network = network_of(ev->ip);
	return layout;
}

/* Find the record of the event's ip. */
static bool
find_record(const struct geoip *g, enum geoip_subject subject,
    const struct event *ev, MMDB_entry_s *ret)
{
	struct sockaddr_storage ss;
	MMDB_lookup_result_s found;
	int error;

	if (g == NULL || g->files[subject].families == 0 || ev->ip == NULL ||
	    !ev->ip_public || parse_address(ev->ip, &ss) == -1)
		return false;
	found = MMDB_lookup_sockaddr(
	    &g->files[subject].db, (const struct sockaddr *)&ss, &error);
	*ret = found.entry;
	return error == MMDB_SUCCESS && found.found_entry;
}

/* Read the place of a record; return its layout, or NULL if it has none. */
static const struct geoip_layout *
read_place(MMDB_entry_s *record, struct place *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < nitems(layouts); i++) {
		if (record_country(record, layouts[i].country, ret->country) ==
		    -1)
			continue;
		place_locate(record, &layouts[i], ret);
		return &layouts[i];
	}
	return NULL;
}

/* Locate the city that the record names, or else its country. */
static void
place_locate(
    MMDB_entry_s *record, const struct geoip_layout *layout, struct place *ret)
{
	ret->radius_km = record_radius(record, layout->radius);
	ret->city = names_place(record, layout, ret->radius_km) &&
	    record_degrees(record, layout->lat, 90, &ret->lat) == 0 &&
	    record_degrees(record, layout->lon, 180, &ret->lon) == 0;
	if (!ret->city)
		geo_locate_country(ret);
}

/*
 * Whether the coordinates of a record are those of a city or a small region.
 * Most databases also give a country coordinates.
 */
static bool
names_place(
    MMDB_entry_s *record, const struct geoip_layout *layout, uint16_t radius_km)
{
	MMDB_entry_data_s data;

	if (MMDB_aget_value(record, &data, layout->city) == MMDB_SUCCESS &&
	    data.has_data)
		return data.type == MMDB_DATA_TYPE_UTF8_STRING &&
		    data.data_size > 0;
	if (layout->coordinates_suffice)
		return true;
	return radius_km <= RADIUS_KM &&
	    MMDB_aget_value(record, &data, layout->region) == MMDB_SUCCESS &&
	    data.has_data;
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

/* Hash the /24 of an IPv4 address or the /48 of an IPv6 one (FNV-1a). */
static uint32_t
network_of(const char *ip)
{
	struct sockaddr_storage ss;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&ss;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&ss;
	const uint8_t *bytes;
	uint32_t hash = 2166136261U;
	size_t i, n;

	if (parse_address(ip, &ss) == -1)
		return 0;
	n = ss.ss_family == AF_INET ? 3 : 6;
	bytes = ss.ss_family == AF_INET ? (const uint8_t *)&v4->sin_addr
					: v6->sin6_addr.s6_addr;
	for (i = 0; i < n; i++)
		hash = (hash ^ bytes[i]) * 16777619U;
	return hash == 0 ? 1 : hash;
}

/*
 * Read a country code of ISO 3166 in upper case; -1 if the record has another
 * one, such as EU, or no code.
 */
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
	}
	if (!geo_country(code))
		return -1;
	memcpy(ret, code, sizeof(code));
	return 0;
}

/* Copy a text of a record; NULL if it has none that is usable. */
static const char *
record_text(MMDB_entry_s *record, const char *const *path, struct arena *a)
{
	MMDB_entry_data_s data;
	const char *text;
	uint32_t code;
	size_t i, n;

	if (MMDB_aget_value(record, &data, path) != MMDB_SUCCESS ||
	    !data.has_data || data.type != MMDB_DATA_TYPE_UTF8_STRING ||
	    data.data_size == 0 || data.data_size > GEOIP_TEXT_MAX)
		return NULL;
	text = data.utf8_string;
	for (i = 0; i < data.data_size; i += n) {
		n = utf8_get(text + i, data.data_size - i, &code);
		if (n == 0 || code < ' ' || code == 0x7f)
			return NULL;
	}
	return arena_strndup(a, text, data.data_size);
}

/* Read the number of an autonomous system; 0 if the record has none. */
static uint32_t
record_asn(MMDB_entry_s *record)
{
	MMDB_entry_data_s data;

	if (MMDB_aget_value(record, &data, asn_path) != MMDB_SUCCESS ||
	    !data.has_data || data.type != MMDB_DATA_TYPE_UINT32)
		return 0;
	return data.uint32;
}

/* Read the radius in which the address is; RADIUS_KM if it is not given. */
static uint16_t
record_radius(MMDB_entry_s *record, const char *const *path)
{
	MMDB_entry_data_s data;

	if (path[0] == NULL ||
	    MMDB_aget_value(record, &data, path) != MMDB_SUCCESS ||
	    !data.has_data || data.type != MMDB_DATA_TYPE_UINT16)
		return RADIUS_KM;
	return data.uint16 < PLACE_RADIUS_MAX ? data.uint16 : PLACE_RADIUS_MAX;
}

/* Read degrees from -max to max; -1 if the record has none. */
static int
record_degrees(
    MMDB_entry_s *record, const char *const *path, double max, double *ret)
{
	MMDB_entry_data_s data;

	if (MMDB_aget_value(record, &data, path) != MMDB_SUCCESS ||
	    !data.has_data || parse_degrees(&data, ret) == -1)
		return -1;
	return fabs(*ret) <= max ? 0 : -1;
}

/* Databases have degrees as numbers or as decimal text. */
static int
parse_degrees(const MMDB_entry_data_s *data, double *ret)
{
	char text[DEGREES_TEXT_MAX + 1] = "";
	char *end;

	if (data->type == MMDB_DATA_TYPE_DOUBLE) {
		*ret = data->double_value;
	} else if (data->type == MMDB_DATA_TYPE_FLOAT) {
		*ret = (double)data->float_value;
	} else if (data->type == MMDB_DATA_TYPE_UTF8_STRING &&
	    data->data_size > 0 && data->data_size <= DEGREES_TEXT_MAX) {
		memcpy(text, data->utf8_string, data->data_size);
		*ret = strtod(text, &end);
		return *end == '\0' &&
			strspn(text, "-.0123456789") == strlen(text)
		    ? 0
		    : -1;
	} else {
		return -1;
	}
	return 0;
}
