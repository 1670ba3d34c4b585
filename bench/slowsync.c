/* SPDX-License-Identifier: ISC */
/*
 * A slow disk for bench/bench.sh: loaded into PostgreSQL by LD_PRELOAD, makes
 * every synchronization of a file take 2 ms longer.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
fdatasync(int fd)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	nanosleep(&pause, NULL);
	return (int)syscall(SYS_fdatasync, fd);
}
