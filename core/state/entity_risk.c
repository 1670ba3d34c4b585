/* SPDX-License-Identifier: ISC */
/*
 * The fraud rates of a device or an ip.  A packed history is a version byte and
 * then for each slot, newest first: the number of the first slot, or the
 * distance to the previous one for the others; its events times 4 plus a kind;
 * and for the kind MIXED its labels and fraud.  An integer is written with 7
 * bits per byte, lowest bits first; the top bit is set in all bytes but the
 * last.  Layout 1 had days instead of slots, each with its events, labels and
 * fraud; such a day is read as its first slot.
 */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/state/entity_risk.h"

#define LAYOUT 2
#define LAYOUT_DAYS 1 /* the layout of days, which is still read */
#define SLOT_US INT64_C(10800000000)
#define DAY_SLOTS ENTITY_RISK_DAY_SLOTS
#define PRIOR 0.01 /* rate without events */
#define PRIOR_WEIGHT 1 /* events that the prior counts as */
#define KIND_BITS 2
#define INT_BITS 7 /* bits of an integer in each byte */
#define INT_MORE 0x80 /* another byte of the integer follows */
#define INT_SIZE ((31 + KIND_BITS + INT_BITS - 1) / INT_BITS) /* bytes */

_Static_assert(
    ENTITY_RISK_PACKED_MAX >= 1 + ENTITY_RISK_SLOTS_MAX * 4 * INT_SIZE,
    "a packed history fits");

/* What the labels of a slot are; most slots need no numbers for them. */
enum label_kind { UNLABELLED, ALL_LEGIT, ALL_FRAUD, MIXED };

struct risk_reader {
	const uint8_t *p;
	const uint8_t *end;
	uint8_t layout;
	bool bad; /* the bytes are invalid; stays true */
};

static struct entity_risk_slot *slot_use(
    struct entity_risk_history *history, int32_t number, bool add);
static void settle_days(struct entity_risk_history *history, int delay);
static struct entity_risk_slot sum_window(
    const struct entity_risk_history *history, int32_t from, int32_t until);
static void add_counts(
    struct entity_risk_slot *s, const struct entity_risk_slot *more);
static double fraud_rate(const struct entity_risk_slot *s);
static int32_t first_of_day(int32_t slot);
static int32_t add_saturated(int32_t count, int32_t more);
static enum label_kind label_kind_of(const struct entity_risk_slot *s);
static uint8_t *risk_put_int(uint8_t *p, uint64_t n);
static int64_t risk_get_int(struct risk_reader *r, int64_t max);
static void get_risk_slot(
    struct risk_reader *r, struct entity_risk_history *ret);
static void get_counts(struct risk_reader *r, struct entity_risk_slot *ret);
static void risk_check_bytes(struct risk_reader *r, bool ok);

int32_t
entity_risk_slot_of(int64_t at)
{
	return (int32_t)(at / SLOT_US - (at % SLOT_US < 0));
}

void
entity_risk_add(struct entity_risk_history *history,
    const struct entity_risk_slot *more, int delay)
{
	struct entity_risk_slot *s =
	    slot_use(history, more->slot, more->events != 0);

	/* Its day was added up in its first slot. */
	if (s == NULL && more->events == 0)
		s = slot_use(history, first_of_day(more->slot), true);
	if (s == NULL)
		return;
	add_counts(s, more);
	settle_days(history, delay);
}

struct entity_risk_rates
entity_risk_rates(
    const struct entity_risk_history *history, int32_t now, int delay)
{
	const int32_t until = now - delay * DAY_SLOTS;
	const struct entity_risk_slot all = sum_window(history,
	    first_of_day(until) - ENTITY_RISK_WINDOW * DAY_SLOTS, until);
	const struct entity_risk_slot day =
	    sum_window(history, until - DAY_SLOTS, until);
	const struct entity_risk_slot week =
	    sum_window(history, until - 7 * DAY_SLOTS, until);

	return (struct entity_risk_rates) {
		.rate = fraud_rate(&all),
		.rate_1d = fraud_rate(&day),
		.rate_7d = fraud_rate(&week),
		.labels = all.labels,
	};
}

size_t
entity_risk_pack(const struct entity_risk_history *history, void *ret)
{
	const struct entity_risk_slot *s;
	enum label_kind kind;
	uint8_t *p = ret;
	int32_t last = 0;
	size_t i;

	*p++ = LAYOUT;
	for (i = 0; i < history->n; i++) {
		s = &history->slots[i];
		kind = label_kind_of(s);
		p = risk_put_int(
		    p, (uint64_t)(i == 0 ? s->slot : last - s->slot));
		p = risk_put_int(
		    p, (uint64_t)s->events << KIND_BITS | (unsigned int)kind);
		if (kind == MIXED) {
			p = risk_put_int(p, (uint64_t)s->labels);
			p = risk_put_int(p, (uint64_t)s->fraud);
		}
		last = s->slot;
	}
	return (size_t)(p - (uint8_t *)ret);
}

int
entity_risk_unpack(const void *packed, size_t size,
    struct entity_risk_history *ret, struct fail *f)
{
	struct risk_reader r = { packed, packed, LAYOUT, false };

	ret->n = 0;
	if (size == 0)
		return 0;
	r.end += size;
	r.layout = *r.p++;
	risk_check_bytes(&r, r.layout == LAYOUT || r.layout == LAYOUT_DAYS);
	while (r.p < r.end)
		get_risk_slot(&r, ret);
	if (r.bad)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "the packed history of an entity cannot be read");
	return 0;
}

/*
 * The slot of this number.  If it is absent, add it if add is true.  Return
 * NULL if it is not there.
 */
