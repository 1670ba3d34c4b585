/* SPDX-License-Identifier: ISC */
/* core/event/event.c: types, attributes, addresses, phone numbers. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/base/value.h"
#include "core/event/event.h"
#include "core/event/phone.h"
#include "t/unit/unit.h"

static const struct {
	const char *ip;
	const char *want; /* canonical text, NULL: invalid */
	bool pub;
} ips[] = {
	{ "196.188.12.3", "196.188.12.3", true },
	{ "1.1.1.1", "1.1.1.1", true },
	{ "223.255.255.255", "223.255.255.255", true },
	{ "0.0.0.0", "0.0.0.0", false },
	{ "0.255.255.255", "0.255.255.255", false },
	{ "9.255.255.255", "9.255.255.255", true },
	{ "10.0.0.1", "10.0.0.1", false },
	{ "10.255.255.255", "10.255.255.255", false },
	{ "11.0.0.0", "11.0.0.0", true },
	{ "100.63.255.255", "100.63.255.255", true },
	{ "100.64.0.0", "100.64.0.0", false },
	{ "100.127.255.255", "100.127.255.255", false },
	{ "100.128.0.0", "100.128.0.0", true },
	{ "127.0.0.1", "127.0.0.1", false },
	{ "169.254.1.1", "169.254.1.1", false },
	{ "169.255.0.0", "169.255.0.0", true },
	{ "172.15.255.255", "172.15.255.255", true },
	{ "172.16.0.0", "172.16.0.0", false },
	{ "172.31.255.255", "172.31.255.255", false },
	{ "172.32.0.0", "172.32.0.0", true },
	{ "192.0.0.8", "192.0.0.8", false },
	{ "192.0.1.0", "192.0.1.0", true },
	{ "192.0.2.1", "192.0.2.1", false },
	{ "192.88.99.1", "192.88.99.1", false },
	{ "192.168.1.1", "192.168.1.1", false },
	{ "192.169.0.0", "192.169.0.0", true },
	{ "198.17.255.255", "198.17.255.255", true },
	{ "198.18.0.0", "198.18.0.0", false },
	{ "198.19.255.255", "198.19.255.255", false },
	{ "198.20.0.0", "198.20.0.0", true },
	{ "198.51.100.7", "198.51.100.7", false },
	{ "203.0.113.7", "203.0.113.7", false },
	{ "224.0.0.1", "224.0.0.1", false },
	{ "240.0.0.1", "240.0.0.1", false },
	{ "255.255.255.255", "255.255.255.255", false },
	{ "::ffff:196.188.12.3", "196.188.12.3", true },
	{ "::FFFF:C4BC:0C03", "196.188.12.3", true },
	{ "0:0:0:0:0:ffff:10.0.0.1", "10.0.0.1", false },
	{ "2A00:1450:4001:0:0:0:0:200e", "2a00:1450:4001::200e", true },
	{ "2a00:0:0:1:0:0:0:1", "2a00:0:0:1::1", true },
	{ "2001:200::1", "2001:200::1", true },
	{ "2001::1", "2001::1", false },
	{ "2001:1ff::1", "2001:1ff::1", false },
	{ "2001:db8::1", "2001:db8::1", false },
	{ "2001:db9::1", "2001:db9::1", true },
	{ "2002:c4bc:c03::1", "2002:c4bc:c03::1", false },
	{ "3fff:fff::1", "3fff:fff::1", false },
	{ "3fff:1000::1", "3fff:1000::1", true },
	{ "4000::1", "4000::1", false },
	{ "1fff::1", "1fff::1", false },
	{ "64:ff9b::c4bc:c03", "64:ff9b::c4bc:c03", false },
	{ "::", "::", false },
	{ "::1", "::1", false },
	{ "fe80::1", "fe80::1", false },
	{ "fc00::1", "fc00::1", false },
	{ "ff02::1", "ff02::1", false },
	{ "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
	    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false },
	{ "", NULL, false },
	{ "1.2.3", NULL, false },
	{ "1.2.3.4.5", NULL, false },
	{ "1.2.3.256", NULL, false },
	{ "1.2.3.04", NULL, false },
	{ "0x1.2.3.4", NULL, false },
	{ " 1.2.3.4", NULL, false },
	{ "1.2.3.4 ", NULL, false },
	{ "1.2.3.4:80", NULL, false },
	{ "16909060", NULL, false },
	{ "[::1]", NULL, false },
	{ "fe80::1%eth0", NULL, false },
	{ "1::2::3", NULL, false },
	{ "12345::", NULL, false },
	{ "localhost", NULL, false },
};

