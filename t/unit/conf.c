/* SPDX-License-Identifier: ISC */
/* lib/conf/conf.c: the sources of values, and refused values. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "lib/conf/conf.h"
#include "lib/conf/conf_value.h"
#include "t/unit/unit.h"

#define GOOD "1f8a0c5b7e2d4936a1c8e0f4b7d29563"

static char path[] = "/tmp/confXXXXXX";

/* Remove the environment of the test runner. */
static void
clean(void)
{
	int fd = mkstemp(path);

	ck_assert_int_ne(fd, -1);
	close(fd);
	clearenv();
}

static void
forget(void)
{
	unlink(path);
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
}

/* Load a file of this text. */
static int
load(const char *text, struct fail *f)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
	return conf_load(path, true, f);
}

static const struct {
	const char *text;
	const char *where; /* NULL: accepted; ":n" follows the path */
	const char *why;
} files[] = {
	{ "", NULL, NULL },
	{ "# a comment\n\n; another\n  DECIDE_WORKERS = 3 \n", NULL, NULL },
	{ "DECIDE_WORKERS=\n", NULL, NULL },
	{ "DECIDE_WORKERS=3\nNOPE=1\n", ":2", "is not a setting" },
	{ "AUTH_SECRET=\"MFRGG\nZDFMZTWQ=\"\n", ":1", "is not NAME=value" },
	{ "AUTH_SECRET=MFRGG\nZDFMZTWQ=\n", ":2", "is not a setting" },
	{ "\nDECIDE_WORKERS\n", ":2", "is not NAME=value" },
	{ "=3\n", ":1", "is not NAME=value" },
	{ "LOG_LEVEL=\"info\n", ":1", "is not NAME=value" },
	{ "LOG_LEVEL=\"info\"x\n", ":1", "is not NAME=value" },
	{ "LOG_LEVEL=info\\\n", ":1", "is not NAME=value" },
	{ "CLAIM_MINUTES=0\n", ":1",
	    "CLAIM_MINUTES must be a whole number from 1 to 10080" },
	{ "DECIDE_WORKERS=0\n", ":1",
	    "DECIDE_WORKERS must be a whole number from 1 to 128" },
	{ "DECIDE_WORKERS=4x\n", ":1",
	    "DECIDE_WORKERS must be a whole number from 1 to 128" },
	{ "DECIDE_WORKERS=+4\n", ":1",
	    "DECIDE_WORKERS must be a whole number from 1 to 128" },
	{ "TRUST_PROXY=2147483648\n", ":1",
	    "TRUST_PROXY must be a whole number from 0 to 2147483647" },
	{ "TRUST_PROXY=99999999999999999999\n", ":1",
	    "TRUST_PROXY must be a whole number from 0 to 2147483647" },
	{ "TRUST_PROXY=-1\n", ":1",
	    "TRUST_PROXY must be a whole number from 0 to 2147483647" },
	{ "TRUST_PROXY=0\n", NULL, NULL },
	{ "DRIFT_ALERT_PSI=0.1\n", NULL, NULL },
	{ "DRIFT_ALERT_PSI=1000\n", NULL, NULL },
	{ "DRIFT_ALERT_PSI=1000.1\n", ":1",
	    "DRIFT_ALERT_PSI must be a number from 0 to 1000" },
	{ "DRIFT_ALERT_PSI=1e-05\n", NULL, NULL },
	{ "DRIFT_ALERT_PSI=1e5\n", ":1",
	    "DRIFT_ALERT_PSI must be a number from 0 to 1000" },
	{ "DRIFT_ALERT_PSI=nan\n", ":1",
	    "DRIFT_ALERT_PSI must be a number from 0 to 1000" },
	{ "DRIFT_ALERT_PSI=0x1\n", ":1",
	    "DRIFT_ALERT_PSI must be a number from 0 to 1000" },
	{ "DRIFT_ALERT_PSI=.5\n", ":1",
	    "DRIFT_ALERT_PSI must be a number from 0 to 1000" },
	{ "DRIFT_ALERT_PSI=1.2.3\n", ":1",
	    "DRIFT_ALERT_PSI must be a number from 0 to 1000" },
	{ "FOUR_EYES=rules,erasure\n", NULL, NULL },
	{ "FOUR_EYES=rules,keys\n", ":1",
	    "FOUR_EYES must be words of rules, policies, shadow, retention, "
	    "erasure, lists, separated by commas" },
	{ "FOUR_EYES=rules,\n", ":1",
	    "FOUR_EYES must be words of rules, policies, shadow, retention, "
	    "erasure, lists, separated by commas" },
	{ "GEOIP_DB=places.mmdb\n", ":1", "GEOIP_DB must be an absolute path" },
	{ "MASKED_ATTRIBUTES=memo,\n", ":1",
	    "MASKED_ATTRIBUTES must be up to 64 names of 1 to 64 bytes, "
	    "without blanks, separated by commas" },
	{ "MASKED_ATTRIBUTES=memo, note\n", ":1",
	    "MASKED_ATTRIBUTES must be up to 64 names of 1 to 64 bytes, "
	    "without blanks, separated by commas" },
	{ "MASKED_ATTRIBUTES=memo,note\n", NULL, NULL },
	{ "LOG_LEVEL=loud\n", ":1",
	    "LOG_LEVEL must be error, warn, info or debug" },
	{ "ENGINE_ENV=prod\n", ":1",
	    "ENGINE_ENV must be production, development or test" },
	{ "PERSISTENCE=disk\n", ":1",
	    "PERSISTENCE must be memory or postgres" },
	{ "PLACEHOLDERS=kiosk-7\n", ":1",
	    "PLACEHOLDERS must be up to 64 of device:VALUE, fingerprint:VALUE, "
	    "phone:NUMBER and ip:NETWORK, separated by commas" },
	{ "SCORER=best\n", ":1", "SCORER must be weighted, learned or ml" },
	{ "SCORER_SHADOW=none\n", ":1",
	    "SCORER_SHADOW must be weighted, learned or ml" },
	{ "SCORER_SHADOW=ml\n", NULL, NULL },
	{ "MODEL_SOURCE=ftp\n", ":1", "MODEL_SOURCE must be disk, url or s3" },
	{ "GEOIP_URL=http://places.example/p\n", ":1",
	    "GEOIP_URL must begin with https://" },
	{ "GEOIP_SHA256=none\nGEOIP_ACCOUNT_ID=471100\n", NULL, NULL },
	{ "GEOIP_SHA256=0123456789abcdef\n", ":1",
	    "GEOIP_SHA256 must be 64 hexadecimal digits, beside or none" },
	{ "GEOIP_ASN_SHA256=some\n", ":1",
	    "GEOIP_ASN_SHA256 must be 64 hexadecimal digits, beside or none" },
	{ "GEOIP_ACCOUNT_ID=me:pw\n", ":1",
	    "GEOIP_ACCOUNT_ID must be at most 20 digits" },
	{ "MODEL_URL=ftp://models.example/m\n", ":1",
	    "MODEL_URL must begin with https://" },
	{ "MODEL_URL=http://models.example/m\n", ":1",
	    "MODEL_URL must begin with https://" },
	{ "ALLOW_PRIVATE_TARGETS=true\nMODEL_URL=http://models.example/m\n",
	    NULL, NULL },
	{ "MODEL_URL=https://10.0.0.1:8443/m?token=x\n", NULL, NULL },
	{ "MODEL_URL=https://me:pw@models.example/m\n", ":1",
	    "MODEL_URL must not hold a user or a password" },
	{ "MODEL_URL=https://models.example/a b\n", ":1",
	    "MODEL_URL must be visible ASCII, percent-encoded where it has to "
	    "be, without a fragment" },
	{ "\nMODEL_S3_ENDPOINT=http://storage.example\n", ":2",
	    "MODEL_S3_ENDPOINT must begin with https://" },
	{ "MODEL_S3_ENDPOINT=https://storage.example/bucket\n", ":1",
	    "MODEL_S3_ENDPOINT must end after the host, or its port" },
	{ "MODEL_S3_ENDPOINT=https://storage.example?x\n", ":1",
	    "MODEL_S3_ENDPOINT must end after the host, or its port" },
	{ "MODEL_S3_ENDPOINT=https://storage.example:9000/\n", NULL, NULL },
	{ "MODEL_S3_REGION=eu/west\n", ":1",
	    "MODEL_S3_REGION must be at most 64 letters, digits, hyphens and "
	    "underscores" },
	{ "MODEL_S3_BUCKET=a/b\n", ":1",
	    "MODEL_S3_BUCKET must be at most 255 letters, digits, hyphens, "
	    "dots and underscores" },
	{ "MODEL_S3_KEY=a\tb\n", ":1",
	    "MODEL_S3_KEY must be at most 1024 bytes without control "
	    "characters" },
	{ "MODEL_S3_KEY=\"m\xc3\xb6 (1)+=&.json\"\n", NULL, NULL },
	{ "MODEL_S3_ACCESS_KEY_ID=\"A B\"\n", ":1",
	    "MODEL_S3_ACCESS_KEY_ID must be at most 128 characters of visible "
	    "ASCII" },
	{ "MODEL_S3_SECRET_ACCESS_KEY=\xc3\xb6\n", ":1",
	    "MODEL_S3_SECRET_ACCESS_KEY must be at most 256 characters of "
	    "visible ASCII" },
	{ "MODEL_S3_SESSION_TOKEN=a\177b\n", ":1",
	    "MODEL_S3_SESSION_TOKEN must be at most 8192 characters of visible "
	    "ASCII" },
	{ "MODEL_URL=https://m.example/\nMODEL_PATH=/m\n", ":1",
	    "MODEL_URL is not the only source of models: set "
	    "MODEL_SOURCE to the one to use" },
	{ "\nMODEL_S3_BUCKET=b\nMODEL_PATH=/m\n", ":2",
	    "MODEL_S3_BUCKET is not the only source of models: set "
	    "MODEL_SOURCE to the one to use" },
	{ "MODEL_S3_BUCKET=b\nMODEL_PATH=/m\nMODEL_SOURCE=disk\n", NULL, NULL },
	{ "OPERATOR_WORKERS=1\n", ":1",
	    "OPERATOR_WORKERS must be a whole number from 2 to 128" },
	{ "DECIDE_WORKERS=18\n", "DATABASE_POOL_MAX",
	    "is 20, but DECIDE_WORKERS and OPERATOR_WORKERS make 21 workers "
	    "with a connection each, and retention and the search for lost "
	    "sessions need one each" },
	{ "DECIDE_WORKERS=16\n", "DATABASE_POOL_MAX",
	    "is 20, but DECIDE_WORKERS and OPERATOR_WORKERS make 19 workers "
	    "with a connection each, and retention and the search for lost "
	    "sessions need one each" },
	{ "DECIDE_WORKERS=15\n", NULL, NULL },
	{ "DECIDE_SET_MAX=101\n", ":1",
	    "DECIDE_SET_MAX must be a whole number from 1 to 100" },
	{ "DECIDE_SET_MAX=100\n", NULL, NULL },
	{ "STOP_DELAY_SECONDS=601\n", ":1",
	    "STOP_DELAY_SECONDS must be a whole number from 0 to 600" },
	{ "STOP_DELAY_SECONDS=600\n", NULL, NULL },
	{ "DECIDE_WORKERS=129\n", ":1",
	    "DECIDE_WORKERS must be a whole number from 1 to 128" },
	{ "OPERATOR_WORKERS=129\n", ":1",
	    "OPERATOR_WORKERS must be a whole number from 2 to 128" },
	{ "LABEL_DELAY_DAYS=0\n", ":1",
	    "LABEL_DELAY_DAYS must be a whole number from 1 to 90" },
	{ "RETENTION_VERDICTS_DAYS=2147483647\n", ":1",
	    "RETENTION_VERDICTS_DAYS must be a whole number from 0 to 36500" },
	{ "DISK_HEALTH_PATHS=rel\n", ":1",
	    "DISK_HEALTH_PATHS must be at most 8 absolute paths of up to 127 "
	    "bytes" },
	{ "DISK_HEALTH_PATHS=/a,/b, rel\n", ":1",
	    "DISK_HEALTH_PATHS must be at most 8 absolute paths of up to 127 "
	    "bytes" },
	{ "DISK_HEALTH_PATHS=/1,/2,/3,/4,/5,/6,/7,/8,/9\n", ":1",
	    "DISK_HEALTH_PATHS must be at most 8 absolute paths of up to 127 "
	    "bytes" },
	{ "DISK_HEALTH_PATHS=/1,/2,/3,/4,/5,/6,/7,/8,\n", NULL, NULL },
	{ "AUTH_SECRET=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", ":1",
	    "AUTH_SECRET is empty or one character repeated" },
	{ "AUTH_SECRET=please-ChangeMe-before-you-go-live-1234\n", ":1",
	    "AUTH_SECRET is a placeholder; make one with openssl rand -hex "
	    "32" },
	{ "AUTH_SECRET=short\n", NULL, NULL },
	{ "AUTH_SECRET_PREVIOUS=" GOOD ",,\n", ":1",
	    "AUTH_SECRET_PREVIOUS is empty or one character repeated" },
	{ "ENGINE_ENV=production\nDATABASE_URL=x\n", "AUTH_SECRET",
	    "must be set in production" },
	{ "ENGINE_ENV=production\nAUTH_SECRET=" GOOD "\n", "DATABASE_URL",
	    "must be set in production" },
	{ "ENGINE_ENV=production\nPERSISTENCE=memory\nAUTH_SECRET=" GOOD "\n",
	    "DATABASE_URL", "must be set in production" },
	{ "DATABASE_URL=password=x\nAUTH_SECRET=" GOOD
	  "\nENGINE_ENV=production\n",
	    NULL, NULL },
	{ "ENGINE_ENV=production\nDATABASE_URL=x\n"
	  "AUTH_SECRET=1f8a0c5b7e2d4936a1c8e0f4b7d2956\n",
	    ":3", "AUTH_SECRET must be at least 32 bytes" },
	{ "ENGINE_ENV=production\nDATABASE_URL=x\nAUTH_SECRET=" GOOD
	  "\nAUTH_SECRET_PREVIOUS=" GOOD ",1234\n",
	    ":4", "AUTH_SECRET_PREVIOUS must be at least 32 bytes" },
};

