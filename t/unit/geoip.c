/* SPDX-License-Identifier: ISC */
/* lib/engine/geoip.c, with small databases that this test writes. */
#include "config.h"

#include <arpa/inet.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "lib/engine/geoip.h"
#include "lib/engine/mmdb_copy.h"
#include "lib/sys/clock.h"
#include "t/unit/unit.h"

#define NODES_MAX 2048
#define DATA_MAX 4096
#define SEPARATOR 16 /* zero bytes between tree and data */
#define BUILT 1790000000 /* seconds since 1970 */

/* Types in the data section of a MaxMind database. */
enum { TEXT = 2, DOUBLE = 3, UINT16 = 5, UINT32 = 6, MAP = 7 };
enum { UINT64 = 9, ARRAY = 11, FLOAT = 15 };

enum geoip_test_layout { NESTED, FLAT, IPINFO, CORE, AUTONOMOUS };

/* The contents of a record of the test. */
struct net {
	const char *net;
	int bits;
	const char *country; /* NULL: none */
	int type; /* of the coordinates, 0 for none */
	double lat, lon;
	const char *name; /* of the city or the organization; NULL: none */
	uint32_t asn; /* in the layout AUTONOMOUS */
	uint16_t radius; /* in the layout NESTED; 0: none */
	const char *region; /* the same; NULL: none */
};

/* A database under construction. */
struct mmdb_draft {
	uint32_t node[NODES_MAX][2]; /* 0: empty, else a node or ~offset */
	uint32_t n_nodes;
	uint64_t built; /* seconds since 1970 */
	uint8_t data[DATA_MAX];
	uint32_t size;
};

static const struct net nets[] = {
	{ "196.188.0.0", 16, "ET", DOUBLE, 9.025, 38.7469, "Addis Ababa", 0, 0,
	    NULL },
	{ "41.80.0.0", 15, "KE", 0, 0, 0, "M\xc3\xa4lindi", 0, 0, NULL },
	{ "5.0.0.0", 8, "se", 0, 0, 0, "Upp\xffsala", 0, 0, NULL },
	{ "6.1.0.0", 16, "ET", DOUBLE, 90.5, 38, "North", 0, 0, NULL },
	{ "6.2.0.0", 16, "ET", DOUBLE, 9, -180.5, "West", 0, 0, NULL },
	{ "6.3.0.0", 16, "ET", TEXT, 0, 0, "Text", 0, 0, NULL },
	{ "6.4.0.0", 16, "ET", DOUBLE, NAN, 38, "NAN", 0, 0, NULL },
	{ "6.5.0.0", 16, NULL, DOUBLE, 9, 38, "Nowhere", 0, 0, NULL },
	{ "6.6.0.0", 16, "ETH", 0, 0, 0, NULL, 0, 0, NULL },
	{ "6.7.0.0", 16, "E1", 0, 0, 0, NULL, 0, 0, NULL },
	{ "6.8.0.0", 16, "EU", 0, 0, 0, "two\nlines", 0, 0, NULL },
	{ "6.9.0.1", 32, "JM", FLOAT, 18.5, -77.25, "Kingston", 0, 0, NULL },
	{ "6.10.0.0", 16, "ET", DOUBLE, 9, 38, "", 0, 0, NULL },
	{ "2c0f:fe38::", 32, "KE", DOUBLE, -1.25, 36.75, "Nairobi", 0, 0,
	    NULL },
	{ "2001:41d0::", 32, "FR", 0, 0, 0, NULL, 0, 0, NULL },
};

static const struct {
	const char *ip;
	const char *country;
	bool city;
	double lat, lon;
	unsigned radius_km;
} places[] = {
	{ "196.188.0.0", "ET", true, 9.025, 38.7469, 50 },
	{ "196.188.255.255", "ET", true, 9.025, 38.7469, 50 },
	{ "196.189.0.0", "", false, 0, 0, 0 },
	{ "41.81.2.3", "KE", false, 0.6, 37.8, 520 },
	{ "5.6.7.8", "SE", false, 62.8, 16.7, 700 },
	{ "6.1.0.1", "ET", false, 8.6, 39.6, 680 },
	{ "6.2.0.1", "ET", false, 8.6, 39.6, 680 },
	{ "6.3.0.1", "ET", true, -9.5, -9.5, 50 },
	{ "6.4.0.1", "ET", false, 8.6, 39.6, 680 },
	{ "6.5.0.1", "", false, 0, 0, 0 },
	{ "6.6.0.1", "", false, 0, 0, 0 },
	{ "6.7.0.1", "", false, 0, 0, 0 },
	{ "6.8.0.1", "", false, 0, 0, 0 },
	{ "6.9.0.1", "JM", true, 18.5, -77.25, 50 },
	{ "6.9.0.2", "", false, 0, 0, 0 },
	{ "6.10.0.1", "ET", false, 8.6, 39.6, 680 },
	{ "2c0f:fe38::1", "KE", true, -1.25, 36.75, 50 },
	{ "2001:41d0:1::1", "FR", false, 46.6, 2.5, 470 },
	{ "2001:41d1::1", "", false, 0, 0, 0 },
	{ "no address", "", false, 0, 0, 0 },
};

