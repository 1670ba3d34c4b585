/* SPDX-License-Identifier: ISC */
/* assayctl replay: rows of a file, the events they become, what is shown. */
#ifndef CTL_REPLAY_H
#define CTL_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/event.h"
#include "core/policy.h"

struct arena;
struct csv;
struct fail;
struct json_object;
struct str;

/* What the file tells about an event: was it fraud? */
enum told { TOLD_NOTHING = 1, TOLD_LEGIT, TOLD_FRAUD };

/* One row on its way: what the table shows of it. */
struct item {
	uint64_t it_row; /* from 1, the header not counted */
	char it_id[EVENT_ID_MAX + 1];
	char it_user[EVENT_ID_MAX + 1];
	char it_type[32];
	char it_amount[40];
	enum told it_truth;
};

/* Fields that a column can be mapped to, in the order of row.c's table. */
#define ROW_FIELDS 16

/* Which column is which field of the event. */
struct layout {
	int la_column[ROW_FIELDS]; /* -1: no column */
	struct {
		const char *name;
		int column;
	} la_attr[EVENT_ATTRS_MAX];
	size_t la_n_attrs;
	const char *la_type; /* when there is no such column */
	const char *la_currency;
	const char *la_prefix; /* in front of every event id */
	bool la_truth; /* the file says what was fraud */
};

/*
 * Find the columns of the header that cs has just read: each by the name of
 * its field, or as map ("field=column,...", may be NULL) says.  Names live
 * in arena a.  Returns 0, or -1 with f set.
 */
int row_layout(struct layout *la, const struct csv *cs, const char *map,
    struct arena *a, struct fail *f);

/*
 * Append the row that cs has just read as an event in JSON, and note in item
 * what the table shows of it.  Empty fields are absent.  The service checks
 * the event: what is no number is sent as the text it is.
 */
void row_event(const struct layout *la, const struct csv *cs, struct str *s,
    struct item *item);

/* What came back for one event. */
struct outcome {
	enum verdict oc_verdict; /* 0 when there was none */
	double oc_score;
	struct json_object *oc_reasons;
	const char *oc_code; /* of an error */
	const char *oc_message;
	bool oc_again; /* decided before: the id was known */
	int64_t oc_us; /* of the request that carried it */
};

/* How results are shown. */
enum show_as { SHOW_TABLE = 1, SHOW_JSON, SHOW_NOTHING };

/* Results so far. */
struct show {
	enum show_as sh_as;
	bool sh_colour;
	bool sh_truth; /* the file says what was fraud */
	bool sh_header; /* the table's head is printed */
	uint64_t sh_events; /* with an outcome */
	uint64_t sh_errors; /* among them */
	uint64_t sh_again;
	uint64_t sh_verdicts[VERDICT__MAX];
	uint64_t sh_confusion[2][2]; /* [fraud][flagged] */
	double sh_scores; /* sum of the scores that are none of -1 */
	uint64_t sh_scored;
	uint32_t *sh_us; /* latency of each request */
	size_t sh_n_us;
	size_t sh_cap_us;
};

/* Print one event with its outcome and count it. */
void show_event(
    struct show *sh, const struct item *item, const struct outcome *oc);

/* Count one answered request. */
void show_request(struct show *sh, int64_t us);

/* Print what all came to in seconds. */
void show_totals(struct show *sh, double seconds);

#endif
