/* SPDX-License-Identifier: ISC */
/* Secrets among the settings: who still has them after the start. */
#ifndef LIB_CONF_CONF_SECRET_H
#define LIB_CONF_CONF_SECRET_H

/* The flags of conf.tbl. */
enum conf_flag {
	SECRET = 1 << 0, /* never printed */
	REQUIRED = 1 << 1, /* must be set in production */
	POSITIVE = 1 << 2, /* an INT above 0 */
	STRONG = 1 << 3, /* secrets, comma-separated, that nobody may guess */
	REDIS = 1 << 4, /* the URL of a Redis */
	POOL = 1 << 5, /* must be set in production for the pool */
	NO_DECIDE = 1 << 6, /* a secret that decide workers do not need */
	PATHS = 1 << 7, /* a list of absolute paths */
};

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