static const struct {
	const char *phone;
	const char *want; /* digits, NULL: invalid */
} phones[] = {
	{ "+251911234544", "251911234544" },
	{ "00251911234544", "251911234544" },
	{ "251911234544", "251911234544" },
	{ "0911234544", "0911234544" },
	{ "+251 (91) 123-45.44", "251911234544" },
	{ "(+251) 911 234 544", "251911234544" },
	{ " 0 0 251911234544 ", "251911234544" },
	{ "12345678", "12345678" },
	{ "0012345678", "12345678" },
	{ "123456789012345", "123456789012345" },
	{ "00123456789012345", "123456789012345" },
	{ "+1-202-555-0123", "12025550123" },
	/* Seven digits, as on small islands. */
	{ "+683 4002", "6834002" },
	{ "+290 8999", "2908999" },
	{ "1234567", "1234567" },
	{ "001234567", "1234567" },
	/* The trunk of the country is not dialled from abroad. */
	{ "+44 (0)20 7946 0123", "442079460123" },
	{ "+44 20 7946 0123", "442079460123" },
	{ "+4402079460123", "442079460123" },
	{ "4402079460123", "442079460123" },
	{ "0044 (0) 20 7946 0123", "442079460123" },
	{ "+49 (0)151 23456789", "4915123456789" },
	{ "+49 00151 23456789", "4915123456789" },
	{ "+81 (0)90-1234-5678", "819012345678" },
	{ "+7 8 495 123-45-67", "74951234567" },
	{ "+7 812 123-45-67", "78121234567" },
	{ "+7 495 123 45 67", "74951234567" },
	{ "+36 06 20 123 4567", "36201234567" },
	{ "+1 1 212 555 0123", "12125550123" },
	/* Numbers of these countries begin with 0. */
	{ "+39 06 1234 5678", "390612345678" },
	{ "+39 (0)6 1234 5678", "390612345678" },
	{ "+225 01 23 45 67 89", "2250123456789" },
	{ "+242 06 123 4567", "242061234567" },
	/* Without a calling code nothing is known. */
	{ "4407911123", "4407911123" },
	{ "0114 275 0123", "01142750123" },
	{ "011 1234567", "0111234567" },
	/* How North America dials abroad. */
	{ "011 44 20 7946 0123", "442079460123" },
	{ "01144 (0)20 7946 0123", "442079460123" },
	/* What phones, address books and pages put around it. */
	{ "tel:+251911234544", "251911234544" },
	{ " TEL:+251-911-234-544", "251911234544" },
	{ "+251911234544;ext=1", "251911234544" },
	{ "+251 911 234544 ext. 123", "251911234544" },
	{ "+251 911 234544 x7", "251911234544" },
	{ "+251 911 234544 #12", "251911234544" },
	{ "+251/911234544", "251911234544" },
	{ "+251\t911234544", "251911234544" },
	{ "+251\xc2\xa0"
	  "911\xe2\x80\x91"
	  "234544",
	    "251911234544" },
	{ "\xe2\x80\xaa+251911234544\xe2\x80\xac", "251911234544" },
	{ "\xe2\x80\x8e+251 911 234544", "251911234544" },
	{ "\xef\xbc\x8b\xef\xbc\x92\xef\xbc\x95"
	  "1911234544",
	    "251911234544" },
	{ "\xd9\xa1\xd9\xa2\xd9\xa3\xd9\xa4\xd9\xa5\xd9\xa6\xd9\xa7\xd9\xa8",
	    "12345678" },
	{ "", NULL },
	{ "+", NULL },
	{ "123456", NULL },
	{ "00123456", NULL },
	{ "1234567890123456", NULL },
	{ "001234567890123456", NULL },
	{ "12345678901234567890123", NULL },
	{ "+0251911234", NULL },
	{ "+00251911234", NULL },
	{ "0000251911234", NULL },
	{ "++251911234544", NULL },
	{ "251+911234544", NULL },
	{ "251911234544+", NULL },
	{ "25191123x544", "25191123" },
	{ "25191123x544a", NULL },
	{ "25191123 ext", NULL },
	{ "ext 25191123", NULL },
	{ "+251911234544, mobile", NULL },
	{ "+251911234544\xff", NULL },
	{ "unknown", NULL },
};

