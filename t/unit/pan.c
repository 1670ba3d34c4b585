/* SPDX-License-Identifier: ISC */
/*
 * core/event/pan.c: schemes, lengths, Luhn, adjacent characters, forms of
 * numbers.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/event/pan.h"
#include "t/unit/unit.h"

struct pan_sample {
	const char *text;
	bool want;
};

/* All pass Luhn, so prefix and length decide. */
static const struct pan_sample schemes[] = {
	{ "4012345678909", false },
	{ "4012345678901239", true },
	{ "4012345678901234565", true },
	{ "40123456789017", false },
	{ "401234567890124", false },
	{ "40123456789012343", false },
	{ "401234567890123454", true },
	{ "5101234567890126", true },
	{ "5501234567890122", true },
	{ "5001234567890127", true },
	{ "5601234567890121", true },
	{ "510123456789018", false },
	{ "51012345678901230", false },
	{ "2221012345678902", true },
	{ "2220012345678903", false },
	{ "2720012345678908", true },
	{ "2721012345678907", false },
	{ "2200012345678907", true },
	{ "2204012345678901233", true },
	{ "220401234567893", false },
	{ "2206012345678901", false },
	{ "340123456789014", true },
	{ "370123456789017", true },
	{ "3401234567890128", false },
	{ "350123456789011", false },
	{ "30001234567891", true },
	{ "3050123456789012349", true },
	{ "30601234567898", false },
	{ "30950123456782", true },
	{ "30960123456781", false },
	{ "36012345678901", true },
	{ "3601234567891", false },
	{ "38012345678909", true },
	{ "3901234567890123450", true },
	{ "3528012345678900", true },
	{ "3527012345678901", false },
	{ "3589012345678901236", true },
	{ "3590012345678903", false },
	{ "358901234567896", false },
	{ "6011012345678907", true },
	{ "6221260123456782", true },
	{ "6201234567890123452", true },
	{ "6440123456789010", true },
	{ "6501234567890120", true },
	{ "6001234567890125", true },
	{ "6304012345674", false },
	{ "675901234567890128", true },
	{ "5001234567892", false },
	{ "5801234567890123450", true },
	{ "5901234567890128", false },
	{ "570123456789015", false },
	{ "8101234567890120", true },
	{ "810123456789015", false },
	{ "8201234567890129", true },
	{ "82012345678901235", false },
	{ "8301234567890128", false },
	{ "9792012345678906", true },
	{ "9793012345678905", true },
	{ "8600012345678900", true },
	{ "9860012345678903", true },
	{ "1946012345678908", true },
	{ "101234567890127", false },
	{ "8901234567890123455", false },
	{ "0012345678901237", false },
	{ "7012345678901232", false },
	{ "20012345678909", false },
	{ "1701234567891", false },
	{ "401234567899", false },
	{ "40123456789012345673", false },
	{ "601234567894", false },
	{ "60123456789012345678", false },
	{ "9704198526191432198", true }, /* a number for tests of a bank */
	{ "9704000000000018", true },
	{ "9891012345678906", true },
	{ "9112012345678909", true },
	{ "9999012345678907", true },
	{ "970400000000000018", false },
	{ "97040000000000008", false },
};

