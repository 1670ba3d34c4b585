/* SPDX-License-Identifier: ISC */
/*
 * The events of a torture: the n-th one is a function of seed and n alone, so
 * that whoever knows its number can send it again, byte for byte.
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

/*
 * Append event n as JSON.  One in a hundred has a type that does not exist.
 */
void event_text(struct str *s, uint64_t seed, uint64_t n);

/*
 * Whether event n always goes alone, with an Idempotency-Key; which, by
 * number.  A few events share each key, so that one of them is decided.
 */
bool event_keyed(uint64_t n);
uint64_t event_key(uint64_t n);

/*
 * The number of the i-th closing event after the events first to last: each
 * of their users has one, which shows what the others left behind.  0 when
 * there are no more users.
 */
uint64_t event_closing(uint64_t first, uint64_t last, uint64_t i);

#endif
