/* SPDX-License-Identifier: ISC */
/* Random rules and signals, for properties that all of them must have. */
#ifndef T_UNIT_MADE_UP_H
#define T_UNIT_MADE_UP_H

#include <stdint.h>

struct attr;
struct signals;
struct str;

#define MADE_UP_ATTRS 5

/* Start from a seed.  Equal seeds give equal rules and signals. */
void made_up_seed(uint32_t from);

/* Return a random number below that. */
uint32_t made_up(uint32_t below);

/* Append n rules that compile. */
void made_up_rules(struct str *s, int n);

/*
 * Set all signals and MADE_UP_ATTRS attributes to random values, some unknown.
 */
void made_up_signals(struct signals *sigs, struct attr *attrs);

#endif
