/* SPDX-License-Identifier: ISC */
/*
 * core/event/list.c: normal forms of values, keys of events, entries in effect.
 */
#include "config.h"

#include <string.h>

#include "core/event/list.h"
#include "core/event/list_network.h"
#include "t/unit/unit.h"

#define X16 "xxxxxxxxxxxxxxxx"
#define X128 X16 X16 X16 X16 X16 X16 X16 X16

static const struct {
	enum list_subject subject;
	const char *text;
	const char *want; /* NULL: refused */
} values[] = {
	{ LIST_USER, "u-1", "u-1" },
	{ LIST_USER, " weiß /1", " weiß /1" },
	{ LIST_USER, "", NULL },
	{ LIST_USER, X128, X128 },
	{ LIST_USER, X128 "x", NULL },
	{ LIST_DEVICE, "a\tb", NULL },
	{ LIST_DEVICE, "a\x7f", NULL },
	{ LIST_FINGERPRINT, "a\xff", NULL },
	{ LIST_FINGERPRINT, "4111111111111111", "4111111111111111" },
	{ LIST_IP, "81.2.3.4", "81.2.3.4" },
	{ LIST_IP, "::ffff:81.2.3.4", "81.2.3.4" },
	{ LIST_IP, "2A00:1450:4001:0:0:0:0:200E", "2a00:1450:4001::200e" },
	{ LIST_IP, "81.2.3.0/24", NULL },
	{ LIST_IP, "", NULL },
	{ LIST_PHONE, "+251 91 234 5678", "251912345678" },
	{ LIST_PHONE, "00251912345678", "251912345678" },
	{ LIST_PHONE, "+44 (0)20 7946 0123", "442079460123" },
	{ LIST_PHONE, "1234567", "1234567" },
	{ LIST_PHONE, "123456", NULL },
	{ LIST_BIN, "411111", "411111" },
	{ LIST_BIN, "41111111", "41111111" },
	{ LIST_BIN, "41111", NULL },
	{ LIST_BIN, "411111111", NULL },
	{ LIST_BIN, "41111x", NULL },
	{ LIST_COUNTRY, "gb", "GB" },
	{ LIST_COUNTRY, "XK", "XK" },
	{ LIST_COUNTRY, "UK", NULL },
	{ LIST_COUNTRY, "GBR", NULL },
	{ LIST_COUNTRY, "", NULL },
};

START_TEST(value_is_normalized_or_refused)
{
	char got[LIST_VALUE_SIZE] = "";
	int r;

	r = list_value(values[_i].subject, values[_i].text, got);
	ck_assert_int_eq(r, values[_i].want == NULL ? -1 : 0);
	if (values[_i].want != NULL)
		ck_assert_str_eq(got, values[_i].want);
	ck_assert_int_eq(
	    strncmp(list_value_rule(values[_i].subject), "must be ", 8), 0);
}
END_TEST

static const struct {
	enum list_subject subject;
	const char *text;
	const char *want; /* NULL: refused */
} entry_values[] = {
	{ LIST_IP, "81.2.3.4", "81.2.3.4" },
	{ LIST_IP, "81.2.3.0/24", "81.2.3.0/24" },
	{ LIST_IP, "81.2.3.4/32", "81.2.3.4" },
	{ LIST_IP, "81.0.0.0/8", "81.0.0.0/8" },
	{ LIST_IP, "80.0.0.0/7", NULL },
	{ LIST_IP, "81.2.3.1/24", NULL },
	{ LIST_IP, "0.0.0.0/0", NULL },
	{ LIST_IP, "81.2.3.0/33", NULL },
	{ LIST_IP, "81.2.3.0/", NULL },
	{ LIST_IP, "81.2.3.0/24/24", NULL },
	{ LIST_IP, "81.2.3.0/+8", NULL },
	{ LIST_IP, "::ffff:81.2.3.0/120", "81.2.3.0/24" },
	{ LIST_IP, "2A00:1450::/32", "2a00:1450::/32" },
	{ LIST_IP, "2a00:1450::1/128", "2a00:1450::1" },
	{ LIST_IP, "2a00::/16", "2a00::/16" },
	{ LIST_IP, "2a00::/15", NULL },
	{ LIST_IP, "::/64", NULL }, /* it has all IPv4 addresses */
	{ LIST_IP, "::ffff:0:0/96", NULL },
	{ LIST_IP, "/24", NULL },
	{ LIST_USER, "a/24", "a/24" },
	{ LIST_BIN, "411111/8", NULL },
};

