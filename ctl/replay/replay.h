/* SPDX-License-Identifier: ISC */
/* assayctl replay: rows of a file, the events they become, what is shown. */
#ifndef CTL_REPLAY_REPLAY_H
#define CTL_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/event/event.h"
#include "core/decide/policy.h"
#include "core/decide/score.h"
#include "lib/sys/csv.h"
#include "ctl/replay/offline_store.h"

struct arena;
struct command;
struct fail;
struct gzFile_s;
struct json_object;
struct opt_list;
struct rulebook;
struct str;

/* One row on its way: what the table shows of it. */
struct replay_item {
	uint64_t row; /* from 1, the header not counted */
	char id[EVENT_ID_MAX + 2]; /* one that is too long stays so */
	char user[EVENT_ID_MAX + 1];
	char type[32];
	char amount[40];
	enum backtest_label truth;
};

/* Fields that a column can be mapped to, in the order of replay_row.c's table.
 */
#define ROW_FIELDS 16

/* Which column is which field of the event. */
struct replay_layout {
	int column[ROW_FIELDS]; /* -1: no column */
	struct {
		const char *name;
		int column;
	} attr[EVENT_ATTRS_MAX];
	size_t n_attrs;
	const char *type; /* when there is no such column */
	const char *currency;
	const char *prefix; /* in front of every event id */
	const char *name; /* what a row without one has, and its number */
	bool truth; /* the file says what was fraud */
};

/*
 * Find the columns of the header that cs has just read: each by the name of
 * its field, or as map ("field=column,...", may be NULL) says.  Names live
 * in arena a.  Returns 0, or -1 with f set.
 */
int row_layout(struct replay_layout *la, const struct csv *cs, const char *map,
    struct arena *a, struct fail *f);

/*
 * Append the row that cs has just read as an event in JSON, and note in item
 * what the table shows of it, but for the truth.  Empty fields are absent.
 * The service checks the event: what is no number is sent as the text it is.
 */
void row_event(const struct replay_layout *la, const struct csv *cs,
    struct str *s, struct replay_item *item);

/*
 * What the row that cs has just read says of fraud.  Returns 0, or -1 with f
 * set: it is neither yes nor no.
 */
int row_truth(const struct replay_layout *la, const struct csv *cs,
    enum backtest_label *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * The time of the row that cs has just read.  Returns 0, or -1 with f set: it
 * is no time, or none from 1970 on.
 */
int row_time(const struct replay_layout *la, const struct csv *cs, int64_t *ret,
    struct fail *f) __attribute__((warn_unused_result));

/* A file of rows, and how far it has been read. */
struct replay_source {
	const char *path;
	struct gzFile_s *file;
	int64_t size; /* of the file, for the progress */
	struct csv csv;
	struct replay_layout layout;
	uint64_t row; /* the last that was read */
	uint64_t first; /* rows before it are skipped */
	uint64_t last; /* rows after it are left */
	bool progress; /* somebody sees it */
	int64_t began; /* ticks */
	int64_t drawn; /* ticks of the last progress */
};

/*
 * Open the file at so_path, gzip'ed or not, and read its header and the rows
 * to be skipped; map is row_layout()'s.  Texts live in arena a.  Returns 0, or
 * -1 with f set, so_file NULL if it could not be opened.
 */
int source_open(struct replay_source *so, const char *map, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/* Read the next row.  Returns 1, 0 after the last, or -1 with f set. */
int source_next(struct replay_source *so, struct fail *f)
    __attribute__((warn_unused_result));

/* Close what source_open() opened, if anything. */
void source_close(struct replay_source *so);

/*
 * Say that so many events are done, a few times a second, where a person can
 * see it.  Returns whether it was said now, and more can be put behind it.
 */
bool source_progress(struct replay_source *so, uint64_t done);

/* Take the progress line away before something else is printed. */
void source_clear(const struct replay_source *so);

/* What came back for one event. */
struct replay_outcome {
	enum verdict verdict; /* 0 when there was none */
	double score;
	struct json_object *reasons;
	const char *code; /* of an error */
	const char *message;
	bool again; /* decided before: the id was known */
	int64_t us; /* of the request that carried it, 0 without one */
	const char *model; /* members of JSON, of a model's score */
	const char *signals; /* JSON, where they are known */
};

/* How results are shown. */
enum show_as { SHOW_TABLE = 1, SHOW_JSON, SHOW_NOTHING };

/* Results so far. */
struct show {
	enum show_as as;
	FILE *to; /* where the totals go, unless they are JSON */
	bool colour;
	bool truth; /* the file says what was fraud */
	bool header; /* the table's head is printed */
	uint64_t events; /* with an outcome */
	uint64_t errors; /* among them */
	uint64_t again;
	uint64_t verdicts[VERDICT__MAX];
	uint64_t confusion[2][2]; /* [fraud][flagged] */
	double scores; /* sum of the scores that are none of -1 */
	uint64_t scored;
	uint32_t *us; /* latency of each request */
	size_t n_us;
	size_t cap_us;
};

/* Print one event with its outcome and count it. */
void show_event(struct show *sh, const struct replay_item *item,
    const struct replay_outcome *oc);

/* Count one answered request. */
void show_request(struct show *sh, int64_t us);

/* What is asked of a history that is decided without a service. */
struct offline {
	const char *export; /* the training table, or NULL */
	const char *sql; /* the directory with the seed, or NULL */
	const struct opt_list *rules; /* [TYPE=]FILE */
	const struct opt_list *policies; /* likewise */
	enum scorer scorer;
	const char *model; /* of SCORER_ML; NULL: the bundled one */
	int64_t label_delay; /* days */
};

/*
 * Decide the rows of the file in memory, at their own times.  Returns an exit
 * status after having said what went wrong.
 */
int offline(struct replay_source *so, const char *map, struct show *sh,
    const struct offline *ask);

/*
 * The rulebook of each event type into books, by type: what is given for it,
 * for all types, or what migrate seeds.  Returns 0, or -1 with f set.
 */
int books_load(struct rulebook *books, const struct offline *ask,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

/* Print what all came to in seconds. */
void show_totals(struct show *sh, double seconds);

#endif
