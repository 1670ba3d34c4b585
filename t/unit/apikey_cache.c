/* SPDX-License-Identifier: ISC */
/* lib/shared/apikey_cache.c: keys to trust while PostgreSQL is unreachable. */
#include "config.h"

#include "lib/shared/apikey_cache.h"
#include "lib/sys/clock.h"
#include "t/unit/shm_fixture.h"

#define NOW (INT64_C(5000) * CLOCK_SECOND)
#define TRUST (APIKEY_CACHE_TRUST_S * CLOCK_SECOND)

static const struct {
	unsigned scopes;
	int64_t left;
	int64_t later; /* time of the question */
	unsigned want;
} cases[] = {
	{ 3, INT64_MAX, 0, 3 },
	{ 1, INT64_MAX, TRUST - CLOCK_SECOND, 1 },
	{ 3, INT64_MAX, TRUST, 0 },
	{ 2, 2 * TRUST, TRUST, 0 },
	{ 3, 10 * CLOCK_SECOND, 9 * CLOCK_SECOND, 3 },
	{ 3, 10 * CLOCK_SECOND, 10 * CLOCK_SECOND, 0 },
	{ 3, 0, 0, 0 },
	{ 3, -CLOCK_SECOND, 0, 0 },
};

START_TEST(key_is_trusted_for_a_limited_time)
{
	apikey_cache_put(shm, hash(1), cases[_i].scopes, cases[_i].left, NOW);
	ck_assert_uint_eq(
	    apikey_cache_scopes(shm, hash(1), NOW + cases[_i].later),
	    cases[_i].want);
	ck_assert_uint_eq(apikey_cache_scopes(shm, hash(2), NOW), 0);
}
END_TEST

START_TEST(latest_put_or_drop_counts)
{
	apikey_cache_put(shm, hash(1), 3, INT64_MAX, NOW);
	apikey_cache_put(shm, hash(1), 1, INT64_MAX, NOW + TRUST);
	ck_assert_uint_eq(apikey_cache_scopes(shm, hash(1), NOW + TRUST), 1);
	apikey_cache_drop(shm, hash(1));
	ck_assert_uint_eq(apikey_cache_scopes(shm, hash(1), NOW + TRUST), 0);
	apikey_cache_drop(shm, hash(2));
}
END_TEST

START_TEST(expired_slots_are_reused)
{
	uint64_t i, n = 0;

	for (i = 0; i < 4 * SHM_KEYS; i++)
		apikey_cache_put(shm, hash(i), 1, INT64_MAX, NOW);
	for (i = 0; i < 4 * SHM_KEYS; i++)
		n += apikey_cache_scopes(shm, hash(i), NOW);
	ck_assert_uint_le(n, SHM_KEYS);
	ck_assert_uint_gt(n, SHM_KEYS / 2);
	apikey_cache_put(shm, hash(i), 1, INT64_MAX, NOW + TRUST);
	ck_assert_uint_eq(apikey_cache_scopes(shm, hash(i), NOW + TRUST), 1);
}
END_TEST

/* A slow writer leaves its value in a slot that has a new owner. */
START_TEST(slot_is_valid_only_for_its_own_key)
{
	size_t i;
	uint64_t good = 0;

	apikey_cache_put(shm, hash(1), 3, INT64_MAX, NOW);
	for (i = 0; i < SHM_KEYS; i++)
		if (atomic_load(&shm->apikeys[i].word) != 0)
			good = atomic_load(&shm->apikeys[i].word);
	apikey_cache_drop(shm, hash(1));
	apikey_cache_put(shm, hash(2), 1, INT64_MAX, NOW);
	for (i = 0; i < SHM_KEYS; i++)
		if (atomic_load(&shm->apikeys[i].word) != 0)
			atomic_store(&shm->apikeys[i].word, good);
	ck_assert_uint_eq(apikey_cache_scopes(shm, hash(2), NOW), 0);
}
END_TEST

/* Two workers that put a key at once may have used two slots. */
START_TEST(drop_clears_each_slot_of_a_key)
{
	struct hash_slot *first, *second;

	apikey_cache_put(shm, hash(1), 3, INT64_MAX, NOW);
	first = hash_slot_find(shm->apikeys, SHM_KEYS, hash_slot_key(hash(1)));
	second = &shm->apikeys[(size_t)(first - shm->apikeys + 1) % SHM_KEYS];
	atomic_store(&second->key, atomic_load(&first->key));
	atomic_store(&second->word, atomic_load(&first->word));
	apikey_cache_drop(shm, hash(1));
	ck_assert_uint_eq(atomic_load(&first->word), 0);
	ck_assert_uint_eq(atomic_load(&second->word), 0);
}
END_TEST

Suite *
suite_apikey_cache(void)
{
	Suite *s = suite_create("apikey_cache");
	TCase *tc = tcase_create("apikey_cache");

	tcase_add_checked_fixture(tc, map_shm, unmap_shm);
	tcase_add_loop_test(
	    tc, key_is_trusted_for_a_limited_time, 0, (int)nitems(cases));
	tcase_add_test(tc, latest_put_or_drop_counts);
	tcase_add_test(tc, expired_slots_are_reused);
	tcase_add_test(tc, slot_is_valid_only_for_its_own_key);
	tcase_add_test(tc, drop_clears_each_slot_of_a_key);
	suite_add_tcase(s, tc);
	return s;
}
