/* SPDX-License-Identifier: ISC */
/* Invented events of users who share devices, addresses and phones. */
#include "config.h"

#include <inttypes.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "t/torture/event.h"

/*
 * Users come in groups that share devices, addresses and phones.  The groups
 * take turns, so there are always new and known entities.  Sometimes a user
 * appears in the previous group, and two components become one; a chain of
 * groups grows beyond the cap of a component's size.
 */
#define GROUP_EVENTS 300
#define GROUP_USERS 24
#define CHAIN 8

#define HOT_USERS 3 /* with a tenth of all events, in no group */
#define CLOSING                                                                \
	(UINT64_C(1) << 40) /* closing events, by number of the user           \
			     */

#define KEY_EVENTS 60 /* of this many events */
#define KEY_SHARED 4 /* these first ones have one Idempotency-Key */

static uint64_t mix(uint64_t x);
static void add_user(struct str *s, uint64_t user);
static void add_hot(struct str *s, struct dice *d);
static void add_member(struct str *s, struct dice *d, uint64_t group);

static const char *const types[] = { "card.authorize", "card.capture",
	"card.refund", "payment.authorize", "wallet.withdraw", "account.login",
	"order.place" };
static const char *const currencies[] = { "EUR", "USD", "ETB" };

uint64_t
dice_roll(struct dice *d, uint64_t sides)
{
	d->di_state += UINT64_C(0x9e3779b97f4a7c15);
	return mix(d->di_state) % sides;
}

void
event_text(struct str *s, uint64_t seed, uint64_t n)
{
	struct dice d = { mix(seed) ^ mix(n) };

	str_addf(s, "{\"id\":\"t-%" PRIu64 "\",\"type\":\"", n);
	if (n >= CLOSING) {
		str_add(s, "order.place\",\"amount\":1,\"currency\":\"EUR\",");
		add_user(s, n - CLOSING);
		str_add(s, "}}");
		return;
	}
	str_addf(s, "%s\",",
	    dice_roll(&d, 100) == 0 ? "card.guess"
				    : types[dice_roll(&d, nitems(types))]);
	if (dice_roll(&d, 5) != 0)
		str_addf(s,
		    "\"amount\":%" PRIu64 ".%02" PRIu64 ",\"currency\":\"%s\",",
		    dice_roll(&d, 4000), dice_roll(&d, 100),
		    currencies[dice_roll(&d, nitems(currencies))]);
	if (dice_roll(&d, 10) == 0)
		add_hot(s, &d);
	else
		add_member(s, &d, n / GROUP_EVENTS);
	str_add(s, "}}");
}

bool
event_keyed(uint64_t n)
{
	return n < CLOSING && n % KEY_EVENTS < KEY_SHARED;
}

uint64_t
event_key(uint64_t n)
{
	return n / KEY_EVENTS;
}

uint64_t
event_closing(uint64_t first, uint64_t last, uint64_t i)
{
	const uint64_t group = first / GROUP_EVENTS,
		       groups = last / GROUP_EVENTS - group + 1;

	if (i >= HOT_USERS + groups * GROUP_USERS)
		return 0;
	return CLOSING + (i < HOT_USERS ? i : i + group * GROUP_USERS);
}

/* Spread the bits of x (the finalizer of splitmix64, public domain). */
static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Begin the subject with a user: the hot ones have the first numbers. */
static void
add_user(struct str *s, uint64_t user)
{
	str_addf(s, "\"subject\":{\"userId\":\"%s-%" PRIu64 "\"",
	    user < HOT_USERS ? "hot" : "u", user);
}

/* A hot user, whose components stay small. */
static void
add_hot(struct str *s, struct dice *d)
{
	const uint64_t user = dice_roll(d, HOT_USERS);

	add_user(s, user);
	str_addf(s, ",\"deviceId\":\"hot-%" PRIu64 "-%" PRIu64 "\"", user,
	    dice_roll(d, 4));
	str_addf(s, ",\"ip\":\"81.255.255.%" PRIu64 "\"", dice_roll(d, 2));
}

/* A member of a group, with the entities of this event. */
static void
add_member(struct str *s, struct dice *d, uint64_t group)
{
	const uint64_t who = dice_roll(d, GROUP_USERS);

	add_user(s, HOT_USERS + group * GROUP_USERS + who);
	if (group % CHAIN != 0 && dice_roll(d, 80) == 0)
		group--;
	if (dice_roll(d, 10) < 7)
		str_addf(s, ",\"deviceId\":\"d-%" PRIu64 "-%" PRIu64 "\"",
		    group,
		    dice_roll(d, 4) == 0 ? GROUP_USERS + dice_roll(d, 4) : who);
	if (dice_roll(d, 10) < 6)
		str_addf(s,
		    ",\"ip\":\"81.%" PRIu64 ".%" PRIu64 ".%" PRIu64 "\"",
		    group / 250, group % 250, dice_roll(d, 6));
	if (dice_roll(d, 10) < 4)
		str_addf(s, ",\"phone\":\"2519%06" PRIu64 "%02" PRIu64 "\"",
		    group,
		    dice_roll(d, 4) == 0 ? GROUP_USERS + dice_roll(d, 3) : who);
	if (dice_roll(d, 10) < 3)
		str_addf(s, ",\"fingerprint\":\"f-%" PRIu64 "-%" PRIu64 "\"",
		    group, dice_roll(d, 12));
}
