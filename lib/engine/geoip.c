/* SPDX-License-Identifier: ISC */
/* Places and networks of IP addresses, from databases in MaxMind format. */
#include "config.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <maxminddb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/utf8.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "lib/sys/clock.h"
#include "lib/engine/geoip.h"

#define PATH_MAX_KEYS 4 /* keys of the path of a value, with NULL */
#define GEOIP_TEXT_MAX 255 /* bytes */

/* One file. */
struct geoip_source {
	const char *path; /* NULL: none */
	MMDB_s db;
	bool mapped; /* db is open */
	bool seen; /* file is set */
	struct stat file; /* of the last geoip_refresh(); 0: it was missing */
};

struct geoip {
	struct geoip_source sources[GEOIP__MAX];
};

/* The paths of the values in one layout of records of places. */
struct geoip_layout {
	const char *country[PATH_MAX_KEYS];
	const char *city[PATH_MAX_KEYS];
	const char *lat[PATH_MAX_KEYS];
	const char *lon[PATH_MAX_KEYS];
};

static bool is_same_file(const struct stat *a, const struct stat *b);
static bool find_record(const struct geoip *g, enum geoip_subject subject,
    const struct event *ev, MMDB_entry_s *ret);
static const struct geoip_layout *read_place(
    MMDB_entry_s *record, struct place *ret);
static void place_locate(
    MMDB_entry_s *record, const struct geoip_layout *layout, struct place *ret);
static int parse_address(const char *ip, struct sockaddr_storage *ret);
static int record_country(
    MMDB_entry_s *record, const char *const *path, char *ret);
static const char *record_text(
    MMDB_entry_s *record, const char *const *path, struct arena *a);
static uint32_t record_asn(MMDB_entry_s *record);
static int record_degrees(
    MMDB_entry_s *record, const char *const *path, double max, double *ret);

static const struct geoip_layout layouts[] = {
	{ { "country", "iso_code" }, { "city", "names", "en" },
	    { "location", "latitude" }, { "location", "longitude" } },
	{ { "country_code" }, { "city" }, { "latitude" }, { "longitude" } },
};

static const char *const asn_path[] = { "autonomous_system_number", NULL };
static const char *const asn_org_path[] = { "autonomous_system_organization",
	NULL };

/* The settings, for messages. */
static const char *const settings[] = {
	[GEOIP_PLACES] = "GEOIP_DB", [GEOIP_ASN] = "GEOIP_ASN_DB"
};

struct geoip *
geoip_new(const char *places, const char *asn, struct fail *f)
{
	struct geoip *g = calloc(1, sizeof(*g));

	if (g == NULL) {
		fail_set(f, FAIL_US, INTERNAL, "GEOIP_DB", "out of memory");
		return NULL;
	}
	g->sources[GEOIP_PLACES].path = places;
	g->sources[GEOIP_ASN].path = asn;
	return g;
}

/*
 * The file is identified before it is opened: if it is replaced in between, the
 * next call maps it again.
 */
int
geoip_refresh(struct geoip *g, enum geoip_subject subject, struct fail *f)
{
	struct geoip_source *s = &g->sources[subject];
	struct stat st = { 0 };
	MMDB_s db;
	int error;

	if (s->path == NULL)
		return 0;
	error = stat(s->path, &st) == -1 ? errno : 0;
	if (s->seen && is_same_file(&st, &s->file))
		return 0;
	s->seen = true;
	s->file = st;
	if (error != 0)
		return fail_set(f, FAIL_US, INTERNAL, settings[subject],
		    "cannot be read: %s", strerror(error));
	error = MMDB_open(s->path, MMDB_MODE_MMAP, &db);
	if (error != MMDB_SUCCESS)
		return fail_set(f, FAIL_US, INTERNAL, settings[subject],
		    "cannot be read: %s", MMDB_strerror(error));
	if (s->mapped)
		MMDB_close(&s->db);
	s->db = db;
	s->mapped = true;
	return 1;
}

