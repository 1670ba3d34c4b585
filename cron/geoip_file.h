/* SPDX-License-Identifier: ISC */
/* The file of a GeoIP database, and what is known of its source. */
#ifndef CRON_GEOIP_FILE_H
#define CRON_GEOIP_FILE_H

#include <stddef.h>

#include "lib/engine/geoip.h"

struct arena;
struct fail;

/*
 * A database at PATH.  PATH.source has one line about the download that the
 * database came from, and is locked while a companion works.  PATH.new is the
 * database while it is written.
 */
struct geoip_file {
	enum geoip_subject subject; /* what the database must be about */
	const char *path;
	const char *source_path;
	const char *draft_path;
	const char *from; /* a hash of the source */
	const char *tag; /* of that download; NULL: unknown or from elsewhere */
	int source; /* descriptor of PATH.source, or -1 */
};

/*
 * Lock the file and read what is known.  from identifies the source and holds
 * no blank.  The tag is set only if the database is still the one of that
 * download.  Returns 0, or -1 with f set, also if another companion has the
 * lock.  The caller calls geoip_file_close() in both cases.
 */
int geoip_file_open(struct arena *a, enum geoip_subject subject,
    const char *path, const char *from, struct geoip_file *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Unpack a download of size bytes, check that it is a database that knows its
 * subject, and rename it into place; tag may be NULL.  A kill at any moment
 * leaves the old database or the new one.  Returns 0, or -1 with f set, also if
 * only PATH.source could not be written.
 */
int geoip_file_replace(struct arena *a, struct geoip_file *file,
    const void *bytes, size_t size, const char *tag, struct fail *f)
    __attribute__((warn_unused_result));

/* Unlock the file. */
void geoip_file_close(struct geoip_file *file);

#endif
