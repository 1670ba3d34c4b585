/* SPDX-License-Identifier: ISC */
/*
 * The fraud rates of a device or an ip.  Packed days are a version byte and
 * then for each day, newest first, four integers: the number of days since
 * 1970 for the first day, and the distance to the previous one for the others;
 * its events, labels and fraud.  An integer is written with 7 bits per byte,
 * lowest bits first; the top bit is set in all bytes but the last.
 */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/state/entity_risk.h"

#define LAYOUT 1
#define DAY_US INT64_C(86400000000)
#define PRIOR 0.01 /* rate without events */
#define PRIOR_WEIGHT 1 /* events that the prior counts as */
#define INT_BITS 7 /* bits of an integer in each byte */
#define INT_MORE 0x80 /* another byte of the integer follows */
#define INT_SIZE ((31 + INT_BITS - 1) / INT_BITS) /* most bytes of one */

_Static_assert(
    ENTITY_RISK_PACKED_MAX >= 1 + ENTITY_RISK_DAYS_MAX * 4 * INT_SIZE,
    "packed days fit");

struct risk_reader {
	const uint8_t *p;
	const uint8_t *end;
	bool bad; /* the bytes are invalid; stays true */
};

static struct entity_risk_day sum_window(
    const struct entity_risk_days *days, int32_t until, int window);
static double fraud_rate(const struct entity_risk_day *d);
static int32_t add_saturated(int32_t count, int32_t more);
static uint8_t *risk_put_int(uint8_t *p, uint32_t n);
static int32_t risk_get_int(struct risk_reader *r);
static void get_day(struct risk_reader *r, struct entity_risk_days *ret);
static void risk_check_bytes(struct risk_reader *r, bool ok);

int32_t
entity_risk_day_of(int64_t at)
{
	return (int32_t)(at / DAY_US - (at % DAY_US < 0));
}

void
entity_risk_add(
    struct entity_risk_days *days, const struct entity_risk_day *more)
{
	struct entity_risk_day *d = days->day;
	struct entity_risk_day *const end = d + days->n;

	while (d < end && d->day > more->day)
		d++;
	if (d == end || d->day != more->day) {
		if (d == days->day + ENTITY_RISK_DAYS_MAX)
			return;
		if (days->n < ENTITY_RISK_DAYS_MAX)
			days->n++;
		memmove(d + 1, d,
		    (size_t)(days->day + days->n - 1 - d) * sizeof(*d));
		*d = (struct entity_risk_day) { .day = more->day };
	}
	d->events = add_saturated(d->events, more->events);
	d->fraud = add_saturated(d->fraud, more->fraud);
	d->labels = add_saturated(d->labels, more->labels);
}

void
entity_risk_forget(struct entity_risk_days *days, int32_t today)
{
	while (days->n > 0 &&
	    days->day[days->n - 1].day <= today - ENTITY_RISK_DAYS_MAX)
		days->n--;
}

struct entity_risk_rates
entity_risk_rates(const struct entity_risk_days *days, int32_t today, int delay)
{
	const int32_t until = today - delay;
	const struct entity_risk_day all =
	    sum_window(days, until, ENTITY_RISK_WINDOW);
	const struct entity_risk_day day = sum_window(days, until, 1);
	const struct entity_risk_day week = sum_window(days, until, 7);

	return (struct entity_risk_rates) {
		.rate = fraud_rate(&all),
		.rate_1d = fraud_rate(&day),
		.rate_7d = fraud_rate(&week),
		.labels = all.labels,
	};
}

size_t
entity_risk_pack(const struct entity_risk_days *days, void *ret)
{
	const struct entity_risk_day *d;
	uint8_t *p = ret;
	int32_t last = 0;

	*p++ = LAYOUT;
	for (d = days->day; d < days->day + days->n; d++) {
		p = risk_put_int(
		    p, (uint32_t)(d == days->day ? d->day : last - d->day));
		p = risk_put_int(p, (uint32_t)d->events);
		p = risk_put_int(p, (uint32_t)d->labels);
		p = risk_put_int(p, (uint32_t)d->fraud);
		last = d->day;
	}
	return (size_t)(p - (uint8_t *)ret);
}

int
entity_risk_unpack(const void *packed, size_t size,
    struct entity_risk_days *ret, struct fail *f)
{
	struct risk_reader r = { packed, packed, false };

	ret->n = 0;
	if (size == 0)
		return 0;
	r.end += size;
	risk_check_bytes(&r, *r.p++ == LAYOUT);
	while (r.p < r.end)
		get_day(&r, ret);
	if (r.bad)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "the packed days of an entity cannot be read");
	return 0;
}

/* The sums of the days from until - window to until - 1. */
static struct entity_risk_day
sum_window(const struct entity_risk_days *days, int32_t until, int window)
{
	struct entity_risk_day ret = { 0 };
	const struct entity_risk_day *d;

	if (days == NULL)
		return ret;
	for (d = days->day; d < days->day + days->n; d++) {
		if (d->day >= until || d->day < until - window)
			continue;
		ret.events = add_saturated(ret.events, d->events);
		ret.fraud = add_saturated(ret.fraud, d->fraud);
		ret.labels = add_saturated(ret.labels, d->labels);
	}
	return ret;
}

static double
fraud_rate(const struct entity_risk_day *d)
{
	return (d->fraud + PRIOR_WEIGHT * PRIOR) /
	    ((double)d->events + PRIOR_WEIGHT);
}

/* count + more, clamped to 0..INT32_MAX. */
static int32_t
add_saturated(int32_t count, int32_t more)
{
	const int64_t n = (int64_t)count + more;

	return n < 0 ? 0 : n > INT32_MAX ? INT32_MAX : (int32_t)n;
}

static uint8_t *
risk_put_int(uint8_t *p, uint32_t n)
{
	for (; n >= INT_MORE; n >>= INT_BITS)
		*p++ = (uint8_t)(n | INT_MORE);
	*p++ = (uint8_t)n;
	return p;
}

/* Read an integer, which must use the fewest bytes; return 0 if invalid. */
static int32_t
risk_get_int(struct risk_reader *r)
{
	uint64_t n = 0;
	uint8_t byte = INT_MORE;
	int i;

	for (i = 0; i < INT_SIZE && (byte & INT_MORE) != 0 && r->p < r->end;
	     i++) {
		byte = *r->p++;
		n |= (uint64_t)(byte & ~INT_MORE) << INT_BITS * i;
	}
	risk_check_bytes(
	    r, byte < INT_MORE && (byte != 0 || i == 1) && n <= INT32_MAX);
	return r->bad ? 0 : (int32_t)n;
}

/* Read the next day, which must be earlier than the previous one. */
static void
get_day(struct risk_reader *r, struct entity_risk_days *ret)
{
	const bool first = ret->n == 0;
	const int32_t before = first ? 0 : ret->day[ret->n - 1].day;
	const int32_t n = risk_get_int(r);
	struct entity_risk_day d = { .day = first ? n : before - n };

	risk_check_bytes(r, first || (n > 0 && n <= before));
	risk_check_bytes(r, ret->n < ENTITY_RISK_DAYS_MAX);
	d.events = risk_get_int(r);
	d.labels = risk_get_int(r);
	d.fraud = risk_get_int(r);
	if (!r->bad)
		ret->day[ret->n++] = d;
}

/* Unless ok is true, mark the bytes as invalid and skip to their end. */
static void
risk_check_bytes(struct risk_reader *r, bool ok)
{
	if (ok)
		return;
	r->bad = true;
	r->p = r->end;
}
