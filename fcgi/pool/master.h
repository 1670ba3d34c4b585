/* SPDX-License-Identifier: ISC */
/* The master: keeps as many workers running as the settings require. */
#ifndef FCGI_POOL_MASTER_H
#define FCGI_POOL_MASTER_H

#define MASTER_OPERATOR_NICE 10 /* decisions get the CPU first */

struct listeners;
struct shm;

/*
 * Run both worker groups until TERM or INT.  Replace dead workers, after a
 * pause if they die early; kill a worker that is busy beyond its limit.  On HUP
 * read the settings (path as for conf_load()) and, if they are valid, replace
 * the workers one by one.  At the end close the sockets; every worker first
 * finishes its request.  Return an exit status; never return in a worker.
 */
int master_run(struct shm *shm, struct listeners *l, const char *path);

#endif