struct geoip *
geoip_open(const char *places, const char *asn, struct fail *f)
{
	struct geoip *g = geoip_new(places, asn, f);

	if (g == NULL ||
	    (geoip_refresh(g, GEOIP_PLACES, f) != -1 &&
		geoip_refresh(g, GEOIP_ASN, f) != -1))
		return g;
	geoip_close(g);
	return NULL;
}

const char *
geoip_path(const struct geoip *g, enum geoip_subject subject)
{
	return g->sources[subject].path;
}

int64_t
geoip_built(const struct geoip *g, enum geoip_subject subject)
{
	const uint64_t max = INT64_MAX / CLOCK_SECOND;
	const struct geoip_source *s = &g->sources[subject];

	if (!s->mapped)
		return 0;
	if (s->db.metadata.build_epoch > max)
		return INT64_MAX;
	return (int64_t)s->db.metadata.build_epoch * CLOCK_SECOND;
}

void
geoip_close(struct geoip *g)
{
	size_t i;

	if (g == NULL)
		return;
	for (i = 0; i < GEOIP__MAX; i++)
		if (g->sources[i].mapped)
			MMDB_close(&g->sources[i].db);
	free(g);
}

void
geoip_place(const struct geoip *g, const struct event *ev, struct place *ret)
{
	MMDB_entry_s record;

	memset(ret, 0, sizeof(*ret));
	if (find_record(g, GEOIP_PLACES, ev, &record))
		read_place(&record, ret);
}

void
geoip_look_up(const struct geoip *g, const struct event *ev, struct arena *a,
    struct place *ret_place, struct ip_facts *ret_facts)
{
	const struct geoip_layout *layout;
	MMDB_entry_s record;

	memset(ret_place, 0, sizeof(*ret_place));
	memset(ret_facts, 0, sizeof(*ret_facts));
	if (find_record(g, GEOIP_PLACES, ev, &record) &&
	    (layout = read_place(&record, ret_place)) != NULL)
		ret_facts->city = record_text(&record, layout->city, a);
	if (find_record(g, GEOIP_ASN, ev, &record) &&
	    (ret_facts->asn = record_asn(&record)) != 0)
		ret_facts->asn_org = record_text(&record, asn_org_path, a);
}

bool
geoip_knows(const struct geoip *g, enum geoip_subject subject)
{
	char ip[INET_ADDRSTRLEN];
	const struct event ev = { .ip = ip, .ip_public = true };
	struct place place;
	MMDB_entry_s record;
	int i;

	for (i = 2; i < 1024; i++) {
		snprintf(ip, sizeof(ip), "%d.%d.1.1", i % 224, i / 224 * 60);
		if (find_record(g, subject, &ev, &record) &&
		    (subject == GEOIP_ASN
			    ? record_asn(&record) != 0
			    : read_place(&record, &place) != NULL))
			return true;
	}
	return false;
}

/* Find the record of the event's ip. */
static bool
find_record(const struct geoip *g, enum geoip_subject subject,
    const struct event *ev, MMDB_entry_s *ret)
{
	struct sockaddr_storage ss;
	MMDB_lookup_result_s found;
	int error;

	if (g == NULL || !g->sources[subject].mapped || ev->ip == NULL ||
	    !ev->ip_public || parse_address(ev->ip, &ss) == -1)
		return false;
	found = MMDB_lookup_sockaddr(
	    &g->sources[subject].db, (const struct sockaddr *)&ss, &error);
	*ret = found.entry;
	return error == MMDB_SUCCESS && found.found_entry;
}

/* Read the place of a record; return its layout, or NULL if it has none. */
static const struct geoip_layout *
read_place(MMDB_entry_s *record, struct place *ret)
{
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (record_country(record, layouts[i].country, ret->country) ==
		    -1)
			continue;
		place_locate(record, &layouts[i], ret);
		return &layouts[i];
	}
	return NULL;
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

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    a->st_size == b->st_size &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
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
