/* SPDX-License-Identifier: ISC */
/*
 * How much fraud a device or an ip has seen: its events, and their labels, by
 * UTC day, and the rates over windows of days.  A day counts once the label
 * delay is over, with what is known of it by then: so whoever decides now and
 * whoever decides history again count the same.
 */
#ifndef CORE_STATE_ENTITY_RISK_H
#define CORE_STATE_ENTITY_RISK_H

#include <stddef.h>
#include <stdint.h>

struct fail;

#define ENTITY_RISK_DELAY_MAX 90 /* days that labels may be waited for */
#define ENTITY_RISK_WINDOW 30 /* days of the longest rate */
#define ENTITY_RISK_DAYS_MAX                                                   \
	(ENTITY_RISK_DELAY_MAX + ENTITY_RISK_WINDOW + 1) /* today included */
#define ENTITY_RISK_PACKED_MAX (1 + ENTITY_RISK_DAYS_MAX * 20) /* bytes */

/* What is known of one day. */
struct entity_risk_day {
	int32_t day; /* since 1970, UTC */
	int32_t events; /* scored */
	int32_t fraud; /* of these, labelled so */
	int32_t labels; /* of these, with any label */
};

/* The days of one device or ip that had events; all 0 is none. */
struct entity_risk_days {
	size_t n;
	struct entity_risk_day day[ENTITY_RISK_DAYS_MAX]; /* newest first */
};

/* What they say on a day.  Rates are smoothed, labels of the longest window. */
struct entity_risk_rates {
	double rate; /* over ENTITY_RISK_WINDOW days */
	double rate_1d;
	double rate_7d;
	int64_t labels;
};

/* The UTC day of a time, microseconds UTC. */
int32_t entity_risk_day_of(int64_t at);

/*
 * Add the counts of more to its day; they may be negative, but no sum gets
 * below 0 or above INT32_MAX.  Of more than ENTITY_RISK_DAYS_MAX days the
 * oldest is lost.
 */
void entity_risk_add(
    struct entity_risk_days *days, const struct entity_risk_day *more);

/* Forget the days that are in no window from this day on, at any delay. */
void entity_risk_forget(struct entity_risk_days *days, int32_t today);

/*
 * The rates on a day, over windows that end delay days (1 to
 * ENTITY_RISK_DELAY_MAX) before it; days may be NULL, for none.  Pure.
 */
struct entity_risk_rates entity_risk_rates(
    const struct entity_risk_days *days, int32_t today, int delay);

/*
 * Pack days into ret (room for ENTITY_RISK_PACKED_MAX bytes).  Returns the
 * size; equal days give equal bytes.
 */
size_t entity_risk_pack(const struct entity_risk_days *days, void *ret);

/*
 * Unpack size bytes at packed (NULL or empty: none) into *ret.  Returns 0, or
 * -1 with f set when they are no packed days; any bytes are safe.
 */
int entity_risk_unpack(const void *packed, size_t size,
    struct entity_risk_days *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
