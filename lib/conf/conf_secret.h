/* SPDX-License-Identifier: ISC */
/* Secrets among the settings: who still has them after the start. */
#ifndef LIB_CONF_CONF_SECRET_H
#define LIB_CONF_CONF_SECRET_H

/*
 * The value of a setting in the environment, or NULL: also one that
 * conf_secret_hide() has taken out of it.
 */
const char *conf_secret_env(const char *name);

/*
 * Take the secrets out of the environment, for good: the strings that the
 * process was started with are overwritten, so that /proc/PID/environ of this
 * process and of those it forks shows none.  The settings keep their values, in
 * memory of this module, and later conf_load()s find them there.  Call it after
 * conf_load(), before any thread.  Exits when there is no memory.
 */
void conf_secret_hide(void);

/*
 * Overwrite the secrets that only other processes need, those of the roles that
 * a decide worker does not log in as; their settings are NULL from now on.  A
 * text that a setting which stays has, too, stays.
 */
void conf_secret_forget(void);

#endif
