/* SPDX-License-Identifier: ISC */
/* Log lines in logfmt on standard error. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/utf8.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"
#include "lib/sys/log_journal.h"

#define LINE_SIZE ((size_t)2048)
#define VALUE_SIZE ((size_t)1024)
#define CONTEXT_SIZE ((size_t)256)
#define PREFIX_SIZE strlen("<3>") /* of a line for a stream to the journal */
#define ESCAPE_SIZE ((size_t)13) /* two of \uXXXX and a NUL */

/* A line; its last two bytes are reserved for a quote and the newline. */
struct log_text {
	char bytes[LINE_SIZE];
	size_t n;
};

/* The arguments that the conversions of a format have not used yet. */
struct log_arguments {
	va_list ap;
};

static void write_line(enum log_level level, const struct log_number *list,
    size_t n, const char *fmt, va_list ap)
    __attribute__((format(printf, 4, 0)));
static void put_line(enum log_level level, const struct log_text *t);
static void flush_held(void);
static bool in_journal(void);
static void open_journal(const char *path);
static void await_journal(void);
static bool send_to_journal(enum log_level level, const struct log_text *t);
static void begin_line(struct log_text *t, enum log_level level);
static void put_pairs(
    struct log_text *t, const char *fmt, struct log_arguments *args);
static void put_pair(
    struct log_text *t, const char *key, size_t key_n, const char *value);
static bool needs_quotes(const char *value);
static void put_quoted(struct log_text *t, const char *value);
static size_t escape_next(const char *p, char ret[ESCAPE_SIZE]);
static const char *value_end(const char *fmt);
static void format_value(const char *fmt, const char *end,
    struct log_arguments *args, char ret[VALUE_SIZE]);
static const char *format_argument(
    const char *fmt, struct log_arguments *args, char *ret, size_t size);

/* priority: of syslog(3), as the journal expects it. */
static const struct {
	const char *name;
	int priority;
} levels[LOG_LEVEL__MAX] = {
	[LOG_LEVEL_ERROR] = { "error", 3 },
	[LOG_LEVEL_WARN] = { "warn", 4 },
	[LOG_LEVEL_INFO] = { "info", 6 },
	[LOG_LEVEL_DEBUG] = { "debug", 7 },
};

static struct {
	const char *program;
	enum log_level level; /* 0: nothing is written yet */
	bool journal; /* standard error is a stream to the journal */
	bool sends; /* to the socket of the journal */
	int socket;
	const char *key; /* of log_context(), or NULL */
	char value[CONTEXT_SIZE];
	bool holds; /* between log_hold() and log_release() */
	char held[PIPE_BUF]; /* lines to be written by one write() */
	size_t held_n;
} state;

void
log_init(const char *program, enum log_level level)
{
	log_init_at(program, level, LOG_JOURNAL_SOCKET);
}

void
log_init_at(const char *program, enum log_level level, const char *path)
{
	state.program = program;
	state.level = level;
	state.journal = in_journal();
	if (state.journal)
		open_journal(path);
}

enum log_level
log_level_parse(const char *name)
{
	return name_index(levels, name);
}

void
log_context(const char *key, const char *value)
{
	state.key = value == NULL ? NULL : key;
	if (value != NULL)
		snprintf(state.value, sizeof(state.value), "%s", value);
}

void
log_hold(void)
{
	state.holds = !state.sends;
}

void
log_release(void)
{
	const int saved = errno;

	state.holds = false;
	flush_held();
	errno = saved;
}

/* The four functions differ only in their level. */
#define LOG(name, level)                                                       \
	void name(const char *fmt, ...)                                        \
	{                                                                      \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, fmt);                                             \
		write_line(level, NULL, 0, fmt, ap);                           \
		va_end(ap);                                                    \
	}

LOG(log_error, LOG_LEVEL_ERROR)
LOG(log_warn, LOG_LEVEL_WARN)
LOG(log_info, LOG_LEVEL_INFO)
LOG(log_debug, LOG_LEVEL_DEBUG)

void
log_numbers(enum log_level level, const struct log_number *list, size_t n,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line(level, list, n, fmt, ap);
	va_end(ap);
}

void
log_exit(int status, const char *fmt, ...)
{
	char why[LINE_SIZE / 2], out[LINE_SIZE];
	va_list ap;
	int n;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (in_journal())
		n = snprintf(out, sizeof(out), "<%d>%s\n",
		    levels[LOG_LEVEL_ERROR].priority, why);
	else
		n = snprintf(out, sizeof(out), "%s: %s\n",
		    program_invocation_short_name, why);
	if (write(STDERR_FILENO, out, (size_t)n) == -1)
		exit(status);
	exit(status);
}

