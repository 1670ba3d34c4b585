/* SPDX-License-Identifier: ISC */
/* Log lines in logfmt on standard error. */
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
 * Start logging lines up to level.  Each line begins with program, pid, level
 * and time.  If standard error is a stream to the systemd journal
 * (JOURNAL_STREAM), a line begins with the level instead and goes to the socket
 * of the journal, with its pairs as fields (log_journal.h).  A line that the
 * socket does not take goes to standard error, behind its priority, see
 * sd-daemon(3): "<3>" for error, "<4>" for warn, "<6>" for info, "<7>" for
 * debug.  The journal stores the rest itself.  No log call changes errno.
 */
void log_init(const char *program, enum log_level level);

/* The same with a path for the socket of the journal. */
void log_init_at(const char *program, enum log_level level, const char *path);

/* Parse "error", "warn", "info" or "debug"; return 0 for another name. */
enum log_level log_level_parse(const char *name);

/*
 * Add key=value to each line from now on; a NULL value ends this.  The value
 * is copied and cut at 255 bytes; key must stay valid.
 */
void log_context(const char *key, const char *value);

/*
 * Write one line.  The format consists of pairs separated by blanks; the first
 * names the event: log_warn("event=redis_lost why=%s", ...).  Keys are [a-z_];
 * a conversion is one of %s, %d, %ld, %lld, %zu and %.1f.  A value with blanks,
 * quotes, backslashes, "=", control or non-ASCII characters is put in double
 * quotes and escaped as in JSON, so that no value can forge another pair or
 * line.  A pair whose value is empty is left out.  A line is cut at 2 KiB.  Log
 * an error only if an operator must act.
 */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same, followed by the n pairs of list. */
void log_numbers(enum log_level level, const struct log_number *list, size_t n,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Hold lines of level info and debug until log_release() writes them with one
 * call.  A line of a higher level, or a full buffer, writes all held lines at
 * once, so the order of lines stays.  A process that is killed loses what it
 * holds: hold only while it does not wait.  The socket of the journal gets each
 * line at once.
 */
void log_hold(void);
void log_release(void);

/*
 * Print why the program cannot start, and exit with status.  Standard error
 * gets "program: why", the journal "<3>why".
 */
void log_exit(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
