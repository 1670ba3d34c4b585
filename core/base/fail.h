/* SPDX-License-Identifier: ISC */
/* Failures: the kind, the code, the field at fault, and the reason. */
#ifndef CORE_BASE_FAIL_H
#define CORE_BASE_FAIL_H

/* The kind of a failure, by which code decides how to continue. */
enum fail_kind {
	FAIL_INPUT = 1, /* the caller sent invalid input */
	FAIL_DENIED, /* the caller may not do this, or not now */
	FAIL_US, /* the service failed: database, memory, or a bug */
	FAIL_UNCERTAIN, /* a write was sent and its outcome is unknown */
	FAIL__MAX
};

/* Every error code of the service, from codes.tbl. */
enum code {
	CODE__NONE = 0,
#define CODE(name, status, text) name,
#include "core/base/codes.tbl"
#undef CODE
	CODE__MAX
};

/*
 * A failure.  The calling function owns it and zeroes it; fail_set() fills it.
 * where is the path of the field at fault, or empty.  why completes a sentence
 * that begins with where, such as "is required".  Neither contains personal
 * data: why names rules and limits, never the value that was sent.
 */
struct fail {
	enum fail_kind kind;
	enum code code;
	char where[192];
	char why[256];
};

/*
 * Fill f, unless it is NULL, and return -1, so that a function can "return
 * fail_set(...)".  where may be NULL.  why is a printf format; the text is cut
 * to the size of its buffer.
 */
int fail_set(struct fail *f, enum fail_kind kind, enum code code,
    const char *where, const char *why, ...)
    __attribute__((format(printf, 5, 6)));

/* Fill f, unless it is NULL, for a full arena or heap; return -1. */
int fail_memory(struct fail *f);

#define FAIL_TEXT_SIZE 450 /* where, a space, why and a NUL */

/*
 * Write to ret the message of a failure, such as "subject.userId is required",
 * or the text of its code if why is empty.  Return ret.
 */
const char *fail_text(const struct fail *f, char ret[FAIL_TEXT_SIZE]);

/* The name of a code in answers, such as "INGEST_INVALID". */
const char *fail_code_name(enum code code);

/* The code that has this name; CODE__NONE if no code has it. */
enum code fail_code_named(const char *name);

/* The HTTP status of a code; only the HTTP layer uses it. */
int fail_code_status(enum code code);

/* The text of a code in codes.tbl, for a failure with an empty why. */
const char *fail_code_text(enum code code);

#endif
