/* SPDX-License-Identifier: ISC */
/* Keyed hashes of what velocities store. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "lib/engine/velocity_hash.h"
#include "lib/sys/crypt.h"

int
velocity_hash_key(const uint8_t key[EVENT_DIGEST_KEY_SIZE],
    const struct velocity *v, const struct velocity_event *ev, struct arena *a,
    uint8_t ret[VELOCITY_KEY_SIZE], bool *ret_has)
{
	const struct arena_mark mark = arena_mark(a);
	uint8_t hash[CRYPT_SHA256_SIZE];
	struct str s;
	size_t i;

	*ret_has = true;
	for (i = 0; i < v->n_keys && *ret_has; i++) {
		str_init(&s, a);
		str_addn(&s, (const char *)key, EVENT_DIGEST_KEY_SIZE);
		*ret_has = velocity_key_part(&s, v, i, ev);
		if (str_text(&s) == NULL)
			return -1;
		crypt_sha256(s.text, s.len, hash);
		memcpy(ret + i * VELOCITY_HASH_SIZE, hash, VELOCITY_HASH_SIZE);
		arena_rewind(a, mark);
	}
	return 0;
}

int
velocity_hash_item(const uint8_t key[EVENT_DIGEST_KEY_SIZE],
    const struct velocity *v, const struct velocity_item *item, struct arena *a,
    uint64_t *ret, struct fail *f)
{
	const struct arena_mark mark = arena_mark(a);
	uint8_t hash[CRYPT_SHA256_SIZE];
	struct value value;
	struct str s;
	size_t i;

	*ret = 0;
	if (v->function != VELOCITY_DISTINCT)
		return 0;
	value = velocity_plain(&item->distinct);
	str_init(&s, a);
	str_addn(&s, (const char *)key, EVENT_DIGEST_KEY_SIZE);
	str_value(&s, &value);
	if (str_text(&s) == NULL)
		return fail_memory(f);
	crypt_sha256(s.text, s.len, hash);
	arena_rewind(a, mark);
	for (i = 0; i < sizeof(*ret); i++)
		*ret = *ret << 8 | hash[i];
	return 0;
}
