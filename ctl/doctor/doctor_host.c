/* SPDX-License-Identifier: ISC */
/* assayctl doctor: checks of the settings, the disks, the spool and GeoIP. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/doctor/doctor.h"
#include "lib/conf/conf.h"
#include "lib/engine/geoip.h"
#include "lib/spool/spool.h"
#include "lib/sys/clock.h"
#include "lib/sys/disk.h"

#define SPOOL_ARENA ((size_t)16 << 20)
#define DAY (86400 * CLOCK_SECOND)

static void look_at_geoip(struct geoip *g, enum geoip_subject subject,
    struct str *s, struct finding *ret);
static bool lists_path(const char *list, const char *path);

void
doctor_settings(struct doctor *d, struct finding *ret)
{
	const struct fail *f = &d->refusal;

	if (d->has_settings)
		finding_text(ret, "%s",
		    d->config == NULL ? "the environment is valid" : d->config);
	else
		finding_raise(ret, DOCTOR_CRITICAL, "%s: %s", f->where, f->why);
}

void
doctor_conflicts(struct doctor *d, struct finding *ret)
{
	const struct {
		bool holds;
		const char *text;
	} conflicts[] = {
		{ !conf.production,
		    "ENGINE_ENV is not production: the strict checks are off" },
		{ conf.production && conf.CORE_DUMPS,
		    "CORE_DUMPS is on in production" },
		{ conf.production && conf.ALLOW_PRIVATE_TARGETS,
		    "ALLOW_PRIVATE_TARGETS is on in production" },
		{ conf.SESSION_IDLE_MINUTES > conf.SESSION_MAX_HOURS * 60,
		    "SESSION_IDLE_MINUTES is longer than SESSION_MAX_HOURS" },
		{ conf.RETENTION_VERDICTS_DAYS != 0 &&
			conf.LABEL_DELAY_DAYS > conf.RETENTION_VERDICTS_DAYS,
		    "LABEL_DELAY_DAYS is longer than "
		    "RETENTION_VERDICTS_DAYS" },
		{ conf.production &&
			!lists_path(conf.DISK_HEALTH_PATHS, conf.SPOOL_DIR),
		    "DISK_HEALTH_PATHS does not have SPOOL_DIR" },
	};
	struct str s;
	size_t i;

	str_init(&s, &d->arena);
	for (i = 0; i < nitems(conflicts); i++)
		if (conflicts[i].holds)
			str_addf(&s, "%s%s", s.len == 0 ? "" : "; ",
			    conflicts[i].text);
	if (s.len == 0)
		finding_text(ret, "the settings fit together");
	else
		finding_raise(ret, DOCTOR_WARN, "%s", str_text(&s));
}

void
doctor_geoip(struct doctor *d, struct finding *ret)
{
	const char *const paths[GEOIP__MAX] = GEOIP_PATHS(conf);
	struct fail f = { 0 };
	struct geoip *g = geoip_new(paths, &f);
	struct str s;
	unsigned i;

	str_init(&s, &d->arena);
	for (i = 0; g != NULL && i < GEOIP__MAX; i++)
		look_at_geoip(g, i, &s, ret);
	geoip_close(g);
	finding_text(ret, "%s",
	    g == NULL	     ? f.why
		: s.len == 0 ? "GEOIP_DB is not set"
			     : str_text(&s));
}

void
doctor_spool(struct doctor *d, struct finding *ret)
{
	int64_t records, oldest, quarantines;
	struct arena scratch;
	int r;

	(void)d;
	ctl_arena(&scratch, SPOOL_ARENA);
	r = spool_look(conf.SPOOL_DIR, &scratch, &records, &oldest);
	ctl_arena_free(&scratch);
	if (r == -1) {
		finding_raise(ret,
		    errno == EACCES ? DOCTOR_UNKNOWN : DOCTOR_WARN, "%s: %s",
		    conf.SPOOL_DIR, strerror(errno));
		return;
	}
	quarantines = spool_quarantines(conf.SPOOL_DIR);
	if (records == 0)
		finding_text(ret, "no record waits");
	else
		finding_text(ret,
		    "%" PRId64 " records wait, the oldest for %" PRId64 " s",
		    records, (clock_now() - oldest) / CLOCK_SECOND);
	ret->state = finding_limit(ret, records);
	if (quarantines > 0)
		finding_raise(ret, DOCTOR_WARN,
		    "%" PRId64 " files of quarantined records", quarantines);
}

void
doctor_disk(struct doctor *d, struct finding *ret)
{
	struct disk disks[DISK_MAX];
	enum doctor_state state;
	size_t i, n;
	int64_t full;
	struct str s;

	str_init(&s, &d->arena);
	n = disk_read(conf.DISK_HEALTH_PATHS, disks);
	for (i = 0; i < n; i++) {
		full = (int64_t)(disk_ratio(&disks[i]) * 100);
		str_addf(&s, "%s%s is %" PRId64 " %% full", i == 0 ? "" : ", ",
		    disks[i].path, full);
		state = finding_limit(ret, full);
		if (state > ret->state)
			ret->state = state;
	}
	finding_text(ret, "%s",
	    n == 0 ? "no path of DISK_HEALTH_PATHS is on this host"
		   : str_text(&s));
}

/* Append what is found of one database, and make the state worse if it is. */
static void
look_at_geoip(struct geoip *g, enum geoip_subject subject, struct str *s,
    struct finding *ret)
{
	enum doctor_state state = DOCTOR_WARN;
	const char *path = geoip_path(g, subject);
	struct fail f = { 0 };
	int64_t days;

	if (path == NULL)
		return;
	str_addf(s, "%s%s", s->len == 0 ? "" : "; ", path);
	if (geoip_refresh(g, subject, &f) == -1) {
		str_addf(s, ": %s", f.why);
	} else {
		days = (clock_now() - geoip_built(g, subject)) / DAY;
		str_addf(s, " is %" PRId64 " days old", days);
		state = finding_limit(ret, days);
	}
	if (state > ret->state)
		ret->state = state;
}

/* Whether a list separated by commas has the path. */
static bool
lists_path(const char *list, const char *path)
{
	size_t len;

	for (; *list != '\0'; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (strlen(path) == len && strncmp(list, path, len) == 0)
			return true;
	}
	return false;
}
