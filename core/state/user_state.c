/* SPDX-License-Identifier: ISC */
/* The stored state of one user: count events, and read the counts. */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/state/entity_graph.h"
#include "core/state/user_state_int.h"

#define WINDOW_2M (SECONDS_MAX * SECOND_US)
#define DEGREE 1e6 /* coordinates are stored in millionths of a degree */

/* The code digits * 16 + power is the sum digits * 10^(power - 8). */
#define POWER_BITS 4
#define POWER_MAX 15
#define POWER_ONE 8

static void advance_windows(struct user_state *st, int64_t t);
static void age_slots(void *slots, size_t n, size_t size, size_t by);
static void age_minutes(struct user_state *st, size_t by);
static void age_currencies(struct user_state *st, size_t by);
static void count_more(uint32_t *count, uint32_t more);
static void count_time(struct user_state *st);
static void count_minute(struct user_state *st);
static void count_amount(
    struct user_state_currency *cur, double amount, bool baseline);
static void spill_minute(struct user_state *st);
static struct user_state_currency *currency_use(
    struct user_state *st, const char *code);
static void drop_currency(struct user_state *st);
static int64_t currency_worth(const struct user_state_currency *cur);
static uint32_t minutes_left(const struct user_state_currency *cur);
static size_t currency_find(const struct user_state *st, const char *code);
static bool currency_idle(const struct user_state_currency *cur);
static int64_t slots_total(const uint32_t *slots, size_t n);
static size_t link_find(
    const struct user_state *st, struct user_state_link link);
static bool link_valid(struct user_state_link link);

static const double tens[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8 };

void
user_state_count(struct user_state *st, const struct event *ev, bool baseline,
    const struct place *place, int64_t now)
{
	assert(now >= 0 && now <= TIME_MAX);
	advance_windows(st, user_state_time(st, now));
	count_time(st);
	count_minute(st);
	if (ev->has_amount)
		count_amount(
		    currency_use(st, ev->currency), ev->amount, baseline);
	if (user_state_letters(place->country, 2)) {
		st->place.place = *place;
		st->place.place.lat = rint(place->lat * DEGREE) / DEGREE;
		st->place.place.lon = rint(place->lon * DEGREE) / DEGREE;
		st->place.at = st->last;
	}
}

int64_t
user_state_attempts_2m(const struct user_state *st, int64_t now)
{
	const int64_t t = user_state_time(st, now);
	const size_t by = user_state_slots(st->last, t, SECOND_US);
	int64_t n;
	size_t i;

	n = slots_total(st->seconds, user_state_live(SECONDS_MAX, by));
	for (i = st->n_times; i > 0 && st->times[i - 1] > t - WINDOW_2M; i--)
		n++;
	return n;
}

int64_t
user_state_attempts_24h(const struct user_state *st, int64_t now)
{
	const int64_t t = user_state_time(st, now);
	size_t by = user_state_slots(st->last, t, QUARTER_US);
	size_t i, live;
	int64_t n;

	n = slots_total(st->quarters, user_state_live(QUARTERS_MAX, by));
	by = user_state_slots(st->last, t, MINUTE_US);
	live = user_state_live(DAY_MINUTES, by);
	for (i = 0; i < st->n_minutes && st->minutes[i].age < live; i++)
		n += st->minutes[i].count;
	return n;
}

void
user_state_amounts(const struct user_state *st, const char *currency,
    int64_t now, struct user_state_amounts *ret)
{
	const int64_t t = user_state_time(st, now);
	const size_t by = user_state_slots(st->last, t, MINUTE_US);
	const size_t found = currency_find(st, currency);
	const struct user_state_currency *cur = &st->currencies[found];
	double sum = 0;
	size_t i;

	memset(ret, 0, sizeof(*ret));
	ret->hour_known = found < st->n_currencies || st->dropped <= 1 + by;
	ret->baseline_known = found < st->n_currencies || st->dropped == 0;
	if (found == st->n_currencies)
		return;
	for (i = 0; i < user_state_live(SUMS_MAX, by); i++)
		if (cur->sums[i] != 0)
			sum += user_state_sum_value(cur->sums[i]);
	ret->last_hour = user_state_sum_value(user_state_sum_code(sum));
	ret->samples = cur->samples;
	ret->mean = cur->mean;
	if (cur->samples > 1)
		ret->deviation =
		    sqrt(cur->squares / (double)(cur->samples - 1));
}

const struct user_state_place *
user_state_last_place(const struct user_state *st)
{
	return &st->place;
}

bool
user_state_link_touch(struct user_state *st, struct user_state_link link)
{
	const size_t found = link_find(st, link);

	if (found == st->n_links)
		return false;
	memmove(&st->links[1], &st->links[0], found * sizeof(st->links[0]));
	st->links[0] = link;
	return true;
}

