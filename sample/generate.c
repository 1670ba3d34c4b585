/* SPDX-License-Identifier: ISC */
/*
 * Generate synthetic traffic to try the service: people with habits, and a few
 * fraudsters.  The same options give the same bytes.  Everything is invented,
 * except that the IP addresses are from ordinary national networks, so that
 * they have a location, and that the BINs are those that payment providers
 * publish for tests.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "core/base/array.h"
#include "lib/sys/clock.h"

#define START INT64_C(1767571200000000) /* 2026-01-05, a Monday */
#define MINUTE (60 * CLOCK_SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* A country, with its network, dialling code and currency. */
struct sample_country {
	const char *code;
	uint32_t net; /* the network's first address */
	unsigned bits; /* number of host bits */
	const char *dial; /* beginning of a mobile number */
	const char *currency;
	int64_t utc; /* offset of its winter time */
};

/* A person and their habits. */
struct sample_user {
	const struct sample_country *country;
	const char *bin;
	const char *channel;
	int64_t level; /* typical spending, cents */
	unsigned wakes; /* hour of the day, local */
	unsigned activity; /* chance of a visit in a round, % */
	unsigned ip[2]; /* at home and on the move: hosts of the network */
	bool second; /* has a second device */
	uint64_t joined; /* first day as a customer */
};

/* One row, before the rows are sorted by time and numbered. */
struct sample_row {
	int64_t time;
	uint64_t order; /* order of creation, to sort equal times */
	const char *type;
	int64_t cents; /* -1: no amount */
	const char *currency;
	char user[24];
	char device[24];
	uint32_t ip;
	char phone[24]; /* empty: not sent */
	const char *channel;
	const char *kind; /* NULL: no instrument */
	const char *bin;
	const char *issuer;
	bool three_ds;
	const char *merchant;
	bool mismatch; /* the caller found that ip and phone do not match */
	const char *scenario; /* NULL: legitimate */
	bool mislabelled; /* the label is wrong */
};

/* The options, and the rows so far. */
struct sample_values {
	uint64_t random;
	uint64_t n_users;
	uint64_t days;
	uint64_t n_events;
	uint64_t fraud; /* % of the events */
	uint64_t newcomers; /* % of the people who join during the period */
	uint64_t dear; /* % of the purchases that cost ten times as much */
	uint64_t mislabelled; /* % of the events */
	struct sample_user *users;
	struct sample_row *rows;
	uint64_t n_rows;
	uint64_t campaigns; /* campaigns so far; numbers their accounts */
};

static void options(struct sample_values *s, int argc, char **argv);
static void users_make(struct sample_values *s);
static void visits_make(struct sample_values *s);
static void visit(struct sample_values *s, uint64_t n);
static void mislabel(struct sample_values *s);
static void card_testing(struct sample_values *s);
static void takeover(struct sample_values *s);
static void ring(struct sample_values *s);
static void sim_box(struct sample_values *s);
static void credential_stuffing(struct sample_values *s);
static uint64_t victim(struct sample_values *s, int64_t at);
static struct sample_row *row_of(
    struct sample_values *s, uint64_t n, const char *type);
static struct sample_row *row_new(
    struct sample_values *s, const char *type, const char *scenario);
static void charge(
    struct sample_values *s, struct sample_row *r, const struct sample_user *u);
static void pay_card(
    struct sample_row *r, const struct sample_user *u, bool three_ds);
static void phone_of(const struct sample_user *u, uint64_t n, char ret[24]);
static int64_t campaign_time(struct sample_values *s);
static uint32_t address(const struct sample_country *c, uint64_t host);
static const struct sample_country *elsewhere(
    struct sample_values *s, const struct sample_country *home);
static uint64_t rng(struct sample_values *s);
static uint64_t below(struct sample_values *s, uint64_t n);
static int by_time(const void *a, const void *b);
static void print(const struct sample_values *s);
static void print_row(const struct sample_row *r, uint64_t n);