static void
write_line(enum log_level level, const struct log_number *list, size_t n,
    const char *fmt, va_list ap)
{
	const int saved = errno;
	struct log_arguments args;
	struct log_text t = { .n = 0 };
	char number[24];
	size_t i;

	if (level > state.level)
		return;
	begin_line(&t, level);
	if (state.key != NULL)
		put_pair(&t, state.key, strlen(state.key), state.value);
	va_copy(args.ap, ap);
	put_pairs(&t, fmt, &args);
	va_end(args.ap);
	for (i = 0; i < n; i++) {
		snprintf(
		    number, sizeof(number), "%lld", (long long)list[i].value);
		put_pair(&t, list[i].key, strlen(list[i].key), number);
	}
	if (!state.sends || !send_to_journal(level, &t)) {
		t.bytes[t.n++] = '\n';
		put_line(level, &t);
	}
	errno = saved;
}

/* Write the line behind those that are held, or hold it, too. */
static void
put_line(enum log_level level, const struct log_text *t)
{
	if (t->n > sizeof(state.held) - state.held_n)
		flush_held();
	memcpy(state.held + state.held_n, t->bytes, t->n);
	state.held_n += t->n;
	if (!state.holds || level < LOG_LEVEL_INFO)
		flush_held();
}

/*
 * Write whole lines with one write() of at most PIPE_BUF bytes, so that lines
 * of processes do not mix.  If standard error is closed, they are lost.
 */
static void
flush_held(void)
{
	const size_t n = state.held_n;

	state.held_n = 0;
	if (n > 0 && write(STDERR_FILENO, state.held, n) == -1)
		return;
}

/*
 * Whether standard error is the stream to the journal that systemd made.
 * JOURNAL_STREAM alone does not show this: a shell may have redirected it.
 */
static bool
in_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream != NULL &&
	    sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	    fstat(STDERR_FILENO, &st) == 0 && st.st_dev == (dev_t)device &&
	    st.st_ino == (ino_t)inode;
}

/*
 * Open the socket of the journal, once; without it standard error is used.  The
 * stream of systemd is a socket; a file that a test puts in its place gets the
 * lines itself.
 */
static void
open_journal(const char *path)
{
	struct stat st;

	if (state.sends || fstat(STDERR_FILENO, &st) == -1 ||
	    !S_ISSOCK(st.st_mode) ||
	    (state.socket = log_journal_open(path)) == -1)
		return;
	state.sends = true;
	atexit(await_journal);
}

static void
await_journal(void)
{
	log_journal_wait(state.socket);
}

/* Send the line without its prefix.  Returns whether the journal took it. */
static bool
send_to_journal(enum log_level level, const struct log_text *t)
{
	char entry[LOG_JOURNAL_SIZE];
	size_t n;

	n = log_journal_entry(state.program, levels[level].priority,
	    t->bytes + PREFIX_SIZE, t->n - PREFIX_SIZE, entry, sizeof(entry));
	return log_journal_send(state.socket, entry, n) == 0;
}

/* The journal adds program, pid and time itself. */
static void
begin_line(struct log_text *t, enum log_level level)
{
	char now[CLOCK_TEXT_SIZE];
	int n;

	if (state.journal) {
		n = snprintf(t->bytes, LINE_SIZE, "<%d>level=%s",
		    levels[level].priority, levels[level].name);
	} else {
		clock_text(clock_now(), now);
		n = snprintf(t->bytes, LINE_SIZE,
		    "program=%s pid=%ld level=%s time=%s", state.program,
		    (long)getpid(), levels[level].name, now);
	}
	t->n = (size_t)n;
}

/* Write the pairs of a format: a key, "=", and text with conversions. */
static void
put_pairs(struct log_text *t, const char *fmt, struct log_arguments *args)
{
	char value[VALUE_SIZE];
	const char *end, *equals;

	while (*fmt != '\0') {
		equals = strchr(fmt, '=');
		assert(equals != NULL);
		end = value_end(equals + 1);
		format_value(equals + 1, end, args, value);
		put_pair(t, fmt, (size_t)(equals - fmt), value);
		fmt = *end == ' ' ? end + 1 : end;
	}
}

/* Write a pair, unless its value is empty or the line has no room for it. */
static void
put_pair(struct log_text *t, const char *key, size_t key_n, const char *value)
{
	size_t room = LINE_SIZE - 2 - t->n, n = strlen(value);

	if (n == 0 || key_n + 4 > room)
		return;
	t->bytes[t->n++] = ' ';
	memcpy(t->bytes + t->n, key, key_n);
	t->n += key_n;
	t->bytes[t->n++] = '=';
	room -= key_n + 2;
	if (needs_quotes(value)) {
		put_quoted(t, value);
		return;
	}
	n = n < room ? n : room;
	memcpy(t->bytes + t->n, value, n);
	t->n += n;
}

