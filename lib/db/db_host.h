/* SPDX-License-Identifier: ISC */
/* The hosts of a connection string, in the order in which to try them. */
#ifndef LIB_DB_DB_HOST_H
#define LIB_DB_DB_HOST_H

#include <stddef.h>

struct fail;

#define DB_HOSTS_MAX 8

/* Parameters that override the connection string; NULL: do not override. */
struct db_host {
	const char *host;
	const char *hostaddr;
	const char *port;
};

/* The hosts.  Initialize it with zeros. */
struct db_hosts {
	size_t n;
	struct db_host all[DB_HOSTS_MAX];
	const char *attrs; /* target_session_attrs; NULL: as in the string */
	char *texts[3]; /* the other members point into them */
};

/*
 * Read the hosts of a libpq connection string as libpq does: its own host,
 * hostaddr and port, else those of the service that it names, else those of
 * the environment.  Of several hosts only one that accepts writes is used,
 * unless target_session_attrs is given.  Returns 0, or -1 with f set when libpq
 * cannot parse the string, or if a part of a password with an unencoded "@" or
 * "/" became host, port or name.  f shows nothing of the string.
 */
int db_hosts_read(struct db_hosts *ret, const char *url, struct fail *f);

/*
 * Return the value that libpq uses for an option such as "sslrootcert": that of
 * the connection string, else of the service that it names, else of the
 * environment.  The caller frees it; NULL: none.
 */
char *db_host_option(const char *url, const char *keyword);

/* Free the texts and zero it. */
void db_hosts_clear(struct db_hosts *h);

#endif
