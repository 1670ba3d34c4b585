/* SPDX-License-Identifier: ISC */
/* The files that settings name and that may be missing. */
#ifndef FCGI_POOL_OPTIONAL_FILES_H
#define FCGI_POOL_OPTIONAL_FILES_H

#include <stdbool.h>

struct geoip;
struct shm;

/*
 * Read the GeoIP databases of the settings for all workers, and log which of
 * them, and which directories of DISK_HEALTH_PATHS, are missing.  Store the
 * state of the databases in shm, unless shm is NULL.  old is freed; where a
 * file is bad now, its database at the same path stays.  The caller frees the
 * result, which is NULL without memory.
 */
struct geoip *optional_files_open(struct geoip *old, struct shm *shm);

/*
 * Read the databases that have replaced those in use.  Return whether there is
 * one, so that workers must start again to have it.
 */
bool optional_files_refresh(struct geoip *geoip, struct shm *shm);

#endif
