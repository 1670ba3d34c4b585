/* SPDX-License-Identifier: ISC */
/* The hosts that a connection string names, to be tried one by one. */
#ifndef LIB_DB_DB_HOST_H
#define LIB_DB_DB_HOST_H

#include <stddef.h>

struct fail;

#define DB_HOSTS_MAX 8

/* What to say to libpq besides the string; NULL says nothing. */
struct db_host {
	const char *host;
	const char *hostaddr;
	const char *port;
};

/* The hosts, in their order; begins zeroed. */
struct db_hosts {
	size_t n;
	struct db_host all[DB_HOSTS_MAX];
	const char *attrs; /* target_session_attrs, NULL: as it is given */
	char *texts[3]; /* what the others point into */
};

/*
 * Read the hosts of a libpq connection string as libpq does: its own host,
 * hostaddr and port, else those of the service that it names, else those of
 * the environment.  Of several only one that takes writes will do, unless
 * target_session_attrs is given.  Returns 0, or -1 with f set when libpq
 * cannot read the string, or not as it was meant: a password with "@" or "/"
 * in it, not encoded, ends up in host, port or name.  No words of f quote it.
 */
int db_hosts_read(struct db_hosts *ret, const char *url, struct fail *f);

/* Free what it holds; it is zeroed then. */
void db_hosts_clear(struct db_hosts *h);

#endif
