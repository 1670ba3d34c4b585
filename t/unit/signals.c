/* SPDX-License-Identifier: ISC */
/* core/signal/signals.c: the value of every signal, known and unknown. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/signal/signals.h"
#include "core/state/entity_graph.h"
#include "core/state/entity_risk.h"
#include "core/state/user_state.h"
#include "t/unit/unit.h"

#define NOW INT64_C(1790000000000000)
#define MINUTE INT64_C(60000000)
#define HOUR (60 * MINUTE)

#define UNKNOWN                                                                \
	{                                                                      \
		.type = VALUE_UNKNOWN                                          \
	}
#define NUMBER(n)                                                              \
	{                                                                      \
		.type = VALUE_NUMBER, .number = (n)                            \
	}
#define STRING(s)                                                              \
	{                                                                      \
		.type = VALUE_STRING, .string = (s)                            \
	}
#define BOOL(b)                                                                \
	{                                                                      \
		.type = VALUE_BOOL, .flag = (b)                                \
	}

static _Alignas(16) char block[65536];
static struct arena arena;
static struct user_state *st;
static struct signals sigs;

static const struct place nowhere = { .country = "" };
static const struct place addis = { "ET", true, 9.0, 38.75, 0, 0 };
static const struct place gondar = { "ET", true, 12.6, 37.45, 0, 0 };
static const struct place nairobi = { "KE", true, -1.3, 36.8, 0, 0 };
static const struct place ethiopia = { "ET", false, 8.6, 39.6, 680, 0 };
static const struct place kenya = { "KE", false, 0.6, 37.8, 520, 0 };
static const struct place sweden = { "SE", false, 62.8, 16.7, 700, 0 };
static const struct place london = { "GB", true, 51.5, -0.1, 20, 7 };
static const struct place paris = { "FR", true, 48.9, 2.3, 20, 7 };
static const struct place atlantis = { "XX", false, NAN, NAN, 0, 0 };

static void
setup(void)
{
	arena_init(&arena, block, sizeof(block));
	st = user_state_unpack(&arena, NULL, 0, NULL);
	ck_assert_ptr_nonnull(st);
}

static void
teardown(void)
{
	arena_reset(&arena);
}

static struct event
bare_event(void)
{
	return (struct event) { .type = EVENT_CARD_AUTHORIZE,
		.user = "u",
		.three_ds = value_unknown() };
}

static struct signal_facts
bare_facts(void)
{
	return (
	    struct signal_facts) { .now = NOW, .state = st, .ring_size = 1 };
}

static void
check(enum signal sig, struct value want)
{
	const struct value *got = &sigs.value[sig];

	ck_assert_msg(got->type == want.type, "%s: type %d, want %d",
	    signal_name(sig), (int)got->type, (int)want.type);
	ck_assert(got->type == VALUE_UNKNOWN || got->type == signal_type(sig));
	if (want.type == VALUE_NUMBER)
		ck_assert_msg(
		    fabs(got->number - want.number) <= 1e-9 * fabs(want.number),
		    "%s: %.17g, want %.17g", signal_name(sig), got->number,
		    want.number);
	if (want.type == VALUE_STRING)
		ck_assert_str_eq(got->string, want.string);
	if (want.type == VALUE_BOOL)
		ck_assert_int_eq(got->flag, want.flag);
}

static void
count_amount(double amount, const char *currency, int64_t at)
{
	const struct event ev = { .user = "u",
		.has_amount = true,
		.amount = amount,
		.currency = currency };

	user_state_count(st, &ev, true, &nowhere, at);
}

/* An event of a new user without optional fields. */
static const struct {
	enum signal sig;
	struct value want;
} bare[] = {
	{ SIGNAL_EVENT_TYPE, STRING("card.authorize") },
	{ SIGNAL_EVENT_CHANNEL, UNKNOWN },
	{ SIGNAL_EVENT_AMOUNT, UNKNOWN },
	{ SIGNAL_EVENT_CURRENCY, UNKNOWN },
	{ SIGNAL_INSTRUMENT_KIND, UNKNOWN },
	{ SIGNAL_INSTRUMENT_BIN, UNKNOWN },
	{ SIGNAL_INSTRUMENT_ISSUER_COUNTRY, UNKNOWN },
	{ SIGNAL_INSTRUMENT_THREE_DS, UNKNOWN },
	{ SIGNAL_VELOCITY_ATTEMPTS_2M, NUMBER(0) },
	{ SIGNAL_VELOCITY_ATTEMPTS_24H, NUMBER(0) },
	{ SIGNAL_VELOCITY_AMOUNT_1H, UNKNOWN },
	{ SIGNAL_DEVICE_FIRST_SEEN, UNKNOWN },
	{ SIGNAL_DEVICE_USERS_ON_DEVICE, UNKNOWN },
	{ SIGNAL_DEVICE_USERS_ON_FINGERPRINT, UNKNOWN },
	{ SIGNAL_DEVICE_FINGERPRINT_FIRST_SEEN, UNKNOWN },
	{ SIGNAL_DEVICE_FINGERPRINT_DEVICE_MISMATCH, UNKNOWN },
	{ SIGNAL_GEO_COUNTRY, UNKNOWN },
	{ SIGNAL_GEO_DISTANCE_KM, UNKNOWN },
	{ SIGNAL_GEO_COUNTRY_CHANGED, UNKNOWN },
	{ SIGNAL_GEO_IMPOSSIBLE_TRAVEL, UNKNOWN },
	{ SIGNAL_GEO_IP_SIM_MISMATCH, UNKNOWN },
	{ SIGNAL_GEO_CITY, UNKNOWN },
	{ SIGNAL_GEO_ASN, UNKNOWN },
	{ SIGNAL_GEO_ASN_ORG, UNKNOWN },
	{ SIGNAL_GRAPH_RING_SIZE, NUMBER(1) },
	{ SIGNAL_GRAPH_USERS_ON_DEVICE, UNKNOWN },
	{ SIGNAL_GRAPH_USERS_ON_IP, UNKNOWN },
	{ SIGNAL_GRAPH_USERS_ON_PHONE, UNKNOWN },
	{ SIGNAL_GRAPH_DEVICES_ON_USER, NUMBER(0) },
	{ SIGNAL_ANOMALY_AMOUNT_Z_SCORE, UNKNOWN },
	{ SIGNAL_ANOMALY_AMOUNT_MEAN, UNKNOWN },
	{ SIGNAL_ANOMALY_AMOUNT_RATIO, UNKNOWN },
	{ SIGNAL_ANOMALY_SAMPLES, UNKNOWN },
	{ SIGNAL_ANOMALY_AMOUNT_VARIATION, UNKNOWN },
	{ SIGNAL_RISK_DEVICE_FRAUD_RATE, UNKNOWN },
	{ SIGNAL_RISK_DEVICE_FRAUD_RATE_1D, UNKNOWN },
	{ SIGNAL_RISK_DEVICE_FRAUD_RATE_7D, UNKNOWN },
	{ SIGNAL_RISK_DEVICE_LABELS, UNKNOWN },
	{ SIGNAL_RISK_IP_FRAUD_RATE, UNKNOWN },
};

