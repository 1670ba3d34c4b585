/* SPDX-License-Identifier: ISC */
/* Which side decides for a user. */
#include "config.h"

#include <assert.h>
#include <stdio.h>

#include "core/event/event.h"
#include "lib/engine/rollout.h"
#include "lib/sys/crypt.h"

#define PLACES 10000 /* a hundred for each percent */

enum rollout_arm
rollout_arm_of(const struct shadow *shadow,
    const uint8_t key[EVENT_DIGEST_KEY_SIZE], const char *user)
{
	char text[CRYPT_ID_SIZE + EVENT_ID_MAX + sizeof("rollout  ")];
	uint8_t hash[CRYPT_SHA256_SIZE];
	uint32_t place;
	int len;

	if (shadow->percent == 0)
		return ARM_NONE;
	len = snprintf(text, sizeof(text), "rollout %s %s", shadow->id, user);
	assert(len > 0 && (size_t)len < sizeof(text));
	crypt_hmac(key, EVENT_DIGEST_KEY_SIZE, text, (size_t)len, hash);
	place = (uint32_t)hash[0] << 24 | (uint32_t)hash[1] << 16 |
	    (uint32_t)hash[2] << 8 | hash[3];
	return place % PLACES < (uint32_t)shadow->percent * (PLACES / 100)
	    ? ARM_SHADOW
	    : ARM_LIVE;
}