static const struct sample_country countries[] = {
	{ "DE", 0x54800000, 22, "+49151", "EUR", HOUR }, /* 84.128/10 */
	{ "FR", 0x5a000000, 21, "+33612", "EUR", HOUR }, /* 90.0/11 */
	{ "GB", 0x56800000, 22, "+44770", "GBP", 0 }, /* 86.128/10 */
	{ "ES", 0x58000000, 21, "+34612", "EUR", HOUR }, /* 88.0/11 */
	{ "IT", 0x4f000000, 22, "+39331", "EUR", HOUR }, /* 79.0/10 */
	{ "NL", 0x4da00000, 20, "+31612", "EUR", HOUR }, /* 77.160/12 */
	{ "US", 0x49000000, 24, "+1617", "USD", -5 * HOUR }, /* 73/8 */
};

/* First digits of test cards. */
static const char *const bins[] = { "411111", "424242", "401288", "555555",
	"510510", "222300" };

/* Shops, and the price of a purchase in % of a person's typical spending. */
static const struct {
	const char *name;
	unsigned percent;
} merchants[] = {
	{ "grocer-01", 60 },
	{ "grocer-02", 75 },
	{ "bakery-01", 15 },
	{ "books-01", 50 },
	{ "games-01", 90 },
	{ "fashion-01", 150 },
	{ "fashion-02", 120 },
	{ "pharmacy-01", 40 },
	{ "hardware-01", 130 },
	{ "electronics-01", 380 },
	{ "travel-01", 700 },
	{ "cinema-01", 35 },
};

static const char *const channels[] = { "web", "ios", "android" };

/* The patterns of fraud, in turn. */
static void (*const campaigns[])(struct sample_values *) = {
	card_testing,
	takeover,
	ring,
	sim_box,
	credential_stuffing,
};

int
main(int argc, char **argv)
{
	struct sample_values s = {
		.random = 1,
		.n_users = 110,
		.days = 7,
		.n_events = 300,
		.fraud = 24,
	};
	uint64_t bad;

	options(&s, argc, argv);
	s.users = calloc(s.n_users, sizeof(*s.users));
	s.rows = calloc(s.n_events, sizeof(*s.rows));
	if (s.users == NULL || s.rows == NULL) {
		fprintf(stderr, "generate: out of memory\n");
		return EX_OSERR;
	}
	users_make(&s);
	bad = s.n_events * s.fraud / 100;
	while (s.n_rows < bad)
		campaigns[s.campaigns++ % nitems(campaigns)](&s);
	visits_make(&s);
	if (s.mislabelled > 0)
		mislabel(&s);
	qsort(s.rows, s.n_rows, sizeof(*s.rows), by_time);
	print(&s);
	free(s.users);
	free(s.rows);
	return fflush(stdout) == EOF ? EX_IOERR : EX_OK;
}

static void
options(struct sample_values *s, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seed", required_argument, NULL, 0 },
		{ "users", required_argument, NULL, 1 },
		{ "days", required_argument, NULL, 2 },
		{ "events", required_argument, NULL, 3 },
		{ "fraud", required_argument, NULL, 4 },
		{ "newcomers", required_argument, NULL, 5 },
		{ "dear", required_argument, NULL, 6 },
		{ "mislabelled", required_argument, NULL, 7 },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t *const ret[] = { &s->random, &s->n_users, &s->days,
		&s->n_events, &s->fraud, &s->newcomers, &s->dear,
		&s->mislabelled };
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == '?')
			exit(EX_USAGE);
		errno = 0;
		*ret[c] = strtoull(optarg, &end, 10);
		if (errno != 0 || *end != '\0' || end == optarg ||
		    *ret[c] == 0 || *ret[c] > 100000000) {
			fprintf(stderr,
			    "usage: generate [--seed N] [--users N] "
			    "[--days N] [--events N] [--fraud PERCENT] "
			    "[--newcomers PERCENT] [--dear PERCENT] "
			    "[--mislabelled PERCENT]\n");
			exit(EX_USAGE);
		}
	}
	if (s->fraud > 100)
		s->fraud = 100;
}