static const struct pan_sample texts[] = {
	{ "", false },
	{ "4111111111111111", true },
	{ "4111111111111112", false }, /* Luhn */
	{ "4111111111111121", false },
	{ "5555555555554444", true },
	{ "378282246310005", true },
	{ "6011111111111117", true },
	{ "3530111333300000", true },
	{ "30569309025904", true },
	{ "4222222222222", false },
	{ "card 4111111111111111 of today", true },
	{ "4111 1111 1111 1111", true },
	{ "4111-1111-1111-1111", true },
	{ "4111-1111 1111-1111", true },
	{ "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", true },
	{ "3782 822463 10005", true },
	{ "4111  1111 1111 1111", false }, /* more than one separator */
	{ "4111 -1111 1111 1111", false },
	{ "4111--1111-1111-1111", false },
	{ "4111.1111.1111.1111", false },
	{ "4111/1111/1111/1111", false },
	{ "4111_1111_1111_1111", false },
	{ "4111\t1111\t1111\t1111", false },
	{ "4111\n1111 1111 1111", false },
	{ "4111\xc2\xa0"
	  "1111 1111 1111",
	    false },
	{ "a4111111111111111", false },
	{ "Z4111111111111111", false },
	{ "4111111111111111a", false },
	{ "4111111111111111Z", false },
	{ "4111 1111 1111 1111a", false },
	{ "a4111 1111 1111 1111", false },
	{ "4111 1111a1111 1111", false },
	{ "a 4111111111111111", true },
	{ "4111111111111111 a", true },
	{ "a-4111111111111111-a", true },
	{ "_4111111111111111_", true },
	{ "\"4111111111111111\"", true },
	{ "(4111111111111111)", true },
	{ "pan=4111111111111111;", true },
	{ "@4111111111111111[", true },
	{ "`4111111111111111{", true },
	{ "/4111111111111111:", true },
	{ "1.4111111111111111", true },
	{ "4111111111111111.5", true },
	{ "14111111111111111", false }, /* with an adjacent digit */
	{ "41111111111111111", false },
	{ "04111111111111111", false },
	{ "40123456789012345673", false }, /* 20 digits */
	{ "4111111111111111 123", true }, /* followed by its security code */
	{ "4111111111111111 12 27", true },
	{ "4111 1111 1111 1111 123", true },
	{ "4111-1111-1111-1111-12-27", true },
	{ "20 4111111111111111", true },
	{ "2026-11-21 4111-1111-1111-1111", true },
	{ "12345678901234567890 4111111111111111", true },
	{ "12345678901234567890-4111111111111111", true },
	{ "4111111111111111 12345678901234567890", true },
	{ "4111111111111112, 4111111111111111", true },
	{ "4111111111111111 4111111111111111", true },
	{ "4111 1111 1111", false },
	{ "411111111111", false },
	{ "41111111", false },
	{ "0000000000000000", false },
	{ "1111111111111111", false },
	{ "1732147200000", false }, /* milliseconds */
	{ "1732147200000000", false }, /* microseconds */
	{ "8925101234567890123", false }, /* ICCID */
	{ "490154203237518", false }, /* IMEI: Visa has no 15 */
	{ "353879234252633", false }, /* IMEI: JCB has no 15 */
	{ "+251911234544", false },
	/* Numbers that are known. */
	{ "+4915129200213", false },
	{ "+6281234567890126", true }, /* 16 digits are no phone */
	{ "+378282246310005", false }, /* 15 digits are one */
	{ "tel +49 (0)4111 111111", false },
	{ "+4111 1111 1111 1111", true },
	{ "call +4915129200213, card 4111111111111111", true },
	{ "+4915129200213 4111111111111111", true },
	{ "DE45 4562 7865 2338 6239 88", false },
	{ "iban:de45-4562-7865-2338-6239-88", false },
	{ "DE46 4562 7865 2338 6239 88", true }, /* wrong check digits */
	{ "XX45 4562 7865 2338 6239 88", true }, /* no country */
	{ "DE45 4562 7865 2338 6239 88 4111111111111111", true },
	{ "DE45 4562 7865 2338 6239 884111", true }, /* longer than an IBAN */
	{ "9400 1118 9956 1234 5678 95", false },
	{ "9704 1985 2619 1432 198", true },
	{ "9704198526191432198 123", true },
	{ "9999012345678907", true },
	{ "9999 0123 4567 8907 12", false }, /* not named: only if alone */
	{ "12 9999012345678907", false },
	{ "[12,9999012345678907,12]", true },
	{ "4111111111111111\xc3\xa9", true }, /* only ASCII letters count */
	{ "\xe5\x8d\xa1\xe5\x8f\xb7"
	  "4111111111111111",
	    true },
	{ "\xd9\xa4\xd9\xa1\xd9\xa1\xd9\xa1\xd9\xa1\xd9\xa1"
	  "\xd9\xa1\xd9\xa1\xd9\xa1\xd9\xa1\xd9\xa1\xd9\xa1"
	  "\xd9\xa1\xd9\xa1\xd9\xa1\xd9\xa1",
	    false },
};

static const struct pan_sample numbers[] = {
	{ "4111111111111111", true },
	{ "-4111111111111111", true },
	{ "4111111111111112", false },
	{ "4111111111111111.0", true },
	{ "4111111111111111.5", true }, /* the integer part is a card number */
	{ "4111111111111111e0", true },
	{ "4111111111111111.0e0", true },
	{ "4111111111111111E-0", true },
	{ "4.111111111111111e15", true },
	{ "4.111111111111111E+15", true },
	{ "4.111111111111111000e15", true },
	{ "0.4111111111111111e16", true },
	{ "0.00004111111111111111e20", true },
	{ "41111111111111110e-1", true },
	{ "41111111111111110000000000000e-13", true },
	{ "4.111111111111111e14", false },
	{ "4.111111111111111e16", false },
	{ "4.111111111111112e15", false },
	{ "41111111111111115e-1", false }, /* not an integer */
	{ "4111111111111111.50e0", true },
	{ "400000000000006e1", false },
	{ "4000000000000002e0", true },
	{ "40000000000002e2", true },
	{ "4012345678901234565", true }, /* 19 digits */
	{ "4.012345678901234565e18", true },
	{ "40123456789012345673", false },
	{ "4.0123456789012345673e19", false },
	{ "0.41111111111111111111e16", false },
	{ "0", false },
	{ "-0", false },
	{ "0.0", false },
	{ "0e15", false },
	{ "0e99", false },
	{ "3000", false },
	{ "1e15", false },
	{ "4e15", false },
	{ "3.6e13", false },
	{ "1e308", false },
	{ "4111111111111111e1099511627777", false },
	{ "4111111111111111e99999999999999999999", false },
	{ "4111111111111111e-99999999999999999999", false },
};

