/* SPDX-License-Identifier: ISC */
/* The files that settings name and that may be missing. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "fcgi/pool/optional_files.h"
#include "lib/conf/conf.h"
#include "lib/engine/geoip.h"
#include "lib/engine/mmdb_copy.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/disk.h"
#include "lib/sys/log.h"

static bool open_geoip(
    struct geoip *geoip, enum geoip_subject subject, struct shm *shm);
static void note_geoip(struct geoip_status *status, const struct geoip *geoip,
    enum geoip_subject subject);
static void warn_families(const struct geoip *geoip);
static void check_disk(const char *path);

struct geoip *
optional_files_open(struct geoip *old, struct shm *shm)
{
	const char *const paths[GEOIP__MAX] = GEOIP_PATHS(conf);
	struct fail f = { 0 };
	struct geoip *geoip = geoip_new(paths, &f);
	unsigned i;

	if (geoip == NULL)
		log_warn("event=geoip_open_failed why=%s", f.why);
	if (geoip != NULL && old != NULL)
		geoip_take(geoip, old);
	geoip_close(old);
	for (i = 0; geoip != NULL && i < GEOIP__MAX; i++)
		open_geoip(geoip, i, shm);
	if (geoip != NULL)
		warn_families(geoip);
	disk_paths(conf.DISK_HEALTH_PATHS, check_disk);
	return geoip;
}

bool
optional_files_refresh(struct geoip *geoip, struct shm *shm)
{
	bool opened = false;
	unsigned i;

	for (i = 0; geoip != NULL && i < GEOIP__MAX; i++)
		if (open_geoip(geoip, i, shm))
			opened = true;
	if (opened)
		warn_families(geoip);
	return opened;
}

/* Read a database if there is another one; return whether it was read. */
static bool
open_geoip(struct geoip *geoip, enum geoip_subject subject, struct shm *shm)
{
	const char *path = geoip_path(geoip, subject);
	char built[CLOCK_TEXT_SIZE];
	struct fail f = { 0 };
	const int r = geoip_refresh(geoip, subject, &f);

	if (shm != NULL)
		note_geoip(&shm->geoip[subject], geoip, subject);
	if (r == -1)
		log_warn("event=geoip_open_failed path=%s why=%s", path, f.why);
	if (r != 1)
		return false;
	clock_text(geoip_built(geoip, subject), built);
	log_info("event=geoip_opened path=%s type=%s built=%s", path,
	    geoip_type(geoip, subject), built);
	return true;
}

static void
note_geoip(struct geoip_status *status, const struct geoip *geoip,
    enum geoip_subject subject)
{
	const unsigned families = geoip_families(geoip, subject);

	atomic_store(&status->built, geoip_built(geoip, subject));
	atomic_store(&status->families, families);
	atomic_store(&status->state,
	    geoip_path(geoip, subject) == NULL ? GEOIP_NONE
		: families == 0		       ? GEOIP_FAILED
					       : GEOIP_LOADED);
}

/* Log the families of addresses that no open database of a subject knows. */
static void
warn_families(const struct geoip *geoip)
{
	static const struct {
		enum geoip_subject first, second;
		const char *of;
	} subjects[] = {
		{ GEOIP_PLACES, GEOIP_MORE_PLACES, "places" },
		{ GEOIP_ASN, GEOIP_ASN, "asn" },
	};
	unsigned known;
	size_t i;

	for (i = 0; i < nitems(subjects); i++) {
		known = geoip_families(geoip, subjects[i].first) |
		    geoip_families(geoip, subjects[i].second);
		if (known == MMDB_IPV4 || known == MMDB_IPV6)
			log_warn("event=geoip_family_unknown database=%s "
				 "family=%s",
			    subjects[i].of,
			    known == MMDB_IPV4 ? "ipv6" : "ipv4");
	}
}

static void
check_disk(const char *path)
{
	struct stat st;

	if (stat(path, &st) == -1)
		log_warn("event=disk_path_missing path=%s why=%s", path,
		    strerror(errno));
}