static void
users_make(struct sample_values *s)
{
	struct sample_user *u;
	uint64_t i;

	for (i = 0; i < s->n_users; i++) {
		u = &s->users[i];
		u->country = &countries[below(s, nitems(countries))];
		u->bin = bins[below(s, nitems(bins))];
		u->channel = channels[below(s, nitems(channels))];
		u->level = (int64_t)below(s, 90);
		u->level = 1500 + u->level * (int64_t)below(s, 90);
		u->wakes = 6 + (unsigned)below(s, 5);
		u->activity = 35 + (unsigned)below(s, 66);
		u->ip[0] = (unsigned)below(s, UINT64_C(1) << u->country->bits);
		u->ip[1] = (unsigned)below(s, UINT64_C(1) << u->country->bits);
		u->second = below(s, 5) == 0;

		/* victim() needs one customer from the start. */
		if (i > 0 && s->newcomers > 0 && below(s, 100) < s->newcomers)
			u->joined = below(s, s->days);
	}
}

/*
 * Fill up with legitimate traffic.  In each round a person may make a visit;
 * people who joined late make fewer.
 */
static void
visits_make(struct sample_values *s)
{
	const struct sample_user *u;
	uint64_t i;

	for (i = 0; s->n_rows < s->n_events; i++) {
		u = &s->users[i % s->n_users];
		if (below(s, 100) < u->activity &&
		    (u->joined == 0 || u->joined <= below(s, s->days)))
			visit(s, i % s->n_users);
	}
}

/* One visit of a person at an hour when they are awake: one or two events. */
static void
visit(struct sample_values *s, uint64_t n)
{
	static const char *const types[] = { "card.authorize", "card.authorize",
		"card.authorize", "card.authorize", "payment.authorize",
		"wallet.withdraw", "account.login", "account.login",
		"order.place", "order.place" };
	const char *type = types[below(s, nitems(types))];
	const struct sample_user *u = &s->users[n];
	struct sample_row *r = row_of(s, n, type), *then;

	r->time = START - u->country->utc;
	r->time += (int64_t)(u->joined + below(s, s->days - u->joined)) * DAY;
	r->time += (int64_t)(u->wakes + below(s, 15)) * HOUR;
	r->time += (int64_t)below(s, 3600) * CLOCK_SECOND;
	if (strcmp(type, "account.login") == 0)
		return;
	charge(s, r, u);
	if (strcmp(type, "payment.authorize") == 0)
		r->kind = "bank";
	else if (strcmp(type, "wallet.withdraw") == 0)
		r->kind = "wallet";
	if (strcmp(type, "card.authorize") != 0)
		return;
	pay_card(r, u, below(s, 100) < 75);

	/* A quarter of these are captured soon, some of them refunded. */
	if (below(s, 4) != 0 || s->n_rows == s->n_events)
		return;
	then = row_of(s, n, below(s, 5) == 0 ? "card.refund" : "card.capture");
	then->time = r->time + 30 * MINUTE;
	then->cents = r->cents;
	then->currency = r->currency;
	then->merchant = r->merchant;
	then->phone[0] = '\0';
	pay_card(then, u, r->three_ds);
}

/* Make some labels wrong: fraud not reported, purchases only regretted. */
static void
mislabel(struct sample_values *s)
{
	uint64_t i;

	for (i = 0; i < s->n_rows; i++)
		s->rows[i].mislabelled = below(s, 100) < s->mislabelled;
}

