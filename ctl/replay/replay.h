/* SPDX-License-Identifier: ISC */
/* assayctl replay: rows of a file, their events, and the printed results. */
#ifndef CTL_REPLAY_REPLAY_H
#define CTL_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/decide/policy.h"
#include "core/decide/score.h"
#include "core/event/event.h"
#include "ctl/replay/offline_store.h"
#include "lib/sys/csv.h"

struct arena;
struct fail;
struct gzFile_s;
struct json_object;
struct opt_list;
struct rulebook;
struct str;

/* The members of a row that the table shows. */
struct replay_item {
	uint64_t row; /* from 1, without the header */
	char id[EVENT_ID_MAX + 2]; /* an id that is too long stays too long */
	char user[EVENT_ID_MAX + 1];
	char type[32];
	char amount[40];
	enum backtest_label truth;
};

/* Number of fields that a column can be mapped to; see replay_row.c. */
#define ROW_FIELDS 16

/* The columns that contain the fields of an event. */
struct replay_layout {
	int column[ROW_FIELDS]; /* by enum replay_field, -1: no column */
	struct replay_attr {
		const char *name;
		const char *shown; /* name, as a terminal may show it */
		int column;
		struct replay_seen {
			uint64_t n; /* values of the type */
			uint64_t line; /* of the first one */
		} seen[VALUE__MAX]; /* by enum value_type */
	} attr[EVENT_ATTRS_MAX];
	size_t n_attrs;
	const char *left_out[EVENT_ATTRS_MAX]; /* names of attributes */
	size_t n_left_out;
	const char *unused; /* names of columns without a field, or "" */
	const char *dropped; /* of those beyond EVENT_ATTRS_MAX, or "" */
	const char *type; /* of all rows, or NULL */
	int type_column; /* that this replaces, or -1 */
	const char *currency; /* of rows without a currency */
	const char *prefix; /* of every event id */
	const char *name; /* a row without an id gets this and its number */
	bool truth; /* the file has a column fraud */
};

/*
 * Find the columns in the header that cs has just read: by the name of the
 * field, or as map, "field=column,..." or NULL, says.  Names are in arena a.
 * Return 0, or -1 with f set.
 */
int replay_row_layout(struct replay_layout *la, const struct csv *cs,
    const char *map, struct arena *a, struct fail *f);

/*
 * Count the types of the attributes in the row that cs has just read, for
 * replay_row_losses().
 */
void replay_row_note(struct replay_layout *la, const struct csv *cs);

/*
 * Say which columns make no field of an event, and which attributes have values
 * of several types in the rows so far.  Return whether there are any.
 */
bool replay_row_losses(const struct replay_layout *la);

/*
 * Append the row that cs has just read as an event in JSON, and fill item
 * except for its truth; item->row must be set.  Leave out empty fields.  Values
 * are not checked, because the service does that: a wrong number is sent as
 * text.
 */
void replay_row_event(const struct replay_layout *la, const struct csv *cs,
    struct str *s, struct replay_item *item);

/*
 * Read the field fraud of the row that cs has just read.  Return 0, or -1 with
 * f set if its value is invalid.
 */