static const struct net systems[] = {
	{ "5.0.0.0", 8, NULL, 0, 0, 0, "Example AB", 64500, 0, NULL },
	{ "6.0.0.0", 8, NULL, 0, 0, 0, NULL, UINT32_MAX, 0, NULL },
	{ "7.0.0.0", 8, NULL, 0, 0, 0, "", 64501, 0, NULL },
	{ "8.0.0.0", 8, NULL, 0, 0, 0, "No number", 0, 0, NULL },
};

static const struct {
	const char *ip;
	const char *city; /* NULL: unknown */
	const char *asn_org;
	uint32_t asn;
} facts_of[] = {
	{ "196.188.0.1", "Addis Ababa", NULL, 0 },
	{ "41.81.2.3", "M\xc3\xa4lindi", NULL, 0 },
	{ "5.6.7.8", NULL, "Example AB", 64500 },
	{ "6.8.0.1", NULL, NULL, UINT32_MAX },
	{ "6.5.0.1", NULL, NULL, UINT32_MAX },
	{ "7.1.2.3", NULL, NULL, 64501 },
	{ "8.1.2.3", NULL, NULL, 0 },
	{ "9.1.2.3", NULL, NULL, 0 },
	{ "2001:41d0:1::1", NULL, NULL, 0 },
};

static const char *const bad_databases[] = { "/nonexistent/geo.mmdb",
	"/dev/null", "/" };

static struct mmdb_draft mmdb;
static struct geoip *geoip;
static char path[] = "geoip.XXXXXX";

/* Append the size low bytes of n, most significant first. */
static void
put_bytes(uint64_t n, int size)
{
	ck_assert_uint_lt(mmdb.size + (uint32_t)size, DATA_MAX);
	while (size-- > 0)
		mmdb.data[mmdb.size++] = (uint8_t)(n >> 8 * size);
}

static void
put_control(int type, size_t size)
{
	const uint64_t first = size < 29 ? size : 29;

	ck_assert_uint_lt(size, 29 + 256);
	put_bytes((type > 7 ? 0 : (uint64_t)type << 5) | first, 1);
	if (type > 7)
		put_bytes((uint64_t)type - 7, 1);
	if (first == 29)
		put_bytes(size - 29, 1);
}

static void
put_text(const char *text)
{
	put_control(TEXT, strlen(text));
	for (; *text != '\0'; text++)
		put_bytes((uint8_t)*text, 1);
}

static void
put_number(const char *name, int type, int size, uint64_t n)
{
	put_text(name);
	put_control(type, (size_t)size);
	put_bytes(n, size);
}

static void
put_degrees(const char *name, int type, double degrees)
{
	const float narrow = (float)degrees;
	uint64_t wide_bits;
	uint32_t narrow_bits;

	memcpy(&wide_bits, &degrees, sizeof(wide_bits));
	memcpy(&narrow_bits, &narrow, sizeof(narrow_bits));
	if (type == DOUBLE) {
		put_number(name, DOUBLE, 8, wide_bits);
	} else if (type == FLOAT) {
		put_number(name, FLOAT, 4, narrow_bits);
	} else {
		put_text(name);
		put_text("-9.5");
	}
}

static void
put_system(const struct net *net)
{
	const size_t named = net->name != NULL, numbered = net->asn != 0;

	put_control(MAP, named + numbered);
	if (net->asn != 0)
		put_number("autonomous_system_number", UINT32, 4, net->asn);
	if (net->name != NULL) {
		put_text("autonomous_system_organization");
		put_text(net->name);
	}
}

static void
put_city(const char *name, bool nested)
{
	put_text("city");
	if (nested) {
		put_control(MAP, 1);
		put_text("names");
		put_control(MAP, 1);
		put_text("en");
	}
	put_text(name);
}

static void
put_region(const char *code)
{
	put_text("subdivisions");
	put_control(ARRAY, 1);
	put_control(MAP, 1);
	put_text("iso_code");
	put_text(code);
}

