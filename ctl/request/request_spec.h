/* SPDX-License-Identifier: ISC */
/*
 * Commands that are one request, as rows of commands.tbl: what they ask, and
 * how the answer is shown.
 */
#ifndef CTL_REQUEST_REQUEST_SPEC_H
#define CTL_REQUEST_REQUEST_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct json_object;

/* A CALL and the parts that follow it, up to the next, are a command. */
enum request_spec_kind {
	PART_CALL = 1, /* name: its words; path, method, help */
	PART_ARG, /* an operand: name, where it goes to as path */
	PART_OPT, /* an option: name, help, where it goes to as path */
	PART_SET, /* the member of the body at path is arg */
	PART_ASK, /* a secret that is asked for; name is the prompt */
	PART_PAGE, /* --limit (default min, at most max) and --offset */
	PART_OLDER, /* --before, an id: path of a row of the array at arg; and
		       --limit unless there is PART_PAGE */
	PART_FIND, /* the operand before may be part of an id of a list: of the
		      array at arg of path, member method, which begins with
		      name */
	PART_MISSING, /* name is said, as of PART_SAY, of what is not found */
	PART_SEEN, /* if a GET of path and operand 0 finds nothing, say name */
	PART_KEYED, /* an API key goes with it, no token */
	PART_SLOW, /* an answer may take minutes */
	PART_WATCH, /* path tells how far it is, by type; operand min is it */
	PART_CONFIRM, /* --yes, or yes said to the question in name */
	PART_PICK, /* of an array, the one whose path is operand min */
	PART_FIELDS, /* show columns below each other */
	PART_ROWS, /* show columns of the array or object at path */
	PART_MEMBERS, /* show columns of the objects that path names */
	PART_LINES, /* show texts at column path of the array at path */
	PART_COLUMN, /* of those before it: name is its head, and form */
	PART_SAY, /* print name, with {path} of the answer and {0}, an operand
		   */
	PART_NOTE, /* the same, on standard error */
	PART__MAX
};

/* Where an argument goes to. */
enum request_spec_in { IN_PATH = 1, IN_QUERY, IN_BODY, IN__MAX };

/* What an argument is. */
enum request_spec_take {
	TAKE_TEXT = 1,
	TAKE_CHOICE, /* one of those in its name or arg */
	TAKE_NUMBER, /* from min to max */
	TAKE_LIST, /* an option that repeats, or all operands that are left */
	TAKE_DAYS, /* so many days from now, as a time */
	TAKE_RULESET, /* a file of rules, to publish */
	TAKE_RULES, /* a file of rules, to try */
	TAKE_POLICY, /* a file with bands and onError, to publish */
	TAKE_BANDS, /* the same, to try */
	TAKE_MODEL, /* a file of a model, byte for byte */
	TAKE__MAX
};

/* How a value is shown. */
enum request_spec_form {
	FORM_TEXT = 1,
	FORM_ID, /* text that is never cut */
	FORM_STATE, /* text that has a colour */
	FORM_NUMBER, /* to the right */
	FORM_RATE, /* 0 to 1, as per cent */
	FORM_BYTES,
	FORM_TIME,
	FORM_END, /* a time, null is never */
	FORM_YES, /* a boolean */
	FORM_LIST, /* of texts */
	FORM_COUNT, /* how many an array has */
	FORM_REASONS,
	FORM_BECAUSE, /* the comparisons of a rule */
	FORM_CHANGE, /* of a signal */
	FORM_AMOUNT, /* of an object with amount and currency */
	FORM_JSON,
	FORM__MAX
};

struct request_part {
	enum request_spec_kind kind;
	const char *name;
	const char *path;
	const char *arg; /* of an option: what its value is */
	const char *help;
	const char *method;
	enum request_spec_in in;
	enum request_spec_take take;
	enum request_spec_form form;
	int64_t min;
	int64_t max;
	bool spare; /* a column that a narrow terminal may leave out */
};

/* The first part of the command of these words. */
const struct request_part *request_spec_find(const char *words);

/* The part after p of the same command, NULL after its last. */
const struct request_part *request_spec_next(const struct request_part *p);

/* The value at a dotted path, "request.amount"; "" is json itself. */
struct json_object *request_spec_at(struct json_object *json, const char *path);

/*
 * Print an answer as the parts of call say it is shown; operands are those of
 * the command.  All memory comes from arena a.  Returns how many rows the
 * tables had.
 */
size_t request_spec_show(const struct request_part *call,
    struct json_object *json, char *const *operands, struct arena *a);

/*
 * A sentence with each {path} of json and each {0}, an operand, filled in, so
 * that a terminal can show it.  It is in arena a.
 */
const char *request_spec_sentence(struct arena *a, const char *text,
    struct json_object *json, char *const *operands);

#endif
