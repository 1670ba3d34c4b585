/* SPDX-License-Identifier: ISC */
/* Turns: how many workers of a host do something costly at once. */
#ifndef FCGI_WORKER_HOST_SEMAPHORE_H
#define FCGI_WORKER_HOST_SEMAPHORE_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Take one of the first n of SHM_SLOTS turns in shared memory for process pid,
 * at once or not at all: a worker that waits is one less for everything else.
 * A turn that a dead process holds is free.  Returns its number, from 0, or -1
 * when all are taken.
 */
int host_semaphore_acquire(_Atomic int32_t *slots, int n, pid_t pid)
    __attribute__((warn_unused_result));

/*
 * How many of a group's workers may do something costly at once while busy of
 * them serve long requests: all others but one, which is left to everything
 * else, and one where there are not so many.
 */
int host_semaphore_spare(int workers, int busy);

/* How many of SHM_SLOTS turns living processes hold. */
int host_semaphore_held(_Atomic int32_t *slots);

/* Give a turn back. */
void host_semaphore_release(_Atomic int32_t *slots, int slot);

#endif