static void
put_record(const struct net *net, enum geoip_test_layout layout)
{
	const bool nested = layout == NESTED;
	const size_t located = net->type != 0, named = net->name != NULL;

	if (layout == AUTONOMOUS) {
		put_system(net);
		return;
	}
	if (layout == CORE) {
		put_control(MAP, 1);
		put_text("geo");
	}
	put_control(MAP,
	    named + (net->country != NULL) + (net->region != NULL) +
		(nested ? located : 2 * located));
	if (net->name != NULL)
		put_city(net->name, nested);
	if (net->country != NULL) {
		put_text(
		    nested || layout == IPINFO ? "country" : "country_code");
		if (nested) {
			put_control(MAP, 1);
			put_text("iso_code");
		}
		put_text(net->country);
	}
	if (net->region != NULL)
		put_region(net->region);
	if (!located)
		return;
	if (nested) {
		put_text("location");
		put_control(MAP, net->radius == 0 ? 2 : 3);
		if (net->radius != 0)
			put_number("accuracy_radius", UINT16, 2, net->radius);
	}
	put_degrees(layout == IPINFO ? "lat" : "latitude", net->type, net->lat);
	put_degrees(
	    layout == IPINFO ? "lng" : "longitude", net->type, net->lon);
}

/* Make the first bits of the address lead to the data at offset. */
static void
put_net(const uint8_t *address, int bits, uint32_t offset)
{
	uint32_t *branch, node = 0;
	int i;

	for (i = 0;; i++) {
		branch = &mmdb.node[node][address[i / 8] >> (7 - i % 8) & 1];
		if (i == bits - 1)
			break;
		if (*branch == 0) {
			ck_assert_uint_lt(mmdb.n_nodes, NODES_MAX);
			*branch = mmdb.n_nodes++;
		}
		node = *branch;
	}
	*branch = ~offset;
}

/*
 * Put a network into the tree; return false if a database of this IP version
 * cannot hold it.
 */
static bool
put_address(const struct net *net, int version)
{
	uint8_t address[16] = { 0 };
	uint32_t offset = mmdb.size;

	if (inet_pton(AF_INET6, net->net, address) == 1) {
		if (version == 4)
			return false;
		put_net(address, net->bits, offset);
	} else if (version == 4) {
		ck_assert_int_eq(inet_pton(AF_INET, net->net, address), 1);
		put_net(address, net->bits, offset);
	} else {
		ck_assert_int_eq(inet_pton(AF_INET, net->net, address + 12), 1);
		put_net(address, 96 + net->bits, offset);
	}
	return true;
}

static void
write_tree(FILE *fp)
{
	uint32_t branch;
	size_t i;
	int shift;

	for (i = 0; i < 2 * (size_t)mmdb.n_nodes; i++) {
		branch = mmdb.node[i / 2][i % 2];
		if (branch == 0)
			branch = mmdb.n_nodes;
		else if (branch > NODES_MAX)
			branch = mmdb.n_nodes + SEPARATOR + ~branch;
		for (shift = 16; shift >= 0; shift -= 8)
			fputc((int)(branch >> shift & 0xff), fp);
	}
}

static void
write_metadata(FILE *fp, int version)
{
	static const char marker[] = "\xab\xcd\xefMaxMind.com";

	mmdb.size = 0;
	put_control(MAP, 9);
	put_number("binary_format_major_version", UINT16, 2, 2);
	put_number("binary_format_minor_version", UINT16, 2, 0);
	put_number("build_epoch", UINT64, 8, mmdb.built);
	put_text("database_type");
	put_text("test");
	put_text("description");
	put_control(MAP, 0);
	put_number("ip_version", UINT16, 2, (uint64_t)version);
	put_text("languages");
	put_control(ARRAY, 0);
	put_number("node_count", UINT32, 4, mmdb.n_nodes);
	put_number("record_size", UINT16, 2, 24);
	fwrite(marker, 1, sizeof(marker) - 1, fp);
	fwrite(mmdb.data, 1, mmdb.size, fp);
}

/* Write n networks as a database of this layout and time to a new file at path.
 */
static void
write_database(const struct net *list, size_t n, enum geoip_test_layout layout,
    int version, uint64_t built)
{
	static const char zeros[SEPARATOR];
	FILE *fp;
	size_t i;
	int fd;

	memset(&mmdb, 0, sizeof(mmdb));
	mmdb.n_nodes = 1;
	mmdb.built = built;
	for (i = 0; i < n; i++)
		if (put_address(&list[i], version))
			put_record(&list[i], layout);

	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	ck_assert_int_ne(fd = mkstemp(path), -1);
	ck_assert_ptr_nonnull(fp = fdopen(fd, "wb"));
	write_tree(fp);
	fwrite(zeros, 1, sizeof(zeros), fp);
	fwrite(mmdb.data, 1, mmdb.size, fp);
	write_metadata(fp, version);
	ck_assert_int_eq(fclose(fp), 0);
}

