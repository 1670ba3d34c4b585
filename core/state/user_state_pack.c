/* SPDX-License-Identifier: ISC */
/*
 * Pack a user's state into bytes, and unpack it.  The parts in order:
 *
 *	layout, 1 byte; time of the last event, 8 bytes; devices
 *	exact times, newest first: their number, then the distance of the first
 *	    to the last event, and of each other to the previous one
 *	seconds, minutes, quarters, three lists: each slot in use is its count
 *	    times 2, plus 1 if it adjoins the previous slot, otherwise followed
 *	    by the distance; a 0 ends each list
 *	place: 0 if unknown; else 1 (country) or 2 (city), country, age, lat,
 *	    lon; since layout 3 the radius of a city, and the network, 4 bytes
 *	currencies: code, samples, mean and squares if there are samples, a
 *	    bitmap of the minutes in use in two halves, their sums; a 0 ends
 *	    the list
 *	dropped currencies (since layout 2): dropped of struct user_state
 *	links: their number, then two ids for each link, each either the index
 *	    of an earlier new id or the id plus LINK_NEW
 *
 * Everything is little-endian.  An integer takes the fewest bytes that hold 7
 * of its bits each, at most 8.  Its lowest bits are a 0 for each byte after the
 * first, then a 1; the value is above them.  So the first byte gives the
 * length.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/state/entity_graph.h"
#include "core/state/user_state_int.h"

#define LAYOUT 3
#define LAYOUT_OLDEST 1 /* the oldest layout that is read */
#define WINDOW_2M (SECONDS_MAX * SECOND_US)
#define DEGREE 1e6 /* coordinates are packed in millionths of a degree */
#define DEGREE_NONE INT32_MIN /* the country has no coordinates */
#define RADIUS_OLDER 50 /* km, of a city in layouts before 3 */
#define IDS_MAX (2 * USER_STATE_LINKS_MAX)
#define IDS_SLOT_BITS 8
#define IDS_SLOTS (1 << IDS_SLOT_BITS)
#define SUMS_HALF (SUMS_MAX / 2)
#define HALF_FULL ((UINT64_C(1) << SUMS_HALF) - 1) /* of the bitmap */
#define LINK_NEW 128 /* added to a new id; the index of an id is below it */

/*
 * The most bytes of each part.  INT(n) is the size of an integer below 2^n.  A
 * slot in use takes SLOT_MAX bytes, and one more for its distance if it does
 * not adjoin the previous slot.  The slots between take no bytes, so seconds
 * and quarters are largest if all slots are in use.  A distance of 128 minutes
 * or more takes two bytes.
 */
#define INT_BITS 7 /* bits of an integer in each byte */
#define INT_MAX_SIZE 8
#define INT(bits) (((bits) + INT_BITS - 1) / INT_BITS)
#define SLOT_MAX INT(21)
#define HEAD_PART (1 + 8 + INT(9))
#define TIMES_PART (INT(7) + TIMES_MAX * INT(27))
#define SECONDS_PART (SECONDS_MAX * SLOT_MAX + 1)
#define MINUTES_PART (MINUTES_MAX * (SLOT_MAX + 1) + DAY_MINUTES / 128 + 1)
#define QUARTERS_PART (QUARTERS_MAX * SLOT_MAX + 1)
#define PLACE_PART (1 + 2 + INT(56) + 2 * 4 + INT(14) + 4)
#define CURRENCY_PART                                                          \
	(3 + INT(54) + 2 * 8 + 2 * INT(SUMS_HALF) + SUMS_MAX * INT(SUM_BITS))
#define CURRENCIES_PART (USER_STATE_CURRENCIES_MAX * CURRENCY_PART + 1 + INT(6))
#define LINKS_PART (INT(7) + IDS_MAX * INT(48))

_Static_assert(HEAD_PART + TIMES_PART + SECONDS_PART + MINUTES_PART +
	    QUARTERS_PART + PLACE_PART + CURRENCIES_PART + LINKS_PART +
	    INT_MAX_SIZE <=
	USER_STATE_PACKED_MAX,
    "a packed state fits, and the bytes that put_int() writes beyond its end");
