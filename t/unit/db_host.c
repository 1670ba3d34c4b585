/* SPDX-License-Identifier: ISC */
/* lib/db/db_host.c: the hosts in a connection string. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "lib/db/db_host.h"
#include "t/unit/unit.h"

#define ROOM 256

/* Each host as "host/hostaddr/port", then target_session_attrs. */
static const struct {
	const char *url;
	const char *want;
} good[] = {
	{ "host=a dbname=x", "-/-/- -" },
	{ "postgresql:///x", "-/-/- -" },
	{ "x", "-/-/- -" },
	{ "host=a,b dbname=x", "a/-/5432 b/-/5432 read-write" },
	{ "host=a,b port=7 dbname=x", "a/-/7 b/-/7 read-write" },
	{ "host=a,b port=7,8 dbname=x", "a/-/7 b/-/8 read-write" },
	{ "host=a,b port=,8 dbname=x", "a/-/5432 b/-/8 read-write" },
	{ "host=/run/one,/run/two dbname=x",
	    "/run/one/-/5432 /run/two/-/5432 read-write" },
	{ "postgresql://u:p@a:7,b:8,c/x?sslmode=disable",
	    "a/-/7 b/-/8 c/-/5432 read-write" },
	{ "hostaddr=192.0.2.1,192.0.2.2",
	    "192.0.2.1/192.0.2.1/5432 192.0.2.2/192.0.2.2/5432 read-write" },
	{ "host=a,b hostaddr=192.0.2.1,192.0.2.2",
	    "a/192.0.2.1/5432 b/192.0.2.2/5432 read-write" },
	{ "host=a,b target_session_attrs=any", "a/-/5432 b/-/5432 -" },
	{ "postgresql://a,b/x?target_session_attrs=primary",
	    "a/-/5432 b/-/5432 -" },
	{ "host=a,b,c,d,e,f,g,h",
	    "a/-/5432 b/-/5432 c/-/5432 d/-/5432 e/-/5432 f/-/5432 g/-/5432 "
	    "h/-/5432 read-write" },
};

static const char *const bad[] = {
	"postgresql://user:p@ss/word@host/x",
	"postgresql://user:pass/word@host/x",
	"host=a port=x",
	"host=a nonsense=1",
	"host=a,b port=1,2,3",
	"host=a,b hostaddr=192.0.2.1",
	"host=a,,b",
	"host=a,b hostaddr=192.0.2.1,",
	"host=a,b,c,d,e,f,g,h,i",
};

/* Remove the variables of the machine, so that libpq does not read them. */
static void
clear_environment(void)
{
	static const char *const names[] = { "PGHOST", "PGHOSTADDR", "PGPORT",
		"PGSERVICE", "PGSERVICEFILE", "PGTARGETSESSIONATTRS" };
	size_t i;

	for (i = 0; i < nitems(names); i++)
		unsetenv(names[i]);
}

static const char *
or_dash(const char *text)
{
	return text == NULL ? "-" : text;
}

static void
check_hosts(const char *url, const char *want)
{
	struct db_hosts h;
	char got[ROOM] = "";
	size_t i, len = 0;

	ck_assert_int_eq(db_hosts_read(&h, url, NULL), 0);
	for (i = 0; i < h.n; i++)
		len += (size_t)snprintf(got + len, sizeof(got) - len,
		    "%s/%s/%s ", or_dash(h.all[i].host),
		    or_dash(h.all[i].hostaddr), or_dash(h.all[i].port));
	snprintf(got + len, sizeof(got) - len, "%s", or_dash(h.attrs));
	ck_assert_str_eq(got, want);
	db_hosts_clear(&h);
}

START_TEST(hosts_and_ports_are_listed)
{
	clear_environment();
	check_hosts(good[_i].url, good[_i].want);
}
END_TEST

START_TEST(malformed_string_is_refused_without_its_password)
{
	struct fail f = { 0 };
	struct db_hosts h;

	clear_environment();
	ck_assert_int_eq(db_hosts_read(&h, bad[_i], &f), -1);
	ck_assert_ptr_null(strstr(f.why, "word"));
	ck_assert_int_eq((int)h.n, 0);
}
END_TEST

START_TEST(environment_names_hosts)
{
	clear_environment();
	setenv("PGHOST", "a,b", 1);
	setenv("PGPORT", "7", 1);
	check_hosts("dbname=x", "a/-/7 b/-/7 read-write");
	check_hosts("host=c dbname=x", "-/-/- -");
	setenv("PGTARGETSESSIONATTRS", "any", 1);
	check_hosts("dbname=x", "a/-/7 b/-/7 -");
	clear_environment();
}
END_TEST

START_TEST(service_file_names_hosts)
{
	char path[] = "/tmp/assay-unit.XXXXXX";
	const char *text = "[main]\nhost=a,b\nport=7,8\n";
	int fd = mkstemp(path);

	clear_environment();
	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	setenv("PGSERVICEFILE", path, 1);
	check_hosts("service=main dbname=x", "a/-/7 b/-/8 read-write");
	setenv("PGSERVICE", "main", 1);
	check_hosts("dbname=x", "a/-/7 b/-/8 read-write");
	clear_environment();
	unlink(path);
}
END_TEST

Suite *
suite_db_host(void)
{
	Suite *s = suite_create("db_host");
	TCase *tc = tcase_create("db_host");

	tcase_add_loop_test(tc, hosts_and_ports_are_listed, 0, nitems(good));
	tcase_add_loop_test(tc,
	    malformed_string_is_refused_without_its_password, 0, nitems(bad));
	tcase_add_test(tc, environment_names_hosts);
	tcase_add_test(tc, service_file_names_hosts);
	suite_add_tcase(s, tc);
	return s;
}
