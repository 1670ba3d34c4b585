/* SPDX-License-Identifier: ISC */
/* Made-up rules and signals, for what must hold of all of them. */
#ifndef T_UNIT_MADE_UP_H
#define T_UNIT_MADE_UP_H

#include <stdint.h>

struct attr;
struct signals;
struct str;

#define MADE_UP_ATTRS 5

/* Begin from a seed; equal seeds make up the same. */
void made_up_seed(uint32_t from);

/* A number below that. */
uint32_t made_up(uint32_t below);

/* Append n rules that compile. */
void made_up_rules(struct str *s, int n);

/*
 * Values for all signals and for MADE_UP_ATTRS attributes, unknown ones among
 * them.
 */
void made_up_signals(struct signals *sigs, struct attr *attrs);

#endif
