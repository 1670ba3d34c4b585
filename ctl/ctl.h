/* SPDX-License-Identifier: ISC */
/* Helpers of all commands: options, messages, files, the database. */
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct command;
struct db;
struct fail;

#define SEED_VERSION "seed@v0.4" /* of the rules that migrate installs */
#define OPT_LIST_MAX 8 /* how often one option may be given */

/* One command; commands.tbl lists all. */
struct command {
	const char *name; /* one or two words */
	const char *args;
	const char *help;
	int (*run)(const struct command *, int, char **);
};

#define COMMAND(words, args, help, run)                                        \
	int run(const struct command *, int, char **);
#include "ctl/request/commands.tbl"

#include "core/base/array.h"

/* Run a CALL of commands.tbl.  Return an exit status. */
int request_run(const struct command *cmd, int argc, char **argv);

enum opt_type {
	OPT_FLAG = 1, /* ret is a bool */
	OPT_TEXT, /* ret is a char * */
	OPT_NUMBER, /* ret is an int64_t, from min to max */
	OPT_CHOICE, /* ret is a char *, one of the words in arg: "a|b|c" */
	OPT_LIST, /* ret is a struct opt_list; if arg is "a|b", of these words
		   */
	OPT_TYPE__MAX
};

/* One option of a command: how it is read and what --help says. */
struct opt {
	const char *name; /* without "--" */
	const char *arg; /* name of its value in the help, NULL for a flag */
	const char *help;
	enum opt_type type;
	void *ret;
	int64_t min;
	int64_t max;
};

struct opt_list {
	char *text[OPT_LIST_MAX];
	size_t n;
};

/* How many operands a command takes. */
struct operands {
	int min;
	int max;
};

/*
 * Read the options of a command from argv, after argv[0], and move the operands
 * to the front of argv.  Return the number of operands.  For --help, print the
 * help and exit 0.  For a wrong argument, print the error and exit EX_USAGE.
 */
int opt_parse(const struct command *cmd, const struct opt *opts, size_t n,
    struct operands want, int argc, char **argv);

/* Whether text is one of choices, "a|b|c". */
bool opt_is_choice(const char *choices, const char *text);

/* Print an error and the line of usage to standard error; exit EX_USAGE. */
_Noreturn void opt_usage(const struct command *cmd, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Print the line "assayctl: ..." to standard error. */
void ctl_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Print how long the command took since began, a time of clock_ticks(), and how
 * much memory.
 */
void ctl_say_cost(int64_t began);

/* Print "doing: error" for f, and return the exit status for it. */
int ctl_failed(const char *doing, const struct fail *f);

/* Make an arena of size bytes; exit EX_OSERR if there is no memory. */
void ctl_arena(struct arena *a, size_t size);

/* Run the deferred functions of the arena and free its memory. */
void ctl_arena_free(struct arena *a);

/*
 * Read a file of at most max bytes into arena a; end it with NUL and set
 * *ret_size.  Return NULL with f set if that fails.
 */
char *ctl_read_file(struct arena *a, const char *path, size_t max,
    size_t *ret_size, struct fail *f);

/*
 * Check that path does not exist or is a regular file, because the rename of
 * the output would also replace a device or a pipe.  Return 0, or -1 with f
 * set.
 */
int ctl_check_output(const char *path, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Replace a file atomically: write a temporary file, sync it, and rename it.
 * Readers see the old file or the new one.  The file keeps its mode; a new one
 * has 0644.  Return 0, or -1 with f set.
 */
int ctl_replace_file(const char *path, const char *text, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * The read function of a struct csv (lib/sys/csv.h) for a gzFile, which reads
 * files with and without compression.
 */
long ctl_gz_read(void *file, char *buf, size_t size);

/*
 * Rewrite the place in f, "line L, column C" of rule_compile(), as "PATH:L:C",
 * the form of compilers, which editors understand.
 */
void ctl_rule_place(struct fail *f, const char *path);

/*
 * Return ADMIN_DATABASE_URL, else DATABASE_URL, else NULL after an error
 * message.
 */
const char *ctl_database_url(void);

/*
 * Connect to the database and prepare every named statement.  If that fails,
 * print the error, set *ret_exit and return NULL.
 */
struct db *ctl_database(int *ret_exit);

/* Whether to print colours to fd: a terminal, and NO_COLOR is not set. */
bool ctl_colour(int fd);

#endif
