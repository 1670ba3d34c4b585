/* SPDX-License-Identifier: ISC */
/* Limit how many workers of a host do something costly at the same time. */
#ifndef FCGI_WORKER_HOST_SEMAPHORE_H
#define FCGI_WORKER_HOST_SEMAPHORE_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Take one of the first n of SHM_SLOTS slots in shared memory for process pid.
 * Never wait, because a waiting worker serves no other request.  A slot is free
 * if its holder is dead.  Return the slot's number, from 0, or -1 if all n are
 * taken.
 */
int host_semaphore_acquire(_Atomic int32_t *slots, int n, pid_t pid)
    __attribute__((warn_unused_result));

/*
 * Return how many workers may do something costly at the same time, in a group
 * of workers of which busy serve long requests: all that are not busy except
 * one, which stays free for other requests, and at least one.
 */
int host_semaphore_spare(int workers, int busy);

/* Return how many of the SHM_SLOTS slots are held by living processes. */
int host_semaphore_held(_Atomic int32_t *slots);

/* Release a slot. */
void host_semaphore_release(_Atomic int32_t *slots, int slot);

#endif
