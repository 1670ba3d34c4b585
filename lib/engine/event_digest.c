/* SPDX-License-Identifier: ISC */
/* A short keyed hash of an event, to find out whether two are the same. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/event/event.h"
#include "lib/db/db.h"
#include "lib/engine/event_digest.h"
#include "lib/sys/crypt.h"

#define VERSION_MASK 0xff

int
event_digest_key_read(struct db *db, struct arena *a,
    uint8_t ret[EVENT_DIGEST_KEY_SIZE], struct fail *f)
{
	struct rows rows;
	const void *key;
	size_t size;

	if (db_one(db, a, STMT_ENGINE_DIGEST_KEY, NULL, &rows, f) == -1)
		return -1;
	key = rows_bytes(&rows, 0, "event", &size);
	if (size != EVENT_DIGEST_KEY_SIZE)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "the key of event digests has %zu bytes", size);
	memcpy(ret, key, size);
	return 0;
}

int64_t
event_digest(const uint8_t key[EVENT_DIGEST_KEY_SIZE], struct arena *a,
    const struct event *ev)
{
	const struct arena_mark mark = arena_mark(a);
	uint8_t hash[CRYPT_SHA256_SIZE];
	uint64_t digest = 0;
	struct str s;
	int i;

	str_init(&s, a);
	event_normal(&s, ev);
	if (str_text(&s) == NULL)
		return 0;
	crypt_hmac(key, EVENT_DIGEST_KEY_SIZE, s.text, s.len, hash);
	arena_rewind(a, mark);
	for (i = 0; i < 7; i++)
		digest = digest << 8 | hash[i];
	return (int64_t)(digest << 8 | EVENT_NORMAL_VERSION);
}

bool
event_digest_differs(int64_t a, int64_t b)
{
	return a != b && a != 0 && b != 0 && ((a ^ b) & VERSION_MASK) == 0;
}
