/* SPDX-License-Identifier: ISC */
/*
 * What a velocity has counted for one key, and its packed form:
 *
 *	layout, 1 byte; number of buckets or values
 *	buckets: each has the distance of its index to that of the previous one,
 *	    then what the function needs: the count, the sum, the squares, the
 *	    least or the greatest number
 *	values: the least index; each has its hash, 8 bytes, and the distance of
 *	    its index to the least one
 *
 * An integer has 7 bits in each byte, the lowest first; all bytes but its last
 * have the highest bit set.  A negative number n is 2 * -n - 1, any other 2n.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/rule/velocity.h"
#include "core/state/velocity_state.h"

#define STATE_LAYOUT 1
#define HASH_SIZE 8
#define THOUSANDTHS 1000.0
#define SQUARES_FULL (~(velocity_squares)0)
#define HOUR (60 * VELOCITY_MINUTE)
#define ALL_KEPT                                                               \
	(400 * 24 * HOUR) /* after the latest event, without a window */

/* What is packed of a bucket is at most this, so that there is room to add. */
#define COUNT_MAX ((velocity_squares)1 << 56)
#define SUM_MAX ((velocity_sum)1 << 112)
#define INDEX_MAX (INT64_MAX - VELOCITY_BUCKETS)

/* The fields of a bucket that a function needs. */
enum bucket_field {
	FIELD_COUNT = 1,
	FIELD_SUM = 2,
	FIELD_SQUARES = 4,
	FIELD_MIN = 8,
	FIELD_MAX = 16
};

static const uint8_t needed[VELOCITY_FUNCTION__MAX] = {
	[VELOCITY_COUNT] = FIELD_COUNT,
	[VELOCITY_SUM] = FIELD_SUM,
	[VELOCITY_AVG] = FIELD_COUNT | FIELD_SUM,
	[VELOCITY_MIN] = FIELD_MIN,
	[VELOCITY_MAX] = FIELD_MAX,
	[VELOCITY_STDDEV] = FIELD_COUNT | FIELD_SUM | FIELD_SQUARES,
};

/* Packed bytes that are left to read. */
struct packed_reader {
	const uint8_t *p;
	const uint8_t *end;
	bool bad; /* the bytes are invalid; stays true */
};

static int64_t index_of(const struct velocity *v, int64_t at);
static int64_t bucket_width(const struct velocity *v);
static void settle_state(
    const struct velocity *v, struct velocity_state *st, int64_t now);
static void settle_buckets(
    struct velocity_state *st, int64_t oldest, int64_t newest);
static void settle_distinct(
    struct velocity_state *st, int64_t oldest, int64_t newest);
static void add_bucket(
    struct velocity_state *st, const struct velocity_bucket *more);
static void combine_buckets(
    struct velocity_bucket *b, const struct velocity_bucket *more);
static void add_distinct(
    struct velocity_state *st, struct velocity_distinct more);
static bool goes_before(
    const struct velocity_distinct *a, const struct velocity_distinct *b);
static struct value total_value(
    const struct velocity *v, const struct velocity_bucket *total);
static double standard_deviation(const struct velocity_bucket *total);
static uint8_t *packed_put(uint8_t *p, velocity_squares n);
static velocity_squares from_signed(velocity_sum n);
static velocity_sum to_signed(velocity_squares n);
static velocity_squares packed_get(struct packed_reader *r);
static int64_t unpack_index(
    struct packed_reader *r, int64_t from, int64_t most);
static void unpack_numbers(
    struct packed_reader *r, uint8_t fields, struct velocity_bucket *b);
static void unpack_buckets(struct packed_reader *r, const struct velocity *v,
    struct velocity_state *ret);
static void unpack_distinct(
    struct packed_reader *r, struct velocity_state *ret);

int
velocity_state_unpack(const struct velocity *v, const void *packed, size_t size,
    struct velocity_state *ret, struct fail *f)
{
	struct packed_reader r = { .p = packed };
	const size_t max = v->function == VELOCITY_DISTINCT
	    ? VELOCITY_DISTINCT_MAX
	    : VELOCITY_BUCKETS_MAX;
	velocity_squares n;

	ret->n = 0;
	if (size == 0)
		return 0;
	r.end = r.p + size;
	r.bad = *r.p++ != STATE_LAYOUT;
	n = packed_get(&r);
	r.bad = r.bad || n > max;
	if (!r.bad) {
		ret->n = (size_t)n;
		if (v->function == VELOCITY_DISTINCT)
			unpack_distinct(&r, ret);
		else
			unpack_buckets(&r, v, ret);
	}
	if (r.bad || r.p != r.end)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "a stored velocity state is invalid");
	return 0;
}

