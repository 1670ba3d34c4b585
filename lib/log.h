/* SPDX-License-Identifier: ISC */
/* logfmt lines on standard error, one per event worth a line. */
#ifndef LIB_LOG_H
#define LIB_LOG_H

enum log_level {
	LOG_LEVEL_ERROR = 1,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
	LOG_LEVEL__MAX
};

/*
 * Start logging lines up to level, each beginning with "program=", the pid,
 * the level and the time; errno survives every call.
 */
void log_init(const char *program, enum log_level level);

/* "error", "warn", "info", "debug", or 0. */
enum log_level log_level_parse(const char *name);

/*
 * Put key=value on each line from now on; a NULL value ends that.  Whatever
 * in the value could end it (spaces, quotes, "=") is escaped, so that a
 * caller's id cannot forge another pair.
 */
void log_context(const char *key, const char *value);

/*
 * Write one line.  The format is key=value pairs that the call site spells
 * (log_warn("listener=%s why=%s", ...)); a value with spaces comes last.
 * Control bytes, quotes, backslashes and what is not ASCII leave as \xNN, and
 * a line is cut at 2 KiB.  error: someone must look.
 */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