START_TEST(missing_fields_give_unknown_signals)
{
	const struct event ev = bare_event();
	const struct signal_facts facts = bare_facts();
	size_t i;

	ck_assert_uint_eq(nitems(bare), SIGNAL__MAX);
	signals_compute(&ev, &facts, &sigs);
	ck_assert_ptr_eq(sigs.event, &ev);
	for (i = 0; i < nitems(bare); i++)
		check(bare[i].sig, bare[i].want);
}
END_TEST

/* An event of a new user with every field; all its entities are new. */
static const struct {
	enum signal sig;
	struct value want;
} full[] = {
	{ SIGNAL_EVENT_TYPE, STRING("card.authorize") },
	{ SIGNAL_EVENT_CHANNEL, STRING("web") },
	{ SIGNAL_EVENT_AMOUNT, NUMBER(12.5) },
	{ SIGNAL_EVENT_CURRENCY, STRING("ETB") },
	{ SIGNAL_INSTRUMENT_KIND, STRING("card") },
	{ SIGNAL_INSTRUMENT_BIN, STRING("411111") },
	{ SIGNAL_INSTRUMENT_ISSUER_COUNTRY, STRING("ET") },
	{ SIGNAL_INSTRUMENT_THREE_DS, BOOL(false) },
	{ SIGNAL_VELOCITY_ATTEMPTS_2M, NUMBER(0) },
	{ SIGNAL_VELOCITY_ATTEMPTS_24H, NUMBER(0) },
	{ SIGNAL_VELOCITY_AMOUNT_1H, NUMBER(0) },
	{ SIGNAL_DEVICE_FIRST_SEEN, BOOL(true) },
	{ SIGNAL_DEVICE_USERS_ON_DEVICE, NUMBER(0) },
	{ SIGNAL_DEVICE_USERS_ON_FINGERPRINT, NUMBER(0) },
	{ SIGNAL_DEVICE_FINGERPRINT_FIRST_SEEN, BOOL(true) },
	{ SIGNAL_DEVICE_FINGERPRINT_DEVICE_MISMATCH, BOOL(false) },
	{ SIGNAL_GEO_COUNTRY, STRING("ET") },
	{ SIGNAL_GEO_DISTANCE_KM, UNKNOWN },
	{ SIGNAL_GEO_COUNTRY_CHANGED, UNKNOWN },
	{ SIGNAL_GEO_IMPOSSIBLE_TRAVEL, UNKNOWN },
	{ SIGNAL_GEO_IP_SIM_MISMATCH, BOOL(false) },
	{ SIGNAL_GEO_CITY, STRING("Addis Ababa") },
	{ SIGNAL_GEO_ASN, NUMBER(64500) },
	{ SIGNAL_GEO_ASN_ORG, STRING("Example Ltd") },
	{ SIGNAL_GRAPH_RING_SIZE, NUMBER(1) },
	{ SIGNAL_GRAPH_USERS_ON_DEVICE, NUMBER(0) },
	{ SIGNAL_GRAPH_USERS_ON_IP, NUMBER(0) },
	{ SIGNAL_GRAPH_USERS_ON_PHONE, NUMBER(0) },
	{ SIGNAL_GRAPH_DEVICES_ON_USER, NUMBER(0) },
	{ SIGNAL_ANOMALY_AMOUNT_Z_SCORE, NUMBER(0) },
	{ SIGNAL_ANOMALY_AMOUNT_MEAN, NUMBER(0) },
	{ SIGNAL_ANOMALY_AMOUNT_RATIO, NUMBER(1) },
	{ SIGNAL_ANOMALY_SAMPLES, NUMBER(0) },
	{ SIGNAL_ANOMALY_AMOUNT_VARIATION, NUMBER(0) },
	{ SIGNAL_RISK_DEVICE_FRAUD_RATE, NUMBER(0.01) },
	{ SIGNAL_RISK_DEVICE_FRAUD_RATE_1D, NUMBER(0.01) },
	{ SIGNAL_RISK_DEVICE_FRAUD_RATE_7D, NUMBER(0.01) },
	{ SIGNAL_RISK_DEVICE_LABELS, NUMBER(0) },
	{ SIGNAL_RISK_IP_FRAUD_RATE, NUMBER(0.01) },
};