static const struct {
	enum event_type type;
	const char *name;
	bool baseline;
} types[] = {
	{ EVENT_CARD_AUTHORIZE, "card.authorize", true },
	{ EVENT_CARD_CAPTURE, "card.capture", false },
	{ EVENT_CARD_REFUND, "card.refund", false },
	{ EVENT_PAYMENT_AUTHORIZE, "payment.authorize", true },
	{ EVENT_WALLET_WITHDRAW, "wallet.withdraw", true },
	{ EVENT_ACCOUNT_LOGIN, "account.login", false },
	{ EVENT_ORDER_PLACE, "order.place", true },
};

static const char *const unknown_currencies[] = { "", "E", "EU", "EURO", "eur",
	"AAA", "UDS", "XTS", "XXX", "ZZZ" };

static const char *const unknown_types[] = { NULL, "", "card",
	"card.authorize ", "Card.authorize", "card.authorise" };

START_TEST(address_is_made_canonical)
{
	char got[EVENT_IP_SIZE];
	bool pub = !ips[_i].pub;

	if (ips[_i].want == NULL) {
		ck_assert_int_eq(event_ip(ips[_i].ip, got, &pub), -1);
		return;
	}
	ck_assert_int_eq(event_ip(ips[_i].ip, got, &pub), 0);
	ck_assert_str_eq(got, ips[_i].want);
	ck_assert_int_eq(pub, ips[_i].pub);
}
END_TEST

START_TEST(phone_number_is_reduced_to_digits)
{
	char got[PHONE_SIZE];

	if (phones[_i].want == NULL) {
		ck_assert_int_eq(phone_canonical(phones[_i].phone, got), -1);
		return;
	}
	ck_assert_int_eq(phone_canonical(phones[_i].phone, got), 0);
	ck_assert_str_eq(got, phones[_i].want);

	/* The result is one, too. */
	ck_assert_int_eq(phone_canonical(phones[_i].want, got), 0);
	ck_assert_str_eq(got, phones[_i].want);
}
END_TEST

START_TEST(only_currencies_in_use_are_known)
{
	static const char codes[][4] = {
#define CURRENCY(code) #code,
#include "core/event/currencies.tbl"
#undef CURRENCY
	};
	size_t i;

	for (i = 0; i < nitems(codes); i++) {
		ck_assert_msg(event_currency(codes[i]), "%s", codes[i]);
		if (i > 0)
			ck_assert_str_lt(codes[i - 1], codes[i]);
	}
	for (i = 0; i < nitems(unknown_currencies); i++)
		ck_assert(!event_currency(unknown_currencies[i]));
}
END_TEST

START_TEST(type_has_a_name_and_may_have_a_baseline)
{
	ck_assert_str_eq(event_type_name(types[_i].type), types[_i].name);
	ck_assert_int_eq(event_type_parse(types[_i].name), types[_i].type);
	ck_assert_int_eq(
	    event_type_baseline(types[_i].type), types[_i].baseline);
}
END_TEST

