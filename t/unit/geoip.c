/* SPDX-License-Identifier: ISC */
/* lib/engine/geoip.c, with small databases that this test writes. */
#include "config.h"

#include <arpa/inet.h>
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
#include "lib/sys/clock.h"
#include "t/unit/unit.h"

#define NODES_MAX 2048
#define DATA_MAX 4096
#define SEPARATOR 16 /* zero bytes between tree and data */
#define BUILT 1790000000 /* seconds since 1970 */

/* Types in the data section of a MaxMind database. */
enum { TEXT = 2, DOUBLE = 3, UINT16 = 5, UINT32 = 6, MAP = 7 };
enum { UINT64 = 9, ARRAY = 11, FLOAT = 15 };

enum geoip_test_layout { NESTED, FLAT, AUTONOMOUS };

/* The contents of a record of the test. */
struct net {
	const char *net;
	int bits;
	const char *country; /* NULL: none */
	int type; /* of the coordinates, 0 for none */
	double lat, lon;
	const char *name; /* of the city or the organization; NULL: none */
	uint32_t asn; /* in the layout AUTONOMOUS */
};

/* A database under construction. */
struct mmdb {
	uint32_t node[NODES_MAX][2]; /* 0: empty, else a node or ~offset */
	uint32_t n_nodes;
	uint64_t built; /* seconds since 1970 */
	uint8_t data[DATA_MAX];
	uint32_t size;
};

static const struct net nets[] = {
	{ "196.188.0.0", 16, "ET", DOUBLE, 9.025, 38.7469, "Addis Ababa", 0 },
	{ "41.80.0.0", 15, "KE", 0, 0, 0, "M\xc3\xa4lindi", 0 },
	{ "5.0.0.0", 8, "se", 0, 0, 0, "Upp\xffsala", 0 },
	{ "6.1.0.0", 16, "ET", DOUBLE, 90.5, 38, NULL, 0 },
	{ "6.2.0.0", 16, "ET", DOUBLE, 9, -180.5, NULL, 0 },
	{ "6.3.0.0", 16, "ET", TEXT, 9, 38, NULL, 0 },
	{ "6.4.0.0", 16, "ET", DOUBLE, NAN, 38, NULL, 0 },
	{ "6.5.0.0", 16, NULL, DOUBLE, 9, 38, "Nowhere", 0 },
	{ "6.6.0.0", 16, "ETH", 0, 0, 0, NULL, 0 },
	{ "6.7.0.0", 16, "E1", 0, 0, 0, NULL, 0 },
	{ "6.8.0.0", 16, "ZZ", 0, 0, 0, "two\nlines", 0 },
	{ "6.9.0.1", 32, "JM", FLOAT, 18.5, -77.25, NULL, 0 },
	{ "2c0f:fe38::", 32, "KE", DOUBLE, -1.25, 36.75, NULL, 0 },
	{ "2001:41d0::", 32, "FR", 0, 0, 0, NULL, 0 },
};

static const struct {
	const char *ip;
	const char *country;
	bool city;
	double lat, lon;
} places[] = {
	{ "196.188.0.0", "ET", true, 9.025, 38.7469 },
	{ "196.188.255.255", "ET", true, 9.025, 38.7469 },
	{ "196.189.0.0", "", false, 0, 0 },
	{ "41.81.2.3", "KE", false, 0.6, 37.8 },
	{ "5.6.7.8", "SE", false, 62.8, 16.7 },
	{ "6.1.0.1", "ET", false, 8.6, 39.6 },
	{ "6.2.0.1", "ET", false, 8.6, 39.6 },
	{ "6.3.0.1", "ET", false, 8.6, 39.6 },
	{ "6.4.0.1", "ET", false, 8.6, 39.6 },
	{ "6.5.0.1", "", false, 0, 0 },
	{ "6.6.0.1", "", false, 0, 0 },
	{ "6.7.0.1", "", false, 0, 0 },
	{ "6.8.0.1", "ZZ", false, NAN, NAN },
	{ "6.9.0.1", "JM", true, 18.5, -77.25 },
	{ "6.9.0.2", "", false, 0, 0 },
	{ "2c0f:fe38::1", "KE", true, -1.25, 36.75 },
	{ "2001:41d0:1::1", "FR", false, 46.6, 2.5 },
	{ "2001:41d1::1", "", false, 0, 0 },
	{ "no address", "", false, 0, 0 },
};