_Static_assert(SECONDS_MAX < 128 && QUARTERS_MAX < 128,
    "a distance of seconds or quarters is one byte");
_Static_assert(PLACE_RADIUS_MAX < 1 << 14, "a radius fits in its field");
_Static_assert(SUMS_MAX + 1 < 1 << 6, "dropped fits in its field");
_Static_assert(SUMS_MAX % 2 == 0 && SUMS_HALF <= INT_MAX_SIZE * INT_BITS,
    "half a bitmap fits in an integer");
_Static_assert(IDS_MAX <= LINK_NEW, "an index differs from each new id");
_Static_assert(IDS_MAX < IDS_SLOTS && IDS_MAX <= UINT8_MAX,
    "there is always a free slot for an id, and its index fits a byte");
_Static_assert(ENTITY_GRAPH_CAP < 1 << 9, "devices fit in their field");

struct state_writer {
	uint8_t *p;
	uint64_t next; /* age that adjoins the slot written last */
};

/* The ids written so far, and a hash table of their indexes. */
struct state_ids {
	int64_t id[IDS_MAX];
	size_t n;
	uint8_t number[IDS_SLOTS]; /* index plus 1; 0: free; linear probing */
};

struct state_reader {
	const uint8_t *p;
	const uint8_t *end;
	uint64_t layout;
	bool bad; /* the bytes are invalid; stays true */
};

static void pack_times(
    struct state_writer *w, const struct user_state *st, int64_t t);
static void pack_slots(
    struct state_writer *w, const uint32_t *slots, size_t live);
static void pack_minutes(
    struct state_writer *w, const struct user_state *st, size_t live);
static void pack_place(struct state_writer *w, const struct user_state *st);
static void pack_degrees(struct state_writer *w, double degrees);
static void pack_currency(
    struct state_writer *w, const struct user_state_currency *cur, size_t live);
static void pack_links(struct state_writer *w, const struct user_state *st);
static void put_bytes(struct state_writer *w, uint64_t n, int size);
static void put_double(struct state_writer *w, double n);
static void state_put_int(struct state_writer *w, uint64_t n);
static void put_slot(struct state_writer *w, uint64_t age, uint32_t count);
static void put_entity_id(
    struct state_writer *w, int64_t id, struct state_ids *ids);

static void unpack_head(struct state_reader *r, struct user_state *st);
static void unpack_times(struct state_reader *r, struct user_state *st);
static void unpack_slots(struct state_reader *r, uint32_t *slots, size_t n);
static void unpack_minutes(struct state_reader *r, struct user_state *st);
static void unpack_place(struct state_reader *r, struct user_state *st);
static double unpack_degrees(struct state_reader *r, double max);
static void unpack_currencies(struct state_reader *r, struct user_state *st);
static void unpack_currency(
    struct state_reader *r, struct user_state_currency *cur);
static void unpack_dropped(struct state_reader *r, struct user_state *st);
static void unpack_links(struct state_reader *r, struct user_state *st);
static uint64_t get_bytes(struct state_reader *r, int size);
static double get_double(struct state_reader *r, double max);
static uint64_t state_get_int(struct state_reader *r, uint64_t max);
static inline uint64_t word_at(const uint8_t *p);
static uint64_t last_word(const uint8_t *p, size_t size);
static bool get_slot(
    struct state_reader *r, struct user_state_minute *ret, size_t next);
static void get_letters(struct state_reader *r, char *ret, size_t n);
static int64_t get_id(struct state_reader *r, int64_t *ids, size_t *n_ids);
static void state_check_bytes(struct state_reader *r, bool ok);

struct user_state *
user_state_unpack(
    struct arena *a, const void *packed, size_t size, struct fail *f)
{
	struct state_reader r = { .p = packed };
	struct user_state *st;

	st = arena_alloc(a, sizeof(*st));
	if (st == NULL) {
		fail_memory(f);
		return NULL;
	}
	if (packed == NULL || size == 0)
		return st;

