/* SPDX-License-Identifier: ISC */
/*
 * fcgi/worker/host_semaphore.c: slots are limited, and dead processes hold
 * none.
 */
#include "config.h"

#include <sys/wait.h>
#include <unistd.h>

#include "fcgi/worker/host_semaphore.h"
#include "t/unit/shm_fixture.h"

START_TEST(number_of_slots_is_limited)
{
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), 0);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), 1);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), -1);
	host_semaphore_release(shm->hashing, 0);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), 0);
}
END_TEST

START_TEST(one_idle_worker_stays_free)
{
	ck_assert_int_eq(host_semaphore_spare(2, 0), 1);
	ck_assert_int_eq(host_semaphore_spare(2, 1), 1);
	ck_assert_int_eq(host_semaphore_spare(3, 0), 2);
	ck_assert_int_eq(host_semaphore_spare(3, 1), 1);
	ck_assert_int_eq(host_semaphore_spare(8, 6), 1);
	ck_assert_int_eq(host_semaphore_spare(8, 2), 5);
}
END_TEST

START_TEST(held_slots_are_counted)
{
	ck_assert_int_eq(host_semaphore_held(shm->hashing), 0);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), 0);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), 1);
	ck_assert_int_eq(host_semaphore_held(shm->hashing), 2);
	host_semaphore_release(shm->hashing, 0);
	ck_assert_int_eq(host_semaphore_held(shm->hashing), 1);
}
END_TEST

START_TEST(dead_process_holds_no_slot)
{
	pid_t child = fork();

	ck_assert_int_ne(child, -1);
	if (child == 0)
		_exit(host_semaphore_acquire(shm->hashing, 1, getpid()));
	waitpid(child, NULL, 0);
	ck_assert_int_eq(host_semaphore_held(shm->hashing), 0);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 1, getpid()), 0);
}
END_TEST

Suite *
suite_host_semaphore(void)
{
	Suite *s = suite_create("host_semaphore");
	TCase *tc = tcase_create("host_semaphore");

	tcase_add_checked_fixture(tc, map_shm, unmap_shm);
	tcase_add_test(tc, number_of_slots_is_limited);
	tcase_add_test(tc, one_idle_worker_stays_free);
	tcase_add_test(tc, held_slots_are_counted);
	tcase_add_test(tc, dead_process_holds_no_slot);
	suite_add_tcase(s, tc);
	return s;
}