/* Only printable ASCII without blank, quote, backslash or "=" needs none. */
static bool
needs_quotes(const char *value)
{
	for (; *value != '\0'; value++)
		if (*value <= ' ' || *value > '~' ||
		    strchr("\"\\=", *value) != NULL)
			return true;
	return false;
}

static void
put_quoted(struct log_text *t, const char *value)
{
	char escape[ESCAPE_SIZE];
	size_t n, taken;

	t->bytes[t->n++] = '"';
	for (; *value != '\0'; value += taken) {
		taken = escape_next(value, escape);
		n = strlen(escape);
		if (t->n + n > LINE_SIZE - 2)
			break;
		memcpy(t->bytes + t->n, escape, n);
		t->n += n;
	}
	t->bytes[t->n++] = '"';
}

/*
 * Escape the first character of p for use between quotes, in ASCII and as in
 * JSON, which readers of logfmt understand.  Returns its length in p.
 */
static size_t
escape_next(const char *p, char ret[ESCAPE_SIZE])
{
	uint32_t code = 0;
	size_t n = utf8_get(p, strnlen(p, UTF8_MAX), &code);

	if (n == 0) {
		n = 1;
		code = 0xfffd;
	}
	if (code == '"' || code == '\\')
		snprintf(ret, ESCAPE_SIZE, "\\%c", (char)code);
	else if (code >= ' ' && code <= '~')
		snprintf(ret, ESCAPE_SIZE, "%c", (char)code);
	else if (code == '\n')
		snprintf(ret, ESCAPE_SIZE, "\\n");
	else if (code < 0x10000)
		snprintf(ret, ESCAPE_SIZE, "\\u%04x", code & 0xffff);
	else
		snprintf(ret, ESCAPE_SIZE, "\\u%04x\\u%04x",
		    0xd800 + ((code - 0x10000) >> 10 & 0x3ff),
		    0xdc00 + (code & 0x3ff));
	return n;
}

/* Find the end of a value: the blank before the next key, or the end. */
static const char *
value_end(const char *fmt)
{
	size_t n;

	for (; *fmt != '\0'; fmt++) {
		n = strspn(fmt + 1, "abcdefghijklmnopqrstuvwxyz_");
		if (*fmt == ' ' && n > 0 && fmt[1 + n] == '=')
			break;
	}
	return fmt;
}

/* Format one value, cut to its size and without blanks around it. */
static void
format_value(const char *fmt, const char *end, struct log_arguments *args,
    char ret[VALUE_SIZE])
{
	size_t n = 0;

	ret[0] = '\0';
	while (fmt < end) {
		if (*fmt == '%') {
			fmt = format_argument(
			    fmt + 1, args, ret + n, VALUE_SIZE - n);
			n += strlen(ret + n);
		} else if (*fmt == ' ' && n == 0) {
			fmt++;
		} else {
			if (n < VALUE_SIZE - 1)
				ret[n++] = *fmt;
			ret[n] = '\0';
			fmt++;
		}
	}
	while (n > 0 && ret[n - 1] == ' ')
		ret[--n] = '\0';
}

/*
 * Format one conversion without its "%": s, d, ld, lld, zu or .1f.  Returns the
 * format after it.
 */
static const char *
format_argument(
    const char *fmt, struct log_arguments *args, char *ret, size_t size)
{
	const char *text;

	if (*fmt == 's') {
		text = va_arg(args->ap, const char *);
		snprintf(ret, size, "%s", text == NULL ? "" : text);
		return fmt + 1;
	}
	if (*fmt == 'd') {
		snprintf(ret, size, "%d", va_arg(args->ap, int));
		return fmt + 1;
	}
	if (strncmp(fmt, "ld", 2) == 0) {
		snprintf(ret, size, "%ld", va_arg(args->ap, long));
		return fmt + 2;
	}
	if (strncmp(fmt, "lld", 3) == 0) {
		snprintf(ret, size, "%lld", va_arg(args->ap, long long));
		return fmt + 3;
	}
	if (strncmp(fmt, "zu", 2) == 0) {
		snprintf(ret, size, "%zu", va_arg(args->ap, size_t));
		return fmt + 2;
	}
	assert(strncmp(fmt, ".1f", 3) == 0);
	snprintf(ret, size, "%.1f", va_arg(args->ap, double));
	return fmt + 3;
}
