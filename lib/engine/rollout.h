/* SPDX-License-Identifier: ISC */
/* Which side decides for a user. */
#ifndef LIB_ENGINE_ROLLOUT_H
#define LIB_ENGINE_ROLLOUT_H

#include <stdint.h>

#include "core/decide/decide.h"
#include "lib/engine/event_digest.h"

/*
 * The arm of a user: that of the shadow if a keyed hash of its id and of the
 * user is within its percentage; ARM_NONE if that is 0.  So a user stays in it
 * while it rises, callers cannot choose an id that is in it, and another shadow
 * has other users.
 */
enum rollout_arm rollout_arm_of(const struct shadow *shadow,
    const uint8_t key[EVENT_DIGEST_KEY_SIZE], const char *user);

#endif