static struct event
full_event(void)
{
	struct event ev = bare_event();

	ev.has_amount = true;
	ev.amount = 12.5;
	ev.currency = "ETB";
	ev.device = "d";
	ev.fingerprint = "f";
	ev.ip = "196.188.1.1";
	ev.ip_public = true;
	ev.phone = "251911234567";
	ev.channel = "web";
	ev.instrument_kind = "card";
	ev.bin = "411111";
	ev.issuer_country = "ET";
	ev.three_ds = value_bool(false);
	return ev;
}

START_TEST(new_user_gives_initial_signals)
{
	const struct event ev = full_event();
	const struct graph_node unseen = { 0 };
	struct signal_facts facts = bare_facts();
	size_t i;

	facts.place = addis;
	facts.ip_facts =
	    (struct ip_facts) { "Addis Ababa", "Example Ltd", 64500 };
	facts.device = facts.fingerprint = facts.ip = facts.phone = &unseen;
	ck_assert_uint_eq(nitems(full), SIGNAL__MAX);
	signals_compute(&ev, &facts, &sigs);
	for (i = 0; i < nitems(full); i++)
		check(full[i].sig, full[i].want);
}
END_TEST

START_TEST(counts_of_entities_become_signals)
{
	const struct event ev = bare_event();
	const struct graph_node device = { .seen = true, .users = 3 };
	const struct graph_node fingerprint = { .seen = true, .users = 5 };
	const struct graph_node ip = { .seen = true, .users = 500 };
	const struct graph_node phone = { .seen = true, .users = 2 };
	struct signal_facts facts = bare_facts();

	facts.device = &device;
	facts.fingerprint = &fingerprint;
	facts.ip = &ip;
	facts.phone = &phone;
	facts.ring_size = 17;
	user_state_devices_add(st);
	user_state_devices_add(st);
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_DEVICE_FIRST_SEEN, value_bool(false));
	check(SIGNAL_DEVICE_USERS_ON_DEVICE, value_number(3));
	check(SIGNAL_DEVICE_USERS_ON_FINGERPRINT, value_number(5));
	check(SIGNAL_DEVICE_FINGERPRINT_FIRST_SEEN, value_bool(false));
	check(SIGNAL_GRAPH_RING_SIZE, value_number(17));
	check(SIGNAL_GRAPH_USERS_ON_DEVICE, value_number(3));
	check(SIGNAL_GRAPH_USERS_ON_IP, value_number(500));
	check(SIGNAL_GRAPH_USERS_ON_PHONE, value_number(2));
	check(SIGNAL_GRAPH_DEVICES_ON_USER, value_number(2));
}
END_TEST

