/* SPDX-License-Identifier: ISC */
/*
 * The job "geoip": keep the GeoIP databases of this host up to date.  A refused
 * download leaves the present file in place.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "cron/geoip_file.h"
#include "cron/geoip_source.h"
#include "cron/jobs.h"
#include "lib/conf/conf.h"
#include "lib/shared/metric.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"

#define FETCH_PAUSE (24 * 3600 * CLOCK_SECOND)
#define RETRY_PAUSE (3600 * CLOCK_SECOND)

enum { COUNT_FETCHES, COUNT_LOADED, COUNT_REFUSED };

/* The values of the label "result" of the metric. */
enum geoip_result { RESULT_SAME, RESULT_LOADED, RESULT_REFUSED };

struct geoip_fetcher {
	int64_t fetch_at[GEOIP__MAX]; /* clock_ticks() of the next fetch */
};

/* The settings of one database, and its name in failures. */
struct geoip_settings {
	const char *name;
	const char *path_name;
	const char *url_name;
	const char *path;
	const char *url;
	const char *sha256;
};

static struct geoip_settings settings_of(enum geoip_subject subject);
static int keep_database(struct job_run *r, enum geoip_subject subject,
    const struct geoip_settings *s, struct fail *f);
static int fetch_database(struct job_run *r, enum geoip_subject subject,
    const struct geoip_settings *s, struct fail *f);
static int install_database(struct job_run *r, struct geoip_file *file,
    const struct geoip_found *found, struct fail *f);
static void count_fetch(struct job_run *r, enum geoip_result result);
static const char *name_source(struct arena *a, const char *url);

int
job_geoip_check(struct fail *f)
{
	struct geoip_settings s;
	bool maxmind = false;
	unsigned i;

	for (i = 0; i < GEOIP__MAX; i++) {
		s = settings_of(i);
		if (s.url == NULL)
			continue;
		if (s.path == NULL)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
			    s.path_name, "must be set if %s is set",
			    s.url_name);
		maxmind = strcmp(conf.GEOIP_SOURCE, "maxmind") == 0;
	}
	if (maxmind && conf.GEOIP_ACCOUNT_ID == NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
		    "GEOIP_ACCOUNT_ID", "must be set for MaxMind");
	if (maxmind && conf.GEOIP_LICENSE_KEY == NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
		    "GEOIP_LICENSE_KEY", "must be set for MaxMind");
	return 0;
}

int
job_geoip_open(struct job_run *r, struct fail *f)
{
	r->own = calloc(1, sizeof(struct geoip_fetcher));
	return r->own == NULL ? fail_memory(f) : 0;
}

/*
 * With --once a refused download makes the step fail, after all databases; the
 * last one that fails says why.
 */
int
job_geoip_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct geoip_settings s;
	int result = 0;
	unsigned i;

	(void)ret_more;
	for (i = 0; i < GEOIP__MAX; i++) {
		s = settings_of(i);
		if (s.url != NULL && keep_database(r, i, &s, f) == -1)
			result = -1;
	}
	return result;
}

void
job_geoip_close(struct job_run *r)
{
	free(r->own);
}

static struct geoip_settings
settings_of(enum geoip_subject subject)
{
	const struct geoip_settings settings[GEOIP__MAX] = {
		[GEOIP_PLACES] = { "geoip", "GEOIP_DB", "GEOIP_URL",
		    conf.GEOIP_DB, conf.GEOIP_URL, conf.GEOIP_SHA256 },
		[GEOIP_MORE_PLACES] = { "geoip_more", "GEOIP_MORE_DB",
		    "GEOIP_MORE_URL", conf.GEOIP_MORE_DB, conf.GEOIP_MORE_URL,
		    conf.GEOIP_MORE_SHA256 },
		[GEOIP_ASN] = { "geoip_asn", "GEOIP_ASN_DB", "GEOIP_ASN_URL",
		    conf.GEOIP_ASN_DB, conf.GEOIP_ASN_URL,
		    conf.GEOIP_ASN_SHA256 },
	};

	return settings[subject];
}

/* Fetch a database if that is due. */
static int
keep_database(struct job_run *r, enum geoip_subject subject,
    const struct geoip_settings *s, struct fail *f)
{
	struct geoip_fetcher *fetcher = r->own;
	int64_t *fetch_at = &fetcher->fetch_at[subject];
	struct fail why = { 0 };

	if (clock_ticks() < *fetch_at)
		return 0;
	if (fetch_database(r, subject, s, &why) == 0) {
		*fetch_at = clock_ticks() + FETCH_PAUSE;
		return 0;
	}
	count_fetch(r, RESULT_REFUSED);
	*fetch_at = clock_ticks() + RETRY_PAUSE;
	if (r->until == 0)
		return fail_set(f, why.kind, why.code, s->name, "%s", why.why);
	log_error("event=geoip_refused path=%s why=%s", s->path, why.why);
	return 0;
}

/* Fetch the database if the source has another one than that of the file. */
static int
fetch_database(struct job_run *r, enum geoip_subject subject,
    const struct geoip_settings *s, struct fail *f)
{
	const char *source = name_source(r->arena, s->url);
	struct geoip_found found = { 0 };
	struct geoip_file file;
	int result;

	if (source == NULL)
		return fail_memory(f);
	result = geoip_file_open(r->arena, subject, s->path, source, &file, f);
	if (result == 0)
		result = geoip_source_fetch(
		    r, s->url, s->sha256, file.tag, &found, f);
	if (result == 0 && found.same)
		count_fetch(r, RESULT_SAME);
	else if (result == 0 && found.bytes != NULL)
		result = install_database(r, &file, &found, f);
	free(found.bytes);
	geoip_file_close(&file);
	return result;
}

static int
install_database(struct job_run *r, struct geoip_file *file,
    const struct geoip_found *found, struct fail *f)
{
	if (geoip_file_replace(
		r->arena, file, found->bytes, found->size, found->tag, f) == -1)
		return -1;
	count_fetch(r, RESULT_LOADED);
	log_info("event=geoip_loaded path=%s", file->path);
	return 0;
}

static void
count_fetch(struct job_run *r, enum geoip_result result)
{
	r->count[COUNT_FETCHES]++;
	r->count[COUNT_LOADED] += result == RESULT_LOADED;
	r->count[COUNT_REFUSED] += result == RESULT_REFUSED;
	metric_add(r->slot, METRIC_ID_GEOIP_FETCHES, result, 0, 1);
}

/* A hash that reveals no URL. */
static const char *
name_source(struct arena *a, const char *url)
{
	char hex[2 * CRYPT_SHA256_SIZE + 1];
	uint8_t hash[CRYPT_SHA256_SIZE];
	const char *text;
	struct str s;

	str_init(&s, a);
	str_addf(&s, "%s %s", conf.GEOIP_SOURCE, url);
	if ((text = str_text(&s)) == NULL)
		return NULL;
	crypt_sha256(text, strlen(text), hash);
	crypt_hex(hash, sizeof(hash), hex);
	return arena_strdup(a, hex);
}