START_TEST(scheme_is_known_by_prefix_and_length)
{
	ck_assert_int_eq(
	    pan_in_text(schemes[_i].text, strlen(schemes[_i].text)),
	    schemes[_i].want);
}
END_TEST

START_TEST(card_number_is_found_in_text)
{
	ck_assert_int_eq(pan_in_text(texts[_i].text, strlen(texts[_i].text)),
	    texts[_i].want);
}
END_TEST

START_TEST(card_number_is_found_in_number)
{
	ck_assert_int_eq(pan_in_number(numbers[_i].text), numbers[_i].want);
}
END_TEST

START_TEST(text_ends_at_its_length_not_at_nul)
{
	static const char text[] = "4111111111111111"
				   "9";

	ck_assert(pan_in_text(text, 16));
	ck_assert(!pan_in_text(text, 17));
	ck_assert(!pan_in_text(text, 15));
	ck_assert(pan_in_text("\0"
			      "4111111111111111",
	    17));
}
END_TEST

/* The separators inside count; the security code after a space does not. */
START_TEST(position_includes_inner_separators)
{
	static const char text[] = "no 12, card 4111 1111-1111 1111 123, x";
	size_t size = 0;
	const char *at = pan_find(text, sizeof(text) - 1, &size);

	ck_assert_ptr_eq(at, text + 12);
	ck_assert_uint_eq(size, 19);
	ck_assert_ptr_null(pan_find(text, 20, &size));
}
END_TEST

START_TEST(one_wrong_digit_is_not_a_card_number)
{
	char text[] = "4012888888881881";
	size_t i;
	char c;

	for (i = 4; i < strlen(text); i++) {
		c = text[i];
		text[i] = (char)(c == '9' ? '0' : c + 1);
		ck_assert_msg(!pan_in_text(text, strlen(text)), "%s", text);
		text[i] = c;
	}
	ck_assert(pan_in_text(text, strlen(text)));
}
END_TEST

/* A generator of the same numbers in each run (xorshift). */
static uint64_t state = 88172645463325252;

static uint64_t
next_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Replace each # of a pattern by a digit, each ? by one from 1 to 9, each x by
 * a hexadecimal digit, and each @ by a letter or a digit. */
static void
fill(const char *pattern, char *ret)
{
	static const char characters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	uint64_t r;

	for (; *pattern != '\0'; pattern++, ret++) {
		r = next_number() >> 20;
		*ret = *pattern == '#' ? characters[r % 10]
		    : *pattern == '?'  ? characters[1 + r % 9]
		    : *pattern == 'x'  ? characters[r % 16]
		    : *pattern == '@'  ? characters[r % 36]
				       : *pattern;
	}
	*ret = '\0';
}

/* Set the check digits, bytes 2 and 3, of an IBAN of digits with blanks. */
static void
complete_iban(char *text)
{
	const unsigned letters = (unsigned)(text[0] - 'A' + 10) * 100 +
	    (unsigned)(text[1] - 'A' + 10);
	unsigned rest = 0;
	const char *p;

	for (p = text + 4; *p != '\0'; p++)
		if (*p != ' ')
			rest = (rest * 10 + (unsigned)(*p - '0')) % 97;
	rest = 98 - ((rest * 10000 + letters) * 100) % 97;
	text[2] = (char)('0' + rest / 10);
	text[3] = (char)('0' + rest % 10);
}

/* Set the last digit of a tracking number of the US Postal Service. */
static void
complete_tracking(char *text)
{
	unsigned sum = 0, digits = 0;
	char *p;

	for (p = text; p[1] != '\0'; p++)
		if (*p != ' ')
			sum +=
			    (unsigned)(*p - '0') * (digits++ % 2 == 0 ? 3 : 1);
	*p = (char)('0' + (10 - sum % 10) % 10);
}