size_t
velocity_state_pack(
    const struct velocity *v, const struct velocity_state *st, uint8_t *ret)
{
	const uint8_t fields = needed[v->function];
	const struct velocity_bucket *b;
	uint8_t *p = ret;
	int64_t last = 0;
	size_t i, k;

	*p++ = STATE_LAYOUT;
	p = packed_put(p, st->n);
	if (v->function == VELOCITY_DISTINCT) {
		for (i = 0; i < st->n; i++)
			if (i == 0 || st->distinct[i].index < last)
				last = st->distinct[i].index;
		p = packed_put(p, from_signed(last));
		for (i = 0; i < st->n; i++) {
			for (k = 0; k < HASH_SIZE; k++)
				*p++ = (uint8_t)(st->distinct[i].hash >> 8 * k);
			p = packed_put(
			    p, from_signed(st->distinct[i].index - last));
		}
		return (size_t)(p - ret);
	}
	for (b = st->bucket; b < st->bucket + st->n; last = b++->index) {
		p = packed_put(p, from_signed(b->index - last));
		if ((fields & FIELD_COUNT) != 0)
			p = packed_put(p, b->count);
		if ((fields & FIELD_SUM) != 0)
			p = packed_put(p, from_signed(b->sum));
		if ((fields & FIELD_SQUARES) != 0)
			p = packed_put(p, b->squares);
		if ((fields & FIELD_MIN) != 0)
			p = packed_put(p, from_signed(b->min));
		if ((fields & FIELD_MAX) != 0)
			p = packed_put(p, from_signed(b->max));
	}
	return (size_t)(p - ret);
}

void
velocity_state_add(const struct velocity *v, struct velocity_state *st,
    int64_t at, int64_t now, int64_t number, uint64_t hash)
{
	const velocity_squares size =
	    number < 0 ? -(velocity_squares)number : (velocity_squares)number;
	const int64_t newest = index_of(v, now);
	const int64_t in = index_of(v, at), index = in > newest ? newest : in;
	const struct velocity_bucket one = {
		.index = index,
		.count = 1,
		.sum = number,
		.squares = size * size,
		.min = number,
		.max = number,
	};

	settle_state(v, st, now);
	if (index < newest - VELOCITY_BUCKETS)
		return;
	if (v->function == VELOCITY_DISTINCT)
		add_distinct(st,
		    (struct velocity_distinct) {
			.hash = hash, .index = index });
	else
		add_bucket(st, &one);
}

void
velocity_state_merge(const struct velocity *v, struct velocity_state *st,
    struct velocity_state *other, int64_t now)
{
	size_t i;

	settle_state(v, st, now);
	settle_state(v, other, now);
	for (i = 0; i < other->n; i++)
		if (v->function == VELOCITY_DISTINCT)
			add_distinct(st, other->distinct[i]);
		else
			add_bucket(st, &other->bucket[i]);
}

struct value
velocity_state_value(
    const struct velocity *v, struct velocity_state *st, int64_t now)
{
	struct velocity_bucket total = { .count = 0 };
	size_t i;

	settle_state(v, st, now);
	if (v->function == VELOCITY_DISTINCT)
		return value_number((double)st->n);
	for (i = 0; i < st->n; i++)
		if (i == 0)
			total = st->bucket[0];
		else
			combine_buckets(&total, &st->bucket[i]);
	if (st->n == 0 && v->function != VELOCITY_COUNT &&
	    v->function != VELOCITY_SUM)
		return value_unknown();
	return total_value(v, &total);
}

int64_t
velocity_span(const struct velocity *v)
{
	return v->window + v->window / VELOCITY_BUCKETS;
}

int64_t
velocity_state_expiry(const struct velocity *v, int64_t now)
{
	const int64_t end = now +
	    (v->window == VELOCITY_ALL ? ALL_KEPT
				       : v->window + bucket_width(v));
	const int64_t step = v->window != VELOCITY_ALL && v->window < 24 * HOUR
	    ? HOUR
	    : 24 * HOUR;

	return (end / step + 1) * step;
}

/* The bucket of a time; without a window there is one. */
static int64_t
index_of(const struct velocity *v, int64_t at)
{
	return v->window == VELOCITY_ALL ? 0 : at / bucket_width(v);
}

static int64_t
bucket_width(const struct velocity *v)
{
	return v->window / VELOCITY_BUCKETS;
}

