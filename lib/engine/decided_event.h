/* SPDX-License-Identifier: ISC */
/* The event of a stored decision, as velocities count it. */
#ifndef LIB_ENGINE_DECIDED_EVENT_H
#define LIB_ENGINE_DECIDED_EVENT_H

#include "core/rule/velocity.h"

struct placeholders;
struct rows;
struct sample;

/*
 * The event of a row with the columns user_id, device, ip and fingerprint and
 * of its sample, which was read; sets the bin of sample->event.  It points into
 * both.  It has no phone, because stored requests have masked ones.
 */
struct velocity_event decided_event(struct sample *sample,
    const struct rows *rows, int row, const struct placeholders *placeholders);

#endif
