/* SPDX-License-Identifier: ISC */
/*
 * core/state/user_state.c and user_state_pack.c, compared with a recount that
 * keeps every event.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/state/entity_graph.h"
#include "core/state/user_state_int.h"
#include "t/unit/unit.h"

#define START INT64_C(1790000000123456) /* when the tests begin */
#define DAY_US (24 * 60 * MINUTE_US)
#define STEPS 2500
#define CURRENCIES 11 /* more than a state keeps */

static const struct place nowhere = { .country = "" };

static _Alignas(16) char block[65536];
static struct arena arena;
static uint8_t packed[USER_STATE_PACKED_MAX];

/* An event in the recount. */
struct user_state_seen {
	int64_t at;
	int currency; /* -1 without an amount */
	double amount;
	bool baseline;
};

/* The recount: every event, and currencies and links in order of use. */
struct recount {
	struct user_state_seen seen[STEPS];
	size_t n;
	int order[CURRENCIES]; /* most recent first */
	size_t n_order;
	size_t born[CURRENCIES]; /* its first event since it was added */
	bool dropped; /* whether any currency was dropped */
	int64_t dropped_minute; /* its newest minute with an amount */
	struct user_state_link
	    links[USER_STATE_LINKS_MAX + 1]; /* most recent first */
	size_t n_links;
};

static struct recount model;
static uint64_t seed;

static void
setup(void)
{
	arena_init(&arena, block, sizeof(block));
}

static void
teardown(void)
{
	arena_reset(&arena);
}

static struct user_state *
unpacked(const void *bytes, size_t size)
{
	struct fail f = { 0 };
	struct user_state *st;

	st = user_state_unpack(&arena, bytes, size, &f);
	ck_assert_msg(st != NULL, "%s %s", f.where, f.why);
	return st;
}

/* Pack st and unpack it again.  Return the new state; st becomes invalid. */
static struct user_state *
repacked(const struct user_state *st, int64_t now)
{
	size_t size = user_state_pack(st, now, packed);

	ck_assert_uint_le(size, sizeof(packed));
	arena_reset(&arena);
	return unpacked(packed, size);
}

static uint64_t
below(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % n;
}

static const char *
currency_code(int i)
{
	static const char codes[CURRENCIES][4] = { "AED", "BRL", "CHF", "DKK",
		"ETB", "EUR", "GBP", "JPY", "KWD", "USD", "ZAR" };

	return codes[i];
}

static void
count(struct user_state *st, int64_t now)
{
	user_state_count(
	    st, &(struct event) { .user = "u" }, false, &nowhere, now);
}

static void
count_amount(struct user_state *st, const char *currency, double amount,
    bool baseline, int64_t now)
{
	const struct event ev = { .user = "u",
		.has_amount = true,
		.amount = amount,
		.currency = currency };

	user_state_count(st, &ev, baseline, &nowhere, now);
}

/* Count the events after a time. */
static int64_t
recount_since(int64_t from)
{
	int64_t n = 0;
	size_t i;

	for (i = 0; i < model.n; i++)
		n += model.seen[i].at > from;
	return n;
}

/* Count the events in slots of that width that begin after a time. */
static int64_t
recount_whole(int64_t from, int64_t width)
{
	int64_t n = 0;
	size_t i;

	for (i = 0; i < model.n; i++)
		n += model.seen[i].at / width * width > from;
	return n;
}

/*
 * Count the minutes that have events and begin after a time.  The events are in
 * order of time.
 */
static int64_t
recount_minutes(int64_t from)
{
	int64_t minute, before = -1, n = 0;
	size_t i;

	for (i = 0; i < model.n; i++) {
		minute = model.seen[i].at / MINUTE_US;
		n += minute * MINUTE_US > from && minute != before;
		before = minute;
	}
	return n;
}

/*
 * Sum the amounts in a currency after a time; if whole is set, only in minutes
 * that begin after it.
 */
static long double
recount_sum(int currency, int64_t from, bool whole)
{
	const struct user_state_seen *s;
	long double sum = 0;
	int64_t at;
	size_t i;

	for (i = model.born[currency]; i < model.n; i++) {
		s = &model.seen[i];
		at = whole ? s->at / MINUTE_US * MINUTE_US : s->at;
		if (s->currency == currency && at > from)
			sum += s->amount;
	}
	return sum;
}

static size_t
recount_currency_place(int currency)
{
	size_t i;

	for (i = 0; i < model.n_order; i++)
		if (model.order[i] == currency)
			break;
	return i;
}

/* Return true if a currency has no amount in the last hour and no baseline. */
static bool
recount_idle(int currency, int64_t now)
{
	size_t i;

	for (i = model.born[currency]; i < model.n; i++)
		if (model.seen[i].currency == currency &&
		    model.seen[i].baseline)
			return false;
	return recount_sum(currency, now - 60 * MINUTE_US, true) == 0;
}

static void
recount_drop(size_t place)
{
	model.n_order--;
	memmove(&model.order[place], &model.order[place + 1],
	    (model.n_order - place) * sizeof(model.order[0]));
}

