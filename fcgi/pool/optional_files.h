/* SPDX-License-Identifier: ISC */
/* Files that the settings name and that may be missing. */
#ifndef FCGI_POOL_OPTIONAL_FILES_H
#define FCGI_POOL_OPTIONAL_FILES_H

struct shm;

/*
 * Log, once for all workers, what is missing of the files that the pool can do
 * without: the database of places, and directories of DISK_HEALTH_PATHS.
 * Whether there is a database of places goes into shm, unless that is NULL.
 */
void optional_files_check(struct shm *shm);

#endif
