/* SPDX-License-Identifier: ISC */
/* The settings: rows of conf.tbl, read once from the environment. */
#ifndef LIB_CONF_CONF_H
#define LIB_CONF_CONF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CONF_DAYS_MAX 36500 /* that anything is kept */

struct fail;

/* The effective settings, one member per row of conf.tbl, by the same name. */
struct conf {
#define CONF_STR const char *
#define CONF_PATH const char *
#define CONF_INT int64_t
#define CONF_BOOL bool
#define CONF_REAL double
#define CONF(name, type, allowed, fallback, flags, meaning) CONF_##type name;
#include "lib/conf/conf.tbl"
#undef CONF
	bool production; /* ENGINE_ENV (or NODE_ENV) is "production" */
};

/* Read-only but for conf_load(). */
extern struct conf conf;

/*
 * Read every setting and check it.  A value comes from the environment, that
 * of a SECRET else from the file of its name in $CREDENTIALS_DIRECTORY, else
 * from the file at path (NULL: no file; NAME=value lines as systemd's
 * EnvironmentFile has them: # and ; comments, quotes, no expansion; an
 * unknown name is an error), else from conf.tbl; an empty value is none.
 * Numbers must be in range and paths absolute.  A STRONG secret may nowhere
 * be a placeholder or one repeated character; in production it has at least
 * 32 bytes, and no REQUIRED setting is missing, nor for the pool one that is
 * POOL.  MODEL_SOURCE, where it is not set, is the one source that is.
 * Strings of conf point into the environment, which must stay as it is but for
 * conf_secret_hide(), or live until the next load.
 * Returns 0, or -1 with f->where "NAME" or "file:line" and nothing of what
 * stands there in f->why; conf is then unchanged, so that a reload can be
 * refused.
 */
int conf_load(const char *path, bool pool, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * What a program does first: load the settings as conf_load() does, remove the
 * secrets from the environment (conf_secret_hide()), and log as program with
 * LOG_LEVEL.  Exits with EX_CONFIG and a message if a setting is wrong.
 */
void conf_start(const char *program, const char *path, bool pool);

/*
 * From now on conf_load() takes secrets from where systemd would hand them
 * over from, /etc/credstore/assay.NAME, if nothing hands them over
 * ($CREDENTIALS_DIRECTORY is not set) and this is root, who alone may read
 * them: for a check by hand.
 */
void conf_use_credstore(void);

/* Print every setting and its effective value, secrets as "(set)". */
void conf_print(FILE *out);

#endif