/* Stolen cards tested with small sums: five accounts, one device, fast. */
static void
card_testing(struct sample_values *s)
{
	const struct sample_country *c =
	    &countries[below(s, nitems(countries))];
	const uint64_t id = s->campaigns, host = below(s, 1 << 20);
	int64_t at = campaign_time(s);
	struct sample_row *r;
	unsigned i;

	for (i = 0; i < 22; i++) {
		r = row_new(s, "card.authorize", "card_testing");
		r->time = at += (int64_t)(4 + below(s, 9)) * CLOCK_SECOND;
		snprintf(r->user, sizeof(r->user), "t-%02" PRIu64 "-%u", id,
		    i < 10 ? i % 5 + 1 : 1);
		snprintf(r->device, sizeof(r->device), "d-t%02" PRIu64, id);
		r->ip = address(c, host);
		r->cents = 50 + (int64_t)below(s, 250);
		r->currency = c->currency;
		r->merchant = "games-01";
		r->kind = "card";
		r->bin = bins[below(s, nitems(bins))];
		r->issuer = countries[below(s, nitems(countries))].code;
	}
}

/* Account takeover: a login from far away, then a withdrawal. */
static void
takeover(struct sample_values *s)
{
	static const char *const thefts[] = { "card.authorize",
		"wallet.withdraw" };
	const uint64_t id = s->campaigns, host = below(s, 1 << 20);
	int64_t at = campaign_time(s);
	const struct sample_country *far = NULL;
	const struct sample_user *u;
	struct sample_row *r;
	uint64_t n = 0;
	unsigned i;

	for (i = 0; i < 10; i++) {
		if (i % 2 == 0)
			n = victim(s, at);
		u = &s->users[n];
		if (far == NULL || far == u->country)
			far = elsewhere(s, u->country);
		r = row_of(
		    s, n, i % 2 == 0 ? "account.login" : thefts[i / 2 % 2]);
		r->scenario = "takeover";
		r->time = at += (int64_t)(3 + below(s, 12)) * MINUTE;
		r->ip = address(far, host);
		r->mismatch = true;
		r->channel = "web";
		snprintf(
		    r->device, sizeof(r->device), "d-x%02" PRIu64 "-%u", id, i);
		phone_of(u, n, r->phone);
		if (i % 2 == 0)
			continue;
		r->cents = 310000 + (int64_t)below(s, 250000);
		r->currency = u->country->currency;
		r->merchant = "electronics-01";
		if (i / 2 % 2 == 0)
			pay_card(r, u, false);
		else
			r->kind = "wallet";
	}
}

/* Many accounts on one device: new customers who are the same person. */
static void
ring(struct sample_values *s)
{
	static const char *const types[] = { "order.place", "card.authorize",
		"payment.authorize" };
	static const char *const kinds[] = { NULL, "card", "bank" };
	const struct sample_country *c =
	    &countries[below(s, nitems(countries))];
	const uint64_t id = s->campaigns;
	int64_t at = campaign_time(s);
	struct sample_row *r;
	unsigned i, t;

	for (i = 0; i < 16; i++) {
		t = (i + i / 6) % 3;
		r = row_new(s, types[t], "ring");
		r->time = at += (int64_t)(10 + below(s, 50)) * MINUTE;
		snprintf(r->user, sizeof(r->user), "r-%02" PRIu64 "-%02u", id,
		    i % 6 + 1);
		snprintf(r->device, sizeof(r->device), "d-r%02" PRIu64, id);
		snprintf(r->phone, sizeof(r->phone), "%s8%02" PRIu64 "%03u",
		    c->dial, id % 100, i % 6);
		r->ip = address(c, below(s, 1 << 20));
		r->cents = 120000 + (int64_t)below(s, 320000);
		r->currency = c->currency;
		r->merchant = "electronics-01";
		r->kind = kinds[t];
		if (r->kind == kinds[1]) {
			r->bin = bins[i % nitems(bins)];
			r->issuer = c->code;
		}
	}
}

