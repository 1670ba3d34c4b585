/* SPDX-License-Identifier: ISC */
/* What the commands of assayctl share: options, messages, files. */
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct command;
struct db;
struct fail;

#define SEED_VERSION "seed@v0.4" /* of the rules that migrate seeds */
#define OPT_LIST_MAX 8 /* times that one option may be given */

/* One command; commands.tbl has them all. */
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

/* Every CALL of commands.tbl. */
int remote(const struct command *cmd, int argc, char **argv);

enum opt_type {
	OPT_FLAG = 1, /* ret is a bool */
	OPT_TEXT, /* ret is a char * */
	OPT_NUMBER, /* ret is an int64_t, from min to max */
	OPT_CHOICE, /* ret is a char *, one of those in arg: "a|b|c" */
	OPT_LIST, /* ret is a struct opt_list; of choices, if arg has them */
	OPT_TYPE__MAX
};

/* One option of a command: how it is read and what --help says. */
struct opt {
	const char *name; /* without its two dashes */
	const char *arg; /* what stands for its value, NULL for a flag */
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

/* How many operands follow the options. */
struct operands {
	int min;
	int max;
};

/*
 * Read the options of a command out of argv (argv[0] is skipped) and move
 * the operands to its front.  Returns the number of operands.  --help prints
 * the command's help and exits 0; anything wrong says what and exits
 * EX_USAGE.
 */
int opt_parse(const struct command *cmd, const struct opt *opts, size_t n,
    struct operands want, int argc, char **argv);

/* Whether text is one of choices, "a|b|c". */
bool opt_is_choice(const char *choices, const char *text);

/* Say what is wrong with how a command was called, and exit EX_USAGE. */
_Noreturn void opt_usage(const struct command *cmd, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* One line on standard error, "assayctl: ...". */
void ctl_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Say what failed while doing; returns the exit status that tells why. */
int ctl_failed(const char *doing, const struct fail *f);

/* An arena of size bytes, or the end of the program. */
void ctl_arena(struct arena *a, size_t size);

/* Give everything in the arena back, and the arena's own memory. */
void ctl_arena_free(struct arena *a);

/*
 * Read a whole file of at most max bytes into arena a, NUL-terminated, its
 * size to *ret_size.  Returns NULL with f set.
 */
char *ctl_read_file(struct arena *a, const char *path, size_t max,
    size_t *ret_size, struct fail *f);

/*
 * A file is put in its place by a rename, which would put it in that of a
 * device or a pipe as well.  Returns 0, or -1 with f set if path is one.
 */
int ctl_check_output(const char *path, struct fail *f)
    __attribute__((warn_unused_result));

/* The source of a struct csv (lib/sys/csv.h): a gzFile, of a gzip'ed file or
 * not.
 */
long ctl_gz_read(void *file, char *buf, size_t size);

/*
 * Make the place that rule_compile() names, "line L, column C", one of a
 * file, as compilers print it and editors jump to it: "PATH:L:C".
 */
void ctl_rule_place(struct fail *f, const char *path);

/*
 * ADMIN_DATABASE_URL, else DATABASE_URL, else NULL after having said what to
 * set.
 */
const char *ctl_database_url(void);

/*
 * Open the database with every named statement.  Returns NULL after having
 * said why, with the exit status in *ret_exit.
 */
struct db *ctl_database(int *ret_exit);

/* Whether output to this descriptor may be coloured (NO_COLOR, a terminal). */
bool ctl_colour(int fd);

#endif
