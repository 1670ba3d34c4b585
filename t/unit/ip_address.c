/* SPDX-License-Identifier: ISC */
/* core/event/ip_address.c: spellings of addresses, and which are public. */
#include "config.h"

#include <string.h>

#include "core/event/ip_address.h"
#include "t/unit/unit.h"

/* Hosts as in URLs. t/unit/event.c also tests special addresses. */
static const struct {
	const char *host;
	int r;
	const char *want; /* canonical text of an address */
} hosts[] = {
	{ "example.com", 0, NULL },
	{ "example.com.", 0, NULL },
	{ "127.0.0.1.example", 0, NULL },
	{ "0x7f.example", 0, NULL },
	{ "12ab", 0, NULL },
	{ "0xfg", 0, NULL },
	{ "", 0, NULL },
	{ "127.0.0.1", 1, "127.0.0.1" },
	{ "127.0.0.1.", 1, "127.0.0.1" },
	{ "127.1", 1, "127.0.0.1" },
	{ "127.0.1", 1, "127.0.0.1" },
	{ "2130706433", 1, "127.0.0.1" },
	{ "0x7f000001", 1, "127.0.0.1" },
	{ "0X7F.1", 1, "127.0.0.1" },
	{ "0x7f.0x0.0x0.0x1", 1, "127.0.0.1" },
	{ "017700000001", 1, "127.0.0.1" },
	{ "0177.0.0.01", 1, "127.0.0.1" },
	{ "00000177.1", 1, "127.0.0.1" },
	{ "10.65535", 1, "10.0.255.255" },
	{ "192.168.65535", 1, "192.168.255.255" },
	{ "169.254.43518", 1, "169.254.169.254" },
	{ "4294967295", 1, "255.255.255.255" },
	{ "0", 1, "0.0.0.0" },
	{ "0x", 1, "0.0.0.0" },
	{ "0x.0", 1, "0.0.0.0" },
	{ "8.8.8.8", 1, "8.8.8.8" },
	{ "4294967296", -1, NULL },
	{ "18446744073709551616", -1, NULL },
	{ "99999999999999999999999999999999999999999", -1, NULL },
	{ "256.0.0.1", -1, NULL },
	{ "1.2.3.256", -1, NULL },
	{ "1.2.65536", -1, NULL },
	{ "1.16777216", -1, NULL },
	{ "1.2.3.4.5", -1, NULL },
	{ "08.0.0.1", -1, NULL },
	{ "1.2.3.09", -1, NULL },
	{ "1..2", -1, NULL },
	{ ".1", -1, NULL },
	{ "host.1", -1, NULL },
	{ "host.0x1", -1, NULL },
};

static const struct {
	const char *ip;
	bool outside;
} ends[] = {
	{ "8.8.8.8", true },
	{ "10.0.0.1", false },
	{ "127.0.0.1", false },
	{ "169.254.169.254", false },
	{ "::ffff:8.8.8.8", true },
	{ "::ffff:7f00:1", false },
	{ "64:ff9b::8.8.8.8", true },
	{ "64:ff9b::10.0.0.1", false },
	{ "64:ff9b::7f00:1", false },
	{ "64:ff9b::a9fe:a9fe", false },
	{ "64:ff9b:0:0:0:1:808:808", false },
	{ "64:ff9b:1::808:808", false },
	{ "::8.8.8.8", false },
	{ "::ffff:0:8.8.8.8", false },
	{ "::", false },
	{ "::1", false },
	{ "fe80::1", false },
	{ "fec0::1", false },
	{ "fd00:ec2::254", false },
	{ "2002:7f00:1::", false },
	{ "2001:0:808:808::1", false },
	{ "2606:4700:4700::1111", true },
};

START_TEST(host_is_an_address_a_name_or_invalid)
{
	char text[IP_ADDRESS_TEXT_SIZE];
	struct ip_address ad;

	ck_assert_int_eq(
	    ip_address_parse_host(hosts[_i].host, strlen(hosts[_i].host), &ad),
	    hosts[_i].r);
	if (hosts[_i].r != 1)
		return;
	ip_address_text(&ad, text);
	ck_assert_str_eq(text, hosts[_i].want);
}
END_TEST

START_TEST(host_ends_at_its_length)
{
	struct ip_address ad;

	ck_assert_int_eq(ip_address_parse_host("127.1:80", 5, &ad), 1);
	ck_assert_int_eq(ip_address_parse_host("127.1x", 5, &ad), 1);
	ck_assert_int_eq(ip_address_parse_host("127.1x", 6, &ad), 0);
}
END_TEST

START_TEST(only_public_addresses_are_outside)
{
	struct ip_address ad;

	ck_assert_int_eq(ip_address_parse(ends[_i].ip, &ad), 0);
	ck_assert_int_eq(ip_address_outside(&ad), ends[_i].outside);
}
END_TEST

static const struct {
	const char *ip, *client;
} clients[] = {
	{ "81.2.3.4", "81.2.3.4" },
	{ "::ffff:81.2.3.4", "::ffff:81.2.3.4" }, /* not in normal form */
	{ "2a00:1450:4001:80b:1:2:3:4", "2a00:1450:4001:80b::" },
	{ "2a00:1450:4001:80b::", "2a00:1450:4001:80b::" },
	{ "2a00:1450:4001:80c::1", "2a00:1450:4001:80c::" },
	{ "::1", "::" },
	{ "64:ff9b::5102:304", "64:ff9b::5102:304" },
	{ "64:ff9b:1::5102:304", "64:ff9b:1::5102:304" },
	{ "2001:0:4136:e378:8000:63bf:3fff:fdd2",
	    "2001:0:4136:e378:8000:63bf:3fff:fdd2" },
	{ "2001:4860:4860::8888", "2001:4860:4860::" },
	{ "somewhere", "somewhere" },
};

START_TEST(client_is_an_ipv4_address_or_a_64)
{
	char got[IP_ADDRESS_TEXT_SIZE];

	ip_client_text(clients[_i].ip, got);
	ck_assert_str_eq(got, clients[_i].client);
}
END_TEST

Suite *
suite_ip_address(void)
{
	Suite *s = suite_create("ip_address");
	TCase *tc = tcase_create("ip_address");

	tcase_add_loop_test(
	    tc, host_is_an_address_a_name_or_invalid, 0, (int)nitems(hosts));
	tcase_add_test(tc, host_ends_at_its_length);
	tcase_add_loop_test(
	    tc, only_public_addresses_are_outside, 0, (int)nitems(ends));
	tcase_add_loop_test(
	    tc, client_is_an_ipv4_address_or_a_64, 0, (int)nitems(clients));
	suite_add_tcase(s, tc);
	return s;
}
