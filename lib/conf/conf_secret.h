/* SPDX-License-Identifier: ISC */
/* Remove secrets from the memory of processes that do not need them. */
#ifndef LIB_CONF_CONF_SECRET_H
#define LIB_CONF_CONF_SECRET_H

/*
 * Return the value of a setting in the environment, or NULL.  It finds values
 * that conf_secret_hide() has removed, too.
 */
const char *conf_secret_env(const char *name);

/*
 * Remove the secrets from the environment: overwrite them in the strings that
 * the process was started with, so that /proc/PID/environ of this process and
 * of its children does not show them.  The settings keep their values in memory
 * of this module, where later calls of conf_load() find them.  Call it after
 * conf_load() and before starting threads.  Exits if there is no memory.
 */
void conf_secret_hide(void);

/*
 * Overwrite the secrets that a decide worker does not need, those with the flag
 * NO_DECIDE in conf.tbl, and set their settings to NULL.  A text that another
 * setting also uses is kept.
 */
void conf_secret_forget(void);

#endif