	r.end = r.p + size;
	unpack_head(&r, st);
	unpack_times(&r, st);
	unpack_slots(&r, st->seconds, SECONDS_MAX);
	unpack_minutes(&r, st);
	unpack_slots(&r, st->quarters, QUARTERS_MAX);
	unpack_place(&r, st);
	unpack_currencies(&r, st);
	unpack_dropped(&r, st);
	unpack_links(&r, st);
	if (r.bad || r.p != r.end) {
		fail_set(f, FAIL_US, INTERNAL, "state",
		    "is not a packed state of layout %d to %d", LAYOUT_OLDEST,
		    LAYOUT);
		return NULL;
	}
	return st;
}

size_t
user_state_pack(const struct user_state *st, int64_t now, void *ret)
{
	const int64_t t = user_state_time(st, now);
	const size_t minutes = user_state_slots(st->last, t, MINUTE_US);
	struct state_writer w = { .p = ret };
	size_t i;

	put_bytes(&w, LAYOUT, 1);
	put_bytes(&w, (uint64_t)st->last, 8);
	state_put_int(&w, (uint64_t)st->devices);
	pack_times(&w, st, t);
	pack_slots(&w, st->seconds,
	    user_state_live(
		SECONDS_MAX, user_state_slots(st->last, t, SECOND_US)));
	pack_minutes(&w, st, user_state_live(DAY_MINUTES, minutes));
	pack_slots(&w, st->quarters,
	    user_state_live(
		QUARTERS_MAX, user_state_slots(st->last, t, QUARTER_US)));
	pack_place(&w, st);
	for (i = 0; i < st->n_currencies; i++)
		pack_currency(
		    &w, &st->currencies[i], user_state_live(SUMS_MAX, minutes));
	put_bytes(&w, 0, 1);
	state_put_int(&w, st->dropped);
	pack_links(&w, st);
	return (size_t)(w.p - (uint8_t *)ret);
}

static void
pack_times(struct state_writer *w, const struct user_state *st, int64_t t)
{
	int64_t before = st->last;
	size_t i, gone = 0;

	while (gone < st->n_times && st->times[gone] <= t - WINDOW_2M)
		gone++;
	state_put_int(w, st->n_times - gone);
	for (i = st->n_times; i > gone; i--) {
		state_put_int(w, (uint64_t)(before - st->times[i - 1]));
		before = st->times[i - 1];
	}
}

static void
unpack_times(struct state_reader *r, struct user_state *st)
{
	int64_t at = st->last;
	size_t i;

	st->n_times = state_get_int(r, TIMES_MAX);
	for (i = st->n_times; i > 0; i--) {
		at -= (int64_t)state_get_int(r, (uint64_t)WINDOW_2M - 1);
		st->times[i - 1] = at;
	}
	state_check_bytes(r, at > st->last - WINDOW_2M);
}

static void
pack_slots(struct state_writer *w, const uint32_t *slots, size_t live)
{
	size_t i;

	w->next = 0;
	for (i = 0; i < live; i++)
		if (slots[i] != 0)
			put_slot(w, i, slots[i]);
	state_put_int(w, 0);
}

static void
unpack_slots(struct state_reader *r, uint32_t *slots, size_t n)
{
	struct user_state_minute slot = { 0 };
	size_t next = 0;

	while (get_slot(r, &slot, next) && slot.age < n) {
		slots[slot.age] = slot.count;
		next = slot.age + 1;
	}
	state_check_bytes(r, slot.count == 0);
}

static void
pack_minutes(struct state_writer *w, const struct user_state *st, size_t live)
{
	size_t i;

	w->next = 0;
	for (i = 0; i < st->n_minutes && st->minutes[i].age < live; i++)
		put_slot(w, st->minutes[i].age, st->minutes[i].count);
	state_put_int(w, 0);
}

static void
unpack_minutes(struct state_reader *r, struct user_state *st)
{
	struct user_state_minute slot = { 0 };
	size_t next = 0;

	while (get_slot(r, &slot, next) && slot.age < DAY_MINUTES &&
	    st->n_minutes < MINUTES_MAX) {
		st->minutes[st->n_minutes++] = slot;
		next = slot.age + 1;
	}
	state_check_bytes(r, slot.count == 0);
}

