/* SPDX-License-Identifier: ISC */
/*
 * The spool: where degraded answers are logged while the database is away,
 * on disk, until lib/spool/spool_drain.c has brought them home.  assay-spool(5)
 * says what is in its directory.
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

#define SPOOL_CHUNK ((size_t)1 << 20) /* bytes read at once: many records */
#define SPOOL_NAME_SIZE 64 /* of a file of the spool, NUL included */

/* One answer: what the rows of verdict log and detail table need. */
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
	const char *idempotency_key; /* NULL: none was sent */
	const char *request; /* JSON, masked */
};

/* A file that is being drained. */
struct spool_file {
	char name[SPOOL_NAME_SIZE]; /* which no other file ever has */
	int fd;
};

/* What a piece of a file holds. */
struct spool_piece {
	struct spool_record *records;
	const char **lines; /* the line of each, without its end */
	int64_t *ends; /* where in the file each ends */
	size_t n;
	size_t partial; /* lines that were never written whole */
	int64_t end; /* where the piece ends, torn lines included */
};

/*
 * Open the spool in a directory, which is made if only its own name is
 * missing.  Each process opens it for itself: locks hang on what is open.
 * shm, which must outlive it, says how much is in there.  Returns NULL with
 * f set.
 */
struct spool *spool_open(const char *dir, struct shm *shm, struct fail *f);

/* Close; NULL is harmless. */
void spool_close(struct spool *sp);

/* The shared region that it was opened with. */
struct shm *spool_shm(const struct spool *sp);

/*
 * Count what earlier runs have left, and learn the name of the spool, which is
 * made with its directory and stays: before anybody writes.
 */
void spool_count(struct spool *sp, struct arena *a);

/* How many files of records that were set aside a spool's directory has. */
int64_t spool_quarantines(const char *dir);

/*
 * Log n answers: all of them are on disk, or none is.  a is scratch.
 * Returns 0, or -1 with f set.
 */
int spool_append(struct spool *sp, struct arena *a,
    const struct spool_record *records, size_t n, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Become the one who drains, and open the next file to be drained, which
 * nobody writes to any more.  Returns 1 with *ret, which spool_leave() or
 * spool_remove() closes; 0 when there is none or another process is at it;
 * -1 with f set.
 */
int spool_take(struct spool *sp, struct spool_file *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Read up to max records of a file from an offset on, into a.  Torn lines
 * are passed over.  At the end of the file there is no record and the end is
 * the offset.  Returns 0, or -1 with f set.
 */
int spool_read(const struct spool_file *file, int64_t offset, size_t max,
    struct arena *a, struct spool_piece *ret, struct fail *f)
    __attribute__((warn_unused_result));

/* Keep a line that the database refuses in a file of its own, for people. */
int spool_quarantine(struct spool *sp, const struct spool_file *file,
    const char *line, struct fail *f) __attribute__((warn_unused_result));

/*
 * Account for records that have left the spool; the last was of that time.
 * That none is left is noticed by spool_take() only.
 */
void spool_drained(struct spool *sp, size_t n, int64_t decided_at);

/* Be done with a file for now, or for good. */
void spool_leave(struct spool *sp, struct spool_file *file);
int spool_remove(struct spool *sp, struct spool_file *file, struct fail *f)
    __attribute__((warn_unused_result));

/* Append the line of a record, its end included. */
void spool_print(struct str *s, const struct spool_record *r);

/*
 * Read a line of n bytes, without its end, into *ret, whose strings live in
 * a.  Returns 1; 0 when it was never written whole; -1 when it was, but is no
 * record that this program knows.
 */
int spool_parse(
    struct arena *a, const char *line, size_t n, struct spool_record *ret);

#endif