/* Open databases at these paths; NULL: none. */
static struct geoip *
opened(const char *first, const char *more, const char *asn, struct fail *f)
{
	const char *const paths[GEOIP__MAX] = { [GEOIP_PLACES] = first,
		[GEOIP_MORE_PLACES] = more,
		[GEOIP_ASN] = asn };

	return geoip_open(paths, f);
}

/* Open all networks as a database of this layout and time. */
static void
setup(enum geoip_test_layout layout, int version, uint64_t built)
{
	struct fail f = { 0 };

	write_database(nets, nitems(nets), layout, version, built);
	geoip = opened(path, NULL, NULL, &f);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_msg(geoip != NULL, "%s %s", f.where, f.why);
}

static void
setup_nested(void)
{
	setup(NESTED, 6, BUILT);
}

static void
setup_flat(void)
{
	setup(FLAT, 6, BUILT);
}

static void
setup_ipinfo(void)
{
	setup(IPINFO, 6, BUILT);
}

static void
setup_core(void)
{
	setup(CORE, 6, BUILT);
}

static void
setup_v4(void)
{
	setup(FLAT, 4, BUILT);
}

static void
teardown(void)
{
	geoip_close(geoip);
	geoip = NULL;
}

/* Return true if both are equal or both are NAN. */
static bool
same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

START_TEST(address_has_the_place_of_its_network)
{
	const struct event ev = { .ip = places[_i].ip, .ip_public = true };
	struct place got;

	geoip_place(geoip, &ev, &got);
	ck_assert_str_eq(got.country, places[_i].country);
	ck_assert_int_eq(got.city, places[_i].city);
	ck_assert(same(got.lat, places[_i].lat));
	ck_assert(same(got.lon, places[_i].lon));
	ck_assert_uint_eq(got.radius_km, places[_i].radius_km);
	ck_assert_int_eq(got.network != 0, got.country[0] != '\0');
}
END_TEST

/* Return the place of an address in a static buffer. */
static const struct place *
place_of(const char *ip)
{
	static struct place got;
	const struct event ev = { .ip = ip, .ip_public = true };

	geoip_place(geoip, &ev, &got);
	return &got;
}

/* Make a database of n networks, open it and remove it. */
static void
open_nets(const struct net *list, size_t n, enum geoip_test_layout layout,
    int version)
{
	struct fail f = { 0 };

	write_database(list, n, layout, version, BUILT);
	geoip = opened(path, NULL, NULL, &f);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_msg(geoip != NULL, "%s %s", f.where, f.why);
}

/*
 * Most databases give a country coordinates: only a name makes a city, or a
 * region and a small radius.
 */
static const struct {
	struct net net;
	enum geoip_test_layout layout;
	bool city;
	unsigned radius_km;
} precise[] = {
	{ { "5.0.0.0", 8, "US", DOUBLE, 37.751, -97.822, NULL, 0, 1000, NULL },
	    NESTED, false, 2060 },
	{ { "5.0.0.0", 8, "US", DOUBLE, 37.751, -97.822, NULL, 0, 1000, "KS" },
	    NESTED, false, 2060 },
	{ { "5.0.0.0", 8, "US", DOUBLE, 37.751, -97.822, NULL, 0, 51, "KS" },
	    NESTED, false, 2060 },
	{ { "5.0.0.0", 8, "US", DOUBLE, 37.751, -97.822, NULL, 0, 50, "KS" },
	    NESTED, true, 50 },
	{ { "5.0.0.0", 8, "US", DOUBLE, 37.751, -97.822, NULL, 0, 5, NULL },
	    NESTED, false, 2060 },
	{ { "5.0.0.0", 8, "US", DOUBLE, 37.751, -97.822, "Wichita", 0, 200,
	      NULL },
	    NESTED, true, 200 },
	{ { "5.0.0.0", 8, "US", DOUBLE, 37.751, -97.822, "Wichita", 0, 65535,
	      NULL },
	    NESTED, true, PLACE_RADIUS_MAX },
	{ { "5.0.0.0", 8, "US", DOUBLE, 37.751, -97.822, "", 0, 0, NULL }, FLAT,
	    false, 2060 },
	{ { "5.0.0.0", 8, "US", DOUBLE, 37.751, -97.822, NULL, 0, 0, NULL },
	    FLAT, true, 50 },
	{ { "5.0.0.0", 8, "US", TEXT, 0, 0, "", 0, 0, NULL }, IPINFO, false,
	    2060 },
};