static void
pack_place(struct state_writer *w, const struct user_state *st)
{
	const struct place *place = &st->place.place;

	if (place->country[0] == '\0') {
		put_bytes(w, 0, 1);
		return;
	}
	put_bytes(w, place->city ? 2 : 1, 1);
	put_bytes(w, (uint8_t)place->country[0], 1);
	put_bytes(w, (uint8_t)place->country[1], 1);
	state_put_int(w, (uint64_t)(st->last - st->place.at));
	pack_degrees(w, place->lat);
	pack_degrees(w, place->lon);
	if (place->city)
		state_put_int(w, place->radius_km);
	put_bytes(w, place->network, 4);
}

static void
unpack_place(struct state_reader *r, struct user_state *st)
{
	struct place *place = &st->place.place;
	const uint64_t kind = get_bytes(r, 1);
	double lat, lon;

	state_check_bytes(r, kind <= 2);
	if (kind == 0)
		return;
	place->city = kind == 2;
	get_letters(r, place->country, 2);
	st->place.at = st->last - (int64_t)state_get_int(r, (uint64_t)st->last);
	lat = unpack_degrees(r, 90);
	lon = unpack_degrees(r, 180);
	if (!place->city)
		geo_locate_country(place);
	else if (r->layout < 3)
		place->radius_km = RADIUS_OLDER;
	else
		place->radius_km = (uint16_t)state_get_int(r, PLACE_RADIUS_MAX);
	place->lat = lat;
	place->lon = lon;
	place->network = r->layout < 3 ? 0 : (uint32_t)get_bytes(r, 4);
}

static void
pack_degrees(struct state_writer *w, double degrees)
{
	const int32_t n =
	    isfinite(degrees) ? (int32_t)lrint(degrees * DEGREE) : DEGREE_NONE;

	put_bytes(w, (uint32_t)n, 4);
}

static double
unpack_degrees(struct state_reader *r, double max)
{
	const double degrees = (int32_t)get_bytes(r, 4);

	if (degrees == DEGREE_NONE)
		return NAN;
	state_check_bytes(r, fabs(degrees) <= max * DEGREE);
	return degrees / DEGREE;
}

/* Write a currency, unless its amounts and its baseline are empty. */
static void
pack_currency(
    struct state_writer *w, const struct user_state_currency *cur, size_t live)
{
	uint64_t used = 0;
	size_t i;

	for (i = 0; i < live; i++)
		if (cur->sums[i] != 0)
			used |= UINT64_C(1) << i;
	if (used == 0 && cur->samples == 0)
		return;

	for (i = 0; i < 3; i++)
		put_bytes(w, (uint8_t)cur->code[i], 1);
	state_put_int(w, (uint64_t)cur->samples);
	if (cur->samples > 0) {
		put_double(w, cur->mean);
		put_double(w, cur->squares);
	}
	state_put_int(w, used & HALF_FULL);
	state_put_int(w, used >> SUMS_HALF);
	for (i = 0; used >> i != 0; i++)
		if (cur->sums[i] != 0)
			state_put_int(w, cur->sums[i]);
}

static void
unpack_currencies(struct state_reader *r, struct user_state *st)
{
	struct user_state_currency *cur;
	size_t i;

	while (r->p < r->end && *r->p != 0) {
		state_check_bytes(
		    r, st->n_currencies < USER_STATE_CURRENCIES_MAX);
		if (r->bad)
			return;
		cur = &st->currencies[st->n_currencies];
		unpack_currency(r, cur);
		for (i = 0; i < st->n_currencies; i++)
			state_check_bytes(
			    r, strcmp(st->currencies[i].code, cur->code) != 0);
		st->n_currencies++;
	}
	state_check_bytes(r, get_bytes(r, 1) == 0);
}

static void
unpack_currency(struct state_reader *r, struct user_state_currency *cur)
{
	uint64_t used;
	size_t i;

	get_letters(r, cur->code, 3);
	cur->samples = (int64_t)state_get_int(r, (uint64_t)SAMPLES_MAX);
	if (cur->samples > 0) {
		cur->mean = get_double(r, EVENT_AMOUNT_MAX);
		cur->squares = get_double(r, SQUARES_MAX);
	}
	used = state_get_int(r, HALF_FULL);
	used |= state_get_int(r, HALF_FULL) << SUMS_HALF;
	state_check_bytes(r, used != 0 || cur->samples > 0);
	for (i = 0; used >> i != 0; i++) {
		if ((used >> i & 1) == 0)
			continue;
		cur->sums[i] = state_get_int(r, (UINT64_C(1) << SUM_BITS) - 1);
		state_check_bytes(r, cur->sums[i] != 0);
	}
}