/* Many accounts with one phone, each emptying a wallet. */
static void
sim_box(struct sample_values *s)
{
	const struct sample_country *c =
	    &countries[below(s, nitems(countries))];
	const uint64_t id = s->campaigns;
	int64_t at = campaign_time(s);
	struct sample_row *r;
	unsigned i;

	for (i = 0; i < 12; i++) {
		r = row_new(s, "wallet.withdraw", "sim_box");
		r->time = at += (int64_t)(2 + below(s, 8)) * MINUTE;
		snprintf(r->user, sizeof(r->user), "s-%02" PRIu64 "-%02u", id,
		    i % 6 + 1);
		snprintf(r->device, sizeof(r->device), "d-s%02" PRIu64 "-%02u",
		    id, i % 3 + 1);
		snprintf(r->phone, sizeof(r->phone), "%s9%02" PRIu64 "000",
		    c->dial, id % 100);
		r->ip = address(c, below(s, 1 << 20));
		r->cents = 60000 + (int64_t)below(s, 290000);
		r->currency = c->currency;
		r->kind = "wallet";
		r->channel = "android";
	}
}

/* Leaked passwords tried on one account after another from one ip. */
static void
credential_stuffing(struct sample_values *s)
{
	const struct sample_country *c =
	    &countries[below(s, nitems(countries))];
	const uint64_t id = s->campaigns, host = below(s, 1 << 20);
	int64_t at = campaign_time(s);
	struct sample_row *r;
	uint64_t n;
	unsigned i;

	for (i = 0; i < 12; i++) {
		n = victim(s, at);
		r = row_of(s, n, "account.login");
		r->scenario = "credential_stuffing";
		r->time = at += (int64_t)(2 + below(s, 20)) * CLOCK_SECOND;
		r->ip = address(c, host);
		r->phone[0] = '\0';
		r->mismatch = c != s->users[n].country;
		r->channel = "web";
		snprintf(r->device, sizeof(r->device), "d-c%02" PRIu64 "-%02u",
		    id, i + 1);
	}
}

/* A person who was already a customer the day before. */
static uint64_t
victim(struct sample_values *s, int64_t at)
{
	const uint64_t day = (uint64_t)((at - START) / DAY);
	uint64_t n;

	do
		n = below(s, s->n_users);
	while (s->users[n].joined > 0 && s->users[n].joined >= day);
	return n;
}

/* A row of a person at a usual location. */
static struct sample_row *
row_of(struct sample_values *s, uint64_t n, const char *type)
{
	const struct sample_user *u = &s->users[n];
	struct sample_row *r = row_new(s, type, NULL);
	const bool second = u->second && below(s, 4) == 0;
	const struct sample_country *far;

	snprintf(r->user, sizeof(r->user), "u-%04" PRIu64, n + 1);
	snprintf(r->device, sizeof(r->device), "d-%04" PRIu64 "%s", n + 1,
	    second ? "b" : "a");
	phone_of(u, n, r->phone);
	r->ip = address(u->country, u->ip[below(s, 3) == 0]);
	r->channel = second ? "web" : u->channel;

	/* Some people travel, and one in six events has no phone. */
	if (below(s, 60) == 0) {
		far = elsewhere(s, u->country);
		r->ip = address(far, below(s, 1 << 20));
	}
	if (below(s, 6) == 0)
		r->phone[0] = '\0';
	return r;
}

/* An empty row; a campaign that does not fit overwrites its last row. */
static struct sample_row *
row_new(struct sample_values *s, const char *type, const char *scenario)
{
	struct sample_row *r;

	if (s->n_rows == s->n_events)
		s->n_rows--;
	r = &s->rows[s->n_rows];
	*r = (struct sample_row) { .type = type,
		.order = s->n_rows,
		.cents = -1,
		.channel = "web",
		.scenario = scenario };
	s->n_rows++;
	return r;
}

/* A purchase: the shop's price level times the person's typical spending. */
static void
charge(
    struct sample_values *s, struct sample_row *r, const struct sample_user *u)
{
	const size_t m = below(s, nitems(merchants));

