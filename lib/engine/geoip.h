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

/* What a database is about; metrics have the names in lower case. */
enum geoip_subject {
	GEOIP_PLACES, /* GEOIP_DB: countries, perhaps with cities */
	GEOIP_ASN, /* GEOIP_ASN_DB: autonomous systems */
	GEOIP__MAX
};

/*
 * Prepare the databases at these paths (NULL: none), which geoip_refresh()
 * maps; until then nothing is known.  The paths must stay valid.  Records of
 * places have the nested layout of MaxMind or the flat one (country_code, city,
 * latitude, longitude).  Returns NULL with f set without memory.
 */
struct geoip *geoip_new(const char *places, const char *asn, struct fail *f);

/*
 * Map the file if another one is at the path since the last call.  Returns 1 if
 * it did, 0 if nothing has changed or there is no path, or -1 with f set if the
 * new file is missing or has another format; the mapped one then stays in use.
 * A process that changes the file must rename a new one into its place, because
 * writing to a mapped file crashes its readers.
 */
int geoip_refresh(struct geoip *g, enum geoip_subject subject, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * geoip_new() and geoip_refresh() of all.  Returns NULL with f set if a file is
 * missing or has another format.
 */
struct geoip *geoip_open(const char *places, const char *asn, struct fail *f);

/* The path of a database; NULL: none. */
const char *geoip_path(const struct geoip *g, enum geoip_subject subject);

/* When the mapped database was built; 0 if no file is mapped. */
int64_t geoip_built(const struct geoip *g, enum geoip_subject subject);

/*
 * Whether the database knows the country or the asn of any of some hundred
 * addresses all over IPv4; a database of something else does not.
 */
bool geoip_knows(const struct geoip *g, enum geoip_subject subject);

/* Close; NULL is harmless. */
void geoip_close(struct geoip *g);

/*
 * Find the place of an event's ip: its city if the database has one, else the
 * centroid of its country.  The place is unknown (country "") if g is NULL, the
 * event has no ip, or the address is not public or not found.
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
