/* SPDX-License-Identifier: ISC */
/* Log lines as entries of the systemd journal, by its native protocol. */
#include "config.h"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/sys/log_journal.h"

#define WAIT_STEPS 50
#define WAIT_STEP 2 /* ms */

/* An entry that is being written. */
struct journal_entry {
	char *bytes;
	size_t n;
	size_t size;
};

static void put_journal_field(struct journal_entry *e, const char *key,
    size_t key_n, const char *value, size_t value_n);
static const char *find_value_end(const char *value, const char *end);

size_t
log_journal_entry(const char *program, int priority, const char *line, size_t n,
    char *ret, size_t size)
{
	struct journal_entry e = { .bytes = ret, .size = size };
	const char *const end = line + n;
	const char digit = (char)('0' + priority);
	const char *equals, *value, *value_end;

	put_journal_field(
	    &e, "SYSLOG_IDENTIFIER", 17, program, strlen(program));
	put_journal_field(&e, "PRIORITY", 8, &digit, 1);
	put_journal_field(&e, "MESSAGE", 7, line, n);
	while ((equals = memchr(line, '=', (size_t)(end - line))) != NULL) {
		value = equals + 1;
		value_end = find_value_end(value, end);
		if (value_end - value >= 2 && *value == '"')
			put_journal_field(&e, line, (size_t)(equals - line),
			    value + 1, (size_t)(value_end - value) - 2);
		else
			put_journal_field(&e, line, (size_t)(equals - line),
			    value, (size_t)(value_end - value));
		line = value_end < end ? value_end + 1 : end;
	}
	return e.n;
}

int
log_journal_open(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (snprintf(to.sun_path, sizeof(to.sun_path), "%s", path) >=
	    (int)sizeof(to.sun_path))
		return -1;
	if ((fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) == -1)
		return -1;
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	close(fd);
	return -1;
}

int
log_journal_send(int fd, const char *entry, size_t n)
{
	return send(fd, entry, n, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)n
	    ? 0
	    : -1;
}

void
log_journal_wait(int fd)
{
	int i, unread = 1;

	for (i = 0; i < WAIT_STEPS && unread > 0; i++) {
		poll(NULL, 0, WAIT_STEP);
		if (ioctl(fd, SIOCOUTQ, &unread) == -1)
			return;
	}
}

/* Write KEY=value and a newline, if there is room for it. */
static void
put_journal_field(struct journal_entry *e, const char *key, size_t key_n,
    const char *value, size_t value_n)
{
	size_t i;

	if (key_n + value_n + 2 > e->size - e->n) {
		e->size = e->n;
		return;
	}
	for (i = 0; i < key_n; i++)
		e->bytes[e->n++] = key[i] >= 'a' && key[i] <= 'z'
		    ? (char)(key[i] - 'a' + 'A')
		    : key[i];
	e->bytes[e->n++] = '=';
	memcpy(e->bytes + e->n, value, value_n);
	e->n += value_n;
	e->bytes[e->n++] = '\n';
}

/* The end of a value: behind its closing quote, or a blank, or the end. */
static const char *
find_value_end(const char *value, const char *end)
{
	const char *at = value;

	if (at == end || *at != '"') {
		at = memchr(value, ' ', (size_t)(end - value));
		return at == NULL ? end : at;
	}
	for (at++; at < end - 1 && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}
