/* SPDX-License-Identifier: ISC */
/* The master: keeps as many workers running as the settings ask for. */
#ifndef FCGI_POOL_MASTER_H
#define FCGI_POOL_MASTER_H

struct listeners;
struct shm;

/*
 * Run both worker groups until TERM or INT.  Dead workers are replaced, after
 * a pause when they die young; one that is busy beyond its limit is killed;
 * HUP reads the settings (path as for conf_load()) and, if they are good,
 * replaces the workers one by one.  At the end the sockets are closed, then
 * every worker finishes the request in hand.  Returns an exit status; never
 * returns in a worker.
 */
int master_run(struct shm *shm, struct listeners *l, const char *path);

#endif