/* The devices of the fingerprint, and the device of the event. */
static const struct {
	bool fingerprint, device;
	int devices;
	int64_t first_device, device_id;
	struct value want;
} mismatches[] = {
	{ true, true, 0, 0, 0, BOOL(false) },
	{ true, true, 0, 0, 7, BOOL(false) },
	{ true, true, 1, 7, 7, BOOL(false) },
	{ true, true, 1, 7, 8, BOOL(true) },
	{ true, true, 1, 7, 0, BOOL(true) }, /* a device never seen */
	{ true, true, 2, 7, 7, BOOL(true) },
	{ true, true, 500, 7, 0, BOOL(true) },
	{ true, false, 2, 7, 0, UNKNOWN },
	{ false, true, 0, 0, 7, UNKNOWN },
	{ false, false, 0, 0, 0, UNKNOWN },
};

START_TEST(fingerprint_of_other_device_is_mismatch)
{
	const struct event ev = bare_event();
	const struct graph_node device = { .id = mismatches[_i].device_id };
	const struct graph_node fingerprint = { .seen = true,
		.devices = mismatches[_i].devices,
		.first_device = mismatches[_i].first_device };
	struct signal_facts facts = bare_facts();

	facts.device = mismatches[_i].device ? &device : NULL;
	facts.fingerprint = mismatches[_i].fingerprint ? &fingerprint : NULL;
	facts.device_id = mismatches[_i].device_id;
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_DEVICE_FINGERPRINT_DEVICE_MISMATCH, mismatches[_i].want);
}
END_TEST

