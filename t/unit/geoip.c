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

#include "core/event/event.h"
#include "core/base/fail.h"
#include "core/event/geo.h"
#include "lib/engine/geoip.h"
#include "t/unit/unit.h"

#define NODES_MAX 2048
#define DATA_MAX 4096
#define SEPARATOR 16 /* zero bytes between tree and data */

/* Types in the data section of a MaxMind database. */
enum { TEXT = 2, DOUBLE = 3, UINT16 = 5, UINT32 = 6, MAP = 7 };
enum { UINT64 = 9, ARRAY = 11, FLOAT = 15 };

enum geoip_test_layout { NESTED, FLAT, LAYOUTS };

/* The contents of a record of the test. */
struct net {
	const char *net;
	int bits;
	const char *country; /* NULL: none */
	int type; /* of the coordinates, 0 for none */
	double lat, lon;
};

/* A database under construction. */
struct mmdb {
	uint32_t node[NODES_MAX][2]; /* 0: empty, else a node or ~offset */
	uint32_t n_nodes;
	uint8_t data[DATA_MAX];
	uint32_t size;
};

static const struct net nets[] = {
	{ "196.188.0.0", 16, "ET", DOUBLE, 9.025, 38.7469 },
	{ "41.80.0.0", 15, "KE", 0, 0, 0 },
	{ "5.0.0.0", 8, "se", 0, 0, 0 },
	{ "6.1.0.0", 16, "ET", DOUBLE, 90.5, 38 },
	{ "6.2.0.0", 16, "ET", DOUBLE, 9, -180.5 },
	{ "6.3.0.0", 16, "ET", TEXT, 9, 38 },
	{ "6.4.0.0", 16, "ET", DOUBLE, NAN, 38 },
	{ "6.5.0.0", 16, NULL, DOUBLE, 9, 38 },
	{ "6.6.0.0", 16, "ETH", 0, 0, 0 },
	{ "6.7.0.0", 16, "E1", 0, 0, 0 },
	{ "6.8.0.0", 16, "ZZ", 0, 0, 0 },
	{ "6.9.0.1", 32, "JM", FLOAT, 18.5, -77.25 },
	{ "2c0f:fe38::", 32, "KE", DOUBLE, -1.25, 36.75 },
	{ "2001:41d0::", 32, "FR", 0, 0, 0 },
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
	ck_assert_uint_lt(size, 29);
	put_bytes((type > 7 ? 0 : (uint64_t)type << 5) | size, 1);
	if (type > 7)
		put_bytes((uint64_t)type - 7, 1);
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
put_record(const struct net *net, enum geoip_test_layout layout)
{
	const bool nested = layout == NESTED;
	const size_t located = net->type != 0;

	put_control(
	    MAP, (net->country != NULL) + (nested ? located : 2 * located));
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
	put_number("build_epoch", UINT64, 8, 1790000000);
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

/* Write the networks as a database of this layout, and open it. */
static void
setup(enum geoip_test_layout layout, int version)
{
	static const char zeros[SEPARATOR];
	struct fail f = { 0 };
	FILE *fp;
	size_t i;
	int fd;

	memset(&mmdb, 0, sizeof(mmdb));
	mmdb.n_nodes = 1;
	for (i = 0; i < nitems(nets); i++)
		if (put_address(&nets[i], version))
			put_record(&nets[i], layout);

	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	ck_assert_int_ne(fd = mkstemp(path), -1);
	ck_assert_ptr_nonnull(fp = fdopen(fd, "wb"));
	write_tree(fp);
	fwrite(zeros, 1, sizeof(zeros), fp);
	fwrite(mmdb.data, 1, mmdb.size, fp);
	write_metadata(fp, version);
	ck_assert_int_eq(fclose(fp), 0);
	geoip = geoip_open(path, &f);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_msg(geoip != NULL, "%s %s", f.where, f.why);
}

static void
setup_nested(void)
{
	setup(NESTED, 6);
}

static void
setup_flat(void)
{
	setup(FLAT, 6);
}

static void
setup_v4(void)
{
	setup(FLAT, 4);
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

	ck_assert_ptr_null(geoip_open(bad_databases[_i], &f));
	ck_assert_int_eq(f.kind, FAIL_US);
	ck_assert_str_eq(f.where, "GEOIP_DB");
	ck_assert_str_ne(f.why, "");
}
END_TEST

static void
add_layout(Suite *s, const char *name, void (*set_up)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, set_up, teardown);
	tcase_add_loop_test(
	    tc, address_has_the_place_of_its_network, 0, (int)nitems(places));
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

	tc = tcase_create("v4");
	tcase_add_checked_fixture(tc, setup_v4, teardown);
	tcase_add_test(tc, ipv4_database_has_no_place_for_ipv6);
	suite_add_tcase(s, tc);

	tc = tcase_create("none");
	tcase_add_test(tc, without_database_no_address_has_a_place);
	tcase_add_loop_test(
	    tc, invalid_database_is_refused, 0, (int)nitems(bad_databases));
	suite_add_tcase(s, tc);
	return s;
}
