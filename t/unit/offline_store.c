/* SPDX-License-Identifier: ISC */
/*
 * ctl/replay/offline_store.c and string_ids.c, compared with a history that is
 * not packed into rows.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/event_context.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "core/signal/signals.h"
#include "core/state/entity_risk.h"
#include "core/state/user_state.h"
#include "ctl/replay/offline_store.h"
#include "lib/engine/string_ids.h"
#include "t/unit/unit.h"

#define BLOCK ((size_t)32 << 20)
#define ROW ((size_t)1 << 20)
#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)
#define DELAY 7
#define EVENTS 20000
#define KINDS 5
#define NAMES 900 /* of each kind */

static char *block, *row_block;
static struct arena arena, row;
static struct offline_store *history;

/* The history to compare with: one graph, and unpacked states. */
static struct graph *whole;
static struct user_state *states[NAMES];
static int64_t ids;

static char names[KINDS][NAMES][8];

static void
set_up(void)
{
	struct fail f = { 0 };
	int i, k;

	block = malloc(BLOCK);
	row_block = malloc(ROW);
	ck_assert_ptr_nonnull(block);
	ck_assert_ptr_nonnull(row_block);
	arena_init(&arena, block, BLOCK);
	arena_init(&row, row_block, ROW);
	history = offline_store_new(DELAY, NULL);
	ck_assert_ptr_nonnull(history);
	whole = entity_graph_new(&arena, 2 * KINDS * NAMES, 8 * EVENTS);
	ck_assert_ptr_nonnull(whole);
	ids = 0;
	for (i = 0; i < NAMES; i++) {
		states[i] = user_state_unpack(&arena, NULL, 0, &f);
		ck_assert_ptr_nonnull(states[i]);
		for (k = 0; k < KINDS; k++)
			snprintf(names[k][i], sizeof(names[k][i]), "n%d", i);
	}
}

static void
tear_down(void)
{
	offline_store_free(history);
	arena_reset(&row);
	arena_reset(&arena);
	free(row_block);
	free(block);
}

/* Return one of the first names of a kind, or NULL one time in five. */
static const char *
name(int kind, int many)
{
	return random() % 5 == 0 ? NULL : names[kind][random() % many];
}

/* Make the event context from the whole graph. */
static struct event_context
in_whole(const struct event *ev, struct user_state *st,
    const struct place *place, int64_t now)
{
	struct graph_node **identifiers =
	    arena_array(&row, IDENTIFIER__MAX, sizeof(*identifiers));
	struct graph_node *user = entity_graph_node(whole, NODE_USER, ev->user);
	int c;

	ck_assert_int_eq(
	    entity_graph_identifier(whole, ev, NULL, identifiers), 0);
	if (user->id == 0)
		entity_graph_bind(whole, user, ++ids);
	for (c = 0; c < IDENTIFIER__MAX; c++) {
		if (identifiers[c] != NULL && identifiers[c]->id == 0)
			entity_graph_bind(whole, identifiers[c], ++ids);
	}
	return (struct event_context) { .event = ev,
		.graph = whole,
		.state = st,
		.user = user,
		.identifiers = identifiers,
		.place = place,
		.now = now };
}

/* Return the signals of an event context as JSON, then count its event. */
static const char *
signals_of(const struct event_context *sc, enum verdict verdict)
{
	struct signal_facts facts;
	struct signals sigs;
	struct str s;

	event_context_facts(sc, &facts);
	signals_compute(sc->event, &facts, &sigs);
	str_init(&s, &row);
	signals_json(&s, &sigs);
	event_context_count(sc, verdict);
	return str_text(&s);
}

/*
 * More links than a state keeps, more users than the cap, and hours between
 * events.
 */
