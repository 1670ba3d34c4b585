/* SPDX-License-Identifier: ISC */
/* Places of addresses, from a MaxMind-format database (libmaxminddb). */
#ifndef LIB_ENGINE_GEOIP_H
#define LIB_ENGINE_GEOIP_H

struct event;
struct fail;
struct geoip;
struct place;

/*
 * Open the database at path, memory-mapped.  MaxMind's nested layout and the
 * flat one (country_code, latitude, longitude) are both read.  Returns NULL
 * with f set when it is missing or no such database.
 */
struct geoip *geoip_open(const char *path, struct fail *f);

/* Close; NULL is harmless. */
void geoip_close(struct geoip *g);

/*
 * The place of an event's ip: its city if the database knows one, else its
 * country's centroid.  Unknown (country "") without database or ip, for
 * addresses that are not public or not found.  g may be NULL.
 */
void geoip_place(
    const struct geoip *g, const struct event *ev, struct place *ret);

#endif
