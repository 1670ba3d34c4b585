/* SPDX-License-Identifier: ISC */
/* The files that settings name and that may be missing. */
#ifndef FCGI_POOL_OPTIONAL_FILES_H
#define FCGI_POOL_OPTIONAL_FILES_H

struct shm;
struct worker;

/*
 * Log once for all workers which optional files are missing: GeoIP databases,
 * and directories of DISK_HEALTH_PATHS.  Store in shm which GeoIP databases can
 * be opened, unless shm is NULL.
 */
void optional_files_check(struct shm *shm);

/*
 * Let a worker use the GeoIP databases that have replaced those in use.  One
 * worker logs it.  Return after how many milliseconds to call again, or -1 if
 * the worker uses none.
 */
int optional_files_refresh(struct worker *w);

#endif
