/* SPDX-License-Identifier: ISC */
/* The settings: rows of conf.tbl, read once from the environment. */
#ifndef LIB_CONF_CONF_H
#define LIB_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CONF_DAYS_MAX 36500 /* the longest retention */

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

/* Only conf_load() and conf_secret.c change it. */
extern struct conf conf;

/*
 * Read and check every setting.  A value comes from the environment; else, for
 * a SECRET, from the file with its name in $CREDENTIALS_DIRECTORY; else from
 * the file at path (NULL: none; lines NAME=value, see conf_file.h; an unknown
 * name is an error); else from conf.tbl.  An empty value counts as absent.
 *
 * Numbers must be in range and paths absolute.  Secrets that sign tokens must
 * not contain a placeholder or be one repeated character.  In production they
 * have at least 32 bytes, and REQUIRED settings are set, and POOL settings if
 * pool is true.  Without MODEL_SOURCE, the source whose setting is set is used.
 *
 * Strings of conf point into the environment, which only conf_secret_hide() may
 * change, or are valid until the next load.  Returns 0, or -1 with f set and
 * conf unchanged, so that a reload can be refused.  f->where is "NAME" or
 * "file:line"; f->why does not show the value.
 */
int conf_load(const char *path, bool pool, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Load the settings at the start of a program with conf_load(), remove the
 * secrets from the environment with conf_secret_hide(), and start logging with
 * LOG_LEVEL.  Exits with EX_CONFIG and a message if a setting is wrong.
 */
void conf_start(const char *program, const char *path, bool pool);

/*
 * Let conf_load() read secrets from /etc/credstore/assay.NAME, where systemd
 * takes them, if $CREDENTIALS_DIRECTORY is not set and the process is root, who
 * alone may read them.  This is for checking a configuration by hand.
 */
void conf_use_credstore(void);

/*
 * Write a pattern of glob(3) for the files from which conf_load() reads secrets
 * to ret; "" if it reads none.
 */
void conf_credentials(char *ret, size_t size);

/*
 * How many decide workers there are by default: one for each processor.  With
 * the operator workers they take at most half of the connections, because
 * sessions that hang need the rest.  Returns 2 to 128.
 */
int64_t conf_decide_workers(
    int64_t processors, int64_t connections, int64_t operator_workers);

/* Print every setting with its effective value; secrets as "(set)". */
void conf_print(FILE *out);

#endif