static int64_t
recount_samples(int currency)
{
	int64_t n = 0;
	size_t i;

	for (i = model.born[currency]; i < model.n; i++)
		n += model.seen[i].currency == currency &&
		    model.seen[i].baseline;
	return n;
}

/*
 * The rank of a currency; the lowest rank is dropped first.  It is the number
 * of baseline samples if there are at least 3, otherwise 1 if the last hour has
 * an amount and 0 if not.
 */
static int64_t
recount_rank(int currency, int64_t now)
{
	const int64_t samples = recount_samples(currency);

	if (samples >= 3)
		return samples;
	return recount_sum(currency, now - 60 * MINUTE_US, true) > 0;
}

/* Drop the currency of the lowest rank, among equals the least recent. */
static void
recount_make_room(int64_t now)
{
	size_t i, least = model.n_order - 1;
	int64_t minute;

	for (i = least; i > 0; i--)
		if (recount_rank(model.order[i - 1], now) <
		    recount_rank(model.order[least], now))
			least = i - 1;
	model.dropped = true;
	for (i = model.born[model.order[least]]; i < model.n; i++) {
		minute = model.seen[i].at / MINUTE_US * MINUTE_US;
		if (model.seen[i].currency == model.order[least] &&
		    model.seen[i].amount > 0 && minute > model.dropped_minute)
			model.dropped_minute = minute;
	}
	recount_drop(least);
}

/*
 * Make a currency the most recent one.  At the cap, drop another for a new one.
 */
static void
recount_use(int currency)
{
	size_t place = recount_currency_place(currency);

	if (place == model.n_order) {
		model.born[currency] = model.n - 1;
		if (model.n_order == USER_STATE_CURRENCIES_MAX)
			recount_make_room(model.seen[model.n - 1].at);
	} else {
		recount_drop(place);
	}
	memmove(&model.order[1], &model.order[0],
	    model.n_order * sizeof(model.order[0]));
	model.order[0] = currency;
	model.n_order++;
}

static void
recount_count(struct user_state_seen s)
{
	size_t i;

	for (i = model.n_order; i > 0; i--)
		if (recount_idle(model.order[i - 1], s.at))
			recount_drop(i - 1);
	model.seen[model.n++] = s;
	if (s.currency >= 0)
		recount_use(s.currency);
}

static void
check_attempts(const struct user_state *st, int64_t now)
{
	int64_t exact = recount_since(now - 120 * SECOND_US);
	int64_t got = user_state_attempts_2m(st, now);

	if (exact <= 64)
		ck_assert_int_eq(got, exact);
	ck_assert_int_le(got, exact);
	ck_assert_int_ge(got, recount_whole(now - 120 * SECOND_US, SECOND_US));

	got = user_state_attempts_24h(st, now);
	exact = recount_whole(now - DAY_US, MINUTE_US);
	if (recount_minutes(now - DAY_US) <= 120)
		ck_assert_int_eq(got, exact);
	ck_assert_int_le(got, exact);
	ck_assert_int_ge(got, recount_whole(now - DAY_US, QUARTER_US));
}

static void
check_baseline(int currency, const struct user_state_amounts *got)
{
	const struct user_state_seen *s;
	long double mean = 0, squares = 0;
	int64_t n = 0;
	size_t i;

	for (i = model.born[currency]; i < model.n; i++) {
		s = &model.seen[i];
		if (s->currency == currency && s->baseline) {
			mean += s->amount;
			n++;
		}
	}
	mean = n == 0 ? 0 : mean / n;
	for (i = model.born[currency]; i < model.n; i++) {
		s = &model.seen[i];
		if (s->currency == currency && s->baseline)
			squares += (s->amount - mean) * (s->amount - mean);
	}
	squares = n < 2 ? 0 : sqrtl(squares / (n - 1));
	ck_assert_int_eq(got->samples, n);
	ck_assert(fabsl(got->mean - mean) <= 1e-12L * mean);
	ck_assert(fabsl(got->deviation - squares) <= 1e-9L * (1 + squares));
}

static void
check_amounts(const struct user_state *st, int64_t now)
{
	const int64_t hour = now - 60 * MINUTE_US;
	struct user_state_amounts got;
	int cur;

	for (cur = 0; cur < CURRENCIES; cur++) {
		user_state_amounts(st, currency_code(cur), now, &got);
		if (recount_currency_place(cur) == model.n_order) {
			ck_assert(got.baseline_known == !model.dropped);
			ck_assert(
			    got.hour_known == (model.dropped_minute <= hour));
			ck_assert(got.last_hour == 0);
			ck_assert_int_eq(got.samples, 0);
			continue;
		}
		ck_assert(got.hour_known && got.baseline_known);
		ck_assert(got.last_hour <=
		    recount_sum(cur, hour, false) * (1 + 1e-12L));
		ck_assert(got.last_hour >=
		    recount_sum(cur, hour + MINUTE_US, false) * (1 - 1e-12L));
		ck_assert(fabsl(got.last_hour - recount_sum(cur, hour, true)) <=
		    1e-12L * got.last_hour);
		check_baseline(cur, &got);
	}
}

