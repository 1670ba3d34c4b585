/* SPDX-License-Identifier: ISC */
/*
 * The fraud rates of a device or an ip: its events and their labels, counted by
 * UTC day, and rates over windows of days.  A window ends the label delay
 * before the present day, so that a live decision and a replay of the history
 * count the same labels.
 */
#ifndef CORE_STATE_ENTITY_RISK_H
#define CORE_STATE_ENTITY_RISK_H

#include <stddef.h>
#include <stdint.h>

struct fail;

#define ENTITY_RISK_DELAY_MAX 90 /* longest label delay, in days */
#define ENTITY_RISK_WINDOW 30 /* days of the longest rate */
#define ENTITY_RISK_DAYS_MAX                                                   \
	(ENTITY_RISK_DELAY_MAX + ENTITY_RISK_WINDOW + 1) /* today included */
#define ENTITY_RISK_PACKED_MAX (1 + ENTITY_RISK_DAYS_MAX * 20) /* bytes */

/* The counts of one day. */
struct entity_risk_day {
	int32_t day; /* days since 1970-01-01, UTC */
	int32_t events; /* scored events */
	int32_t fraud; /* scored events with the label fraud */
	int32_t labels; /* scored events with any label */
};

/* The days on which one device or ip had events; zeroed, it has none. */
struct entity_risk_days {
	size_t n;
	struct entity_risk_day day[ENTITY_RISK_DAYS_MAX]; /* newest first */
};

/* The smoothed fraud rates on a day. */
struct entity_risk_rates {
	double rate; /* over ENTITY_RISK_WINDOW days */
	double rate_1d;
	double rate_7d;
	int64_t labels; /* in the ENTITY_RISK_WINDOW days */
};

/* The UTC day of a time, microseconds UTC. */
int32_t entity_risk_day_of(int64_t at);

/*
 * Add the counts of more to its day.  They may be negative; each sum is clamped
 * to 0..INT32_MAX.  If there would be more than ENTITY_RISK_DAYS_MAX days, drop
 * the oldest.
 */
void entity_risk_add(
    struct entity_risk_days *days, const struct entity_risk_day *more);

/* Remove the days that no window can contain any more, at any label delay. */
void entity_risk_forget(struct entity_risk_days *days, int32_t today);

/*
 * The rates on the day today, over windows that end delay days before it (1 to
 * ENTITY_RISK_DELAY_MAX).  NULL for days gives the rates without events.
 */
struct entity_risk_rates entity_risk_rates(
    const struct entity_risk_days *days, int32_t today, int delay);

/*
 * Pack days into ret, which has ENTITY_RISK_PACKED_MAX bytes, and return the
 * size.  Equal days give equal bytes.
 */
size_t entity_risk_pack(const struct entity_risk_days *days, void *ret);

/*
 * Unpack size bytes at packed into *ret; with size 0 there are no days.
 * Untrusted bytes are safe.  Return 0, or -1 with f set if entity_risk_pack()
 * did not write them.
 */
int entity_risk_unpack(const void *packed, size_t size,
    struct entity_risk_days *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
