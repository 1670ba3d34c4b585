/* SPDX-License-Identifier: ISC */
/*
 * The listening sockets: passed by systemd or a parent process, or bound here.
 */
#ifndef FCGI_POOL_LISTEN_H
#define FCGI_POOL_LISTEN_H

#include <stdbool.h>
#include <sys/un.h>

#include "fcgi/worker/worker.h"

struct fail;

struct listeners {
	int fd[GROUP__MAX]; /* by group; -1 once closed */
	bool shared; /* one socket serves both groups */
	struct sockaddr_un bound[GROUP__MAX]; /* paths to unlink; else zero */
};

/*
 * Open a listening socket for each group: those that systemd passes with the
 * names "decide" and "operator"; else, for both groups, the only one that
 * systemd passes, or descriptor 0 if it listens; else bind DECIDE_SOCKET and
 * OPERATOR_SOCKET.  Replace a path in use only if no process answers there.
 * Make all sockets non-blocking.  Return 0, or -1 with f set and no socket
 * bound.
 */
int listen_open(struct listeners *l, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Close a group's socket, unless the other group has the same one, and unlink
 * its path if it was bound here.  Do nothing if it is already closed.
 */
void listen_close(struct listeners *l, enum worker_group group);

#endif