/* Return how far the clock moves: bursts, minutes, long gaps, steps back. */
static int64_t
random_step(uint64_t pace)
{
	static const int64_t reach[] = { SECOND_US, 4 * SECOND_US,
		3 * MINUTE_US, 40 * MINUTE_US };

	if (below(40) == 0)
		return -(int64_t)below(5 * MINUTE_US);
	if (below(400) == 0)
		return (int64_t)below(2 * DAY_US);
	return (int64_t)below((uint64_t)reach[pace]);
}

static struct user_state_seen
random_event(struct user_state *st, int64_t now)
{
	struct user_state_seen s = { .at = user_state_time(st, now),
		.currency = -1 };

	if (below(8) == 0) {
		count(st, now);
		return s;
	}
	s.currency = (int)(below(3) == 0 ? below(CURRENCIES) : below(2));
	s.amount = (double)below(1000000) / 100;
	s.baseline = s.currency != 2 && below(4) != 0;
	count_amount(st, currency_code(s.currency), s.amount, s.baseline, now);
	return s;
}

START_TEST(counts_equal_a_recount)
{
	struct user_state *st = unpacked(NULL, 0);
	int64_t now = START;
	uint64_t pace = 0;
	int i;

	seed = (uint64_t)_i;
	memset(&model, 0, sizeof(model));
	for (i = 0; i < STEPS; i++) {
		if (below(100) == 0)
			pace = below(4);
		now += random_step(pace);
		recount_count(random_event(st, now));
		if (below(3) == 0)
			st = repacked(st, now);
		check_attempts(st, user_state_time(st, now));
		if (below(8) == 0)
			check_amounts(st, user_state_time(st, now));
		if (below(8) == 0)
			check_attempts(st,
			    user_state_time(st, now + (int64_t)below(DAY_US)));
	}
}
END_TEST

START_TEST(burst_is_exact_up_to_64)
{
	struct user_state *st = unpacked(NULL, 0);
	const int64_t step = 1700 * SECOND_US / 1000;
	int i;

	/* With 64 events in 107.1 s the count is exact at any time. */
	for (i = 0; i < 64; i++)
		count(st, START + i * step);
	st = repacked(st, START + 63 * step);
	ck_assert_int_eq(user_state_attempts_2m(st, START + 119999999), 64);
	ck_assert_int_eq(
	    user_state_attempts_2m(st, START + 120 * SECOND_US), 63);
	ck_assert_int_eq(
	    user_state_attempts_2m(st, START + 120 * SECOND_US + step), 62);

	/*
	 * Event 65 moves the oldest event into a bucket of one second, which
	 * leaves the window as a whole.
	 */
	count(st, START + 64 * step);
	ck_assert_int_eq(user_state_attempts_2m(st, START + 64 * step), 65);
	ck_assert_int_eq(user_state_attempts_2m(st, START + 119999999), 64);
	ck_assert_int_eq(
	    user_state_attempts_2m(st, START + 120 * SECOND_US), 64);
}
END_TEST

START_TEST(clock_step_back_counts_as_no_step)
{
	struct user_state *st = unpacked(NULL, 0);

	count(st, START);
	count(st, START - 10 * MINUTE_US);
	st = repacked(st, START - 10 * MINUTE_US);
	ck_assert_int_eq(user_state_attempts_2m(st, START - DAY_US), 2);
	ck_assert_int_eq(
	    user_state_attempts_2m(st, START + 119 * SECOND_US), 2);
	ck_assert_int_eq(
	    user_state_attempts_2m(st, START + 120 * SECOND_US), 0);
	ck_assert_int_eq(user_state_attempts_24h(st, START), 2);
}
END_TEST

static const struct {
	double add[4];
	double want;
} sums[] = {
	{ { 0 }, 0 },
	{ { 0.1, 0.2 }, 0.3 },
	{ { 19.99, 19.99, 19.99 }, 59.97 },
	{ { 1e15, 1e15 }, 2e15 },
	{ { 123456789012.3 }, 123456789012.3 },
	{ { 99999.99999999 }, 99999.99999999 },
	{ { 1e-8, 1e-9 }, 1e-8 },
	{ { 12345678901234.5 }, 12345678901230 },
};

START_TEST(amounts_are_summed_in_decimal)
{
	struct user_state *st = unpacked(NULL, 0);
	struct user_state_amounts got;
	int i;

	/* Two amounts a minute test sums within a minute and over minutes. */
	for (i = 0; i < 4; i++)
		count_amount(st, "EUR", sums[_i].add[i], false,
		    START + i / 2 * MINUTE_US);
	st = repacked(st, START + MINUTE_US);
	user_state_amounts(st, "EUR", START + MINUTE_US, &got);
	ck_assert_double_eq(got.last_hour, sums[_i].want);
}
END_TEST

START_TEST(sum_beyond_the_maximum_is_capped)
{
	const double top = (double)SUM_DIGITS_MAX * 1e7;

	ck_assert_double_eq(
	    user_state_sum_value(user_state_sum_code(1e19)), 1e19);
	ck_assert_double_eq(
	    user_state_sum_value(user_state_sum_code(1e25)), top);
	ck_assert_uint_lt(user_state_sum_code(1e25), UINT64_C(1) << SUM_BITS);
	ck_assert_uint_eq(user_state_sum_code(4e-9), 0);
}
END_TEST