START_TEST(velocity_excludes_the_current_event)
{
	struct event ev = bare_event();
	const struct signal_facts facts = bare_facts();

	count_amount(10, "ETB", NOW - 23 * HOUR);
	count_amount(20, "USD", NOW - 59 * MINUTE);
	count_amount(30, "ETB", NOW - 58 * MINUTE);
	count_amount(40.1, "ETB", NOW - 119 * 1000000);
	count_amount(50.2, "ETB", NOW);

	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_VELOCITY_ATTEMPTS_2M, value_number(2));
	check(SIGNAL_VELOCITY_ATTEMPTS_24H, value_number(5));
	check(SIGNAL_VELOCITY_AMOUNT_1H, value_unknown());

	ev = full_event();
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_VELOCITY_AMOUNT_1H, value_number(120.3));
	ck_assert(sigs.value[SIGNAL_VELOCITY_AMOUNT_1H].number == 120.3);

	ev.currency = "EUR";
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_VELOCITY_AMOUNT_1H, value_number(0));
}
END_TEST

START_TEST(baseline_of_dropped_currency_is_unknown)
{
	static const char *const others[USER_STATE_CURRENCIES_MAX] = { "AED",
		"BRL", "CHF", "DKK", "EUR", "GBP", "JPY", "KWD" };
	struct event ev = full_event();
	const struct signal_facts facts = bare_facts();
	size_t i;

	count_amount(10, "ETB", NOW - 2 * HOUR);
	for (i = 0; i < USER_STATE_CURRENCIES_MAX; i++)
		count_amount(10, others[i], NOW - 2 * HOUR);
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_ANOMALY_SAMPLES, value_unknown());
	check(SIGNAL_ANOMALY_AMOUNT_MEAN, value_unknown());
	check(SIGNAL_ANOMALY_AMOUNT_Z_SCORE, value_unknown());
	check(SIGNAL_ANOMALY_AMOUNT_RATIO, value_unknown());
	check(SIGNAL_ANOMALY_AMOUNT_VARIATION, value_unknown());
	check(SIGNAL_VELOCITY_AMOUNT_1H, value_number(0));

	/*
	 * If the dropped amounts are of the last hour, the sum is unknown, too.
	 */
	count_amount(10, "ETB", NOW);
	for (i = 0; i < USER_STATE_CURRENCIES_MAX; i++)
		count_amount(10, others[i], NOW);
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_ANOMALY_SAMPLES, value_unknown());
	check(SIGNAL_VELOCITY_AMOUNT_1H, value_unknown());
	check(SIGNAL_EVENT_AMOUNT, value_number(ev.amount));
}
END_TEST

/* Earlier amounts in the currency; the current amount is 100. */
static const struct {
	int n;
	double amounts[4];
	double samples, mean, z, ratio, variation;
} baselines[] = {
	{ 0, { 0 }, 0, 0, 0, 1, 0 },
	{ 1, { 10 }, 1, 10, 0, 1, 0 },
	{ 2, { 10, 20 }, 2, 15, 0, 1, 0 }, /* too few */
	{ 3, { 50, 50, 50 }, 3, 50, 0, 2, 0 }, /* no deviation */
	{ 3, { 10, 20, 30 }, 3, 20, 8, 5, 0.5 }, /* deviation 10 */
	{ 3, { 190, 200, 210 }, 3, 200, -10, 0.5, 0.05 },
	{ 3, { 0, 0, 0 }, 3, 0, 0, 1, 0 }, /* nothing to compare with */
	{ 4, { 80, 80, 120, 120 }, 4, 100, 0, 1, 0.23094010767585 },
};