static const struct net systems[] = {
	{ "5.0.0.0", 8, NULL, 0, 0, 0, "Example AB", 64500 },
	{ "6.0.0.0", 8, NULL, 0, 0, 0, NULL, UINT32_MAX },
	{ "7.0.0.0", 8, NULL, 0, 0, 0, "", 64501 },
	{ "8.0.0.0", 8, NULL, 0, 0, 0, "No number", 0 },
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

static struct mmdb mmdb;
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
		put_text("9");
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
put_record(const struct net *net, enum geoip_test_layout layout)
{
	const bool nested = layout == NESTED;
	const size_t located = net->type != 0, named = net->name != NULL;

	if (layout == AUTONOMOUS) {
		put_system(net);
		return;
	}
	put_control(MAP,
	    named + (net->country != NULL) + (nested ? located : 2 * located));
	if (net->name != NULL)
		put_city(net->name, nested);
	if (net->country != NULL) {
		put_text(nested ? "country" : "country_code");
		if (nested) {
			put_control(MAP, 1);
			put_text("iso_code");
		}
		put_text(net->country);
	}
	if (!located)
		return;
	if (nested) {
		put_text("location");
		put_control(MAP, 2);
	}
	put_degrees("latitude", net->type, net->lat);
	put_degrees("longitude", net->type, net->lon);
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

/* Open all networks as a database of this layout and time. */
static void
setup(enum geoip_test_layout layout, int version, uint64_t built)
{
	struct fail f = { 0 };

	write_database(nets, nitems(nets), layout, version, built);
	geoip = geoip_open(path, NULL, &f);
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
	ck_assert(geoip_knows(geoip, GEOIP_PLACES));
	ck_assert(!geoip_knows(geoip, GEOIP_ASN));
}
END_TEST

START_TEST(database_without_countries_knows_no_places)
{
	const struct net bare = { "0.0.0.0", 1, NULL, 0, 0, 0, "Nowhere", 0 };

	write_database(&bare, 1, FLAT, 4, BUILT);
	geoip = geoip_open(path, path, NULL);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_ptr_nonnull(geoip);
	ck_assert(!geoip_knows(geoip, GEOIP_PLACES));
	ck_assert(!geoip_knows(geoip, GEOIP_ASN));
}
END_TEST

/* Return the country of 5.6.7.8 in a static buffer. */
static const char *
country_now(void)
{
	static struct place got;
	const struct event ev = { .ip = "5.6.7.8", .ip_public = true };

	geoip_place(geoip, &ev, &got);
	return got.country;
}

START_TEST(replaced_file_is_mapped_once)
{
	const struct net first = { "5.0.0.0", 8, "SE", 0, 0, 0, NULL, 0 };
	const struct net second = { "5.0.0.0", 8, "KE", 0, 0, 0, NULL, 0 };
	char at[] = "geoip-at.XXXXXX";
	struct fail f = { 0 };

	ck_assert_int_ne(close(mkstemp(at)), -1);
	ck_assert_int_eq(unlink(at), 0);
	ck_assert_ptr_nonnull(geoip = geoip_new(at, NULL, &f));
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

	/* A bad or missing file leaves the mapped one in use. */
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

	ck_assert_ptr_null(geoip_open(bad_databases[_i], NULL, &f));
	ck_assert_int_eq(f.kind, FAIL_US);
	ck_assert_str_eq(f.where, "GEOIP_DB");
	ck_assert_str_ne(f.why, "");
	ck_assert_ptr_null(geoip_open(NULL, bad_databases[_i], &f));
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
	geoip = geoip_open(places_path, path, NULL);
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
	ck_assert(geoip_knows(geoip, GEOIP_PLACES));
	ck_assert(geoip_knows(geoip, GEOIP_ASN));
}
END_TEST

START_TEST(name_has_at_most_255_bytes)
{
	char name[] = "....................................................."
		      "....................................................."
		      "....................................................."
		      "....................................................."
		      "............................................";
	const struct net one = { "5.0.0.0", 8, NULL, 0, 0, 0, name, 64500 };
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
		geoip = geoip_open(NULL, path, NULL);
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
	suite_add_tcase(s, tc);
}

Suite *
suite_geoip(void)
{
	Suite *s = suite_create("geoip");
	TCase *tc;

	add_layout(s, "nested", setup_nested);
	add_layout(s, "flat", setup_flat);
	add_facts(s, "facts-nested", setup_both_nested);
	add_facts(s, "facts-flat", setup_both_flat);

	tc = tcase_create("v4");
	tcase_add_checked_fixture(tc, setup_v4, teardown);
	tcase_add_test(tc, ipv4_database_has_no_place_for_ipv6);
	suite_add_tcase(s, tc);

	tc = tcase_create("replaced");
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, database_without_countries_knows_no_places);
	tcase_add_test(tc, replaced_file_is_mapped_once);
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