START_TEST(round_sums_have_short_codes)
{
	ck_assert_uint_eq(user_state_sum_code(10), 1 << 4 | 9);
	ck_assert_uint_eq(user_state_sum_code(100), 1 << 4 | 10);
	ck_assert_uint_eq(user_state_sum_code(12.5), 125 << 4 | 7);
	ck_assert_uint_eq(user_state_sum_code(1e15), 100000000 << 4 | 15);
}
END_TEST

START_TEST(baseline_is_of_one_currency)
{
	static const double amounts[] = { 10, 20, 60 };
	struct user_state *st = unpacked(NULL, 0);
	struct user_state_amounts got;
	size_t i;

	for (i = 0; i < nitems(amounts); i++)
		count_amount(st, "USD", amounts[i], true, START);
	count_amount(st, "USD", 1000, false, START);
	st = repacked(st, START);
	user_state_amounts(st, "USD", START, &got);
	ck_assert_double_eq(got.last_hour, 1090);
	ck_assert_int_eq(got.samples, 3);
	ck_assert_double_eq(got.mean, 30);
	ck_assert_double_eq(got.deviation, sqrt(700));

	/* Amounts do not count in another currency. */
	user_state_amounts(st, "EUR", START, &got);
	ck_assert_double_eq(got.last_hour, 0);
	ck_assert_int_eq(got.samples, 0);
	ck_assert_double_eq(got.mean, 0);
	ck_assert_double_eq(got.deviation, 0);
}
END_TEST

static struct user_state_amounts
amounts_of(const struct user_state *st, const char *currency, int64_t now)
{
	struct user_state_amounts got;

	user_state_amounts(st, currency, now, &got);
	return got;
}

/* Count this many amounts of 1 in each currency from..to-1. */
static void
count_ones(struct user_state *st, int from, int to, int times, int64_t now)
{
	int i;

	for (; from < to; from++)
		for (i = 0; i < times; i++)
			count_amount(st, currency_code(from), 1, true, now);
}

START_TEST(many_currencies_do_not_drop_a_baseline)
{
	struct user_state *st = unpacked(NULL, 0);
	struct user_state_amounts got;

	count_ones(st, 10, 11, 3, START);
	count_ones(st, 0, 10, 2, START + 2 * DAY_US);
	count_ones(st, 0, 10, 2, START + 4 * DAY_US);
	st = repacked(st, START + 4 * DAY_US);
	got = amounts_of(st, currency_code(10), START + 4 * DAY_US);
	ck_assert(got.baseline_known);
	ck_assert_int_eq(got.samples, 3);
}
END_TEST

START_TEST(currency_without_amount_in_hour_is_dropped_first)
{
	struct user_state *st = unpacked(NULL, 0);
	int i;

	count_ones(st, 0, 1, 2, START);
	count_ones(st, 1, 8, 1, START + DAY_US);
	count_ones(st, 8, 9, 1, START + DAY_US);
	ck_assert(!amounts_of(st, currency_code(0), START).baseline_known);
	for (i = 1; i < 9; i++)
		ck_assert(amounts_of(st, currency_code(i), START + DAY_US)
			      .last_hour == 1);
}
END_TEST

START_TEST(among_baselines_fewest_samples_are_dropped)
{
	struct user_state *st = unpacked(NULL, 0);
	int i;

	count_ones(st, 0, 1, 20, START);
	for (i = 1; i < 8; i++)
		count_ones(st, i, i + 1, 3 + i % 3, START + i);
	count_ones(st, 8, 9, 1, START + 10);
	ck_assert_int_eq(
	    amounts_of(st, currency_code(0), START + 10).samples, 20);
	ck_assert(!amounts_of(st, currency_code(3), START + 10).baseline_known);
	ck_assert_int_eq(
	    amounts_of(st, currency_code(6), START + 10).samples, 3);
	ck_assert_int_eq(
	    amounts_of(st, currency_code(8), START + 10).samples, 1);

	/* The newest currency has one sample, so it is dropped next. */
	count_ones(st, 9, 10, 1, START + 11);
	ck_assert(!amounts_of(st, currency_code(8), START + 11).baseline_known);
	ck_assert_int_eq(
	    amounts_of(st, currency_code(6), START + 11).samples, 3);
}
END_TEST