START_TEST(bad_setting_is_refused_with_its_line)
{
	char where[192];
	struct fail f = { 0 };

	if (files[_i].where == NULL) {
		ck_assert_int_eq(load(files[_i].text, &f), 0);
		return;
	}
	ck_assert_int_eq(load(files[_i].text, &f), -1);
	snprintf(where, sizeof(where), "%s%s",
	    files[_i].where[0] == ':' ? path : "", files[_i].where);
	ck_assert_str_eq(f.where, where);
	ck_assert_str_eq(f.why, files[_i].why);
}
END_TEST

static const struct {
	const char *text;
	const char *want;
} quotes[] = {
	{ "DATABASE_URL=a b", "a b" },
	{ "DATABASE_URL= a\\ b ", "a b" },
	{ "DATABASE_URL=\" a \\\"b\\\\ \"", " a \"b\\ " },
	{ "DATABASE_URL='a \\b # c'", "a \\b # c" },
	{ "DATABASE_URL=a=b#c", "a=b#c" },
	{ "DATABASE_URL=first\nDATABASE_URL=second", "second" },
	{ "DATABASE_URL=windows\r\n", "windows" },
};

START_TEST(quotes_and_blanks_are_removed)
{
	struct fail f = { 0 };

	ck_assert_int_eq(load(quotes[_i].text, &f), 0);
	ck_assert_str_eq(conf.DATABASE_URL, quotes[_i].want);
	ck_assert_str_eq(conf.OPERATOR_DATABASE_URL, quotes[_i].want);
	ck_assert_str_eq(conf.RETAIN_DATABASE_URL, quotes[_i].want);
}
END_TEST

