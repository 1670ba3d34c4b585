/* SPDX-License-Identifier: ISC */
/* Sources of GeoIP databases: a URL, an npm package, MaxMind. */
#ifndef CRON_GEOIP_SOURCE_H
#define CRON_GEOIP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct fail;
struct job_run;

/* A download.  Without bytes and same, the run ended before it. */
struct geoip_found {
	bool same; /* the source still has the download of the tag */
	char *bytes; /* the caller frees them */
	size_t size;
	const char *tag; /* of this download, in r->arena; NULL: none */
};

/*
 * Download the database of GEOIP_SOURCE from the URL unless tag says that the
 * last download was the same; NULL: there was none.  sha256 is as in
 * GEOIP_SHA256.  The checksum is verified.  Returns 0, or -1 with f set to a
 * reason without host, URL, secret or text of the server.
 */
int geoip_source_fetch(struct job_run *r, const char *url, const char *sha256,
    const char *tag, struct geoip_found *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