START_TEST(amount_is_compared_with_baseline)
{
	struct event ev = full_event();
	const struct signal_facts facts = bare_facts();
	int i;

	count_amount(7777, "USD", NOW - HOUR);
	for (i = 0; i < baselines[_i].n; i++)
		count_amount(baselines[_i].amounts[i], "ETB", NOW - HOUR);
	ev.amount = 100;
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_ANOMALY_SAMPLES, value_number(baselines[_i].samples));
	check(SIGNAL_ANOMALY_AMOUNT_MEAN, value_number(baselines[_i].mean));
	check(SIGNAL_ANOMALY_AMOUNT_Z_SCORE, value_number(baselines[_i].z));
	check(SIGNAL_ANOMALY_AMOUNT_RATIO, value_number(baselines[_i].ratio));
	check(SIGNAL_ANOMALY_AMOUNT_VARIATION,
	    value_number(baselines[_i].variation));
}
END_TEST

/* The last located event, how long ago, and the place now. */
static const struct {
	const struct place *from;
	int64_t ago;
	const struct place *to;
	struct value km, changed, impossible;
} travels[] = {
	{ &nowhere, HOUR, &addis, UNKNOWN, UNKNOWN, UNKNOWN },
	{ &addis, HOUR, &nowhere, UNKNOWN, UNKNOWN, UNKNOWN },
	{ &addis, HOUR, &addis, NUMBER(0), BOOL(false), BOOL(false) },
	{ &addis, 0, &addis, NUMBER(0), BOOL(false), BOOL(false) },
	{ &addis, HOUR, &gondar, NUMBER(424.7312001), BOOL(false),
	    BOOL(false) },
	{ &addis, HOUR / 3, &gondar, NUMBER(424.7312001), BOOL(false),
	    BOOL(true) },
	{ &addis, 0, &gondar, NUMBER(424.7312001), BOOL(false), BOOL(true) },
	{ &addis, -HOUR, &gondar, NUMBER(424.7312001), BOOL(false),
	    BOOL(true) },
	{ &addis, HOUR, &nairobi, NUMBER(1165.5080699), BOOL(true),
	    BOOL(true) },
	{ &addis, 2 * HOUR, &nairobi, NUMBER(1165.5080699), BOOL(true),
	    BOOL(false) },
	/* Countries only: no distance within one, or to a neighbour. */
	{ &ethiopia, 0, &ethiopia, NUMBER(0), BOOL(false), BOOL(false) },
	{ &ethiopia, 0, &gondar, NUMBER(0), BOOL(false), BOOL(false) },
	{ &gondar, 0, &ethiopia, NUMBER(0), BOOL(false), BOOL(false) },
	{ &ethiopia, MINUTE, &kenya, NUMBER(0), BOOL(true), BOOL(false) },
	{ &ethiopia, MINUTE, &sweden, NUMBER(4922.3677840634818), BOOL(true),
	    BOOL(true) },
	{ &ethiopia, 6 * HOUR, &sweden, NUMBER(4922.3677840634818), BOOL(true),
	    BOOL(false) },
	/* The database moved the network, not the user. */
	{ &london, 0, &paris, NUMBER(0), BOOL(false), BOOL(false) },
	{ &atlantis, HOUR, &kenya, UNKNOWN, BOOL(true), UNKNOWN },
	{ &kenya, HOUR, &atlantis, UNKNOWN, BOOL(true), UNKNOWN },
	{ &atlantis, HOUR, &atlantis, NUMBER(0), BOOL(false), BOOL(false) },
};

START_TEST(travel_is_measured_from_last_place)
{
	const struct event ev = bare_event();
	struct signal_facts facts = bare_facts();

	user_state_count(
	    st, &ev, false, travels[_i].from, NOW - travels[_i].ago);
	facts.place = *travels[_i].to;
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_GEO_COUNTRY,
	    travels[_i].to == &nowhere ? value_unknown()
				       : value_string(travels[_i].to->country));
	check(SIGNAL_GEO_DISTANCE_KM, travels[_i].km);
	check(SIGNAL_GEO_COUNTRY_CHANGED, travels[_i].changed);
	check(SIGNAL_GEO_IMPOSSIBLE_TRAVEL, travels[_i].impossible);
}
END_TEST

