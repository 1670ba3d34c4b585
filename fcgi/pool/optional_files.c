/* SPDX-License-Identifier: ISC */
/* The files that settings name and that may be missing. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/fail.h"
#include "fcgi/pool/optional_files.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/engine/geoip.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/disk.h"
#include "lib/sys/log.h"

static void check_disk(const char *path);
static void check_geoip(
    struct geoip *geoip, enum geoip_subject subject, struct shm *shm);
static void refresh_geoip_file(struct worker *w, enum geoip_subject subject);
static void note_geoip(
    struct geoip_status *status, const char *path, int64_t built);
static void warn_geoip(
    struct geoip_status *status, const char *path, const char *why);

void
optional_files_check(struct shm *shm)
{
	struct fail f = { 0 };
	struct geoip *geoip = geoip_new(conf.GEOIP_DB, conf.GEOIP_ASN_DB, &f);
	unsigned i;

	if (geoip == NULL)
		log_warn("event=geoip_open_failed why=%s", f.why);
	for (i = 0; geoip != NULL && i < GEOIP__MAX; i++)
		check_geoip(geoip, i, shm);
	geoip_close(geoip);
	disk_paths(conf.DISK_HEALTH_PATHS, check_disk);
}

int
optional_files_refresh(struct worker *w)
{
	const int64_t now = clock_ticks();
	unsigned i;

	if (w->geoip == NULL)
		return -1;
	if (now >= w->geoip_at) {
		w->geoip_at = now + GEOIP_REFRESH_PAUSE;
		for (i = 0; i < GEOIP__MAX; i++)
			refresh_geoip_file(w, i);
	}
	return (int)((w->geoip_at - now) / 1000 + 1);
}

static void
check_geoip(struct geoip *geoip, enum geoip_subject subject, struct shm *shm)
{
	const char *path = geoip_path(geoip, subject);
	struct fail f = { 0 };
	const int r = geoip_refresh(geoip, subject, &f);

	if (r == -1)
		log_warn("event=geoip_open_failed path=%s why=%s", path, f.why);
	if (shm == NULL)
		return;
	atomic_store(&shm->geoip[subject].built, geoip_built(geoip, subject));
	atomic_store(&shm->geoip[subject].state,
	    path == NULL  ? GEOIP_NONE
		: r == -1 ? GEOIP_FAILED
			  : GEOIP_LOADED);
}

static void
refresh_geoip_file(struct worker *w, enum geoip_subject subject)
{
	struct geoip_status *status = &w->shm->geoip[subject];
	const char *path = geoip_path(w->geoip, subject);
	struct fail f = { 0 };
	const int r = geoip_refresh(w->geoip, subject, &f);

	if (r == 1)
		note_geoip(status, path, geoip_built(w->geoip, subject));
	else if (r == -1)
		warn_geoip(status, path, f.why);
}

/* The first worker with a database of another time logs it. */
static void
note_geoip(struct geoip_status *status, const char *path, int64_t built)
{
	char text[CLOCK_TEXT_SIZE];

	atomic_store(&status->state, GEOIP_LOADED);
	if (atomic_exchange(&status->built, built) == built)
		return;
	clock_text(built, text);
	log_info("event=geoip_replaced path=%s built=%s", path, text);
}

/* Every worker sees a bad file within a pause; the first one logs it. */
static void
warn_geoip(struct geoip_status *status, const char *path, const char *why)
{
	int64_t last = atomic_load(&status->warned_at);
	const int64_t now = clock_ticks();

	if ((last == 0 || now - last > 2 * GEOIP_REFRESH_PAUSE) &&
	    atomic_compare_exchange_strong(&status->warned_at, &last, now))
		log_warn("event=geoip_open_failed path=%s why=%s", path, why);
}

static void
check_disk(const char *path)
{
	struct stat st;

	if (stat(path, &st) == -1)
		log_warn("event=disk_path_missing path=%s why=%s", path,
		    strerror(errno));
}