START_TEST(environment_overrides_the_file)
{
	struct fail f = { 0 };

	setenv("DECIDE_WORKERS", "7", 1);
	setenv("OPERATOR_WORKERS", "", 1);
	ck_assert_int_eq(load("DECIDE_WORKERS=3\nOPERATOR_WORKERS=5\n", &f), 0);
	ck_assert_int_eq(conf.DECIDE_WORKERS, 7);
	ck_assert_int_eq(conf.OPERATOR_WORKERS, 5);
	ck_assert_int_eq(conf.RATE_LIMIT_LOGIN_PER_MIN, 10);
	ck_assert_str_eq(conf.DECIDE_SOCKET, "/run/assay/decide.sock");
	ck_assert_ptr_null(conf.GEOIP_DB);

	/* An error in the environment names the variable. */
	setenv("TRUST_PROXY", "yes", 1);
	ck_assert_int_eq(load("TRUST_PROXY=1\n", &f), -1);
	ck_assert_str_eq(f.where, "TRUST_PROXY");
}
END_TEST

START_TEST(decide_workers_follow_processors_and_connections)
{
	struct fail f = { 0 };

	ck_assert_int_eq(conf_decide_workers(1, 20, 3), 2);
	ck_assert_int_eq(conf_decide_workers(4, 20, 3), 4);
	ck_assert_int_eq(conf_decide_workers(64, 20, 3), 6);
	ck_assert_int_eq(conf_decide_workers(64, 30, 4), 10);
	ck_assert_int_eq(conf_decide_workers(64, 2000, 3), 64);
	ck_assert_int_eq(conf_decide_workers(1000, 2000, 3), 128);
	ck_assert_int_eq(conf_decide_workers(64, 7, 3), 2);
	ck_assert_int_eq(load("DATABASE_POOL_MAX=7\n", &f), 0);
	ck_assert_int_eq(conf.OPERATOR_WORKERS, 3);
	ck_assert_int_eq(conf.DECIDE_WORKERS, 2);
	ck_assert_int_eq(load("DATABASE_POOL_MAX=6\n", &f), -1);
	ck_assert_str_eq(f.where, "DATABASE_POOL_MAX");
}
END_TEST

