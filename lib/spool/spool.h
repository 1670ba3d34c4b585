/* SPDX-License-Identifier: ISC */
/*
 * The spool: a directory with degraded decisions that could not be logged in
 * the database.  lib/spool/spool_drain.c moves them there later.
 * assay-spool(5) describes the files.
 */
#ifndef LIB_SPOOL_SPOOL_H
#define LIB_SPOOL_SPOOL_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct fail;
struct shm;
struct spool;
struct str;

#define SPOOL_CHUNK ((size_t)1 << 20) /* bytes read at once */
#define SPOOL_NAME_SIZE 64 /* of a file name, with NUL */

/* One decision: the values for verdict_log and decision_detail. */
struct spool_record {
	int64_t decided_at; /* microseconds UTC */
	const char *id;
	const char *event_id;
	const char *event_type;
	const char *verdict;
	int64_t score;
	const char *reasons; /* JSON */
	const char *policy_id;
	const char *policy_version;
	const char *correlation_id;
	const char *user;
	const char *idempotency_key; /* NULL: none */
	const char *request; /* JSON, masked */
};

/* A file that is being drained. */
struct spool_file {
	char name[SPOOL_NAME_SIZE]; /* never used again */
	int fd;
};

/* A piece of a file. */
struct spool_piece {
	struct spool_record *records;
	const char **lines; /* the line of each, without newline */
	int64_t *ends; /* the offset in the file after each */
	size_t n;
	size_t partial; /* partial lines */
	int64_t end; /* the offset after the piece, with partial lines */
};

/*
 * Open the spool in a directory, which is made if its parent exists.  Each
 * process must open it itself, because locks belong to open files.  shm, which
 * must outlive the spool, has the counters.  Returns NULL with f set if it
 * fails.
 */
struct spool *spool_open(const char *dir, struct shm *shm, struct fail *f);

/* Close; NULL is harmless. */
void spool_close(struct spool *sp);

/* The shared region given to spool_open(). */
struct shm *spool_shm(const struct spool *sp);

/*
 * Count the records of earlier runs, and read or make the id of the spool.
 * Call it before the first spool_append().
 */
void spool_count(struct spool *sp, struct arena *a);

/*
 * Count the records in the directory of a spool and find the time of the
 * oldest, 0 if there is none.  A file that is being drained counts as a whole.
 * a is scratch and is reset.  Returns 0, or -1 with errno set if the directory
 * cannot be read.
 */
int spool_look(const char *dir, struct arena *a, int64_t *ret_records,
    int64_t *ret_oldest) __attribute__((warn_unused_result));

/* Count the files of quarantined records in the directory of a spool. */
int64_t spool_quarantines(const char *dir);

/*
 * Log n decisions and sync them.  Returns 0, or -1 with f set and none logged.
 * a is scratch.
 */
int spool_append(struct spool *sp, struct arena *a,
    const struct spool_record *records, size_t n, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Take the drain lock and open the next file to drain; no process appends to
 * it.  Returns 1 with *ret, which spool_leave() or spool_remove() must close; 0
 * if there is no file or another process is draining; or -1 with f set.
 */
int spool_take(struct spool *sp, struct spool_file *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Read up to max records of a file from an offset on, into arena a.  Partial
 * lines are counted and skipped.  At the end of the file there are no records,
 * and ret->end is offset.  Returns 0, or -1 with f set.
 */
int spool_read(const struct spool_file *file, int64_t offset, size_t max,
    struct arena *a, struct spool_piece *ret, struct fail *f)
    __attribute__((warn_unused_result));

/* Append a line that the database refuses to a quarantine file. */
int spool_quarantine(struct spool *sp, const struct spool_file *file,
    const char *line, struct fail *f) __attribute__((warn_unused_result));

/*
 * Lower the count of records by n; the last of them was decided at decided_at.
 * Only spool_take() can set the count to 0.
 */
void spool_drained(struct spool *sp, size_t n, int64_t decided_at);

/* Close a file and release the drain lock; spool_remove() deletes it first. */
void spool_leave(struct spool *sp, struct spool_file *file);
int spool_remove(struct spool *sp, struct spool_file *file, struct fail *f)
    __attribute__((warn_unused_result));

/* Append the line of a record, with its newline. */
void spool_print(struct str *s, const struct spool_record *r);

/*
 * Parse a line of n bytes, without its newline, into *ret; its strings are in
 * arena a.  Returns 1; 0 if the checksum shows a partial line; -1 if the line
 * is complete but not a record that this program can read.
 */
int spool_parse(
    struct arena *a, const char *line, size_t n, struct spool_record *ret);

#endif
