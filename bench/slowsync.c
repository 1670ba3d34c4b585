/* SPDX-License-Identifier: ISC */
/*
 * A slow disk for bench/bench.sh.  Loaded into PostgreSQL with LD_PRELOAD, it
 * delays every synchronization of a file by 2 ms.
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