START_TEST(dropped_currency_is_unknown)
{
	struct user_state *st = unpacked(NULL, 0);
	struct user_state_amounts got;

	count_ones(st, 0, 8, 1, START);
	got = amounts_of(st, "USD", START);
	ck_assert(got.hour_known && got.baseline_known);

	count_ones(st, 8, 9, 1, START + 10 * MINUTE_US);
	st = repacked(st, START + 10 * MINUTE_US);
	got = amounts_of(st, currency_code(0), START + 10 * MINUTE_US);
	ck_assert(!got.hour_known && !got.baseline_known);
	got = amounts_of(st, currency_code(8), START + 10 * MINUTE_US);
	ck_assert(got.hour_known && got.baseline_known);

	/*
	 * The sum is known again one hour after the amounts that were dropped,
	 * with or without further events.
	 */
	got = amounts_of(st, "USD", START + 59 * MINUTE_US);
	ck_assert(!got.hour_known && !got.baseline_known);
	got = amounts_of(st, "USD", START + 60 * MINUTE_US);
	ck_assert(got.hour_known && !got.baseline_known);
	count(st, START + 2 * 60 * MINUTE_US);
	st = repacked(st, START + 2 * 60 * MINUTE_US);
	got = amounts_of(st, "USD", START + 2 * 60 * MINUTE_US);
	ck_assert(got.hour_known && !got.baseline_known);
}
END_TEST

START_TEST(equal_amounts_have_deviation_zero)
{
	struct user_state *st = unpacked(NULL, 0);
	struct user_state_amounts got;
	int i;

	for (i = 0; i < 1000; i++)
		count_amount(st, "USD", 19.99, true, START + i * MINUTE_US);
	user_state_amounts(st, "USD", START, &got);
	ck_assert_double_eq(got.mean, 19.99);
	ck_assert_double_eq(got.deviation, 0);
}
END_TEST

START_TEST(last_known_place_is_kept)
{
	const struct event ev = { .user = "u" };
	const struct place city = { "ET", true, 9.0250123, 38.7468999, 200, 9 };
	const struct place country = { "SE", false, 62, 15, 700, UINT32_MAX };
	const struct place unplaced = { "XX", false, NAN, NAN, 0, 0 };
	struct user_state *st = unpacked(NULL, 0);
	const struct user_state_place *last = user_state_last_place(st);

	ck_assert_str_eq(last->place.country, "");
	user_state_count(st, &ev, false, &city, START);
	count(st, START + SECOND_US);
	st = repacked(st, START + SECOND_US);
	last = user_state_last_place(st);
	ck_assert_str_eq(last->place.country, "ET");
	ck_assert(last->place.city);
	ck_assert_double_eq(last->place.lat, 9.025012);
	ck_assert_double_eq(last->place.lon, 38.7469);
	ck_assert_uint_eq(last->place.radius_km, 200);
	ck_assert_uint_eq(last->place.network, 9);
	ck_assert_int_eq(last->at, START);

	user_state_count(st, &ev, false, &country, START - SECOND_US);
	st = repacked(st, START);
	last = user_state_last_place(st);
	ck_assert_str_eq(last->place.country, "SE");
	ck_assert(!last->place.city);
	ck_assert_uint_eq(last->place.radius_km, 700);
	ck_assert_uint_eq(last->place.network, UINT32_MAX);
	ck_assert_int_eq(last->at, START + SECOND_US);

	user_state_count(st, &ev, false, &unplaced, START + SECOND_US);
	st = repacked(st, START);
	last = user_state_last_place(st);
	ck_assert_str_eq(last->place.country, "XX");
	ck_assert(isnan(last->place.lat) && isnan(last->place.lon));
}
END_TEST

static size_t
recount_link_place(struct user_state_link link)
{
	size_t i;

	for (i = 0; i < model.n_links; i++)
		if (model.links[i].first == link.first &&
		    model.links[i].second == link.second)
			break;
	return i;
}

static void
recount_link_use(struct user_state_link link, size_t place)
{
	memmove(
	    &model.links[1], &model.links[0], place * sizeof(model.links[0]));
	model.links[0] = link;
	if (place == model.n_links && model.n_links < USER_STATE_LINKS_MAX)
		model.n_links++;
}

START_TEST(least_recently_used_link_is_dropped)
{
	struct user_state *st = unpacked(NULL, 0);
	struct user_state_link link;
	size_t place;
	bool known;
	int i;

	seed = 7;
	memset(&model, 0, sizeof(model));
	for (i = 0; i < 5000; i++) {
		link.first = 1 + (int64_t)below(9);
		link.second = ENTITY_MAX - 1 - (int64_t)below(12);
		place = recount_link_place(link);
		known = place < model.n_links;
		ck_assert_int_eq(user_state_link_known(st, link), known);
		ck_assert_int_eq(user_state_link_touch(st, link), known);
		if (!known)
			user_state_link_add(st, link);
		recount_link_use(link, place);
		if (below(5) == 0)
			st = repacked(st, START);
	}
	ck_assert_uint_eq(model.n_links, USER_STATE_LINKS_MAX);
	for (place = 0; place < model.n_links; place++)
		ck_assert(user_state_link_known(st, model.links[place]));
}
END_TEST

START_TEST(link_added_twice_is_stored_once)
{
	const struct user_state_link link = { 3, 4 }, other = { 3, 5 };
	struct user_state *st = unpacked(NULL, 0);

	user_state_link_add(st, link);
	user_state_link_add(st, other);
	user_state_link_add(st, link);
	ck_assert_uint_eq(st->n_links, 2);
	ck_assert_int_eq(st->links[0].second, 4);
}
END_TEST

static const struct user_state_link invalid_links[] = {
	{ 0, 1 },
	{ -1, 1 },
	{ 2, 2 },
	{ 3, 2 },
	{ 1, ENTITY_MAX },
};