START_TEST(value_of_an_entry_may_be_a_network)
{
	char got[LIST_VALUE_SIZE] = "";
	int r;

	r = list_entry_value(
	    entry_values[_i].subject, entry_values[_i].text, got);
	ck_assert_int_eq(r, entry_values[_i].want == NULL ? -1 : 0);
	if (entry_values[_i].want != NULL)
		ck_assert_str_eq(got, entry_values[_i].want);
}
END_TEST

START_TEST(only_exact_names_are_read)
{
	int i;

	for (i = LIST_KIND__NONE + 1; i < LIST_KIND__MAX; i++)
		ck_assert_int_eq(
		    list_kind_parse(list_kind_name((enum list_kind)i)), i);
	for (i = LIST_SUBJECT__NONE + 1; i < LIST_SUBJECT__MAX; i++)
		ck_assert_int_eq(
		    list_subject_parse(list_subject_name((enum list_subject)i)),
		    i);
	ck_assert_int_eq(list_kind_parse("Block"), LIST_KIND__NONE);
	ck_assert_int_eq(list_kind_parse(""), LIST_KIND__NONE);
	ck_assert_int_eq(list_subject_parse("users"), LIST_SUBJECT__NONE);
}
END_TEST

START_TEST(reason_is_one_line_of_text)
{
	ck_assert(!list_reason(""));
	ck_assert(!list_reason("  "));
	ck_assert(list_reason("Betrug, siehe Fall 7"));
	ck_assert(list_reason(X128 X128));
	ck_assert(!list_reason(X128 X128 "x"));
	ck_assert(!list_reason("two\nlines"));
	ck_assert(!list_reason("\xff"));
}
END_TEST

START_TEST(event_gives_keys_of_its_fields)
{
	static const struct {
		enum list_subject subject;
		const char *value;
	} want[] = {
		{ LIST_USER, "u" },
		{ LIST_DEVICE, "d" },
		{ LIST_FINGERPRINT, "f" },
		{ LIST_IP, "81.2.3.4" },
		{ LIST_PHONE, "251912345678" },
		{ LIST_BIN, "411111" },
		{ LIST_BIN, "4111112" },
		{ LIST_BIN, "41111123" },
		{ LIST_COUNTRY, "ET" },
	};
	const struct event all = { .user = "u",
		.device = "d",
		.fingerprint = "f",
		.ip = "81.2.3.4",
		.phone = "251912345678",
		.bin = "41111123" };
	const struct event least = { .user = "u" };
	const struct event seven = { .user = "u", .bin = "4111112" };
	struct list_key got[LIST_KEYS_MAX];
	size_t i;

	ck_assert_uint_eq(list_keys(&all, "ET", got), nitems(want));
	ck_assert_uint_eq(nitems(want), LIST_KEYS_MAX);
	for (i = 0; i < nitems(want); i++) {
		ck_assert_int_eq(got[i].subject, want[i].subject);
		ck_assert_uint_eq(got[i].len, strlen(want[i].value));
		ck_assert_mem_eq(got[i].value, want[i].value, got[i].len);
	}
	ck_assert_uint_eq(list_keys(&least, "", got), 1);
	ck_assert_uint_eq(list_keys(&seven, "", got), 3);
	ck_assert_uint_eq(got[2].len, 7);
}
END_TEST

static struct list_entry entries[] = {
	{ "b", 0, LIST_WATCH },
	{ "411111", 0, LIST_ALLOW },
	{ "b", 100, LIST_BLOCK },
	{ "a", 100, LIST_WATCH },
	{ "b", 200, LIST_ALLOW },
	{ "ab", 0, LIST_BLOCK },
	{ "4111112", 0, LIST_BLOCK },
	{ "\xc3\xa4", 0, LIST_WATCH },
};

static const struct {
	const char *value;
	size_t len;
	int64_t now;
	enum list_kind want;
} finds[] = {
	{ "b", 1, 99, LIST_BLOCK },
	{ "b", 1, 100, LIST_ALLOW }, /* the end is exclusive */
	{ "b", 1, 200, LIST_WATCH },
	{ "a", 1, 99, LIST_WATCH },
	{ "a", 1, 100, LIST_KIND__NONE },
	{ "ab", 2, 0, LIST_BLOCK },
	{ "abc", 3, 0, LIST_KIND__NONE },
	{ "4", 1, 0, LIST_KIND__NONE },
	{ "41111123", 6, 0, LIST_ALLOW },
	{ "41111123", 7, 0, LIST_BLOCK },
	{ "41111123", 8, 0, LIST_KIND__NONE },
	{ "zz", 2, 0, LIST_KIND__NONE },
	{ "\xc3\xa4", 2, 0, LIST_WATCH },
	{ "\xc3\xb6", 2, 0, LIST_KIND__NONE },
	{ "", 0, 0, LIST_KIND__NONE },
};