	r->merchant = merchants[m].name;
	r->currency = u->country->currency;
	r->cents = u->level * (int64_t)merchants[m].percent / 100 *
		(int64_t)(60 + below(s, 90)) / 100 +
	    99;
	if (s->dear > 0 && below(s, 100) < s->dear)
		r->cents *= 10;
}

static void
pay_card(struct sample_row *r, const struct sample_user *u, bool three_ds)
{
	r->kind = "card";
	r->bin = u->bin;
	r->issuer = u->country->code;
	r->three_ds = three_ds;
}

/* The phone of a person, always the same. */
static void
phone_of(const struct sample_user *u, uint64_t n, char ret[24])
{
	snprintf(ret, 24, "%s%06" PRIu64, u->country->dial,
	    (n * 7919 + 104729) % 1000000);
}

/*
 * The start of a campaign, at least half a day after START, so that its victims
 * have a history.
 */
static int64_t
campaign_time(struct sample_values *s)
{
	int64_t at = START + DAY / 2;

	at += (int64_t)below(s, s->days * 24) * HOUR * 3 / 4;
	at += (int64_t)below(s, 60) * MINUTE;
	return at;
}

static uint32_t
address(const struct sample_country *c, uint64_t host)
{
	return c->net | (uint32_t)(host & ((UINT64_C(1) << c->bits) - 1));
}

static const struct sample_country *
elsewhere(struct sample_values *s, const struct sample_country *home)
{
	const struct sample_country *c;

	do
		c = &countries[below(s, nitems(countries))];
	while (c == home);
	return c;
}

/*
 * The next number of a sequence that depends only on the seed (splitmix64).  No
 * expression contains two calls, because compilers choose their order.
 */
static uint64_t
rng(struct sample_values *s)
{
	uint64_t z = s->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* A number from 0 to n - 1; the tiny bias does not matter here. */
static uint64_t
below(struct sample_values *s, uint64_t n)
{
	return rng(s) % n;
}

static int
by_time(const void *a, const void *b)
{
	const struct sample_row *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void
print(const struct sample_values *s)
{
	uint64_t i;

	puts("id,time,type,amount,currency,userId,deviceId,fingerprint,ip,"
	     "phone,channel,kind,bin,issuerCountry,threeDS,attr.merchant,"
	     "attr.geoMismatch,fraud,scenario");
	for (i = 0; i < s->n_rows; i++)
		print_row(&s->rows[i], i + 1);
}

static void
print_row(const struct sample_row *r, uint64_t n)
{
	uint64_t mark = UINT64_C(14695981039346656037);
	char at[CLOCK_TEXT_SIZE];
	const char *p, *three_ds = "";

	/* A fingerprint is a hash of the device's properties. */
	for (p = r->device; *p != '\0'; p++)
		mark = (mark ^ (unsigned char)*p) * UINT64_C(1099511628211);
	if (r->bin != NULL)
		three_ds = r->three_ds ? "true" : "false";
	clock_text(r->time, at);
	printf("sample-%04" PRIu64 ",%.19sZ,%s,", n, at, r->type);
	if (r->cents >= 0)
		printf(
		    "%" PRId64 ".%02" PRId64, r->cents / 100, r->cents % 100);
	printf(",%s,%s,%s,%016" PRIx64 ",%u.%u.%u.%u,%s,%s,",
	    r->currency == NULL ? "" : r->currency, r->user, r->device, mark,
	    r->ip >> 24, r->ip >> 16 & 255, r->ip >> 8 & 255, r->ip & 255,
	    r->phone, r->channel);
	printf("%s,%s,%s,%s,%s,%s,%d,%s\n", r->kind == NULL ? "" : r->kind,
	    r->bin == NULL ? "" : r->bin, r->issuer == NULL ? "" : r->issuer,
	    three_ds, r->merchant == NULL ? "" : r->merchant,
	    r->mismatch ? "true" : "", (r->scenario != NULL) != r->mislabelled,
	    r->scenario == NULL ? "" : r->scenario);
}