START_TEST(only_a_named_place_is_a_city)
{
	const struct place *got;

	open_nets(&precise[_i].net, 1, precise[_i].layout, 4);
	got = place_of("5.6.7.8");
	ck_assert_str_eq(got->country, "US");
	ck_assert_int_eq(got->city, precise[_i].city);
	ck_assert_uint_eq(got->radius_km, precise[_i].radius_km);
	ck_assert_int_eq(got->lat == 37.751, precise[_i].city);
}
END_TEST

/* Pairs of addresses in one network, a /24 or a /48, or not. */
static const struct {
	const char *one, *other;
	bool same;
} networks[] = {
	{ "5.6.7.8", "5.6.7.8", true },
	{ "5.6.7.0", "5.6.7.255", true },
	{ "5.6.7.8", "5.6.8.8", false },
	{ "2001:41d0:1::1", "2001:41d0:1:ffff::2", true },
	{ "2001:41d0:1::1", "2001:41d0:2::1", false },
	{ "2001:41d0:1::1", "5.6.7.8", false },
};

START_TEST(addresses_of_one_network_are_known)
{
	const struct place one = *place_of(networks[_i].one);
	const struct place other = *place_of(networks[_i].other);

	ck_assert_int_eq(geo_same_network(&one, &other), networks[_i].same);
}
END_TEST

/* A first and a second database, and the place of 5.6.7.8 with both. */
static const struct {
	struct net first, second;
	const char *country;
	bool city;
} pairs[] = {
	/* The city comes from the second, if it is in the country. */
	{ { "5.0.0.0", 8, "SE", 0, 0, 0, NULL, 0, 0, NULL },
	    { "5.0.0.0", 8, "SE", DOUBLE, 59.9, 17.6, "Uppsala", 0, 0, NULL },
	    "SE", true },
	{ { "5.0.0.0", 8, "NO", 0, 0, 0, NULL, 0, 0, NULL },
	    { "5.0.0.0", 8, "SE", DOUBLE, 59.9, 17.6, "Uppsala", 0, 0, NULL },
	    "NO", false },
	/* Only the second has the address. */
	{ { "6.0.0.0", 8, "NO", 0, 0, 0, NULL, 0, 0, NULL },
	    { "5.0.0.0", 8, "SE", 0, 0, 0, NULL, 0, 0, NULL }, "SE", false },
	/* The first has a city. */
	{ { "5.0.0.0", 8, "NO", DOUBLE, 60.4, 5.3, "Bergen", 0, 0, NULL },
	    { "5.0.0.0", 8, "SE", DOUBLE, 59.9, 17.6, "Uppsala", 0, 0, NULL },
	    "NO", true },
};

START_TEST(second_database_knows_more)
{
	char first[sizeof(path)];
	struct fail f = { 0 };
	const struct place *got;

	write_database(&pairs[_i].first, 1, NESTED, 4, BUILT);
	memcpy(first, path, sizeof(path));
	write_database(&pairs[_i].second, 1, FLAT, 4, BUILT);
	geoip = opened(first, path, NULL, &f);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(unlink(first), 0);
	ck_assert_msg(geoip != NULL, "%s %s", f.where, f.why);
	got = place_of("5.6.7.8");
	ck_assert_str_eq(got->country, pairs[_i].country);
	ck_assert_int_eq(got->city, pairs[_i].city);
}
END_TEST

/* Databases of one network in a tree of a version, and what they know. */
static const struct {
	struct net net;
	int version;
	unsigned families;
} families[] = {
	{ { "5.0.0.0", 8, "SE", 0, 0, 0, NULL, 0, 0, NULL }, 4, MMDB_IPV4 },
	{ { "5.0.0.0", 8, "SE", 0, 0, 0, NULL, 0, 0, NULL }, 6, MMDB_IPV4 },
	{ { "2a00::", 12, "SE", 0, 0, 0, NULL, 0, 0, NULL }, 6, MMDB_IPV6 },
};

START_TEST(database_knows_the_families_of_its_addresses)
{
	open_nets(&families[_i].net, 1, FLAT, families[_i].version);
	ck_assert_uint_eq(
	    geoip_families(geoip, GEOIP_PLACES), families[_i].families);
	ck_assert_str_eq(geoip_type(geoip, GEOIP_PLACES), "test");
}
END_TEST

START_TEST(database_knows_when_it_was_built)
{
	ck_assert_int_eq(
	    geoip_built(geoip, GEOIP_PLACES), BUILT * CLOCK_SECOND);
	ck_assert_int_eq(geoip_built(geoip, GEOIP_ASN), 0);
}
END_TEST

START_TEST(time_of_a_damaged_database_stays_in_range)
{
	setup(NESTED, 6, UINT64_MAX / 2);
	ck_assert_int_eq(geoip_built(geoip, GEOIP_PLACES), INT64_MAX);
	geoip_close(geoip);
	setup(NESTED, 6, UINT64_MAX);
	ck_assert_int_eq(geoip_built(geoip, GEOIP_PLACES), INT64_MAX);
	geoip_close(geoip);
}
END_TEST

