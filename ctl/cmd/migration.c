/* SPDX-License-Identifier: ISC */
#include "config.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "ctl/ctl.h"
#include "lib/db/db.h"
#include "lib/sys/crypt.h"

#include "ctl/cmd/migration.h"

#define FILE_SIZE ((size_t)4 << 20) /* of one file of SQL */
#define PATH_SIZE 4096

/* The program may be older or newer than the named statements. */
#define SQL_EXISTS "select to_regclass('assay.migration') is not null as there"
#define SQL_APPLIED                                                            \
	"select number, name, checksum, applied_at "                           \
	"from assay.migration order by number"

static int applied_check(const struct migration_set *set, struct fail *f);
static int order_by_name(const void *a, const void *b);
static bool is_common(const char *path);

int
migration_files(
    struct arena *a, const char *dir, struct migration_set *set, struct fail *f)
{
	const char *names[MIGRATIONS_MAX];
	uint8_t hash[CRYPT_SHA256_SIZE];
	struct migration *m;
	size_t i, size;
	char *end;

	if (migration_list(a, dir, "migrations", names, &set->n_files, f) == -1)
		return -1;
	if (set->n_files == 0)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, dir,
		    "contains no migrations; name the directory with --sql");
	for (i = 0; i < set->n_files; i++) {
		m = &set->file[i];
		m->path = names[i];
		m->name = arena_strndup(a, strrchr(names[i], '/') + 1,
		    strlen(strrchr(names[i], '/') + 1) - strlen(".sql"));
		if (m->name == NULL)
			return fail_memory(f);
		m->number = strtoll(m->name, &end, 10);
		if (end != m->name + 4 || *end != '_')
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, m->path,
			    "is not named NNNN_name.sql");
		if (i > 0 && m->number == m[-1].number)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, m->path,
			    "has the number of another file");
		m->text = ctl_read_file(a, m->path, FILE_SIZE, &size, f);
		if (m->text == NULL)
			return -1;
		crypt_sha256(m->text, size, hash);
		crypt_hex(hash, sizeof(hash), m->checksum);
	}
	return 0;
}

int
migration_applied(
    struct arena *a, struct db *db, struct migration_set *set, struct fail *f)
{
	struct migration *m;
	struct rows rows;
	int i;

	if (db_query(db, a, SQL_EXISTS, NULL, &rows, f) == -1)
		return -1;
	if (!rows_bool(&rows, 0, "there"))
		return 0;
	if (db_query(db, a, SQL_APPLIED, NULL, &rows, f) == -1)
		return -1;
	if (rows.n > MIGRATIONS_MAX)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "the database has too many migrations");
	for (i = 0; i < rows.n; i++) {
		m = &set->applied[set->n_applied++];
		m->number = rows_int(&rows, i, "number");
		m->name = rows_text(&rows, i, "name");
		m->applied_at = rows_time(&rows, i, "applied_at");
		snprintf(m->checksum, sizeof(m->checksum), "%s",
		    rows_text(&rows, i, "checksum"));
	}
	return applied_check(set, f);
}

/* Refuse a newer database, and files that differ from the applied ones. */
static int
applied_check(const struct migration_set *set, struct fail *f)
{
	const struct migration *newest = &set->file[set->n_files - 1];
	size_t i, j;

	for (i = 0; i < set->n_applied; i++) {
		const struct migration *m = &set->applied[i];

		if (m->number > newest->number)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, m->name,
			    "is in the database, but this program knows "
			    "migrations up to %s only; use a newer program",
			    newest->name);
		for (j = 0; j < set->n_files; j++)
			if (set->file[j].number == m->number)
				break;
		if (j == set->n_files)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, m->name,
			    "is in the database, but its file is missing");
		if (strcmp(m->checksum, set->file[j].checksum) != 0)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
			    set->file[j].path,
			    "has changed since it was applied as %s; restore "
			    "it, or create a database of an unreleased build "
			    "again",
			    m->name);
	}
	return 0;
}

const struct migration *
migration_row(const struct migration_set *set, const struct migration *file)
{
	size_t i;

	for (i = 0; i < set->n_applied; i++)
		if (set->applied[i].number == file->number)
			return &set->applied[i];
	return NULL;
}

int
migration_list(struct arena *a, const char *dir, const char *folder,
    const char **ret, size_t *ret_n, struct fail *f)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	size_t len;
	DIR *at;

	*ret_n = 0;
	snprintf(path, sizeof(path), "%s/%s", dir, folder);
	if ((at = opendir(path)) == NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, path,
		    "cannot be opened; name the directory of the SQL with "
		    "--sql");
	while ((entry = readdir(at)) != NULL && *ret_n < MIGRATIONS_MAX) {
		len = strlen(entry->d_name);
		if (len < 5 || strcmp(entry->d_name + len - 4, ".sql") != 0)
			continue;
		snprintf(
		    path, sizeof(path), "%s/%s/%s", dir, folder, entry->d_name);
		ret[(*ret_n)++] = arena_strdup(a, path);
	}
	closedir(at);
	if (a->overflow)
		return fail_memory(f);
	qsort(ret, *ret_n, sizeof(*ret), order_by_name);
	return 0;
}

static int
order_by_name(const void *a, const void *b)
{
	const char *x = *(const char *const *)a;
	const char *y = *(const char *const *)b;

	if (is_common(x) != is_common(y))
		return is_common(x) ? -1 : 1;
	return strcmp(x, y);
}

static bool
is_common(const char *path)
{
	return strcmp(strrchr(path, '/'), "/common.sql") == 0;
}
