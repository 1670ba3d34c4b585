/* SPDX-License-Identifier: ISC */
/*
 * The fraud rates of a device or an ip: its events and their labels, counted in
 * slots of three hours, and rates over windows of slots.  A window ends the
 * label delay before the present slot, so that a live decision and a replay of
 * the history count the same labels.
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
#define ENTITY_RISK_DAY_SLOTS 8 /* slots of a UTC day */
#define ENTITY_RISK_FINE 9 /* days beyond the delay that keep their slots */
#define ENTITY_RISK_SLOTS_MAX                                                  \
	((ENTITY_RISK_DELAY_MAX + ENTITY_RISK_FINE) *                          \
		(ENTITY_RISK_DAY_SLOTS - 1) +                                  \
	    ENTITY_RISK_DAYS_MAX)
#define ENTITY_RISK_PACKED_MAX (1 + ENTITY_RISK_SLOTS_MAX * 20) /* bytes */

/* The counts of one slot, or of a whole day in its first slot. */
struct entity_risk_slot {
	int32_t slot; /* three hours each since 1970-01-01, UTC */
	int32_t events; /* scored events */
	int32_t fraud; /* scored events with the label fraud */
	int32_t labels; /* scored events with any label */
};

/* The slots in which one device or ip had events; zeroed, it has none. */
struct entity_risk_history {
	size_t n;
	struct entity_risk_slot slots[ENTITY_RISK_SLOTS_MAX]; /* newest first */
};

/* The smoothed fraud rates at a time. */
struct entity_risk_rates {
	double rate; /* over ENTITY_RISK_WINDOW days */
	double rate_1d;
	double rate_7d;
	int64_t labels; /* in the ENTITY_RISK_WINDOW days */
};

/* The slot of a time, microseconds UTC. */
int32_t entity_risk_slot_of(int64_t at);

/*
 * Add the counts of more to its slot, with a label delay in days.  They may be
 * negative; each sum is clamped to 0..INT32_MAX.  Counts without events are of
 * events that were added before.
 *
 * After the newest slot, remove the days that no window can contain at any
 * delay.  Add up each day that only the longest window can contain at this
 * delay in its first slot; entity_risk_rates() at this delay stays the same.
 * If there would be more than ENTITY_RISK_SLOTS_MAX slots, drop the oldest.
 */
void entity_risk_add(struct entity_risk_history *history,
    const struct entity_risk_slot *more, int delay);

/*
 * The rates in the slot now, over windows that end delay days before it (1 to
 * ENTITY_RISK_DELAY_MAX).  The longest one begins with a UTC day.  NULL for
 * history gives the rates without events.
 */
struct entity_risk_rates entity_risk_rates(
    const struct entity_risk_history *history, int32_t now, int delay);

/*
 * Pack a history into ret, which has ENTITY_RISK_PACKED_MAX bytes, and return
 * the size.  Equal histories give equal bytes.
 */
size_t entity_risk_pack(const struct entity_risk_history *history, void *ret);

/*
 * Unpack size bytes at packed into *ret; with size 0 there are no slots.
 * Untrusted bytes are safe.  Return 0, or -1 with f set if entity_risk_pack()
 * did not write them in a layout that is still read.
 */
int entity_risk_unpack(const void *packed, size_t size,
    struct entity_risk_history *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
