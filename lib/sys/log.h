/* SPDX-License-Identifier: ISC */
/* logfmt lines on standard error, one per event worth a line. */
#ifndef LIB_SYS_LOG_H
#define LIB_SYS_LOG_H

#include <stddef.h>
#include <stdint.h>

enum log_level {
	LOG_LEVEL_ERROR = 1,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
	LOG_LEVEL__MAX
};

/* A pair whose value is a number. */
struct log_number {
	const char *key;
	int64_t value;
};

/*
 * Start logging lines up to level, each beginning with "program=", the pid,
 * the level and the time.  Where standard error is a stream to the systemd
 * journal (JOURNAL_STREAM) a line begins with "<3>" for error, "<4>" for warn,
 * "<6>" for info or "<7>" for debug, as sd-daemon(3) has it, then the level:
 * the journal stores the rest itself.  errno survives every call.
 */
void log_init(const char *program, enum log_level level);

/* "error", "warn", "info", "debug", or 0. */
enum log_level log_level_parse(const char *name);

/*
 * Put key=value on each line from now on; a NULL value ends that.  The value
 * is cut at 255 bytes; key has to stay.
 */
void log_context(const char *key, const char *value);

/*
 * Write one line.  The format is pairs that the call site spells, a blank
 * between two: log_warn("event=redis_lost why=%s", ...).  Keys are [a-z_]; a
 * conversion is one of %s, %d, %ld, %lld, %zu and %.1f.  A value with blanks,
 * quotes, backslashes, "=", control characters or what is not ASCII is put in
 * double quotes and escaped as in JSON, so no value can forge another pair or
 * line; a pair whose value is empty is left out.  A line is cut at 2 KiB.
 * error: someone must look.
 */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same, with the n pairs of list behind. */
void log_numbers(enum log_level level, const struct log_number *list, size_t n,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Say why the program cannot start, and exit with status: "program: why" on
 * standard error, and in the journal "<3>why".
 */
void log_exit(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
