/* SPDX-License-Identifier: ISC */
/* Places of IP addresses, from a database in MaxMind format. */
#ifndef LIB_ENGINE_GEOIP_H
#define LIB_ENGINE_GEOIP_H

struct event;
struct fail;
struct geoip;
struct place;

/*
 * Map the database at path.  Its records have the nested layout of MaxMind or
 * the flat one (country_code, latitude, longitude).  Returns NULL with f set if
 * the file is missing or has another format.
 */
struct geoip *geoip_open(const char *path, struct fail *f);

/* Close; NULL is harmless. */
void geoip_close(struct geoip *g);

/*
 * Find the place of an event's ip: its city if the database has one, else the
 * centroid of its country.  The place is unknown (country "") if g is NULL, the
 * event has no ip, or the address is not public or not found.
 */
void geoip_place(
    const struct geoip *g, const struct event *ev, struct place *ret);

#endif
