/* SPDX-License-Identifier: ISC */
/* A reload whose caller learns whether the settings were good. */
#ifndef FCGI_POOL_POOL_RELOAD_H
#define FCGI_POOL_POOL_RELOAD_H

#include <signal.h>
#include <stdbool.h>

/*
 * Ask the pool whose master has this pid to read its settings again, and wait
 * for its answer.  Returns an exit status of sysexits(3): EX_OK, or EX_CONFIG
 * (the settings are refused; the pool goes on with the old ones), EX_NOHOST
 * (there is no such process, or not ours to signal) or EX_UNAVAILABLE (no
 * answer in time), after a word on standard error.
 */
int pool_reload_request(pid_t master);

/* In the master: tell who sent this SIGHUP, if that was pool_reload_request().
 */
void pool_reload_answer(const siginfo_t *info, bool accepted);

#endif