START_TEST(entries_in_effect_are_found)
{
	const struct list_key key = { LIST_USER, finds[_i].value,
		finds[_i].len };

	list_sort(entries, nitems(entries));
	ck_assert_int_eq(
	    list_find(entries, nitems(entries), &key, finds[_i].now),
	    finds[_i].want);
	ck_assert_int_eq(list_find(NULL, 0, &key, 0), LIST_KIND__NONE);
}
END_TEST

START_TEST(block_precedes_allow_precedes_watch)
{
	enum list_kind a, b, stronger;

	for (a = LIST_KIND__NONE; a < LIST_KIND__MAX; a++) {
		for (b = LIST_KIND__NONE; b < LIST_KIND__MAX; b++) {
			stronger = a == LIST_BLOCK || b == LIST_BLOCK
			    ? LIST_BLOCK
			    : a == LIST_ALLOW || b == LIST_ALLOW ? LIST_ALLOW
			    : a == LIST_WATCH || b == LIST_WATCH
			    ? LIST_WATCH
			    : LIST_KIND__NONE;
			ck_assert_int_eq(list_stronger(a, b), stronger);
		}
		ck_assert_int_eq(
		    list_decides(a), a == LIST_BLOCK || a == LIST_ALLOW);
	}
}
END_TEST

static const struct {
	const char *text;
	int64_t expires_at;
	enum list_kind kind;
} networks[] = {
	{ "81.0.0.0/8", 0, LIST_BLOCK },
	{ "81.2.3.0/24", 0, LIST_ALLOW },
	{ "81.2.3.4", 0, LIST_WATCH },
	{ "81.2.3.4", 0, LIST_BLOCK },
	{ "81.2.128.0/17", 100, LIST_ALLOW },
	{ "2a00:1450::/32", 0, LIST_BLOCK },
	{ "2a00:1450:4001::200e", 0, LIST_WATCH },
};

static const struct {
	const char *ip;
	int64_t now;
	enum list_kind want;
} addresses[] = {
	{ "81.9.9.9", 0, LIST_BLOCK },
	{ "81.2.3.5", 0, LIST_ALLOW },
	{ "81.2.3.4", 0, LIST_BLOCK }, /* of two alike the stronger one */
	{ "81.2.200.1", 99, LIST_ALLOW },
	{ "81.2.200.1", 100, LIST_BLOCK },
	{ "82.2.3.4", 0, LIST_KIND__NONE },
	{ "2a00:1450::1", 0, LIST_BLOCK },
	{ "2a00:1450:4001::200e", 0, LIST_WATCH },
	{ "2a00:1451::1", 0, LIST_KIND__NONE },
	{ "::", 0, LIST_KIND__NONE },
};

START_TEST(longest_network_decides)
{
	const struct list_key key = { LIST_IP, addresses[_i].ip,
		strlen(addresses[_i].ip) };
	struct list_network nets[nitems(networks)];
	struct list_match m = { 0 };
	size_t i;

	for (i = 0; i < nitems(networks); i++) {
		ck_assert_int_eq(
		    ip_network_parse(networks[i].text, &nets[i].network), 0);
		nets[i].expires_at = networks[i].expires_at;
		nets[i].kind = networks[i].kind;
	}
	list_network_sort(nets, nitems(nets));
	list_network_match(nets, nitems(nets), &key, addresses[_i].now, &m);
	ck_assert_int_eq(list_match_kind(&m), addresses[_i].want);
	list_match_add(&m, LIST_BLOCK, 0);
	ck_assert_int_eq(list_match_kind(&m), LIST_BLOCK);
}
END_TEST

Suite *
suite_list(void)
{
	Suite *s = suite_create("list");
	TCase *tc = tcase_create("list");

	tcase_add_loop_test(
	    tc, value_is_normalized_or_refused, 0, (int)nitems(values));
	tcase_add_loop_test(tc, value_of_an_entry_may_be_a_network, 0,
	    (int)nitems(entry_values));
	tcase_add_test(tc, only_exact_names_are_read);
	tcase_add_test(tc, reason_is_one_line_of_text);
	tcase_add_test(tc, event_gives_keys_of_its_fields);
	tcase_add_loop_test(
	    tc, entries_in_effect_are_found, 0, (int)nitems(finds));
	tcase_add_loop_test(
	    tc, longest_network_decides, 0, (int)nitems(addresses));
	tcase_add_test(tc, block_precedes_allow_precedes_watch);
	suite_add_tcase(s, tc);
	return s;
}