START_TEST(node_env_may_mean_production)
{
	struct fail f = { 0 };

	setenv("NODE_ENV", "staging", 1);
	ck_assert_int_eq(load("", &f), 0);
	ck_assert(!conf.production);
	setenv("NODE_ENV", "production", 1);
	ck_assert_int_eq(load("", &f), -1);
	ck_assert_int_eq(load("ENGINE_ENV=test\n", &f), 0);
	ck_assert(!conf.production);
	ck_assert_int_eq(load("DATABASE_URL=x\nAUTH_SECRET=" GOOD "\n", &f), 0);
	ck_assert(conf.production);
}
END_TEST

/* Only the pool needs AUTH_SECRET in production. */
START_TEST(companion_needs_no_secret_of_the_pool)
{
	struct fail f = { 0 };

	ck_assert_int_eq(
	    load("ENGINE_ENV=production\nDATABASE_URL=x\n", &f), -1);
	ck_assert_int_eq(conf_load(path, false, &f), 0);
	ck_assert_int_eq(load("ENGINE_ENV=production\n", &f), -1);
	ck_assert_int_eq(conf_load(path, false, &f), -1);
	ck_assert_str_eq(f.where, "DATABASE_URL");
}
END_TEST

START_TEST(refused_file_changes_no_setting)
{
	struct fail f = { 0 };

	ck_assert_int_eq(load("DATABASE_URL=kept\nTRUST_PROXY=3\n", &f), 0);
	ck_assert_int_eq(load("DATABASE_URL=new\nTRUST_PROXY=x\n", &f), -1);
	ck_assert_str_eq(conf.DATABASE_URL, "kept");
	ck_assert_int_eq(conf.TRUST_PROXY, 3);
	ck_assert_int_eq(conf_load("/nonexistent/assay.conf", true, &f), -1);
	ck_assert_str_eq(f.where, "/nonexistent/assay.conf");
	ck_assert_str_eq(conf.DATABASE_URL, "kept");
}
END_TEST