START_TEST(network_of_the_ip_needs_no_place)
{
	const struct event ev = bare_event();
	struct signal_facts facts = bare_facts();

	facts.ip_facts.asn = UINT32_MAX;
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_GEO_COUNTRY, value_unknown());
	check(SIGNAL_GEO_ASN, value_number(4294967295.0));
	check(SIGNAL_GEO_ASN_ORG, value_unknown());
}
END_TEST

/* Speeds and distances around the limits, along the equator. */
static const struct {
	double km;
	int64_t ago;
	bool want;
} speeds[] = {
	{ 99.9, 0, false },
	{ 100.1, 0, true },
	{ 450.1, HOUR / 2, true },
	{ 449.9, HOUR / 2, false },
	{ 9001, 10 * HOUR, true },
	{ 8999, 10 * HOUR, false },
};

START_TEST(travel_beyond_the_limits_is_impossible)
{
	const struct event ev = bare_event();
	const struct place from = { "AA", true, 0, 0, 0, 0 };
	struct signal_facts facts = bare_facts();

	facts.place = from;
	facts.place.lon = speeds[_i].km / 111.19508;
	user_state_count(st, &ev, false, &from, NOW - speeds[_i].ago);
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_GEO_IMPOSSIBLE_TRAVEL, value_bool(speeds[_i].want));
}
END_TEST

/* The phone, the place of the ip, and attr.geoMismatch of the caller. */
static const struct {
	const char *phone;
	const struct place *place;
	struct value said;
	struct value want;
} sims[] = {
	{ "251911234567", &addis, UNKNOWN, BOOL(false) },
	{ "251911234567", &kenya, UNKNOWN, BOOL(true) },
	{ "251911234567", &kenya, BOOL(false), BOOL(true) },
	{ "251911234567", &addis, BOOL(true), BOOL(false) },
	{ "251911234567", &nowhere, UNKNOWN, UNKNOWN },
	{ "251911234567", &nowhere, BOOL(true), BOOL(true) },
	{ "251911234567", &nowhere, BOOL(false), BOOL(false) },
	{ "251911234567", &nowhere, STRING("true"), UNKNOWN },
	{ "251911234567", &nowhere, NUMBER(1), UNKNOWN },
	{ "99911234567", &addis, UNKNOWN, UNKNOWN },
	{ "99911234567", &addis, BOOL(true), BOOL(true) },
	{ NULL, &addis, UNKNOWN, UNKNOWN },
	{ NULL, &addis, BOOL(true), BOOL(true) },
	{ NULL, &nowhere, BOOL(false), BOOL(false) },
};

START_TEST(phone_of_other_country_is_mismatch)
{
	const struct attr attr = { "geoMismatch", NULL, sims[_i].said };
	struct event ev = bare_event();
	struct signal_facts facts = bare_facts();

	ev.phone = sims[_i].phone;
	facts.place = *sims[_i].place;
	if (sims[_i].said.type != VALUE_UNKNOWN) {
		ev.attrs = &attr;
		ev.n_attrs = 1;
	}
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_GEO_IP_SIM_MISMATCH, sims[_i].want);
}
END_TEST

START_TEST(fraud_rates_of_entities_become_signals)
{
	const struct event ev = bare_event();
	const struct graph_node device = { .seen = true },
				ip = { .seen = true };
	const struct entity_risk_rates of_device = { 0.5, 0.25, 0.125, 9 };
	const struct entity_risk_rates of_ip = { 0.75, 0.3, 0.2, 4 };
	struct signal_facts facts = bare_facts();

	facts.device_risk = &of_device;
	facts.ip_risk = &of_ip;
	facts.device = &device;
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_RISK_DEVICE_FRAUD_RATE, value_number(0.5));
	check(SIGNAL_RISK_DEVICE_FRAUD_RATE_1D, value_number(0.25));
	check(SIGNAL_RISK_DEVICE_FRAUD_RATE_7D, value_number(0.125));
	check(SIGNAL_RISK_DEVICE_LABELS, value_number(9));
	check(SIGNAL_RISK_IP_FRAUD_RATE, value_unknown());

	facts.device = NULL;
	facts.ip = &ip;
	signals_compute(&ev, &facts, &sigs);
	check(SIGNAL_RISK_DEVICE_LABELS, value_unknown());
	check(SIGNAL_RISK_IP_FRAUD_RATE, value_number(0.75));
}
END_TEST