/* Drop what has left the window, and set what is later than now to now. */
static void
settle_state(const struct velocity *v, struct velocity_state *st, int64_t now)
{
	const int64_t newest = index_of(v, now);
	const int64_t oldest = newest - VELOCITY_BUCKETS;

	if (v->function == VELOCITY_DISTINCT)
		settle_distinct(st, oldest, newest);
	else
		settle_buckets(st, oldest, newest);
}

static void
settle_buckets(struct velocity_state *st, int64_t oldest, int64_t newest)
{
	size_t i, kept = 0;

	for (i = 0; i < st->n; i++) {
		if (st->bucket[i].index < oldest)
			continue;
		if (st->bucket[i].index > newest)
			st->bucket[i].index = newest;
		if (kept > 0 &&
		    st->bucket[kept - 1].index == st->bucket[i].index)
			combine_buckets(&st->bucket[kept - 1], &st->bucket[i]);
		else
			st->bucket[kept++] = st->bucket[i];
	}
	st->n = kept;
}

static void
settle_distinct(struct velocity_state *st, int64_t oldest, int64_t newest)
{
	size_t i, kept = 0;

	for (i = 0; i < st->n; i++) {
		if (st->distinct[i].index < oldest)
			continue;
		if (st->distinct[i].index > newest)
			st->distinct[i].index = newest;
		st->distinct[kept++] = st->distinct[i];
	}
	st->n = kept;
}

/* Add a bucket to a settled state: there is room for each index. */
static void
add_bucket(struct velocity_state *st, const struct velocity_bucket *more)
{
	size_t at = st->n;

	while (at > 0 && st->bucket[at - 1].index > more->index)
		at--;
	if (at > 0 && st->bucket[at - 1].index == more->index) {
		combine_buckets(&st->bucket[at - 1], more);
		return;
	}
	memmove(&st->bucket[at + 1], &st->bucket[at],
	    (st->n - at) * sizeof(st->bucket[0]));
	st->bucket[at] = *more;
	st->n++;
}

static void
combine_buckets(struct velocity_bucket *b, const struct velocity_bucket *more)
{
	b->count += more->count;
	b->sum += more->sum;
	b->squares = more->squares > SQUARES_FULL - b->squares
	    ? SQUARES_FULL
	    : b->squares + more->squares;
	b->min = more->min < b->min ? more->min : b->min;
	b->max = more->max > b->max ? more->max : b->max;
}

/* Add a value, or its later index.  If there is no room, drop the oldest. */
static void
add_distinct(struct velocity_state *st, struct velocity_distinct more)
{
	size_t at, i, oldest = 0;

	for (at = 0; at < st->n && st->distinct[at].hash < more.hash; at++)
		continue;
	if (at < st->n && st->distinct[at].hash == more.hash) {
		if (more.index > st->distinct[at].index)
			st->distinct[at].index = more.index;
		return;
	}
	if (st->n == VELOCITY_DISTINCT_MAX) {
		for (i = 1; i < st->n; i++)
			if (goes_before(
				&st->distinct[i], &st->distinct[oldest]))
				oldest = i;
		if (goes_before(&more, &st->distinct[oldest]))
			return;
		memmove(&st->distinct[oldest], &st->distinct[oldest + 1],
		    (st->n - oldest - 1) * sizeof(more));
		st->n--;
		at -= oldest < at;
	}
	memmove(&st->distinct[at + 1], &st->distinct[at],
	    (st->n - at) * sizeof(more));
	st->distinct[at] = more;
	st->n++;
}

/* Whether a is dropped before b: the order of events makes no difference. */
static bool
goes_before(
    const struct velocity_distinct *a, const struct velocity_distinct *b)
{
	if (a->index != b->index)
		return a->index < b->index;
	return a->hash < b->hash;
}

/* The value of the sums of all buckets. */
static struct value
total_value(const struct velocity *v, const struct velocity_bucket *total)
{
	switch (v->function) {
	case VELOCITY_COUNT:
		return value_number((double)total->count);
	case VELOCITY_SUM:
		return value_number((double)total->sum / THOUSANDTHS);
	case VELOCITY_AVG:
		return value_number(
		    (double)total->sum / (double)total->count / THOUSANDTHS);
	case VELOCITY_MIN:
		return value_number((double)total->min / THOUSANDTHS);
	case VELOCITY_MAX:
		return value_number((double)total->max / THOUSANDTHS);
	case VELOCITY_STDDEV:
		return total->squares == SQUARES_FULL
		    ? value_unknown()
		    : value_number(standard_deviation(total) / THOUSANDTHS);
	case VELOCITY_DISTINCT:
	case VELOCITY_FUNCTION__MAX:
		break;
	}
	return value_unknown();
}

