/* SPDX-License-Identifier: ISC */
/* A reload that reports to its caller whether the settings were valid. */
#ifndef FCGI_POOL_POOL_RELOAD_H
#define FCGI_POOL_POOL_RELOAD_H

#include <signal.h>
#include <stdbool.h>

/*
 * Ask the pool whose master has this pid to read its settings again, and wait
 * for the answer.  Return EX_OK.  On failure print a message and exit with
 * EX_CONFIG (the settings are refused; the pool continues with the old ones),
 * EX_NOHOST (no such process, or no permission to signal it) or EX_UNAVAILABLE
 * (no answer in time).
 */
int pool_reload_request(pid_t master);

/*
 * For the master: send the result to the sender of this SIGHUP, if that was
 * pool_reload_request().
 */
void pool_reload_answer(const siginfo_t *info, bool accepted);

#endif
