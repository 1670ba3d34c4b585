/* SPDX-License-Identifier: ISC */
/* The migrations of this program, and those that a database has. */
#ifndef CTL_CMD_MIGRATION_H
#define CTL_CMD_MIGRATION_H

#include <stddef.h>
#include <stdint.h>

#include "lib/sys/crypt.h"

struct arena;
struct db;
struct fail;

#define MIGRATIONS_MAX 1000
#define MIGRATION_SUM_SIZE (2 * CRYPT_SHA256_SIZE + 1)

/* One migration: a file of this program, or a row of assay.migration. */
struct migration {
	int64_t number;
	const char *name; /* "0001_configuration" */
	const char *path;
	const char *text; /* of the file */
	char checksum[MIGRATION_SUM_SIZE];
	int64_t applied_at;
};

struct migration_set {
	struct migration file[MIGRATIONS_MAX];
	size_t n_files;
	struct migration applied[MIGRATIONS_MAX];
	size_t n_applied;
};

/*
 * Read the files DIR/migrations/NNNN_*.sql into arena a and set, in the order
 * of their numbers.  Return 0, or -1 with f set.
 */
int migration_files(struct arena *a, const char *dir, struct migration_set *set,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Read the applied migrations; none if the database has no table of them.
 * Return 0, or -1 with f set, also for a newer database and for a file that
 * differs from the applied one.
 */
int migration_applied(struct arena *a, struct db *db, struct migration_set *set,
    struct fail *f) __attribute__((warn_unused_result));

/* The applied migration of a file, or NULL if it is pending. */
const struct migration *migration_row(
    const struct migration_set *set, const struct migration *file);

/*
 * Store the paths of DIR/folder/NAME.sql, at most MIGRATIONS_MAX, sorted by
 * name; common.sql is first, because the other files need it.  Return 0, or -1
 * with f set.
 */
int migration_list(struct arena *a, const char *dir, const char *folder,
    const char **ret, size_t *ret_n, struct fail *f)
    __attribute__((warn_unused_result));

#endif
