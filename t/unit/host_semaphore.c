/* SPDX-License-Identifier: ISC */
/* fcgi/worker/host_semaphore.c: only so many at once, and the dead hold
 * nothing.
 */
#include "config.h"

#include <sys/wait.h>
#include <unistd.h>

#include "fcgi/worker/host_semaphore.h"
#include "lib/shared/shm.h"
#include "t/unit/unit.h"

static struct shm *shm;

static void
setup(void)
{
	shm = shm_new(NULL);
	ck_assert_ptr_nonnull(shm);
}

static void
teardown(void)
{
	shm_free(shm);
}

START_TEST(as_many_as_there_are)
{
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), 0);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), 1);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), -1);
	host_semaphore_release(shm->hashing, 0);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), 0);
}
END_TEST

START_TEST(leaves_one_worker_to_the_rest)
{
	ck_assert_int_eq(host_semaphore_spare(2, 0), 1);
	ck_assert_int_eq(host_semaphore_spare(2, 1), 1);
	ck_assert_int_eq(host_semaphore_spare(3, 0), 2);
	ck_assert_int_eq(host_semaphore_spare(3, 1), 1);
	ck_assert_int_eq(host_semaphore_spare(8, 6), 1);
	ck_assert_int_eq(host_semaphore_spare(8, 2), 5);
}
END_TEST

START_TEST(counts_what_is_held)
{
	ck_assert_int_eq(host_semaphore_held(shm->hashing), 0);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), 0);
	ck_assert_int_eq(host_semaphore_acquire(shm->hashing, 2, getpid()), 1);
	ck_assert_int_eq(host_semaphore_held(shm->hashing), 2);
	host_semaphore_release(shm->hashing, 0);
	ck_assert_int_eq(host_semaphore_held(shm->hashing), 1);
}
END_TEST

START_TEST(the_dead_hold_nothing)
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
	TCase *tc = tcase_create("turn");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, as_many_as_there_are);
	tcase_add_test(tc, leaves_one_worker_to_the_rest);
	tcase_add_test(tc, counts_what_is_held);
	tcase_add_test(tc, the_dead_hold_nothing);
	suite_add_tcase(s, tc);
	return s;
}
