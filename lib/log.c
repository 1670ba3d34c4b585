/* SPDX-License-Identifier: ISC */
/* logfmt lines on standard error, one per event worth a line. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/log.h"

#define LINE_SIZE ((size_t)2048)
#define CONTEXT_SIZE ((size_t)640) /* 128 characters, each escaped */

static void line(enum log_level level, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
static size_t escape(
    char *ret, size_t size, const char *text, const char *also);

static const char *const names[LOG_LEVEL__MAX] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARN] = "warn",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

static struct {
	const char *program;
	enum log_level level; /* 0: nothing is written yet */
	char context[CONTEXT_SIZE]; /* " key=value" or "" */
} state;

void
log_init(const char *program, enum log_level level)
{
	state.program = program;
	state.level = level;
}

enum log_level
log_level_parse(const char *name)
{
	enum log_level level;

	for (level = LOG_LEVEL_ERROR; level < LOG_LEVEL__MAX; level++)
		if (strcmp(names[level], name) == 0)
			return level;
	return 0;
}

void
log_context(const char *key, const char *value)
{
	int n;

	state.context[0] = '\0';
	if (value == NULL)
		return;
	n = snprintf(state.context, CONTEXT_SIZE, " %s=", key);
	escape(state.context + n, CONTEXT_SIZE - (size_t)n, value, " =");
}

/* The four differ in their level only. */
#define LOG(name, level)                                                       \
	void name(const char *fmt, ...)                                        \
	{                                                                      \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, fmt);                                             \
		line(level, fmt, ap);                                          \
		va_end(ap);                                                    \
	}

LOG(log_error, LOG_LEVEL_ERROR)
LOG(log_warn, LOG_LEVEL_WARN)
LOG(log_info, LOG_LEVEL_INFO)
LOG(log_debug, LOG_LEVEL_DEBUG)

/* Write one line with a single write(), so that processes do not mix. */
static void
line(enum log_level level, const char *fmt, va_list ap)
{
	int saved = errno;
	char text[LINE_SIZE], out[LINE_SIZE], now[CLOCK_TEXT_SIZE];
	size_t n;

	if (level > state.level)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	clock_text(clock_now(), now);
	n = (size_t)snprintf(out, sizeof(out),
	    "program=%s pid=%ld level=%s time=%s%s ", state.program,
	    (long)getpid(), names[level], now, state.context);
	n += escape(out + n, sizeof(out) - n - 1, text, "");
	out[n++] = '\n';

	/* Nobody is left to tell when standard error is gone. */
	if (write(STDERR_FILENO, out, n) == -1)
		errno = saved;
	errno = saved;
}

/*
 * Copy text to ret, escaping what could break a line or a quoted value, and
 * the characters of also.  Returns the length; what does not fit is cut.
 */
static size_t
escape(char *ret, size_t size, const char *text, const char *also)
{
	size_t n;
	unsigned char c;
	bool plain;

	for (n = 0; (c = (unsigned char)*text) != '\0'; text++) {
		plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\' &&
		    strchr(also, c) == NULL;
		if (n + (plain ? 1 : 4) >= size)
			break;
		if (plain)
			ret[n++] = (char)c;
		else
			n += (size_t)snprintf(ret + n, size - n, "\\x%02x", c);
	}
	ret[n] = '\0';
	return n;
}
