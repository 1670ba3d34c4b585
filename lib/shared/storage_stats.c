/* SPDX-License-Identifier: ISC */
/* Sizes of the stored data, measured for the metrics. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/str.h"
#include "core/decide/model.h"
#include "lib/db/db.h"
#include "lib/shared/storage_stats.h"
#include "lib/sys/disk.h"

static void note_rows(struct storage_stats *st, const char *name, int64_t rows);
static void print_rows(const struct storage_stats *st, struct str *s);
static void print_components(
    int64_t database, const struct model *model, struct str *s);
static void print_disks(const char *paths, struct str *s);
static void print_head(const char *name, const char *help, struct str *s);
static void print_disk(const char *name, const struct disk *d, struct str *s);

static const char *const names[COLLECTION__MAX] = {
#define COLLECTION(name) #name,
#define RETAINED(id, name) COLLECTION(name)
#include "lib/shared/collections.tbl"
#undef RETAINED
#undef COLLECTION
};

int
storage_stats_measure(
    struct db *db, struct arena *a, struct storage_stats *st, struct fail *f)
{
	struct rows size, rows;
	int i;

	if (db_one(db, a, STMT_STORAGE_BYTES, NULL, &size, f) == -1 ||
	    db_run(db, a, STMT_STORAGE_ROWS, NULL, &rows, f) == -1)
		return -1;
	for (i = 0; i < rows.n; i++)
		note_rows(st, rows_text(&rows, i, "name"),
		    rows_int(&rows, i, "rows"));
	atomic_store(&st->bytes, rows_int(&size, 0, "bytes"));
	return 0;
}

void
storage_stats_print(const struct storage_stats *st, const char *paths,
    const struct model *model, struct str *s)
{
	const int64_t bytes = atomic_load(&st->bytes);

	if (bytes > 0) {
		print_rows(st, s);
		print_components(bytes, model, s);
	}
	print_disks(paths, s);
}

/* Store the rows of a collection; ignore one that only a newer schema has. */
static void
note_rows(struct storage_stats *st, const char *name, int64_t rows)
{
	int c;

	for (c = 0; c < COLLECTION__MAX; c++)
		if (strcmp(names[c], name) == 0)
			atomic_store(&st->rows[c], rows);
}

static void
print_rows(const struct storage_stats *st, struct str *s)
{
	int c;

	print_head("engine_storage_rows", "Estimated rows by collection", s);
	for (c = 0; c < COLLECTION__MAX; c++)
		str_addf(s,
		    "engine_storage_rows{collection=\"%s\"} %" PRId64 "\n",
		    names[c], atomic_load(&st->rows[c]));
}

static void
print_components(int64_t database, const struct model *model, struct str *s)
{
	const int64_t bytes = (int64_t)model_size(model);

	print_head("engine_storage_bytes", "Bytes of all stored data", s);
	str_addf(s, "engine_storage_bytes %" PRId64 "\n", database + bytes);
	print_head("engine_disk_component_bytes", "Bytes by component", s);
	str_addf(s,
	    "engine_disk_component_bytes{component=\"postgresql\","
	    "kind=\"database\"} %" PRId64 "\n"
	    "engine_disk_component_bytes{component=\"%s\",kind=\"model\"} "
	    "%" PRId64 "\n",
	    database, model->source, bytes);
}

static void
print_disks(const char *paths, struct str *s)
{
	struct disk disk[DISK_MAX];
	const size_t n = disk_read(paths, disk);
	size_t i;

	print_head(
	    "engine_disk_total_bytes", "Size of a watched filesystem", s);
	for (i = 0; i < n; i++) {
		print_disk("engine_disk_total_bytes", &disk[i], s);
		str_addf(s, "%" PRId64 "\n", disk[i].total);
	}
	print_head(
	    "engine_disk_free_bytes", "Free bytes of a watched filesystem", s);
	for (i = 0; i < n; i++) {
		print_disk("engine_disk_free_bytes", &disk[i], s);
		str_addf(s, "%" PRId64 "\n", disk[i].free);
	}
	print_head("engine_disk_used_ratio",
	    "Used share of a watched filesystem, 0 to 1", s);
	for (i = 0; i < n; i++) {
		print_disk("engine_disk_used_ratio", &disk[i], s);
		str_addf(s, "%.4f\n", disk_ratio(&disk[i]));
	}
}

static void
print_head(const char *name, const char *help, struct str *s)
{
	str_addf(s, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void
print_disk(const char *name, const struct disk *d, struct str *s)
{
	str_addf(s, "%s{path=", name);
	str_json(s, d->path);
	str_add(s, "} ");
}