START_TEST(snapshot_omits_unknown_signals)
{
	static const struct attr attrs[] = {
		{ "a\"b", NULL, STRING("x\ny") },
		{ "n", "1.50", NUMBER(1.5) },
		{ "vip", NULL, BOOL(true) },
	};
	struct event ev = bare_event();
	const struct signal_facts facts = bare_facts();
	struct str s;

	ev.channel = "web";
	ev.three_ds = value_bool(false);
	ev.ip = "196.188.1.1";
	ev.phone = "251911234567";
	ev.attrs = attrs;
	ev.n_attrs = nitems(attrs);
	signals_compute(&ev, &facts, &sigs);
	str_init(&s, &arena);
	signals_json(&s, &sigs);
	ck_assert_str_eq(str_text(&s),
	    "{\"event.type\":\"card.authorize\","
	    "\"event.channel\":\"web\","
	    "\"instrument.threeDS\":false,"
	    "\"velocity.attemptsLast2m\":0,"
	    "\"velocity.attemptsLast24h\":0,"
	    "\"graph.ringSize\":1,"
	    "\"graph.devicesOnUser\":0,"
	    "\"attr.a\\\"b\":\"x\\u000ay\","
	    "\"attr.n\":1.5,"
	    "\"attr.vip\":true}");
}
END_TEST

START_TEST(snapshot_keeps_longest_attribute_name)
{
	char name[EVENT_ATTR_NAME_MAX + 1];
	const struct attr attr = { name, NULL, NUMBER(7) };
	struct event ev = bare_event();
	const struct signal_facts facts = bare_facts();
	struct str s;

	memset(name, 'z', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ev.attrs = &attr;
	ev.n_attrs = 1;
	signals_compute(&ev, &facts, &sigs);
	str_init(&s, &arena);
	signals_json(&s, &sigs);
	ck_assert_ptr_nonnull(strstr(str_text(&s), "zzz\":7}"));
	ck_assert_uint_eq(
	    strspn(strstr(str_text(&s), "zzz"), "z"), EVENT_ATTR_NAME_MAX);
}
END_TEST

Suite *
suite_signals(void)
{
	Suite *s = suite_create("signals");
	TCase *tc = tcase_create("signals");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, missing_fields_give_unknown_signals);
	tcase_add_test(tc, new_user_gives_initial_signals);
	tcase_add_test(tc, counts_of_entities_become_signals);
	tcase_add_loop_test(tc, fingerprint_of_other_device_is_mismatch, 0,
	    (int)nitems(mismatches));
	tcase_add_test(tc, velocity_excludes_the_current_event);
	tcase_add_test(tc, baseline_of_dropped_currency_is_unknown);
	tcase_add_loop_test(
	    tc, amount_is_compared_with_baseline, 0, (int)nitems(baselines));
	tcase_add_test(tc, network_of_the_ip_needs_no_place);
	tcase_add_loop_test(
	    tc, travel_is_measured_from_last_place, 0, (int)nitems(travels));
	tcase_add_loop_test(
	    tc, travel_beyond_the_limits_is_impossible, 0, (int)nitems(speeds));
	tcase_add_loop_test(
	    tc, phone_of_other_country_is_mismatch, 0, (int)nitems(sims));
	tcase_add_test(tc, fraud_rates_of_entities_become_signals);
	tcase_add_test(tc, snapshot_omits_unknown_signals);
	tcase_add_test(tc, snapshot_keeps_longest_attribute_name);
	suite_add_tcase(s, tc);
	return s;
}
