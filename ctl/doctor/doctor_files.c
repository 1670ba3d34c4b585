/* SPDX-License-Identifier: ISC */
/* assayctl doctor: who can read the files with secrets, and certificates. */
#include "config.h"

#include <sys/stat.h>

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ctl.h"
#include "ctl/doctor/doctor.h"
#include "ctl/doctor/site_value.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/sys/certificate.h"
#include "lib/sys/clock.h"

#define SITE_SIZE ((size_t)1 << 20)
#define DAY (86400 * CLOCK_SECOND)

/* Modes that a file must not have. */
#define BY_OTHERS 07
#define BY_GROUP_AND_OTHERS 077

static void check_mode(const char *path, mode_t forbidden, struct finding *ret);
static void check_credentials(struct finding *ret);
static char *read_site(struct doctor *d);
static void check_site_keys(struct doctor *d, struct finding *ret);
static void check_site_certificates(
    struct doctor *d, int64_t *soonest, struct finding *ret);
static void check_trusted_files(int64_t *soonest, struct finding *ret);
static void check_end(
    const char *path, bool all, int64_t *soonest, struct finding *ret);

void
doctor_files(struct doctor *d, struct finding *ret)
{
	finding_text(ret, "only their users can read the secrets");
	if (d->config != NULL)
		check_mode(d->config, BY_OTHERS, ret);
	check_credentials(ret);
	if (d->has_settings)
		check_mode(conf.SPOOL_DIR, BY_GROUP_AND_OTHERS, ret);
	check_site_keys(d, ret);
}

void
doctor_certificates(struct doctor *d, struct finding *ret)
{
	int64_t soonest = INT64_MAX;

	finding_text(ret, "no certificate is on this host");
	check_site_certificates(d, &soonest, ret);
	if (d->has_settings)
		check_trusted_files(&soonest, ret);
}

/* Files that do not exist are not at fault. */
static void
check_mode(const char *path, mode_t forbidden, struct finding *ret)
{
	struct stat st;

	if (stat(path, &st) == -1) {
		if (errno == EACCES)
			finding_raise(ret, DOCTOR_UNKNOWN, "%s: %s", path,
			    strerror(errno));
	} else if ((st.st_mode & forbidden) != 0) {
		finding_raise(ret, DOCTOR_CRITICAL,
		    "%s has mode %03o, which gives others %s", path,
		    (unsigned)st.st_mode & 07777,
		    (st.st_mode & forbidden & 044) != 0 ? "its secrets"
							: "access");
	}
}

static void
check_credentials(struct finding *ret)
{
	char pattern[FINDING_SIZE];
	glob_t found;
	size_t i;

	conf_credentials(pattern, sizeof(pattern));
	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (i = 0; i < found.gl_pathc; i++)
		check_mode(found.gl_pathv[i], BY_GROUP_AND_OTHERS, ret);
	globfree(&found);
}

/* Read the site of nginx; NULL if this host has no site. */
static char *
read_site(struct doctor *d)
{
	struct fail f = { 0 };
	size_t size;

	return ctl_read_file(&d->arena, d->site, SITE_SIZE, &size, &f);
}

static void
check_site_keys(struct doctor *d, struct finding *ret)
{
	char *at = read_site(d), *path;

	while ((path = site_value(&at, "ssl_certificate_key")) != NULL)
		check_mode(path, BY_OTHERS, ret);
}

static void
check_site_certificates(struct doctor *d, int64_t *soonest, struct finding *ret)
{
	char *at = read_site(d), *path;

	while ((path = site_value(&at, "ssl_certificate")) != NULL)
		check_end(path, true, soonest, ret);
}

/* The files that the programs check servers with, or show to them. */
static void
check_trusted_files(int64_t *soonest, struct finding *ret)
{
	const char *const urls[] = { conf.DATABASE_URL,
		conf.OPERATOR_DATABASE_URL, conf.OPERATOR_READ_DATABASE_URL,
		conf.COMPANION_DATABASE_URL, conf.RETAIN_DATABASE_URL };
	const char *const files[] = { conf.REDIS_CA_FILE, conf.MODEL_CA_FILE };
	static const char *const options[] = { "sslrootcert", "sslcert" };
	char *path;
	size_t i, j;

	for (i = 0; i < nitems(files); i++)
		if (files[i] != NULL)
			check_end(files[i], false, soonest, ret);
	for (i = 0; i < nitems(urls); i++)
		for (j = 0; urls[i] != NULL && j < nitems(options); j++) {
			path = db_host_option(urls[i], options[j]);
			if (path != NULL && strcmp(path, "system") != 0)
				check_end(path, false, soonest, ret);
			free(path);
		}
}

/*
 * Judge the days until a certificate of the file ends: the first one with all,
 * for a chain, else the last one, for a list of trusted ones.  *soonest has the
 * fewest days so far.
 */
static void
check_end(const char *path, bool all, int64_t *soonest, struct finding *ret)
{
	struct certificate_ends ends;
	struct fail f = { 0 };
	int64_t days;

	if (certificate_read(path, &ends, &f) == -1) {
		finding_raise(ret,
		    access(path, R_OK) == -1 && errno == EACCES
			? DOCTOR_UNKNOWN
			: DOCTOR_CRITICAL,
		    "%s: %s", path, f.why);
		return;
	}
	days = ((all ? ends.first : ends.last) - clock_now()) / DAY;
	if (days >= *soonest)
		return;
	*soonest = days;
	if (ret->state == DOCTOR_OK)
		finding_text(ret, "%s ends in %" PRId64 " days", path, days);
	finding_raise(ret, finding_limit(ret, days),
	    "%s ends in %" PRId64 " days", path, days);
}
