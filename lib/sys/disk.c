/* SPDX-License-Identifier: ISC */
/* How full the filesystems are that the service writes to. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "lib/sys/disk.h"

static size_t next_path(const char **paths);
static bool stat_filesystem(
    const char *path, struct disk *ret, dev_t *ret_device);

size_t
disk_read(const char *paths, struct disk ret[DISK_MAX])
{
	dev_t device[DISK_MAX];
	char path[DISK_PATH_MAX];
	size_t i, size, n = 0;

	for (; (size = next_path(&paths)) > 0 && n < DISK_MAX; paths += size) {
		if (size >= sizeof(path))
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)size, paths);
		if (!stat_filesystem(path, &ret[n], &device[n]))
			continue;
		for (i = 0; i < n && device[i] != device[n]; i++)
			continue;
		if (i == n)
			n++;
	}
	return n;
}

void
disk_paths(const char *paths, void (*do_path)(const char *path))
{
	char path[DISK_PATH_MAX];
	size_t size;

	for (; (size = next_path(&paths)) > 0; paths += size) {
		if (size >= sizeof(path))
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)size, paths);
		do_path(path);
	}
}

bool
disk_paths_valid(const char *paths)
{
	size_t size, n = 0;

	for (; (size = next_path(&paths)) > 0; paths += size)
		if (*paths != '/' || size >= DISK_PATH_MAX || ++n > DISK_MAX)
			return false;
	return true;
}

double
disk_ratio(const struct disk *d)
{
	const int64_t all = d->used + d->free;

	return all == 0 ? 0 : (double)d->used / (double)all;
}

/* Skip to the next path; return its size, 0 at the end. */
static size_t
next_path(const char **paths)
{
	*paths += strspn(*paths, ", ");
	return strcspn(*paths, ", ");
}

static bool
stat_filesystem(const char *path, struct disk *ret, dev_t *ret_device)
{
	struct statvfs fs;
	struct stat st;

	if (stat(path, &st) == -1 || statvfs(path, &fs) == -1)
		return false;
	*ret_device = st.st_dev;
	snprintf(ret->path, sizeof(ret->path), "%s", path);
	ret->total = (int64_t)(fs.f_blocks * fs.f_frsize);
	ret->free = (int64_t)(fs.f_bavail * fs.f_frsize);
	ret->used = (int64_t)((fs.f_blocks - fs.f_bfree) * fs.f_frsize);
	return true;
}