int replay_row_truth(const struct replay_layout *la, const struct csv *cs,
    enum backtest_label *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Read the time of the row that cs has just read.  Return 0, or -1 with f set
 * if it is not a time, or not from 1970 to 2999.
 */
int replay_row_time(const struct replay_layout *la, const struct csv *cs,
    int64_t *ret, struct fail *f) __attribute__((warn_unused_result));

/* A file of rows, and the position in it. */
struct replay_source {
	const char *path;
	struct gzFile_s *file;
	int64_t size; /* bytes of the file, for the progress */
	struct csv csv;
	struct replay_layout layout;
	uint64_t row; /* the last row that was read */
	uint64_t first; /* skip the rows before */
	uint64_t last; /* stop after this row */
	bool progress; /* draw the progress */
	int64_t began; /* ticks */
	int64_t drawn; /* ticks when progress was drawn, 0: never */
};

/*
 * Open the file so->path, compressed by gzip or not; read its header and skip
 * the rows before so->first.  map is that of replay_row_layout().  Texts are in
 * arena a. Return 0, or -1 with f set; so->file is NULL if the file could not
 * be opened.
 */
int replay_source_open(struct replay_source *so, const char *map,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

/* Read the next row.  Return 1, 0 after the last row, or -1 with f set. */
int replay_source_next(struct replay_source *so, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Read the rows from so->first to so->last of the file, which must be a regular
 * file, once, and return whether all can be read and replay_row_losses() says
 * nothing of them; else say why.  so is not changed.
 */
bool replay_source_is_whole(const struct replay_source *so, const char *map);

/* Close the file if it is open. */
void replay_source_close(struct replay_source *so);

/*
 * Draw the progress after done events, up to four times a second.  Return
 * whether it was drawn now, so that the caller can append to the line.
 */
bool replay_source_progress(struct replay_source *so, uint64_t done);

/* Erase the progress line before other output. */
void replay_source_clear(const struct replay_source *so);

/* The result of one event. */
struct replay_outcome {
	enum verdict verdict; /* 0: an error */
	double score;
	struct json_object *reasons;
	const char *code; /* of the error */
	const char *message; /* of the error */
	bool again; /* an earlier request decided this id */
	int64_t us; /* latency of the request, 0 offline */
	const char *model; /* JSON members of a model's score, or NULL */
	const char *signals; /* JSON, or NULL */
};

/* How results are printed. */
enum show_as { SHOW_TABLE = 1, SHOW_JSON, SHOW_NOTHING };

/* How to print results, and the totals so far. */
struct show {
	enum show_as as;
	FILE *to; /* output of the totals, unless they are JSON */
	bool colour;
	bool truth; /* the file has a column fraud */
	bool header; /* the head of the table is printed */
	uint64_t events; /* with a verdict or an error */
	uint64_t errors; /* of these events */
	uint64_t again; /* of these events, decided before */
	uint64_t verdicts[VERDICT__MAX];
	uint64_t confusion[2][2]; /* [fraud][flagged] */
	double scores; /* sum of the scores except -1 */
	uint64_t scored; /* events with such a score */
	uint32_t *us; /* latency of each request */
	size_t n_us;
	size_t cap_us;
};

/* Print and count one event. */
void replay_show_event(struct show *sh, const struct replay_item *item,
    const struct replay_outcome *oc);

/* Record the latency of one answered request. */
void replay_show_request(struct show *sh, int64_t us);

/* Options for deciding a history without a service. */
struct offline_options {
	const char *export; /* the training table, or NULL */
	const char *sql; /* directory of the seed, NULL: PKGDATADIR/sql */
	const struct opt_list *rules; /* [TYPE=]FILE */
	const struct opt_list *policies; /* [TYPE=]FILE */
	enum scorer scorer;
	const char *model; /* file for SCORER_ML, NULL: the bundled model */
	int64_t label_delay; /* days */
};

/*
 * Decide the rows of the file in memory, at their times.  Return an exit
 * status, after an error message if it is not EX_OK.
 */
int offline(struct replay_source *so, const char *map, struct show *sh,
    const struct offline_options *options);

/*
 * Load the rulebook of each event type into books, by type: the last file given
 * for this type or for all types, else the seed that migrate installs.  Return
 * 0, or -1 with f set.
 */
int rulebook_load(struct rulebook *books, const struct offline_options *options,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

/*
 * Load only the policies: those given as [TYPE=]FILE, else the seed in the
 * directory sql, NULL for PKGDATADIR/sql.  Return 0, or -1 with f set.
 */
int rulebook_load_policies(struct rulebook *books, const struct opt_list *given,
    const char *sql, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/* Print the totals of a run that took this many seconds. */
void replay_show_totals(struct show *sh, double seconds);

#endif