/*
 * Read dropped.  Layout 1 does not have it: if all currencies are in use, one
 * may have been dropped.
 */
static void
unpack_dropped(struct state_reader *r, struct user_state *st)
{
	if (r->layout > 1)
		st->dropped = (uint32_t)state_get_int(r, 1 + SUMS_MAX);
	else if (st->n_currencies == USER_STATE_CURRENCIES_MAX)
		st->dropped = 1 + SUMS_MAX;
}

static void
pack_links(struct state_writer *w, const struct user_state *st)
{
	struct state_ids ids;
	size_t i;

	ids.n = 0;
	memset(ids.number, 0, sizeof(ids.number));
	state_put_int(w, st->n_links);
	for (i = 0; i < st->n_links; i++) {
		put_entity_id(w, st->links[i].first, &ids);
		put_entity_id(w, st->links[i].second, &ids);
	}
}

static void
unpack_links(struct state_reader *r, struct user_state *st)
{
	int64_t ids[IDS_MAX];
	struct user_state_link *link;
	size_t i, n_ids = 0;

	st->n_links = state_get_int(r, USER_STATE_LINKS_MAX);
	for (i = 0; i < st->n_links; i++) {
		link = &st->links[i];
		link->first = get_id(r, ids, &n_ids);
		link->second = get_id(r, ids, &n_ids);
		state_check_bytes(
		    r, link->first > 0 && link->first < link->second);
	}
}

/* Write the size low bytes of n, least significant first. */
static void
put_bytes(struct state_writer *w, uint64_t n, int size)
{
	uint8_t *p = w->p;

	for (; size > 0; size--, n >>= 8)
		*p++ = (uint8_t)n;
	w->p = p;
}

static uint64_t
get_bytes(struct state_reader *r, int size)
{
	uint64_t n = 0;
	int i;

	state_check_bytes(r, r->end - r->p >= size);
	if (r->bad)
		return 0;
	for (i = 0; i < size; i++)
		n |= (uint64_t)*r->p++ << 8 * i;
	return n;
}

static void
put_double(struct state_writer *w, double n)
{
	uint64_t bits;

	memcpy(&bits, &n, sizeof(bits));
	put_bytes(w, bits, sizeof(bits));
}

/* Read a number from 0 to max. */
static double
get_double(struct state_reader *r, double max)
{
	const uint64_t bits = get_bytes(r, sizeof(bits));
	double n;

	memcpy(&n, &bits, sizeof(n));
	state_check_bytes(r, n >= 0 && n <= max && !signbit(n));
	return n;
}

/* Write an integer.  Up to INT_MAX_SIZE - 1 bytes after it are overwritten. */
static void
state_put_int(struct state_writer *w, uint64_t n)
{
	const int bits = 64 - __builtin_clzll(n | 1);
	const int size = INT(bits);
	uint8_t *p = w->p;

	n = (n << 1 | 1) << (size - 1);
	p[0] = (uint8_t)n;
	p[1] = (uint8_t)(n >> 8);
	p[2] = (uint8_t)(n >> 16);
	p[3] = (uint8_t)(n >> 24);
	p[4] = (uint8_t)(n >> 32);
	p[5] = (uint8_t)(n >> 40);
	p[6] = (uint8_t)(n >> 48);
	p[7] = (uint8_t)(n >> 56);
	w->p = p + size;
}

/*
 * Read an integer from 0 to max, which must use the fewest bytes; return 0 if
 * it is invalid.
 */