START_TEST(packed_history_gives_same_signals)
{
	static const struct place places[] = { { .country = "" },
		{ .country = "DE", .lat = 51.1, .lon = 10.4, .radius_km = 390 },
		{ .country = "US", .city = true, .lat = 40.7, .lon = -74 } };
	struct fail f = { 0 };
	const struct place *place;
	struct event_context sc, plain;
	enum verdict verdict;
	struct event ev;
	int64_t now = DAY;
	long i, user;

	srandom(4);
	for (i = 0; i < EVENTS; i++) {
		user = random() % (i % 3 == 0 ? 4 : NAMES);
		ev = (struct event) { .type = EVENT_CARD_AUTHORIZE,
			.has_amount = random() % 4 != 0,
			.amount = (double)(random() % 10000) / 100,
			.currency = random() % 2 ? "EUR" : "USD",
			.three_ds = value_unknown(),
			.user = names[0][user],
			.device = name(1, NAMES),
			.fingerprint = name(2, 60),
			.ip = name(3, 5),
			.phone = name(4, 300) };
		now += random() % 3 * (random() % (20 * SECOND));
		place = &places[random() % 3];
		verdict = random() % 9 == 0 ? VERDICT_DENY : VERDICT_ALLOW;
		ck_assert_int_eq(
		    offline_store_read(history, &ev, place, now, &row, &sc, &f),
		    0);
		plain = in_whole(&ev, states[user], place, now);
		ck_assert_str_eq(
		    signals_of(&sc, verdict), signals_of(&plain, verdict));
		ck_assert_int_eq(
		    offline_store_write(history, &sc, LABEL_NONE, &f), 0);
		arena_reset(&row);
	}
	ck_assert_int_lt(now, DELAY * DAY);
}
END_TEST

/*
 * Add an event this many days after the first.  Return the rates of its device.
 */
static const struct entity_risk_rates *
rates(int64_t day, enum backtest_label label)
{
	static const struct place nowhere = { .country = "" };
	static struct entity_risk_rates ret;
	const struct event ev = { .type = EVENT_ACCOUNT_LOGIN,
		.three_ds = value_unknown(),
		.user = "u",
		.device = "d" };
	struct fail f = { 0 };
	struct event_context sc;

	ck_assert_int_eq(offline_store_read(
			     history, &ev, &nowhere, day * DAY, &row, &sc, &f),
	    0);
	ck_assert_ptr_null(sc.ip_risk);
	ret = sc.device_risk != NULL ? *sc.device_risk
				     : entity_risk_rates(NULL, 0, 0);
	event_context_count(&sc, VERDICT_ALLOW);
	ck_assert_int_eq(offline_store_write(history, &sc, label, &f), 0);
	arena_reset(&row);
	return &ret;
}

START_TEST(labels_count_after_their_delay)
{
	ck_assert(rates(0, LABEL_FRAUD)->rate == 0.01);
	ck_assert(rates(0, LABEL_NONE)->rate == 0.01);
	ck_assert(rates(DELAY, LABEL_LEGIT)->rate == 0.01);
	ck_assert(rates(DELAY + 1, LABEL_LEGIT)->rate == 1.01 / 3);
	ck_assert_int_eq(rates(DELAY + 1, LABEL_LEGIT)->labels, 1);
}
END_TEST

START_TEST(repeated_id_is_noticed)
{
	struct fail f = { 0 };
	char id[16];
	bool again;
	int i, wrong = 0;

	for (i = 0; i < 2 * EVENTS; i++) {
		snprintf(id, sizeof(id), "e%d", i % EVENTS);
		ck_assert_int_eq(
		    offline_store_add_id(history, id, &again, &f), 0);
		wrong += again != (i >= EVENTS);
	}
	ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(same_string_of_two_kinds_has_two_ids)
{
	struct string_ids na = { 0 };

	ck_assert_uint_eq(string_ids_add(&na, 1, "x"), 1);
	ck_assert_uint_eq(string_ids_add(&na, 2, "x"), 2);
	ck_assert_uint_eq(string_ids_add(&na, 2, ""), 3);
	ck_assert_uint_eq(string_ids_add(&na, 1, "x"), 1);
	ck_assert_uint_eq(na.n, 3);
	string_ids_clear(&na);
	ck_assert_uint_eq(string_ids_add(&na, 7, "y"), 1);
	string_ids_clear(&na);
}
END_TEST

Suite *
suite_offline_store(void)
{
	Suite *s = suite_create("offline_store");
	TCase *tc = tcase_create("offline_store");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, packed_history_gives_same_signals);
	tcase_add_test(tc, labels_count_after_their_delay);
	tcase_add_test(tc, repeated_id_is_noticed);
	tcase_add_test(tc, same_string_of_two_kinds_has_two_ids);
	suite_add_tcase(s, tc);
	return s;
}
