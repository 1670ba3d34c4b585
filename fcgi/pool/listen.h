/* SPDX-License-Identifier: ISC */
/* The listening sockets: inherited from whoever started us, or bound here. */
#ifndef FCGI_POOL_LISTEN_H
#define FCGI_POOL_LISTEN_H

#include <stdbool.h>
#include <sys/un.h>

#include "fcgi/worker/worker.h"

struct fail;

struct listeners {
	int fd[GROUP__MAX]; /* by group; -1 once closed */
	bool shared; /* one socket serves both groups */
	struct sockaddr_un bound[GROUP__MAX]; /* what to unlink; else zero */
};

/*
 * Find or make a listening socket for each group: those that systemd passes
 * by the names "decide" and "operator"; else descriptor 0 if it listens (or
 * the only one that systemd passes), for both; else bind DECIDE_SOCKET and
 * OPERATOR_SOCKET.  A path in use is replaced only if nothing answers there.
 * All are made non-blocking.  Returns 0, or -1 with f set and none bound.
 */
int listen_open(struct listeners *l, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Close a group's socket, unless the other group still has it, and unlink its
 * path if it was bound here.  One that is closed already is left alone.
 */
void listen_close(struct listeners *l, enum worker_group group);

#endif