static uint64_t
state_get_int(struct state_reader *r, uint64_t max)
{
	const size_t left = (size_t)(r->end - r->p);
	const uint64_t word =
	    left < INT_MAX_SIZE ? last_word(r->p, left) : word_at(r->p);
	const unsigned size = 1 + (unsigned)__builtin_ctzll(word | 0x100);
	unsigned spare;
	uint64_t n;

	state_check_bytes(r, size <= INT_MAX_SIZE && size <= left);
	if (r->bad)
		return 0;
	spare = 8 * (INT_MAX_SIZE - size);
	n = word << spare >> spare >> size;
	state_check_bytes(
	    r, n <= max && (size == 1 || n >> INT_BITS * (size - 1) != 0));
	if (r->bad)
		return 0;
	r->p += size;
	return n;
}

static inline uint64_t
word_at(const uint8_t *p)
{
	return (uint64_t)p[7] << 56 | (uint64_t)p[6] << 48 |
	    (uint64_t)p[5] << 40 | (uint64_t)p[4] << 32 | (uint64_t)p[3] << 24 |
	    (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | (uint64_t)p[0];
}

/* The word at p if only size bytes can be read; the others are 0. */
static uint64_t
last_word(const uint8_t *p, size_t size)
{
	uint8_t bytes[INT_MAX_SIZE] = { 0 };

	memcpy(bytes, p, size);
	return word_at(bytes);
}

static void
put_slot(struct state_writer *w, uint64_t age, uint32_t count)
{
	const uint64_t code = (uint64_t)count << 1;

	if (age == w->next) {
		state_put_int(w, code | 1);
	} else {
		state_put_int(w, code);
		state_put_int(w, age - w->next);
	}
	w->next = age + 1;
}

/*
 * Read a slot; next is the age that adjoins the previous one.  Return false,
 * with count 0, at the end of the list.
 */
static bool
get_slot(struct state_reader *r, struct user_state_minute *ret, size_t next)
{
	const uint64_t code = state_get_int(r, (uint64_t)COUNT_MAX << 1 | 1);
	uint64_t gap = 0;

	ret->count = (uint32_t)(code >> 1);
	if (code == 0)
		return false;
	if ((code & 1) == 0) {
		gap = state_get_int(r, DAY_MINUTES);
		state_check_bytes(r, gap > 0);
	}
	state_check_bytes(r, ret->count > 0);
	ret->age = (uint32_t)(next + gap);
	return true;
}

static void
get_letters(struct state_reader *r, char *ret, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		ret[i] = (char)get_bytes(r, 1);
	state_check_bytes(r, user_state_letters(ret, n));
}

/* Write an id, or its index if it was written before. */
static void
put_entity_id(struct state_writer *w, int64_t id, struct state_ids *ids)
{
	const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t slot = (uint64_t)id * golden >> (64 - IDS_SLOT_BITS);
	size_t number;

	while ((number = ids->number[slot]) != 0) {
		if (ids->id[number - 1] == id) {
			state_put_int(w, number - 1);
			return;
		}
		slot = (slot + 1) % IDS_SLOTS;
	}
	ids->id[ids->n++] = id;
	ids->number[slot] = (uint8_t)ids->n;
	state_put_int(w, (uint64_t)id + LINK_NEW);
}

static int64_t
get_id(struct state_reader *r, int64_t *ids, size_t *n_ids)
{
	const uint64_t n =
	    state_get_int(r, (uint64_t)ENTITY_MAX - 1 + LINK_NEW);

	if (n < LINK_NEW) {
		state_check_bytes(r, n < *n_ids);
		return r->bad ? 0 : ids[n];
	}
	ids[*n_ids] = (int64_t)(n - LINK_NEW);
	return ids[(*n_ids)++];
}

static void
unpack_head(struct state_reader *r, struct user_state *st)
{
	uint64_t last;

	r->layout = get_bytes(r, 1);
	state_check_bytes(r, r->layout >= LAYOUT_OLDEST && r->layout <= LAYOUT);
	last = get_bytes(r, 8);
	state_check_bytes(r, last <= (uint64_t)TIME_MAX);
	st->last = r->bad ? 0 : (int64_t)last;
	st->devices = (int)state_get_int(r, ENTITY_GRAPH_CAP);
}

/* Unless ok is true, mark the bytes as invalid and skip to their end. */
static void
state_check_bytes(struct state_reader *r, bool ok)
{
	if (ok)
		return;
	r->bad = true;
	r->p = r->end;
}