START_TEST(database_knows_places_if_it_has_countries)
{
	ck_assert_uint_eq(
	    geoip_families(geoip, GEOIP_PLACES), MMDB_IPV4 | MMDB_IPV6);
	ck_assert_uint_eq(geoip_families(geoip, GEOIP_ASN), 0);
	ck_assert_str_eq(geoip_type(geoip, GEOIP_ASN), "");
}
END_TEST

START_TEST(database_of_something_else_is_refused)
{
	const struct net bare = { "0.0.0.0", 1, NULL, 0, 0, 0, "Nowhere", 0, 0,
		NULL };
	struct fail f = { 0 };

	write_database(&bare, 1, FLAT, 4, BUILT);
	ck_assert_ptr_null(opened(path, NULL, NULL, &f));
	ck_assert_str_eq(f.where, "GEOIP_DB");
	ck_assert_str_eq(
	    f.why, "has nothing of what it is for; its type is test");
	ck_assert_ptr_null(opened(NULL, path, NULL, &f));
	ck_assert_str_eq(f.where, "GEOIP_MORE_DB");
	ck_assert_ptr_null(opened(NULL, NULL, path, &f));
	ck_assert_str_eq(f.where, "GEOIP_ASN_DB");
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

static const char *
country_now(void)
{
	return place_of("5.6.7.8")->country;
}

/* Write the bytes of the file at path over the file at, from an offset. */
static void
overwrite(const char *at, long offset, long size)
{
	FILE *from = fopen(path, "rb"), *to = fopen(at, "r+b");
	int c;

	ck_assert_ptr_nonnull(from);
	ck_assert_ptr_nonnull(to);
	ck_assert_int_eq(fseek(from, offset, SEEK_SET), 0);
	ck_assert_int_eq(fseek(to, offset, SEEK_SET), 0);
	while (size-- > 0 && (c = fgetc(from)) != EOF)
		fputc(c, to);
	ck_assert_int_eq(fclose(from), 0);
	ck_assert_int_eq(fclose(to), 0);
}

START_TEST(file_that_is_written_in_place_disturbs_nobody)
{
	const struct net first = { "5.0.0.0", 8, "SE", 0, 0, 0, NULL, 0, 0,
		NULL };
	const struct net second = { "5.0.0.0", 8, "KE", 0, 0, 0, "Nairobi", 0,
		0, NULL };
	char at[] = "geoip-at.XXXXXX";
	const char *const paths[GEOIP__MAX] = { [GEOIP_PLACES] = at };
	struct fail f = { 0 };

	ck_assert_int_ne(close(mkstemp(at)), -1);
	write_database(&first, 1, FLAT, 4, BUILT);
	ck_assert_int_eq(rename(path, at), 0);
	ck_assert_ptr_nonnull(geoip = geoip_open(paths, &f));
	write_database(&second, 1, FLAT, 4, BUILT);

	/* Cut, with a first part, then whole. */
	ck_assert_int_eq(truncate(at, 0), 0);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 0);
	ck_assert_str_eq(country_now(), "SE");
	overwrite(at, 0, 50);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 0);
	overwrite(at, 50, LONG_MAX);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 0);
	ck_assert_str_eq(country_now(), "SE");
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 1);
	ck_assert_str_eq(country_now(), "KE");
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 0);

	/* Cut, and left so. */
	ck_assert_int_eq(truncate(at, 20), 0);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 0);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), -1);
	ck_assert_str_eq(f.where, "GEOIP_DB");
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 0);
	ck_assert_str_eq(country_now(), "KE");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(unlink(at), 0);
}
END_TEST

/* As a reload of the pool does, while the file is cut. */
START_TEST(database_stays_if_its_file_is_bad_now)
{
	const struct net net = { "5.0.0.0", 8, "SE", 0, 0, 0, NULL, 0, 0,
		NULL };
	const char *paths[GEOIP__MAX] = { [GEOIP_PLACES] = path };
	struct fail f = { 0 };
	struct geoip *old;

	write_database(&net, 1, FLAT, 4, BUILT);
	ck_assert_ptr_nonnull(old = geoip_open(paths, &f));
	ck_assert_int_eq(truncate(path, 9), 0);
	ck_assert_ptr_nonnull(geoip = geoip_new(paths, &f));
	geoip_take(geoip, old);
	geoip_close(old);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), -1);
	ck_assert_str_eq(country_now(), "SE");
	ck_assert_int_eq(unlink(path), 0);

	/* Another path has another database. */
	old = geoip;
	paths[GEOIP_PLACES] = "/nonexistent/geo.mmdb";
	ck_assert_ptr_nonnull(geoip = geoip_new(paths, &f));
	geoip_take(geoip, old);
	geoip_close(old);
	ck_assert_str_eq(country_now(), "");
}
END_TEST