START_TEST(printed_settings_hide_secrets)
{
	struct fail f = { 0 };
	char text[4096] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	ck_assert_int_eq(load("AUTH_SECRET=" GOOD "\nTRUST_PROXY=2\n", &f), 0);
	conf_print(out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "AUTH_SECRET=(set)\n"));
	ck_assert_ptr_nonnull(strstr(text, "DATABASE_URL=\n"));
	ck_assert_ptr_nonnull(strstr(text, "LOG_LEVEL=info\n"));
	ck_assert_ptr_nonnull(strstr(text, "TRUST_PROXY=2\n"));
	ck_assert_ptr_null(strstr(text, GOOD));
}
END_TEST

/* The settings that GET /v1/config/environment shows. */
static const struct {
	const char *name;
	enum conf_type type;
	int flags;
	const char *allowed;
} marks[] = {
#define CONF(name, type, allowed, fallback, flags, meaning)                    \
	{ #name, CONF_##type##_, flags, #allowed },
#include "lib/conf/conf.tbl"
#undef CONF
};

START_TEST(shown_setting_is_no_secret_path_or_url)
{
	size_t i, shown = 0;

	for (i = 0; i < nitems(marks); i++) {
		if ((marks[i].flags & SHOWN) == 0)
			continue;
		shown++;
		ck_assert_int_eq(marks[i].flags, SHOWN);
		ck_assert_int_ne(marks[i].type, CONF_PATH_);
		ck_assert_ptr_null(strstr(marks[i].name, "URL"));
		ck_assert_ptr_null(strstr(marks[i].allowed, "conf_source_"));
		ck_assert(marks[i].type != CONF_STR_ ||
		    strcmp(marks[i].allowed, "ANY") != 0);
	}
	ck_assert_uint_gt(shown, 0);
}
END_TEST

/* Write these bytes as the credential AUTH_SECRET in a new directory. */
static void
credential_write(char *dir, const void *data, size_t size)
{
	char name[64];
	FILE *file;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/AUTH_SECRET", dir);
	file = fopen(name, "w");
	fwrite(data, 1, size, file);
	fclose(file);
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
}

static void
credential_remove(const char *dir)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/AUTH_SECRET", dir);
	unlink(name);
	rmdir(dir);
}

