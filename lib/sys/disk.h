/* SPDX-License-Identifier: ISC */
/* How full the filesystems are that the service writes to. */
#ifndef LIB_SYS_DISK_H
#define LIB_SYS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_MAX 8 /* filesystems that are measured */
#define DISK_PATH_MAX 128 /* bytes of a path */

/* One filesystem, named by the first path on it; sizes in bytes. */
struct disk {
	char path[DISK_PATH_MAX];
	int64_t total;
	int64_t free; /* available to users other than root */
	int64_t used;
};

/*
 * Call do_path with each path of a comma-separated list.  Paths that are too
 * long are skipped.
 */
void disk_paths(const char *paths, void (*do_path)(const char *path));

/*
 * Whether a list has at most DISK_MAX paths, all absolute and none too long.
 */
bool disk_paths_valid(const char *paths);

/*
 * Measure the filesystems of a comma-separated list of paths, each once.  Paths
 * that do not exist or are too long are skipped.  Returns the number of entries
 * filled in ret.
 */
size_t disk_read(const char *paths, struct disk ret[DISK_MAX]);

/* How full it is for users other than root, from 0 to 1. */
double disk_ratio(const struct disk *d);

#endif
