/* SPDX-License-Identifier: ISC */
/* Unpacking a GeoIP database. */
#ifndef CRON_GEOIP_UNPACK_H
#define CRON_GEOIP_UNPACK_H

#include <stddef.h>

struct fail;

/*
 * Write the database in size bytes to the empty file fd.  The bytes are the
 * database or a tar archive with it, either may be compressed with gzip.  Of
 * several databases in an archive the one that is called name is meant; no name
 * in it is used as a path.  Returns 0, or -1 with f set if there is no
 * database, not one, or more than GEOIP_UNPACKED_MAX bytes.
 */
int geoip_unpack(const void *bytes, size_t size, const char *name, int fd,
    struct fail *f) __attribute__((warn_unused_result));

#define GEOIP_UNPACKED_MAX (INT64_C(512) << 20)

#endif