/* Credentials, and the value of AUTH_SECRET.  NULL: refused. */
static const struct {
	const char *data;
	size_t size;
	const char *want;
} credentials[] = {
#define BYTES(s) s, sizeof(s) - 1
	{ BYTES(GOOD), GOOD },
	{ BYTES(GOOD "\n"), GOOD },
	{ BYTES(" a 'b' \\ "), " a 'b' \\ " },
	{ BYTES(""), "file" },
	{ BYTES("\n"), "file" },
	{ BYTES(GOOD "\n\n"), NULL },
	{ BYTES(GOOD "\r\n"), NULL },
	{ BYTES("a\nb"), NULL },
	{ BYTES("a\0b"), NULL },
	{ BYTES("a\0"), NULL },
	{ BYTES("changeme"), NULL },
};

START_TEST(credential_is_one_line_or_refused)
{
	char dir[] = "/tmp/confXXXXXX";
	struct fail f = { 0 };

	credential_write(dir, credentials[_i].data, credentials[_i].size);
	if (credentials[_i].want != NULL) {
		ck_assert_int_eq(load("AUTH_SECRET=file\n", &f), 0);
		ck_assert_str_eq(conf.AUTH_SECRET, credentials[_i].want);
	} else {
		ck_assert_int_eq(load("AUTH_SECRET=file\n", &f), -1);
		ck_assert_str_eq(f.where, "AUTH_SECRET");
	}
	credential_remove(dir);
}
END_TEST

