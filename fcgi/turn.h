/* SPDX-License-Identifier: ISC */
/* Turns: how many workers of a host do something costly at once. */
#ifndef FCGI_TURN_H
#define FCGI_TURN_H

#include <stdint.h>
#include <sys/types.h>

struct shm;

/*
 * Take one of n turns for process pid, waiting up to wait_us for one to come
 * free.  A turn that a dead process holds is free.  Returns its number, from
 * 0, or -1 when all are taken.
 */
int turn_take(struct shm *shm, int n, pid_t pid, int64_t wait_us)
    __attribute__((warn_unused_result));

/* Give a turn back. */
void turn_give(struct shm *shm, int turn);

#endif
