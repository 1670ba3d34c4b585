/* SPDX-License-Identifier: ISC */
/*
 * Measure the cost of reading a typical event, in nanoseconds: strict JSON,
 * struct event, masked request.
 */
#include "config.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/event/event.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"

#define ROUNDS 5000
#define TRIES 20 /* the fastest counts, because the machine is shared */

/* The steps that one round takes. */
enum stop { PARSE = 1, DECODE, MASK, STOP__MAX };

static void run_once(struct arena *a, enum stop stop);
static int64_t measure(struct arena *a, enum stop stop);

static const char body[] =
    "{\"id\":\"order-2026-11-21-000017\",\"type\":\"card.authorize\","
    "\"amount\":1249.50,\"currency\":\"ETB\",\"subject\":{"
    "\"userId\":\"user-4711\",\"deviceId\":\"9f1c27f0-5d1b-4b0e-a5f3\","
    "\"fingerprint\":\"c0ffee254729296a45a3885639ac7e10\","
    "\"ip\":\"196.188.120.31\",\"phone\":\"+251 911 234 544\","
    "\"channel\":\"mobile-app\"},\"instrument\":{\"kind\":\"card\","
    "\"bin\":\"41111111\",\"issuerCountry\":\"ET\",\"threeDS\":true},"
    "\"attributes\":{\"merchant\":\"m-20481\",\"mcc\":5732,"
    "\"basketSize\":3,\"giftCard\":false,\"risk\":0.25}}";

static const char *const names[STOP__MAX] = {
	[PARSE] = "parsed",
	[DECODE] = "and decoded",
	[MASK] = "and masked",
};

int
main(void)
{
	static _Alignas(16) char block[1 << 16];
	struct arena a;
	enum stop stop;

	arena_init(&a, block, sizeof(block));
	printf("an event of %zu bytes:", sizeof(body) - 1);
	for (stop = PARSE; stop < STOP__MAX; stop++)
		printf("%s %s %" PRId64 " ns", stop == PARSE ? "" : ",",
		    names[stop], measure(&a, stop));
	printf("\n");
	return EXIT_SUCCESS;
}

/* Return the nanoseconds of the fastest round. */
static int64_t
measure(struct arena *a, enum stop stop)
{
	int64_t took, best = INT64_MAX;
	int i, round;

	for (i = 0; i < TRIES; i++) {
		took = -clock_ticks();
		for (round = 0; round < ROUNDS; round++)
			run_once(a, stop);
		took += clock_ticks();
		if (took < best)
			best = took;
	}
	return best * 1000 / ROUNDS;
}

/* One round, with the work to prepare the next one. */
static void
run_once(struct arena *a, enum stop stop)
{
	struct json_object *json;
	struct event ev;
	struct str s;

	json = body_parse(a, body, sizeof(body) - 1, NULL);
	if (json == NULL)
		errx(EXIT_FAILURE, "the body does not parse");
	if (stop >= DECODE && body_event(a, json, NULL, &ev, NULL) == -1)
		errx(EXIT_FAILURE, "the body is not an event");
	if (stop >= MASK) {
		str_init(&s, a);
		body_masked(&s, &ev);
		if (str_text(&s) == NULL)
			errx(EXIT_FAILURE, "the arena is full");
	}
	arena_reset(a);
}