static struct entity_risk_slot *
slot_use(struct entity_risk_history *history, int32_t number, bool add)
{
	struct entity_risk_slot *s = history->slots;
	struct entity_risk_slot *const end = s + history->n;

	while (s < end && s->slot > number)
		s++;
	if (s < end && s->slot == number)
		return s;
	if (!add || s == history->slots + ENTITY_RISK_SLOTS_MAX)
		return NULL;
	if (history->n < ENTITY_RISK_SLOTS_MAX)
		history->n++;
	memmove(s + 1, s,
	    (size_t)(history->slots + history->n - 1 - s) * sizeof(*s));
	*s = (struct entity_risk_slot) { .slot = number };
	return s;
}

/* Remove old days; put all of a day before the short windows in one slot. */
static void
settle_days(struct entity_risk_history *history, int delay)
{
	const int32_t today = first_of_day(history->slots[0].slot);
	const int32_t oldest = today - (ENTITY_RISK_DAYS_MAX - 1) * DAY_SLOTS;
	const int32_t fine = today - (delay + ENTITY_RISK_FINE - 1) * DAY_SLOTS;
	struct entity_risk_slot *last = NULL, s;
	size_t i, n = 0;

	for (i = 0; i < history->n; i++) {
		s = history->slots[i];
		if (s.slot < oldest)
			break;
		if (s.slot < fine)
			s.slot = first_of_day(s.slot);
		if (last != NULL && last->slot == s.slot) {
			add_counts(last, &s);
			continue;
		}
		last = &history->slots[n++];
		*last = s;
	}
	history->n = n;
}

/* The sums of the slots from from to until - 1. */
static struct entity_risk_slot
sum_window(
    const struct entity_risk_history *history, int32_t from, int32_t until)
{
	struct entity_risk_slot ret = { 0 };
	size_t i;

	for (i = 0; history != NULL && i < history->n; i++)
		if (history->slots[i].slot >= from &&
		    history->slots[i].slot < until)
			add_counts(&ret, &history->slots[i]);
	return ret;
}

static void
add_counts(struct entity_risk_slot *s, const struct entity_risk_slot *more)
{
	s->events = add_saturated(s->events, more->events);
	s->fraud = add_saturated(s->fraud, more->fraud);
	s->labels = add_saturated(s->labels, more->labels);
}

static double
fraud_rate(const struct entity_risk_slot *s)
{
	return (s->fraud + PRIOR_WEIGHT * PRIOR) /
	    ((double)s->events + PRIOR_WEIGHT);
}

/* The first slot of the same UTC day. */
static int32_t
first_of_day(int32_t slot)
{
	const int32_t past = slot % DAY_SLOTS;

	return slot - past - (past < 0 ? DAY_SLOTS : 0);
}

/* count + more, clamped to 0..INT32_MAX. */
static int32_t
add_saturated(int32_t count, int32_t more)
{
	const int64_t n = (int64_t)count + more;

	return n < 0 ? 0 : n > INT32_MAX ? INT32_MAX : (int32_t)n;
}

static enum label_kind
label_kind_of(const struct entity_risk_slot *s)
{
	if (s->labels == 0 && s->fraud == 0)
		return UNLABELLED;
	if (s->labels != s->events)
		return MIXED;
	return s->fraud == 0	    ? ALL_LEGIT
	    : s->fraud == s->events ? ALL_FRAUD
				    : MIXED;
}

static uint8_t *
risk_put_int(uint8_t *p, uint64_t n)
{
	for (; n >= INT_MORE; n >>= INT_BITS)
		*p++ = (uint8_t)(n | INT_MORE);
	*p++ = (uint8_t)n;
	return p;
}

/*
 * Read an integer from 0 to max, which must use the fewest bytes; return 0 if
 * it is invalid.
 */
static int64_t
risk_get_int(struct risk_reader *r, int64_t max)
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
	    r, byte < INT_MORE && (byte != 0 || i == 1) && n <= (uint64_t)max);
	return r->bad ? 0 : (int64_t)n;
}

/* Read the next slot, which must be earlier than the previous one. */
static void
get_risk_slot(struct risk_reader *r, struct entity_risk_history *ret)
{
	const int32_t width = r->layout == LAYOUT_DAYS ? DAY_SLOTS : 1;
	const bool first = ret->n == 0;
	const int32_t before = first ? INT32_MAX : ret->slots[ret->n - 1].slot;
	const int32_t n = width * (int32_t)risk_get_int(r, before / width);
	struct entity_risk_slot s = { .slot = first ? n : before - n };

	risk_check_bytes(r, first || n > 0);
	risk_check_bytes(r, ret->n < ENTITY_RISK_SLOTS_MAX);
	get_counts(r, &s);
	if (!r->bad)
		ret->slots[ret->n++] = s;
}

static void
get_counts(struct risk_reader *r, struct entity_risk_slot *ret)
{
	enum label_kind kind = MIXED;
	int64_t n;

	if (r->layout == LAYOUT_DAYS) {
		ret->events = (int32_t)risk_get_int(r, INT32_MAX);
	} else {
		n = risk_get_int(r, (int64_t)INT32_MAX << KIND_BITS | MIXED);
		ret->events = (int32_t)(n >> KIND_BITS);
		kind = (enum label_kind)(n & MIXED);
	}
	if (kind == MIXED) {
		ret->labels = (int32_t)risk_get_int(r, INT32_MAX);
		ret->fraud = (int32_t)risk_get_int(r, INT32_MAX);
	} else {
		ret->labels = kind == UNLABELLED ? 0 : ret->events;
		ret->fraud = kind == ALL_FRAUD ? ret->events : 0;
	}
	risk_check_bytes(
	    r, r->layout == LAYOUT_DAYS || label_kind_of(ret) == kind);
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