START_TEST(replaced_file_is_read_once)
{
	const struct net first = { "5.0.0.0", 8, "SE", 0, 0, 0, NULL, 0, 0,
		NULL };
	const struct net second = { "5.0.0.0", 8, "KE", 0, 0, 0, NULL, 0, 0,
		NULL };
	char at[] = "geoip-at.XXXXXX";
	const char *const paths[GEOIP__MAX] = { [GEOIP_PLACES] = at };
	struct fail f = { 0 };

	ck_assert_int_ne(close(mkstemp(at)), -1);
	ck_assert_int_eq(unlink(at), 0);
	ck_assert_ptr_nonnull(geoip = geoip_new(paths, &f));
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), -1);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 0);
	ck_assert_str_eq(country_now(), "");
	ck_assert_int_eq(geoip_built(geoip, GEOIP_PLACES), 0);
	write_database(&first, 1, FLAT, 4, BUILT);
	ck_assert_int_eq(rename(path, at), 0);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 1);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 0);
	ck_assert_str_eq(country_now(), "SE");
	write_database(&second, 1, FLAT, 4, BUILT);
	ck_assert_int_eq(rename(path, at), 0);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 1);
	ck_assert_str_eq(country_now(), "KE");

	/* A bad or missing file leaves the copy in use. */
	ck_assert_int_eq(unlink(at), 0);
	ck_assert_int_eq(symlink("/dev/null", at), 0);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), -1);
	ck_assert_int_eq(unlink(at), 0);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), -1);
	ck_assert_int_eq(geoip_refresh(geoip, GEOIP_PLACES, &f), 0);
	ck_assert_str_eq(country_now(), "KE");
}
END_TEST

START_TEST(private_address_has_no_place)
{
	const struct event with = { .ip = "5.6.7.8", .ip_public = false };
	const struct event without = { .ip_public = true };
	struct place got = { .country = "XX" };

	geoip_place(geoip, &with, &got);
	ck_assert_str_eq(got.country, "");
	memcpy(got.country, "XX", 3);
	geoip_place(geoip, &without, &got);
	ck_assert_str_eq(got.country, "");
}
END_TEST

START_TEST(ipv4_database_has_no_place_for_ipv6)
{
	const struct event v4 = { .ip = "41.80.0.1", .ip_public = true };
	const struct event v6 = { .ip = "2c0f:fe38::1", .ip_public = true };
	struct place got;

	geoip_place(geoip, &v4, &got);
	ck_assert_str_eq(got.country, "KE");
	geoip_place(geoip, &v6, &got);
	ck_assert_str_eq(got.country, "");
}
END_TEST

START_TEST(without_database_no_address_has_a_place)
{
	const struct event ev = { .ip = "5.6.7.8", .ip_public = true };
	struct place got = { .country = "XX" };

	geoip_place(NULL, &ev, &got);
	ck_assert_str_eq(got.country, "");
	geoip_close(NULL);
}
END_TEST

START_TEST(invalid_database_is_refused)
{
	struct fail f = { 0 };

	ck_assert_ptr_null(opened(bad_databases[_i], NULL, NULL, &f));
	ck_assert_int_eq(f.kind, FAIL_US);
	ck_assert_str_eq(f.where, "GEOIP_DB");
	ck_assert_str_ne(f.why, "");
	ck_assert_ptr_null(opened(NULL, NULL, bad_databases[_i], &f));
	ck_assert_str_eq(f.where, "GEOIP_ASN_DB");
}
END_TEST

/* Open all networks in this layout, and all systems. */
static void
setup_both(enum geoip_test_layout layout)
{
	char places_path[sizeof(path)];

	write_database(nets, nitems(nets), layout, 6, BUILT);
	memcpy(places_path, path, sizeof(path));
	write_database(systems, nitems(systems), AUTONOMOUS, 4, BUILT);
	geoip = opened(places_path, NULL, path, NULL);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(unlink(places_path), 0);
	ck_assert_ptr_nonnull(geoip);
}

static void
setup_both_nested(void)
{
	setup_both(NESTED);
}

static void
setup_both_flat(void)
{
	setup_both(FLAT);
}

/* Compare two texts that may be NULL. */
static void
same_text(const char *got, const char *want)
{
	if (want == NULL)
		ck_assert_ptr_null(got);
	else
		ck_assert_pstr_eq(got, want);
}

