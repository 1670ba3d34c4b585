/* SPDX-License-Identifier: ISC */
/* Log lines as entries of the systemd journal, by its native protocol. */
#ifndef LIB_SYS_LOG_JOURNAL_H
#define LIB_SYS_LOG_JOURNAL_H

#include <stddef.h>
#include <sys/types.h>

#define LOG_JOURNAL_SOCKET "/run/systemd/journal/socket"
#define LOG_JOURNAL_SIZE ((size_t)5120) /* the entry of any log line */

/*
 * Write the entry of one line of logfmt, of n bytes and without its newline, to
 * ret: MESSAGE is the line, and each pair of the line is a field, its key in
 * upper case.  A value keeps the escapes of the line and loses its quotes, so
 * it has no newline that could begin another field.  A field that does not fit
 * into size is left out, and so are all after it.  Pure.  Returns the size of
 * the entry.
 */
size_t log_journal_entry(const char *program, int priority, const char *line,
    size_t n, char *ret, size_t size);

/*
 * Open a socket for log_journal_send(), which every later child shares. Returns
 * the descriptor, or -1 if the journal has no socket at path.
 */
int log_journal_open(const char *path) __attribute__((warn_unused_result));

/*
 * Send one entry without waiting.  Returns 0, or -1 if the journal did not take
 * it.
 */
int log_journal_send(int fd, const char *entry, size_t n)
    __attribute__((warn_unused_result));

/*
 * Wait until the journal has read what was sent, a tenth of a second at most.
 * It finds the unit of an entry by the process that sent it, so this process
 * must not end before.
 */
void log_journal_wait(int fd);

#endif