START_TEST(invalid_link_is_not_stored)
{
	struct user_state *st = unpacked(NULL, 0);

	user_state_link_add(st, invalid_links[_i]);
	ck_assert(!user_state_link_known(st, invalid_links[_i]));
}
END_TEST

START_TEST(device_count_is_capped)
{
	struct user_state *st = unpacked(NULL, 0);
	int i;

	for (i = 0; i < ENTITY_GRAPH_CAP + 3; i++) {
		ck_assert_int_eq(user_state_devices(st),
		    i < ENTITY_GRAPH_CAP ? i : ENTITY_GRAPH_CAP);
		user_state_devices_add(st);
		st = repacked(st, 0);
	}
	ck_assert_int_eq(user_state_devices(st), ENTITY_GRAPH_CAP);
}
END_TEST

/* Fill every part of a state to its maximum. */
static void
fill(struct user_state *st)
{
	struct user_state_currency *cur;
	size_t i, j;

	st->last = TIME_MAX;
	st->devices = ENTITY_GRAPH_CAP;
	st->n_times = TIMES_MAX;
	for (i = 0; i < TIMES_MAX; i++)
		st->times[i] =
		    TIME_MAX - (int64_t)(TIMES_MAX - 1 - i) * 1904000;
	for (i = 0; i < SECONDS_MAX; i++)
		st->seconds[i] = COUNT_MAX;
	st->n_minutes = MINUTES_MAX;
	for (i = 0; i < MINUTES_MAX; i++) {
		st->minutes[i].age = (uint32_t)i * 12 + 1;
		st->minutes[i].count = COUNT_MAX;
	}
	for (i = 0; i < QUARTERS_MAX; i++)
		st->quarters[i] = COUNT_MAX;
	st->place.place = (struct place) { "ZW", true, -90, -180,
		PLACE_RADIUS_MAX, UINT32_MAX };
	st->n_currencies = USER_STATE_CURRENCIES_MAX;
	for (i = 0; i < USER_STATE_CURRENCIES_MAX; i++) {
		cur = &st->currencies[i];
		memcpy(cur->code, currency_code((int)i), sizeof(cur->code));
		cur->samples = SAMPLES_MAX;
		cur->mean = EVENT_AMOUNT_MAX;
		cur->squares = SQUARES_MAX;
		for (j = 0; j < SUMS_MAX; j++)
			cur->sums[j] = user_state_sum_code(1e25);
	}
	st->dropped = 1 + SUMS_MAX;
	st->n_links = USER_STATE_LINKS_MAX;
	for (i = 0; i < USER_STATE_LINKS_MAX; i++) {
		st->links[i].first = ENTITY_MAX - 400 + (int64_t)i;
		st->links[i].second = ENTITY_MAX - 200 + (int64_t)i;
	}
}

START_TEST(largest_state_fits_and_is_read_back)
{
	struct user_state *st = unpacked(NULL, 0);
	uint8_t again[USER_STATE_PACKED_MAX];
	size_t size;

	fill(st);
	size = user_state_pack(st, 0, packed);
	ck_assert_uint_le(size, USER_STATE_PACKED_MAX);
	ck_assert_uint_ge(size, USER_STATE_PACKED_MAX * 96 / 100);
	st = unpacked(packed, size);
	ck_assert_uint_eq(user_state_pack(st, 0, again), size);
	ck_assert_mem_eq(again, packed, size);
	ck_assert_int_eq(user_state_attempts_2m(st, 0),
	    (int64_t)COUNT_MAX * SECONDS_MAX + TIMES_MAX);
	ck_assert_int_eq(user_state_attempts_24h(st, 0),
	    (int64_t)COUNT_MAX * (MINUTES_MAX + QUARTERS_MAX));

	/* A full state still counts, and its packed form still fits. */
	count_amount(st, "GBP", EVENT_AMOUNT_MAX, true, TIME_MAX);
	ck_assert_uint_le(
	    user_state_pack(st, 0, packed), USER_STATE_PACKED_MAX);
	st = repacked(st, 0);
	ck_assert_int_eq(st->currencies[0].samples, st->currencies[1].samples);
}
END_TEST

/*
 * Count the events of a usual customer: 30 days, 5 purchases a day, 2 devices.
 */