START_TEST(address_has_a_city_and_a_network)
{
	const struct event ev = { .ip = facts_of[_i].ip, .ip_public = true };
	_Alignas(16) char block[1024];
	struct ip_facts got;
	struct place place;
	struct arena a;

	arena_init(&a, block, sizeof(block));
	geoip_look_up(geoip, &ev, &a, &place, &got);
	same_text(got.city, facts_of[_i].city);
	same_text(got.asn_org, facts_of[_i].asn_org);
	ck_assert_uint_eq(got.asn, facts_of[_i].asn);
	arena_reset(&a);
}
END_TEST

START_TEST(both_databases_know_their_subjects)
{
	ck_assert_uint_eq(
	    geoip_families(geoip, GEOIP_PLACES), MMDB_IPV4 | MMDB_IPV6);
	ck_assert_uint_eq(geoip_families(geoip, GEOIP_ASN), MMDB_IPV4);
}
END_TEST

START_TEST(name_has_at_most_255_bytes)
{
	char name[] = "....................................................."
		      "....................................................."
		      "....................................................."
		      "....................................................."
		      "............................................";
	const struct net one = { "5.0.0.0", 8, NULL, 0, 0, 0, name, 64500, 0,
		NULL };
	const struct event ev = { .ip = "5.6.7.8", .ip_public = true };
	_Alignas(16) char block[1024];
	struct ip_facts got;
	struct place place;
	struct arena a;
	size_t n;

	ck_assert_uint_eq(strlen(name), 256);
	for (n = 256; n >= 255; n--) {
		name[n] = '\0';
		write_database(&one, 1, AUTONOMOUS, 4, BUILT);
		geoip = opened(NULL, NULL, path, NULL);
		ck_assert_int_eq(unlink(path), 0);
		arena_init(&a, block, sizeof(block));
		geoip_look_up(geoip, &ev, &a, &place, &got);
		same_text(got.asn_org, n == 255 ? name : NULL);
		ck_assert_uint_eq(got.asn, 64500);
		arena_reset(&a);
		geoip_close(geoip);
		geoip = NULL;
	}
}
END_TEST

/* A layout of places, with autonomous systems beside. */
static void
add_facts(Suite *s, const char *name, void (*set_up)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, set_up, teardown);
	tcase_add_loop_test(
	    tc, address_has_a_city_and_a_network, 0, (int)nitems(facts_of));
	tcase_add_test(tc, both_databases_know_their_subjects);
	suite_add_tcase(s, tc);
}

static void
add_layout(Suite *s, const char *name, void (*set_up)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, set_up, teardown);
	tcase_add_loop_test(
	    tc, address_has_the_place_of_its_network, 0, (int)nitems(places));
	tcase_add_test(tc, database_knows_when_it_was_built);
	tcase_add_test(tc, database_knows_places_if_it_has_countries);
	tcase_add_test(tc, private_address_has_no_place);
	tcase_add_loop_test(
	    tc, addresses_of_one_network_are_known, 0, (int)nitems(networks));
	suite_add_tcase(s, tc);
}

Suite *
suite_geoip(void)
{
	Suite *s = suite_create("geoip");
	TCase *tc;

	add_layout(s, "nested", setup_nested);
	add_layout(s, "flat", setup_flat);
	add_layout(s, "ipinfo", setup_ipinfo);
	add_layout(s, "core", setup_core);
	add_facts(s, "facts-nested", setup_both_nested);
	add_facts(s, "facts-flat", setup_both_flat);

	tc = tcase_create("v4");
	tcase_add_checked_fixture(tc, setup_v4, teardown);
	tcase_add_test(tc, ipv4_database_has_no_place_for_ipv6);
	suite_add_tcase(s, tc);

	tc = tcase_create("replaced");
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, database_of_something_else_is_refused);
	tcase_add_test(tc, file_that_is_written_in_place_disturbs_nobody);
	tcase_add_test(tc, database_stays_if_its_file_is_bad_now);
	tcase_add_loop_test(
	    tc, only_a_named_place_is_a_city, 0, (int)nitems(precise));
	tcase_add_loop_test(
	    tc, second_database_knows_more, 0, (int)nitems(pairs));
	tcase_add_loop_test(tc, database_knows_the_families_of_its_addresses, 0,
	    (int)nitems(families));
	tcase_add_test(tc, replaced_file_is_read_once);
	suite_add_tcase(s, tc);

	tc = tcase_create("none");
	tcase_add_test(tc, time_of_a_damaged_database_stays_in_range);
	tcase_add_test(tc, without_database_no_address_has_a_place);
	tcase_add_test(tc, name_has_at_most_255_bytes);
	tcase_add_loop_test(
	    tc, invalid_database_is_refused, 0, (int)nitems(bad_databases));
	suite_add_tcase(s, tc);
	return s;
}
