/* SPDX-License-Identifier: ISC */
/*
 * The events of a torture.  Event n is a function of seed and n, so any
 * process can send it again, byte for byte.
 */
#ifndef T_TORTURE_EVENT_H
#define T_TORTURE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct str;

/* Random numbers; the first state is the seed. */
struct dice {
	uint64_t di_state;
};

/* The next number, from 0 to sides - 1. */
uint64_t dice_roll(struct dice *d, uint64_t sides);

/* Append event n as JSON.  One in a hundred has an unknown type. */
void event_text(struct str *s, uint64_t seed, uint64_t n);

/*
 * Whether event n is always sent alone with an Idempotency-Key, and the number
 * of that key.  A few events share each key, and only one of them is decided.
 */
bool event_keyed(uint64_t n);
uint64_t event_key(uint64_t n);

/*
 * The number of the i-th closing event after the events first to last.  Each
 * user has one; it shows the effects of the user's events.  0 when there are
 * no more users.
 */
uint64_t event_closing(uint64_t first, uint64_t last, uint64_t i);

#endif