START_TEST(unknown_type_is_refused)
{
	ck_assert_int_eq(event_type_parse(unknown_types[_i]), EVENT_TYPE__NONE);
}
END_TEST

START_TEST(every_type_is_listed)
{
	ck_assert_uint_eq(nitems(types), EVENT_TYPE__MAX - 1);
}
END_TEST

START_TEST(attribute_is_found_by_exact_name)
{
	static const struct attr attrs[] = {
		{ .name = "a", .value = { .type = VALUE_BOOL, .flag = true } },
		{ .name = "ab",
		    .text = "7",
		    .value = { .type = VALUE_NUMBER, .number = 7 } },
	};
	const struct event ev = { .attrs = attrs, .n_attrs = nitems(attrs) };
	const struct event none = { 0 };

	ck_assert_ptr_eq(event_attr(&ev, "a"), &attrs[0]);
	ck_assert_ptr_eq(event_attr(&ev, "ab"), &attrs[1]);
	ck_assert_ptr_null(event_attr(&ev, "abc"));
	ck_assert_ptr_null(event_attr(&ev, ""));
	ck_assert_ptr_null(event_attr(&none, "a"));
}
END_TEST

static void
normal_is(const struct event *ev, const char *want)
{
	static _Alignas(16) char block[1 << 16];
	struct arena arena;
	struct str s;

	arena_init(&arena, block, sizeof(block));
	str_init(&s, &arena);
	event_normal(&s, ev);
	ck_assert_str_eq(str_text(&s), want);
	arena_reset(&arena);
}

START_TEST(normal_form_has_all_fields_in_order)
{
	static const struct attr attrs[] = {
		{ .name = "z",
		    .value = { .type = VALUE_NUMBER, .number = -0.0 } },
		{ .name = "a\"",
		    .value = { .type = VALUE_STRING, .string = "b" } },
	};
	struct event ev = {
		.type = EVENT_CARD_AUTHORIZE,
		.user = "u",
		.three_ds = value_unknown(),
	};

	normal_is(&ev,
	    "[\"card.authorize\",null,null,null,null,\"u\",null,null,null,"
	    "null,null,null,null,null]");
	ev.has_amount = true;
	ev.amount = 12.5;
	ev.amount_text = "1.25e1";
	ev.three_ds = value_bool(false);
	ev.id = "i";
	ev.currency = "EUR";
	ev.device = "d";
	ev.fingerprint = "f";
	ev.ip = "203.0.113.7";
	ev.phone = "251911234544";
	ev.channel = "";
	ev.instrument_kind = "card";
	ev.bin = "411111";
	ev.issuer_country = "DE";
	ev.attrs = attrs;
	ev.n_attrs = nitems(attrs);
	normal_is(&ev,
	    "[\"card.authorize\",12.5,false,\"i\",\"EUR\",\"u\",\"d\",\"f\","
	    "\"203.0.113.7\",\"251911234544\",\"\",\"card\",\"411111\",\"DE\","
	    "\"a\\\"\",\"b\",\"z\",0]");
}
END_TEST

Suite *
suite_event(void)
{
	Suite *s = suite_create("event");
	TCase *tc = tcase_create("event");

	tcase_add_loop_test(tc, address_is_made_canonical, 0, (int)nitems(ips));
	tcase_add_loop_test(
	    tc, phone_number_is_reduced_to_digits, 0, (int)nitems(phones));
	tcase_add_test(tc, only_currencies_in_use_are_known);
	tcase_add_loop_test(
	    tc, type_has_a_name_and_may_have_a_baseline, 0, (int)nitems(types));
	tcase_add_loop_test(
	    tc, unknown_type_is_refused, 0, (int)nitems(unknown_types));
	tcase_add_test(tc, every_type_is_listed);
	tcase_add_test(tc, attribute_is_found_by_exact_name);
	tcase_add_test(tc, normal_form_has_all_fields_in_order);
	suite_add_tcase(s, tc);
	return s;
}
