/* SPDX-License-Identifier: ISC */
/*
 * A wrong wall clock for tests, loaded into a program with LD_PRELOAD.
 * CLOCK_AHEAD is the number of seconds that it is ahead; negative is behind.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int
clock_gettime(clockid_t id, struct timespec *ret)
{
	const char *ahead = getenv("CLOCK_AHEAD");
	const int result = (int)syscall(SYS_clock_gettime, id, ret);

	if (result == 0 && id == CLOCK_REALTIME && ahead != NULL)
		ret->tv_sec += strtol(ahead, NULL, 10);
	return result;
}

/* PostgreSQL reads its clock with this. */
int
gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &now) == -1)
		return -1;
	*ret = (struct timeval) { now.tv_sec, now.tv_nsec / 1000 };
	return 0;
}
