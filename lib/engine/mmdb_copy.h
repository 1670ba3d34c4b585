/* SPDX-License-Identifier: ISC */
/*
 * A database in MaxMind format, copied into memory, so that writing to its file
 * disturbs no lookup.  Processes that fork after the copy share it.
 */
#ifndef LIB_ENGINE_MMDB_COPY_H
#define LIB_ENGINE_MMDB_COPY_H

#include <sys/stat.h>

#include <maxminddb.h>
#include <stdbool.h>

struct fail;

/* Families of addresses. */
enum mmdb_family { MMDB_IPV4 = 1, MMDB_IPV6 = 2 };

/* Whether a record has what the database is for. */
typedef bool mmdb_wanted_fn(MMDB_entry_s *record);

struct mmdb_copy {
	char *path;
	mmdb_wanted_fn *wanted;
	MMDB_s db;
	unsigned families; /* that have wanted records; 0: there is no copy */
	bool tried; /* a file was looked for */
	struct stat file; /* the last one that was; 0: it was missing */
	struct stat changing; /* the same file, when it had changed */
};

/*
 * Copy the file if another one is at the path since the last call.  A file that
 * has changed in place is copied when a call finds it as the call before did.
 * Returns 1 if it was copied, 0 if not, or -1 with f set, its place setting, if
 * the file is missing, has another format or no wanted record; the copy of the
 * file before then stays.
 */
int mmdb_copy_refresh(struct mmdb_copy *c, const char *setting, struct fail *f);

/* Free the copy, if there is one. */
void mmdb_copy_close(struct mmdb_copy *c);

#endif
