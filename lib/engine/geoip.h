/* SPDX-License-Identifier: ISC */
/* Places and networks of IP addresses, from databases in MaxMind format. */
#ifndef LIB_ENGINE_GEOIP_H
#define LIB_ENGINE_GEOIP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/sys/clock.h"

/* Between two calls of geoip_refresh(). */
#define GEOIP_REFRESH_PAUSE (10 * CLOCK_SECOND)

struct arena;
struct event;
struct fail;
struct geoip;
struct ip_facts;
struct place;

/* What a database is about; metrics and logs name it so. */
enum geoip_subject {
	GEOIP_PLACES, /* GEOIP_DB: countries, perhaps with cities */
	GEOIP_MORE_PLACES, /* GEOIP_MORE_DB: the same, of other addresses */
	GEOIP_ASN, /* GEOIP_ASN_DB: autonomous systems */
	GEOIP__MAX
};

/* The paths of the settings in conf. */
#define GEOIP_PATHS(conf)                                                      \
	{                                                                      \
		[GEOIP_PLACES] = (conf).GEOIP_DB,                              \
		[GEOIP_MORE_PLACES] = (conf).GEOIP_MORE_DB,                    \
		[GEOIP_ASN] = (conf).GEOIP_ASN_DB                              \
	}

/*
 * Prepare the databases at these paths (NULL: none), which geoip_refresh()
 * reads; until then nothing is known.  Returns NULL with f set without memory.
 *
 * Records of places have the layout of MaxMind, of ip-location-db or of IPinfo.
 * A record that names no city is of its country, wherever its coordinates are.
 * A country whose code is not in ISO 3166 is unknown.
 */
struct geoip *geoip_new(const char *const paths[GEOIP__MAX], struct fail *f);

/*
 * Take the copies of the files at the same paths, which stay in use if the next
 * geoip_refresh() finds bad files.
 */
void geoip_take(struct geoip *g, struct geoip *from);

/*
 * Copy the file into memory if another one is at the path since the last call.
 * A file that is written in place is copied when two calls in a row find it
 * unchanged.  Returns 1 if it was copied, 0 if nothing has changed or there is
 * no path, or -1 with f set if the new file is missing, has another format or
 * another subject; the copy of the file before then stays in use.
 */
int geoip_refresh(struct geoip *g, enum geoip_subject subject, struct fail *f)
    __attribute__((warn_unused_result));

/* geoip_new() and geoip_refresh() of all.  Returns NULL with f set if one
 * fails. */
struct geoip *geoip_open(const char *const paths[GEOIP__MAX], struct fail *f);

/* The path of a database; NULL: none. */
const char *geoip_path(const struct geoip *g, enum geoip_subject subject);

/* When the copied database was built; 0 without a copy. */
int64_t geoip_built(const struct geoip *g, enum geoip_subject subject);

/* The type that the copied database names; "" without a copy. */
const char *geoip_type(const struct geoip *g, enum geoip_subject subject);

/*
 * The families of addresses of which the copied database knows any: MMDB_IPV4,
 * MMDB_IPV6 or both; 0 without a copy.
 */
unsigned geoip_families(const struct geoip *g, enum geoip_subject subject);

/* Close; NULL is harmless. */
void geoip_close(struct geoip *g);

/*
 * Find the place of an event's ip: its city if a database has one, else its
 * country.  The place is unknown (country "") if g is NULL, the event has no
 * ip, or the address is not public or not found.
 */
void geoip_place(
    const struct geoip *g, const struct event *ev, struct place *ret);

/*
 * The same, and what else is known of the ip.  Its texts are in arena a; one
 * that is no text of at most 255 bytes, without control characters, is unknown.
 */
void geoip_look_up(const struct geoip *g, const struct event *ev,
    struct arena *a, struct place *ret_place, struct ip_facts *ret_facts);

#endif
