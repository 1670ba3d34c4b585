/* SPDX-License-Identifier: ISC */
/* Check the files that settings name and that may be missing. */
#ifndef FCGI_POOL_OPTIONAL_FILES_H
#define FCGI_POOL_OPTIONAL_FILES_H

struct shm;

/*
 * Log once for all workers which optional files are missing: the GeoIP
 * database, and directories of DISK_HEALTH_PATHS.  Store in shm whether the
 * GeoIP database can be opened, unless shm is NULL.
 */
void optional_files_check(struct shm *shm);

#endif