void
user_state_link_add(struct user_state *st, struct user_state_link link)
{
	if (!link_valid(link) || user_state_link_touch(st, link))
		return;
	if (st->n_links < USER_STATE_LINKS_MAX)
		st->n_links++;
	memmove(&st->links[1], &st->links[0],
	    (st->n_links - 1) * sizeof(st->links[0]));
	st->links[0] = link;
}

bool
user_state_link_known(const struct user_state *st, struct user_state_link link)
{
	return link_find(st, link) < st->n_links;
}

int
user_state_devices(const struct user_state *st)
{
	return st->devices;
}

void
user_state_devices_add(struct user_state *st)
{
	if (st->devices < ENTITY_GRAPH_CAP)
		st->devices++;
}

double
user_state_sum_value(uint64_t code)
{
	const double digits = (double)(code >> POWER_BITS);
	const size_t power = code & POWER_MAX;

	/* Both operands are exact, so 1 / 10 gives exactly the double 0.1. */
	if (power < POWER_ONE)
		return digits / tens[POWER_ONE - power];
	return digits * tens[power - POWER_ONE];
}

uint64_t
user_state_sum_code(double sum)
{
	uint64_t digits, power;
	double n;

	/* Find the most digits that fit, then remove the zeros at the end. */
	for (power = 0;; power++) {
		n = rint(power < POWER_ONE ? sum * tens[POWER_ONE - power]
					   : sum / tens[power - POWER_ONE]);
		if (n <= (double)SUM_DIGITS_MAX || power == POWER_MAX)
			break;
	}
	digits = n <= (double)SUM_DIGITS_MAX ? (uint64_t)n : SUM_DIGITS_MAX;
	if (digits == 0)
		return 0;
	for (; power < POWER_MAX && digits % 10 == 0; power++)
		digits /= 10;
	return digits << POWER_BITS | power;
}

/* Advance the state to time t, and drop the slots that leave their windows. */
static void
advance_windows(struct user_state *st, int64_t t)
{
	age_slots(st->seconds, SECONDS_MAX, sizeof(st->seconds[0]),
	    user_state_slots(st->last, t, SECOND_US));
	age_slots(st->quarters, QUARTERS_MAX, sizeof(st->quarters[0]),
	    user_state_slots(st->last, t, QUARTER_US));
	age_minutes(st, user_state_slots(st->last, t, MINUTE_US));
	age_currencies(st, user_state_slots(st->last, t, MINUTE_US));
	st->last = t;
}

/* Increase the age of n slots of size bytes by so many; drop the oldest. */
static void
age_slots(void *slots, size_t n, size_t size, size_t by)
{
	const size_t live = user_state_live(n, by);

	if (by == 0)
		return;
	memmove((char *)slots + (n - live) * size, slots, live * size);
	memset(slots, 0, (n - live) * size);
}

static void
age_minutes(struct user_state *st, size_t by)
{
	const size_t live = user_state_live(DAY_MINUTES, by);
	size_t i;

	for (i = 0; i < st->n_minutes && st->minutes[i].age < live; i++)
		st->minutes[i].age += (uint32_t)by;
	st->n_minutes = i;
}

/* Age the sums of all currencies, and remove currencies without history. */
static void
age_currencies(struct user_state *st, size_t by)
{
	struct user_state_currency *cur;
	size_t i, kept = 0;

	for (i = 0; i < st->n_currencies; i++) {
		cur = &st->currencies[i];
		age_slots(cur->sums, SUMS_MAX, sizeof(cur->sums[0]), by);
		if (currency_idle(cur))
			continue;
		if (kept < i)
			st->currencies[kept] = *cur;
		kept++;
	}
	st->n_currencies = kept;
	if (st->dropped > 0)
		st->dropped =
		    1 + (uint32_t)user_state_live(st->dropped - 1, by);
}

static void
count_more(uint32_t *count, uint32_t more)
{
	*count = more < COUNT_MAX - *count ? *count + more : COUNT_MAX;
}

/*
 * Add the time of the last event to the exact times.  If they are full, count
 * the oldest one in its slot of one second instead.
 */
static void
count_time(struct user_state *st)
{
	const int64_t t = st->last;
	size_t age, gone = 0;

	while (gone < st->n_times && st->times[gone] <= t - WINDOW_2M)
		gone++;
	if (gone == 0 && st->n_times == TIMES_MAX) {
		age = user_state_slots(st->times[0], t, SECOND_US);
		if (age < SECONDS_MAX)
			count_more(&st->seconds[age], 1);
		gone = 1;
	}
	st->n_times -= gone;
	memmove(
	    st->times, st->times + gone, st->n_times * sizeof(st->times[0]));
	st->times[st->n_times++] = t;
}

