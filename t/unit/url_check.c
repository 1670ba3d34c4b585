/* SPDX-License-Identifier: ISC */
/* lib/conf/url_check.c: URLs that events are sent to. */
#include "config.h"

#include <string.h>

#include "core/base/fail.h"
#include "lib/conf/url_check.h"
#include "t/unit/unit.h"

#define LABEL60 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const char *const good[] = {
	"https://hooks.example.com",
	"https://hooks.example.com/",
	"HTTPS://Hooks.Example.COM/a?b=c&d=%20",
	"https://hooks.example.com:8443/services/T0/B0/x-y_z~1",
	"https://hooks.example.com?x=a@b",
	"https://hooks.example.com/a@b:c",
	"https://hooks.example.com./a",
	"https://a_b.example.com/",
	"https://xn--bcher-kva.example/",
	"https://8.8.8.8/",
	"https://8.8.8.8:1/",
	"https://134744072/",
	"https://[2606:4700:4700::1111]/",
	"https://[2606:4700:4700::1111]:65535/x",
	"https://[64:ff9b::8.8.8.8]/",
	"https://localhost.example.com/",
	"https://notlocalhost/",
	"https://" LABEL60 ".example/",
};

/* Refused with any flags. */
static const char *const bad[] = {
	"",
	"https",
	"https:",
	"https:/hooks.example.com",
	"https://",
	"https:///path",
	"https://?x",
	"ftp://hooks.example.com/",
	"javascript:alert(1)",
	"//hooks.example.com/",
	" https://hooks.example.com/",
	"https://hooks.example.com/ x",
	"https://hooks.example.com/\t",
	"https://hooks.example.com/\n",
	"https://hooks.example.com/\x7f",
	"https://hooks.example.com/#x",
	"https://hooks.example.com\\@evil.example/",
	"https://b\xc3\xbc"
	"cher.example/",
	"https://user@hooks.example.com/",
	"https://user:pw@hooks.example.com/",
	"https://hooks.example.com:pw@evil.example/",
	"https://@hooks.example.com/",
	"https://hooks.example.com:/",
	"https://hooks.example.com:0/",
	"https://hooks.example.com:65536/",
	"https://hooks.example.com:000443/",
	"https://hooks.example.com:4a3/",
	"https://hooks.example.com:1:2/",
	"https://:443/",
	"https://./",
	"https://.example.com/",
	"https://a..example.com/",
	"https://-a.example.com/",
	"https://a-.example.com/",
	"https://a%2eexample.com/",
	"https://%6cocalhost/",
	"https://" LABEL60 "aaaa.example/",
	"https://1.2.3.4.5/",
	"https://256.1.1.1/",
	"https://1.2.3.08/",
	"https://host.7/",
	"https://4294967296/",
	"https://[]/",
	"https://[::1/",
	"https://::1/",
	"https://[::1]x/",
	"https://[::1]:/",
	"https://[127.0.0.1]/",
	"https://[fe80::1%25eth0]/",
	"https://[fe80::1%eth0]/",
	"https://[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]/",
};

/* Well-formed, but the host is not public. */
static const char *const local[] = {
	"https://localhost/",
	"https://LOCALHOST:1/",
	"https://localhost./",
	"https://a.localhost/",
	"https://127.0.0.1/",
	"https://127.0.0.1./",
	"https://127.1/",
	"https://2130706433/",
	"https://0x7f000001/",
	"https://0x7f.1/",
	"https://017700000001/",
	"https://0177.0.0.1/",
	"https://0/",
	"https://0.0.0.0/",
	"https://10.0.0.1/",
	"https://100.64.0.1/",
	"https://169.254.169.254/latest/meta-data/",
	"https://0xa9fea9fe/",
	"https://172.16.0.1/",
	"https://192.168.1.1/",
	"https://3232235777/",
	"https://224.0.0.1/",
	"https://255.255.255.255/",
	"https://[::]/",
	"https://[::1]/",
	"https://[::ffff:127.0.0.1]/",
	"https://[::ffff:7f00:1]/",
	"https://[::127.0.0.1]/",
	"https://[64:ff9b::127.0.0.1]/",
	"https://[64:ff9b::a9fe:a9fe]/",
	"https://[fe80::1]/",
	"https://[fd00:ec2::254]/",
	"https://[2002:7f00:1::]/",
};

static int
check(const char *url, unsigned flags)
{
	struct fail f = { 0 };

	if (url_check(url, flags, &f) == 0)
		return 0;
	ck_assert_int_eq(f.code, INVALID_REQUEST);
	ck_assert_str_eq(f.where, "url");
	ck_assert(strstr(f.why, "example") == NULL);
	return -1;
}

START_TEST(public_https_url_is_accepted)
{
	ck_assert_int_eq(check(good[_i], 0), 0);
	ck_assert_int_eq(check(good[_i], URL_CHECK_HTTP), 0);
	ck_assert_int_eq(check(good[_i], URL_CHECK_PRIVATE), 0);
}
END_TEST

START_TEST(malformed_url_is_refused)
{
	ck_assert_int_eq(check(bad[_i], 0), -1);
	ck_assert_int_eq(
	    check(bad[_i], URL_CHECK_HTTP | URL_CHECK_PRIVATE), -1);
}
END_TEST

START_TEST(private_host_needs_its_flag)
{
	ck_assert_int_eq(check(local[_i], 0), -1);
	ck_assert_int_eq(check(local[_i], URL_CHECK_HTTP), -1);
	ck_assert_int_eq(check(local[_i], URL_CHECK_PRIVATE), 0);
}
END_TEST

START_TEST(plain_http_needs_its_flag)
{
	ck_assert_int_eq(check("http://hooks.example.com/", 0), -1);
	ck_assert_int_eq(
	    check("http://hooks.example.com/", URL_CHECK_PRIVATE), -1);
	ck_assert_int_eq(check("http://hooks.example.com/", URL_CHECK_HTTP), 0);
	ck_assert_int_eq(check("HTTP://10.0.0.1/", URL_CHECK_HTTP), -1);
}
END_TEST

START_TEST(url_length_is_limited)
{
	char url[URL_CHECK_URL_MAX + 2] = "https://hooks.example.com/";

	memset(url + strlen(url), 'x', sizeof(url) - strlen(url) - 1);
	ck_assert_int_eq(check(url, 0), -1);
	url[URL_CHECK_URL_MAX] = '\0';
	ck_assert_int_eq(check(url, 0), 0);
}
END_TEST

Suite *
suite_url_check(void)
{
	Suite *s = suite_create("url_check");
	TCase *tc = tcase_create("url_check");

	tcase_add_loop_test(
	    tc, public_https_url_is_accepted, 0, (int)nitems(good));
	tcase_add_loop_test(tc, malformed_url_is_refused, 0, (int)nitems(bad));
	tcase_add_loop_test(
	    tc, private_host_needs_its_flag, 0, (int)nitems(local));
	tcase_add_test(tc, plain_http_needs_its_flag);
	tcase_add_test(tc, url_length_is_limited);
	suite_add_tcase(s, tc);
	return s;
}