static void
fill_usual(struct user_state *st)
{
	const int64_t user = 1234567;
	const struct place place = { "ET", true, 9.025, 38.7469, 0, 0 };
	struct event ev = {
		.user = "u", .has_amount = true, .currency = "ETB"
	};
	int i, j;

	seed = 1;
	for (i = 0; i < 150; i++) {
		const int64_t ids[] = { user, user + 7 + i % 2,
			user + 90 + i % 3 * 1000, user + 11 };

		ev.amount = (double)below(200000) / 100;
		user_state_count(st, &ev, true, &place,
		    START + i * DAY_US / 5 + (int64_t)below(DAY_US / 5));
		for (j = 0; j < 6; j++) {
			static const int pairs[6][2] = { { 0, 1 }, { 0, 2 },
				{ 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
			const int64_t a = ids[pairs[j][0]];
			const int64_t b = ids[pairs[j][1]];

			user_state_link_add(st,
			    (struct user_state_link) {
				a < b ? a : b, a < b ? b : a });
		}
	}
	user_state_devices_add(st);
	user_state_devices_add(st);
}

START_TEST(state_of_usual_customer_is_small)
{
	struct user_state *st = unpacked(NULL, 0);

	fill_usual(st);
	ck_assert_uint_le(user_state_pack(st, st->last, packed), 200);
}
END_TEST

START_TEST(expired_counts_are_not_packed)
{
	struct user_state *st = unpacked(NULL, 0);
	size_t early, late;
	int i;

	for (i = 0; i < 200; i++)
		count_amount(st, "USD", 10, false, START + i * MINUTE_US / 4);
	early = user_state_pack(st, START, packed);
	late = user_state_pack(st, START + 2 * DAY_US, packed);
	ck_assert_uint_lt(late, early);
	ck_assert_uint_eq(
	    late, user_state_pack(unpacked(NULL, 0), START, packed));
}
END_TEST

START_TEST(cut_or_extended_state_is_refused)
{
	uint8_t bytes[USER_STATE_PACKED_MAX + 1];
	struct fail f = { 0 };
	struct user_state *st = unpacked(NULL, 0);
	size_t size, cut;

	if (_i == 0)
		fill_usual(st);
	else
		fill(st);
	size = user_state_pack(st, st->last, bytes);
	bytes[size] = 0;
	for (cut = 1; cut <= size + 1; cut++) {
		arena_reset(&arena);
		st = user_state_unpack(&arena, bytes, cut, &f);
		ck_assert_int_eq(st != NULL, cut == size);
	}
	ck_assert_int_eq(f.kind, FAIL_US);
	ck_assert_int_eq(f.code, INTERNAL);
}
END_TEST

START_TEST(damaged_state_is_read_safely)
{
	struct user_state *st = unpacked(NULL, 0);
	uint8_t bytes[USER_STATE_PACKED_MAX];
	size_t size, left;
	int i;

	seed = (uint64_t)_i;
	if (_i % 2 == 0)
		fill_usual(st);
	else
		fill(st);
	size = user_state_pack(st, st->last, packed);
	for (i = 0; i < 2000; i++) {
		memcpy(bytes, packed, size);
		for (left = below(4) + 1; left > 0; left--)
			bytes[below(size)] = (uint8_t)below(256);
		arena_reset(&arena);
		st = user_state_unpack(&arena, bytes, size, NULL);
		if (st == NULL)
			continue;
		count_amount(st, "EUR", 12.5, true, st->last);
		left = user_state_pack(st, st->last, bytes);
		ck_assert_uint_le(left, sizeof(bytes));
		unpacked(bytes, left);
	}
}
END_TEST

/*
 * One wrong byte each in the state of fill_little().  The offsets follow from
 * the layout in user_state_pack.c.
 */
static const struct {
	size_t at;
	uint8_t byte;
} wrong[] = {
	{ 0, 0 }, /* version 0 */
	{ 0, 4 }, /* a later version */
	{ 8, 0x80 }, /* a time beyond TIME_MAX */
	{ 10, 65 << 1 | 1 }, /* more times than fit */
	{ 11, 1 << 1 | 1 }, /* a slot whose count is 0 */
	{ 11, 0 }, /* an invalid integer */
	{ 15, 3 }, /* an unknown kind of place */
	{ 16, 'e' }, /* an invalid country */
	{ 19, 0 }, /* an integer in more bytes than needed */
	{ 23, 0x06 }, /* over 90 degrees north */
	{ 27, 0x7f }, /* over 180 degrees east */
	{ 28, 0 }, /* an invalid radius */
	{ 33, 'a' }, /* an invalid currency */
	{ 42, 'A' }, /* a currency twice */
	{ 51, 0xbf }, /* a negative mean */
	{ 51, 0x7f }, /* a mean over the largest amount */
	{ 59, 0x7f }, /* squares over their bound */
	{ 63, 62 << 1 | 1 }, /* dropped more than an hour ago */
	{ 64, 65 << 1 | 1 }, /* more links than fit */
	{ 65, 0x0e }, /* a link's first id above its second */
};

static void
fill_little(struct user_state *st)
{
	st->last = START;
	st->seconds[0] = 1;
	st->place.place = (struct place) { "ET", true, 9, 39, 0, 0 };
	st->place.at = START - 200;
	st->n_currencies = 2;
	memcpy(st->currencies[0].code, "AAA", 4);
	st->currencies[0].sums[0] = user_state_sum_code(1);
	memcpy(st->currencies[1].code, "AAB", 4);
	st->currencies[1].samples = 1;
	st->n_links = 1;
	st->links[0] = (struct user_state_link) { 1, 2 };
}

START_TEST(wrong_bytes_are_refused)
{
	struct user_state *st = unpacked(NULL, 0);
	size_t size;

	fill_little(st);
	size = user_state_pack(st, 0, packed);
	unpacked(packed, size);
	packed[wrong[_i].at] = wrong[_i].byte;
	ck_assert_ptr_null(user_state_unpack(&arena, packed, size, NULL));
}
END_TEST

/* Pack st in layout 1, which does not record drops, and unpack it. */
static struct user_state *
unpacked_layout_1(const struct user_state *st)
{
	size_t size = user_state_pack(st, st->last, packed);

	packed[0] = 1;
	memmove(&packed[size - 2], &packed[size - 1], 1);
	return unpacked(packed, size - 1);
}

START_TEST(layout_1_is_read)
{
	struct user_state *st = unpacked(NULL, 0);

	count_ones(st, 0, 7, 3, START);
	st = unpacked_layout_1(st);
	ck_assert_int_eq(amounts_of(st, currency_code(6), START).samples, 3);
	ck_assert(amounts_of(st, "USD", START).baseline_known);

	/* A full state in layout 1 may have dropped a currency. */
	count_ones(st, 7, 8, 1, START);
	st = unpacked_layout_1(st);
	ck_assert_int_eq(amounts_of(st, currency_code(7), START).samples, 1);
	ck_assert(!amounts_of(st, "USD", START).baseline_known);
	ck_assert(!amounts_of(st, "USD", START).hour_known);
}
END_TEST

/* Pack a state with a place only in layout 2, which has no radius, and unpack
 * it. */
static const struct place *
place_of_layout_2(struct user_state *st, const struct place *place)
{
	const struct event ev = { .user = "u" };
	const size_t radius = place->city ? 1 : 0;
	size_t size;

	user_state_count(st, &ev, false, place, START);
	size = user_state_pack(st, START, packed);

	/* Behind the place are no currencies, no drops and no links. */
	packed[0] = 2;
	memmove(&packed[size - 7 - radius], &packed[size - 3], 3);
	st = unpacked(packed, size - 4 - radius);
	return &user_state_last_place(st)->place;
}

START_TEST(place_of_layout_2_gets_a_radius)
{
	static const struct place city = { "ET", true, 9, 39, 0, 5 };
	static const struct place country = { "SE", false, 62, 15, 700, 5 };
	const struct place *got;

	got = place_of_layout_2(unpacked(NULL, 0), &city);
	ck_assert_double_eq(got->lon, 39);
	ck_assert_uint_eq(got->radius_km, 50);
	ck_assert_uint_eq(got->network, 0);
	got = place_of_layout_2(unpacked(NULL, 0), &country);
	ck_assert_double_eq(got->lon, 15);
	ck_assert_uint_eq(got->radius_km, 700);
	ck_assert_uint_eq(got->network, 0);
}
END_TEST

START_TEST(unpack_fails_in_full_arena)
{
	struct fail f = { 0 };
	struct arena small;

	arena_init(&small, block, 64);
	ck_assert_ptr_null(user_state_unpack(&small, NULL, 0, &f));
	ck_assert_int_eq(f.kind, FAIL_US);
	arena_reset(&small);
}
END_TEST

Suite *
suite_user_state(void)
{
	Suite *s = suite_create("user_state");
	TCase *tc = tcase_create("user_state");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, counts_equal_a_recount, 0, 4);
	tcase_add_test(tc, burst_is_exact_up_to_64);
	tcase_add_test(tc, clock_step_back_counts_as_no_step);
	tcase_add_loop_test(
	    tc, amounts_are_summed_in_decimal, 0, (int)nitems(sums));
	tcase_add_test(tc, sum_beyond_the_maximum_is_capped);
	tcase_add_test(tc, round_sums_have_short_codes);
	tcase_add_test(tc, baseline_is_of_one_currency);
	tcase_add_test(tc, many_currencies_do_not_drop_a_baseline);
	tcase_add_test(tc, currency_without_amount_in_hour_is_dropped_first);
	tcase_add_test(tc, among_baselines_fewest_samples_are_dropped);
	tcase_add_test(tc, dropped_currency_is_unknown);
	tcase_add_test(tc, equal_amounts_have_deviation_zero);
	tcase_add_test(tc, last_known_place_is_kept);
	tcase_add_test(tc, least_recently_used_link_is_dropped);
	tcase_add_test(tc, link_added_twice_is_stored_once);
	tcase_add_loop_test(
	    tc, invalid_link_is_not_stored, 0, (int)nitems(invalid_links));
	tcase_add_test(tc, device_count_is_capped);
	tcase_add_test(tc, largest_state_fits_and_is_read_back);
	tcase_add_test(tc, state_of_usual_customer_is_small);
	tcase_add_test(tc, expired_counts_are_not_packed);
	tcase_add_loop_test(tc, cut_or_extended_state_is_refused, 0, 2);
	tcase_add_loop_test(tc, damaged_state_is_read_safely, 0, 4);
	tcase_add_loop_test(tc, wrong_bytes_are_refused, 0, (int)nitems(wrong));
	tcase_add_test(tc, layout_1_is_read);
	tcase_add_test(tc, place_of_layout_2_gets_a_radius);
	tcase_add_test(tc, unpack_fails_in_full_arena);
	suite_add_tcase(s, tc);
	return s;
}