static void
count_minute(struct user_state *st)
{
	if (st->n_minutes == 0 || st->minutes[0].age > 0) {
		if (st->n_minutes == MINUTES_MAX)
			spill_minute(st);
		memmove(&st->minutes[1], &st->minutes[0],
		    st->n_minutes * sizeof(st->minutes[0]));
		st->minutes[0] = (struct user_state_minute) { 0 };
		st->n_minutes++;
	}
	count_more(&st->minutes[0].count, 1);
}

/* Move the count of the oldest minute to its slot of 15 minutes. */
static void
spill_minute(struct user_state *st)
{
	const struct user_state_minute *oldest = &st->minutes[--st->n_minutes];
	const int64_t at = st->last - oldest->age * MINUTE_US;
	const size_t age = user_state_slots(at, st->last, QUARTER_US);

	if (age < QUARTERS_MAX)
		count_more(&st->quarters[age], oldest->count);
}

/* Add to the sum of this minute, and to the baseline (Welford's algorithm). */
static void
count_amount(struct user_state_currency *cur, double amount, bool baseline)
{
	double delta;

	assert(amount >= 0 && amount <= EVENT_AMOUNT_MAX);
	cur->sums[0] =
	    user_state_sum_code(user_state_sum_value(cur->sums[0]) + amount);
	if (!baseline)
		return;
	if (cur->samples < SAMPLES_MAX)
		cur->samples++;
	delta = amount - cur->mean;
	cur->mean += delta / (double)cur->samples;
	cur->squares =
	    fmin(cur->squares + delta * (amount - cur->mean), SQUARES_MAX);
}

/* Find or add the currency, and make it the most recently used. */
static struct user_state_currency *
currency_use(struct user_state *st, const char *code)
{
	const size_t found = currency_find(st, code);
	struct user_state_currency cur = { 0 };

	if (found == 0 && st->n_currencies > 0)
		return &st->currencies[0];
	if (found < st->n_currencies) {
		cur = st->currencies[found];
		memmove(&st->currencies[1], &st->currencies[0],
		    found * sizeof(cur));
	} else {
		assert(user_state_letters(code, 3) && code[3] == '\0');
		memcpy(cur.code, code, sizeof(cur.code));
		if (st->n_currencies == USER_STATE_CURRENCIES_MAX)
			drop_currency(st);
		memmove(&st->currencies[1], &st->currencies[0],
		    st->n_currencies * sizeof(cur));
		st->n_currencies++;
	}
	st->currencies[0] = cur;
	return &st->currencies[0];
}

/* Drop the currency of least worth; of equal ones the least recently used. */
static void
drop_currency(struct user_state *st)
{
	struct user_state_currency *cur = st->currencies;
	size_t i, least = st->n_currencies - 1;
	uint32_t left;

	for (i = least; i > 0; i--)
		if (currency_worth(&cur[i - 1]) < currency_worth(&cur[least]))
			least = i - 1;
	left = minutes_left(&cur[least]);
	if (st->dropped < 1 + left)
		st->dropped = 1 + left;
	st->n_currencies--;
	memmove(&cur[least], &cur[least + 1],
	    (st->n_currencies - least) * sizeof(*cur));
}

/*
 * The worth of a usable baseline is its number of samples.  Without one, a
 * currency with an amount in the last hour is worth more than one without.
 */
static int64_t
currency_worth(const struct user_state_currency *cur)
{
	if (cur->samples >= USER_STATE_SAMPLES_MIN)
		return cur->samples;
	return minutes_left(cur) > 0 ? 1 : 0;
}

/* The number of minutes until all amounts have left the last hour. */
static uint32_t
minutes_left(const struct user_state_currency *cur)
{
	size_t i;

	for (i = 0; i < SUMS_MAX; i++)
		if (cur->sums[i] != 0)
			break;
	return (uint32_t)(SUMS_MAX - i);
}

/* The index of the currency, or n_currencies if it is not in the state. */
static size_t
currency_find(const struct user_state *st, const char *code)
{
	size_t i;

	for (i = 0; i < st->n_currencies; i++)
		if (strcmp(st->currencies[i].code, code) == 0)
			break;
	return i;
}

static bool
currency_idle(const struct user_state_currency *cur)
{
	return cur->samples == 0 && minutes_left(cur) == 0;
}

static int64_t
slots_total(const uint32_t *slots, size_t n)
{
	int64_t total = 0;
	size_t i;

	for (i = 0; i < n; i++)
		total += slots[i];
	return total;
}

/* The index of the link, or n_links if it is not in the state. */
static size_t
link_find(const struct user_state *st, struct user_state_link link)
{
	size_t i;

	for (i = 0; i < st->n_links; i++)
		if (st->links[i].first == link.first &&
		    st->links[i].second == link.second)
			break;
	return i;
}

static bool
link_valid(struct user_state_link link)
{
	return link.first > 0 && link.first < link.second &&
	    link.second < ENTITY_MAX;
}