/* Numbers that are no cards, and what completes them. */
static const struct {
	const char *pattern;
	void (*complete)(char *text);
} others[] = {
	{ "4############", NULL }, /* orders of shops */
	{ "5############", NULL },
	{ "6############", NULL },
	{ "40#-#######-#######", NULL },
	{ "30#-#######-#######", NULL },
	{ "1##-#######-#######", NULL },
	{ "?##########", NULL },
	{ "+49151########", NULL }, /* phones */
	{ "+49 15# #########", NULL },
	{ "+4915#########", NULL },
	{ "+628###########", NULL },
	{ "+1 (###) ###-####", NULL },
	{ "4915#########", NULL },
	{ "628##########", NULL },
	{ "DE00 #### #### #### #### ##", complete_iban },
	{ "ES00 #### #### #### #### ####", complete_iban },
	{ "FR00 #### #### #### #### #### ###", complete_iban },
	{ "PL00 #### #### #### #### #### ####", complete_iban },
	{ "DE00##################", complete_iban },
	{ "94001118995#########0#", complete_tracking }, /* parcels */
	{ "9400 1118 995# #### #### ##", complete_tracking },
	{ "9205 5### #### #### #### ##", complete_tracking },
	{ "1Z@@@@@@##########", NULL },
	{ "61#############", NULL },
	{ "79##########", NULL },
	{ "00340434##########", NULL },
	{ "JD014600##########", NULL },
	{ "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx", NULL }, /* traces */
	{ "00-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-01", NULL },
	{ "1##################", NULL },
	{ "17###########", NULL },
	{ "17##############", NULL },
	{ "01@@@@@@@@@@@@@@@@@@@@@@@@", NULL },
};

/* Of each kind, fewer than one in a thousand are taken for a card number. */
START_TEST(other_numbers_are_no_card_numbers)
{
	enum { TRIES = 20000 };
	char text[64];
	int i, wrong = 0;

	for (i = 0; i < TRIES; i++) {
		fill(others[_i].pattern, text);
		if (others[_i].complete != NULL)
			others[_i].complete(text);
		wrong += pan_in_text(text, strlen(text));
	}
	ck_assert_msg(wrong * 1000 < TRIES, "%s: %d of %d", text, wrong, TRIES);
}
END_TEST

static const struct {
	const char *text, *want; /* want NULL: as it is */
} masks[] = {
	{ "4012345678901239", "************1239" },
	{ "paid with 4111 1111 1111 1111, thanks",
	    "paid with **** **** **** 1111, thanks" },
	{ "378282246310005/4111-1111-1111-1111",
	    "***********0005/****-****-****-1111" },
	{ "4111111111111111 123", "************1111 123" },
	{ "6011 0009 9013 9424 124", "**** **** **** ***4 124" },
	{ "30569309025904-4111111111111111",
	    "**********5904-************1111" },
	{ "order 12345", NULL },
	{ "", NULL },
};

START_TEST(all_digits_but_four_are_masked)
{
	const char *want = masks[_i].want;
	char text[64];

	snprintf(text, sizeof(text), "%s", masks[_i].text);
	ck_assert_int_eq(pan_mask(text, strlen(text)), want != NULL);
	ck_assert_str_eq(text, want == NULL ? masks[_i].text : want);
	ck_assert(!pan_in_text(text, strlen(text)));
}
END_TEST

/* Digits of every sort, close together: what is left contains no number. */
START_TEST(masked_text_contains_no_card_number)
{
	enum { TRIES = 20000 };
	char text[64];
	int i;

	for (i = 0; i < TRIES; i++) {
		fill("4####-5### 6#######3#### 4######9####### 4#####", text);
		pan_mask(text, strlen(text));
		ck_assert_msg(!pan_in_text(text, strlen(text)), "%s", text);
	}
}
END_TEST

Suite *
suite_pan(void)
{
	Suite *s = suite_create("pan");
	TCase *tc = tcase_create("pan");

	tcase_add_loop_test(
	    tc, scheme_is_known_by_prefix_and_length, 0, (int)nitems(schemes));
	tcase_add_loop_test(
	    tc, card_number_is_found_in_text, 0, (int)nitems(texts));
	tcase_add_loop_test(
	    tc, card_number_is_found_in_number, 0, (int)nitems(numbers));
	tcase_add_loop_test(
	    tc, other_numbers_are_no_card_numbers, 0, (int)nitems(others));
	tcase_add_loop_test(
	    tc, all_digits_but_four_are_masked, 0, (int)nitems(masks));
	tcase_add_test(tc, masked_text_contains_no_card_number);
	tcase_add_test(tc, text_ends_at_its_length_not_at_nul);
	tcase_add_test(tc, position_includes_inner_separators);
	tcase_add_test(tc, one_wrong_digit_is_not_a_card_number);
	suite_add_tcase(s, tc);
	return s;
}
