/* SPDX-License-Identifier: ISC */
/*
 * Commands that send one HTTP request.  commands.tbl describes their requests
 * and how their answers are printed.
 */
#ifndef CTL_REQUEST_REQUEST_SPEC_H
#define CTL_REQUEST_REQUEST_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct json_object;

/*
 * A command is a PART_CALL and the parts after it, up to the next PART_CALL.
 * commands.tbl explains the parts; the comments here name their members.
 */
enum request_spec_kind {
	PART_CALL = 1, /* name: the words; method, path, help */
	PART_ARG, /* name; in, path: the field; take */
	PART_OPT, /* name, arg, help; in, path: the field; take, min, max */
	PART_SET, /* path: the field; arg: its value */
	PART_ASK, /* name: the prompt; path: the field */
	PART_PAGE, /* min: the default limit; max */
	PART_OLDER, /* as PART_PAGE; arg: the array; path: the id in a row */
	PART_FIND, /* name: the prefix; path: the list; arg: the array in it;
		      method: the id in an element */
	PART_MISSING, /* name: the sentence */
	PART_SEEN, /* path; name: the sentence */
	PART_KEYED,
	PART_SLOW,
	PART_WATCH, /* path; min: the index of the operand */
	PART_CONFIRM, /* name: the question */
	PART_PROPOSE,
	PART_PICK, /* path: the paths; min: the index of the operand; help */
	PART_FIELDS, /* arg: the columns */
	PART_ROWS, /* path; name: the title or NULL; arg: the columns */
	PART_MEMBERS, /* path: the paths; name, arg: as PART_ROWS */
	PART_DIFF, /* path: the old text; arg: the new one; name: the title */
	PART_LINES, /* path: the array; name: the sentence of an element */
	PART_SAY, /* name: the sentence */
	PART_NOTE, /* name: the sentence */
	PART_NOTES, /* path: the array of sentences */
	PART__MAX
};

/* Where an argument is sent. */
enum request_spec_in { IN_PATH = 1, IN_QUERY, IN_BODY, IN__MAX };

/* The type of an argument. */
enum request_spec_take {
	TAKE_TEXT = 1,
	TAKE_CHOICE, /* a word of its name or arg, "a|b" */
	TAKE_NUMBER, /* from min to max */
	TAKE_LIST, /* an option that repeats, or all remaining operands */
	TAKE_DAYS, /* a number of days, sent as that time from now */
	TAKE_JSON, /* a JSON text, sent as it is */
	TAKE_RULESET, /* a file of rules, to publish */
	TAKE_POLICY, /* a file with bands and onError, to publish */
	TAKE_BANDS, /* a file with bands and onError, for a backtest */
	TAKE_MODEL, /* a model file, sent unchanged */
	TAKE__MAX
};

struct request_part {
	enum request_spec_kind kind;
	const char *name;
	const char *path;
	const char *arg; /* of an option: the name of its value */
	const char *help;
	const char *method;
	enum request_spec_in in;
	enum request_spec_take take;
	int64_t min;
	int64_t max;
};

/* Return the PART_CALL of a command, by its words; NULL if it has none. */
const struct request_part *request_spec_find(const char *words);

/* Return the part after p of the same command, NULL after the last. */
const struct request_part *request_spec_next(const struct request_part *p);

/*
 * Return the value at a dotted path, "request.amount"; "" is json itself.
 * Return NULL if the path leads to no value, and for null.
 */
struct json_object *request_spec_at(struct json_object *json, const char *path);

/*
 * Print an answer to standard output as the parts of call describe; operands
 * are those of the command.  All memory comes from arena a.  Return the number
 * of table rows.
 */
size_t request_spec_show(const struct request_part *call,
    struct json_object *json, char *const *operands, struct arena *a);

/*
 * Return text with each {path} replaced by that value of json and each {N} by
 * operand N, cleaned for a terminal.  It is in arena a; "?" if a is full.
 */
const char *request_spec_sentence(struct arena *a, const char *text,
    struct json_object *json, char *const *operands);

#endif