START_TEST(credential_overrides_the_file_only)
{
	char dir[] = "/tmp/confXXXXXX";
	struct fail f = { 0 };

	credential_write(dir, BYTES("handed over"));
	setenv("AUTH_SECRET", "environment", 1);
	ck_assert_int_eq(load("AUTH_SECRET=file\nDATABASE_URL=d\n", &f), 0);
	ck_assert_str_eq(conf.AUTH_SECRET, "environment");
	ck_assert_str_eq(conf.DATABASE_URL, "d");
	unsetenv("AUTH_SECRET");
	ck_assert_int_eq(load("AUTH_SECRET=file\n", &f), 0);
	ck_assert_str_eq(conf.AUTH_SECRET, "handed over");
	setenv("CREDENTIALS_DIRECTORY", "/nonexistent", 1);
	ck_assert_int_eq(load("AUTH_SECRET=file\n", &f), 0);
	ck_assert_str_eq(conf.AUTH_SECRET, "file");
	credential_remove(dir);
}
END_TEST

START_TEST(unusable_credential_is_refused)
{
	static char text[65536];
	char dir[] = "/tmp/confXXXXXX", name[64];
	struct fail f = { 0 };

	memset(text, 'a', sizeof(text));
	text[0] = 'b';
	credential_write(dir, text, sizeof(text));
	ck_assert_int_eq(load("", &f), -1);
	ck_assert_str_eq(f.why, "has a credential, but it is too long");
	credential_remove(dir);
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	credential_write(dir, text, sizeof(text) - 1);
	ck_assert_int_eq(load("", &f), 0);
	credential_remove(dir);

	/*
	 * A credential for a setting that is not secret is ignored.  A
	 * directory in place of the file is an error.
	 */
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	credential_write(dir, BYTES("s1"));
	snprintf(name, sizeof(name), "%s/LOG_LEVEL", dir);
	ck_assert_int_eq(symlink("/dev/null", name), 0);
	ck_assert_int_eq(load("", &f), 0);
	ck_assert_str_eq(conf.LOG_LEVEL, "info");
	unlink(name);
	credential_remove(dir);
	snprintf(name, sizeof(name), "%s/AUTH_SECRET", dir);
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	ck_assert_int_eq(mkdir(name, 0700), 0);
	ck_assert_int_eq(load("", &f), -1);
	ck_assert_str_eq(f.where, "AUTH_SECRET");
	rmdir(name);
	rmdir(dir);
}
END_TEST

Suite *
suite_conf(void)
{
	Suite *s = suite_create("conf");
	TCase *tc = tcase_create("conf");

	tcase_add_checked_fixture(tc, clean, forget);
	tcase_add_loop_test(
	    tc, bad_setting_is_refused_with_its_line, 0, (int)nitems(files));
	tcase_add_loop_test(
	    tc, quotes_and_blanks_are_removed, 0, (int)nitems(quotes));
	tcase_add_test(tc, environment_overrides_the_file);
	tcase_add_test(tc, decide_workers_follow_processors_and_connections);
	tcase_add_test(tc, node_env_may_mean_production);
	tcase_add_test(tc, companion_needs_no_secret_of_the_pool);
	tcase_add_test(tc, refused_file_changes_no_setting);
	tcase_add_test(tc, printed_settings_hide_secrets);
	tcase_add_test(tc, shown_setting_is_no_secret_path_or_url);
	tcase_add_loop_test(
	    tc, credential_is_one_line_or_refused, 0, (int)nitems(credentials));
	tcase_add_test(tc, credential_overrides_the_file_only);
	tcase_add_test(tc, unusable_credential_is_refused);
	suite_add_tcase(s, tc);
	return s;
}