/*
 * The standard deviation of all numbers, in thousandths: exact up to the root
 * unless the numbers are huge.
 */
static double
standard_deviation(const struct velocity_bucket *total)
{
	const double n = (double)total->count;
	const double mean = (double)total->sum / n;
	velocity_sum squares, of_sum;

	if (total->squares <= INT64_MAX * (velocity_squares)INT64_MAX &&
	    !__builtin_mul_overflow((velocity_sum)total->squares,
		(velocity_sum)total->count, &squares) &&
	    !__builtin_mul_overflow(total->sum, total->sum, &of_sum))
		return sqrt(fmax(0, (double)(squares - of_sum))) / n;
	return sqrt(fmax(0, (double)total->squares / n - mean * mean));
}

static uint8_t *
packed_put(uint8_t *p, velocity_squares n)
{
	for (; n > 0x7f; n >>= 7)
		*p++ = (uint8_t)(n | 0x80);
	*p++ = (uint8_t)n;
	return p;
}

static velocity_squares
from_signed(velocity_sum n)
{
	return n < 0 ? 2 * (velocity_squares)(-(n + 1)) + 1
		     : 2 * (velocity_squares)n;
}

static velocity_sum
to_signed(velocity_squares n)
{
	const velocity_sum half = (velocity_sum)(n / 2);

	return n % 2 == 0 ? half : -half - 1;
}

static velocity_squares
packed_get(struct packed_reader *r)
{
	velocity_squares n = 0;
	unsigned int shift;

	for (shift = 0; r->p < r->end && shift < 128; shift += 7) {
		n |= (velocity_squares)(*r->p & 0x7f) << shift;
		if ((*r->p++ & 0x80) == 0)
			return n;
	}
	r->bad = true;
	return 0;
}

/* Read an index as its distance from another one. */
static int64_t
unpack_index(struct packed_reader *r, int64_t from, int64_t most)
{
	const velocity_sum more = to_signed(packed_get(r));

	if (more < 0 || more > most - from) {
		r->bad = true;
		return from;
	}
	return from + (int64_t)more;
}

/* All indexes are within a window, as those of a state that is in use. */
static void
unpack_buckets(struct packed_reader *r, const struct velocity *v,
    struct velocity_state *ret)
{
	struct velocity_bucket *b;

	for (b = ret->bucket; b < ret->bucket + ret->n; b++) {
		*b = (struct velocity_bucket) { .count = 0 };
		if (b == ret->bucket)
			b->index = unpack_index(r, 0, INDEX_MAX);
		else {
			b->index = unpack_index(r, b[-1].index,
			    ret->bucket[0].index + VELOCITY_BUCKETS);
			r->bad = r->bad || b->index == b[-1].index;
		}
		unpack_numbers(r, needed[v->function], b);
	}
}

static void
unpack_numbers(
    struct packed_reader *r, uint8_t fields, struct velocity_bucket *b)
{
	velocity_squares count;

	if ((fields & FIELD_COUNT) != 0) {
		count = packed_get(r);
		r->bad = r->bad || count == 0 || count > COUNT_MAX;
		b->count = (uint64_t)count;
	}
	if ((fields & FIELD_SUM) != 0) {
		b->sum = to_signed(packed_get(r));
		r->bad = r->bad || b->sum < -SUM_MAX || b->sum > SUM_MAX;
	}
	if ((fields & FIELD_SQUARES) != 0)
		b->squares = packed_get(r);
	if ((fields & FIELD_MIN) != 0)
		b->min = (int64_t)to_signed(packed_get(r));
	if ((fields & FIELD_MAX) != 0)
		b->max = (int64_t)to_signed(packed_get(r));
}

static void
unpack_distinct(struct packed_reader *r, struct velocity_state *ret)
{
	const int64_t least = unpack_index(r, 0, INDEX_MAX);
	struct velocity_distinct *d;
	size_t k;

	for (d = ret->distinct; d < ret->distinct + ret->n; d++) {
		d->hash = 0;
		r->bad = r->bad || r->end - r->p < HASH_SIZE;
		for (k = 0; !r->bad && k < HASH_SIZE; k++)
			d->hash |= (uint64_t)*r->p++ << 8 * k;
		d->index = unpack_index(r, least, least + VELOCITY_BUCKETS);
		r->bad = r->bad || (d > ret->distinct && d[-1].hash >= d->hash);
	}
}
