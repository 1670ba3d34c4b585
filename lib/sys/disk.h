/* SPDX-License-Identifier: ISC */
/* How full the filesystems are that the service writes to. */
#ifndef LIB_SYS_DISK_H
#define LIB_SYS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_MAX 8 /* filesystems that are looked at */
#define DISK_PATH_MAX 128 /* bytes of a path */

/* One filesystem, by the first path that is on it; in bytes. */
struct disk {
	char path[DISK_PATH_MAX];
	int64_t total;
	int64_t free; /* to others than root */
	int64_t used;
};

/*
 * Call do_path with each of a comma-separated list of paths; too long ones are
 * passed over.
 */
void disk_paths(const char *paths, void (*do_path)(const char *path));

/*
 * Whether a list of paths can be used: at most DISK_MAX, absolute, none too
 * long.
 */
bool disk_paths_valid(const char *paths);

/*
 * Look at the filesystems of a comma-separated list of paths, each once.
 * Paths that there are not, or that are too long, are left out.  Returns how
 * many of ret are filled.
 */
size_t disk_read(const char *paths, struct disk ret[DISK_MAX]);

/* How full it is for others than root, from 0 to 1. */
double disk_ratio(const struct disk *d);

#endif
