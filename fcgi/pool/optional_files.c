/* SPDX-License-Identifier: ISC */
/* Check the files that settings name and that may be missing. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/fail.h"
#include "fcgi/pool/optional_files.h"
#include "lib/conf/conf.h"
#include "lib/engine/geoip.h"
#include "lib/shared/shm.h"
#include "lib/sys/disk.h"
#include "lib/sys/log.h"

static void check_disk(const char *path);

void
optional_files_check(struct shm *shm)
{
	struct fail f = { 0 };
	struct geoip *geoip = NULL;

	if (conf.GEOIP_DB != NULL &&
	    (geoip = geoip_open(conf.GEOIP_DB, &f)) == NULL)
		log_warn("event=geoip_open_failed path=%s why=%s",
		    conf.GEOIP_DB, f.why);
	if (shm != NULL)
		atomic_store(&shm->geoip_loaded, geoip != NULL);
	geoip_close(geoip);
	disk_paths(conf.DISK_HEALTH_PATHS, check_disk);
}

static void
check_disk(const char *path)
{
	struct stat st;

	if (stat(path, &st) == -1)
		log_warn("event=disk_path_missing path=%s why=%s", path,
		    strerror(errno));
}
