/* SPDX-License-Identifier: ISC */
/* The one error shape: what kind of failure, its code, where, and why. */
#ifndef CORE_BASE_FAIL_H
#define CORE_BASE_FAIL_H

/* Who has to act, which is what callers branch on. */
enum fail_kind {
	FAIL_INPUT = 1, /* the caller sent something wrong */
	FAIL_DENIED, /* the caller may not do this, or not now */
	FAIL_US, /* we failed: database, memory, our own mistake */
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
 * A failure on its way to whoever answers for it.  It lives in the caller's
 * storage, starts zeroed, and is filled once, by fail_set().  where is the
 * path of the field at fault or empty; why is a sentence's tail that fits
 * after it ("is required").  Neither ever holds a personal value: why names
 * rules and limits, never what was sent.
 */
struct fail {
	enum fail_kind kind;
	enum code code;
	char where[192];
	char why[256];
};

/*
 * Fill f (unless it is NULL) and return -1, so that a caller can write
 * "return fail_set(...)".  where may be NULL; why is a printf format and is
 * cut at the size of its buffer.
 */
int fail_set(struct fail *f, enum fail_kind kind, enum code code,
    const char *where, const char *why, ...)
    __attribute__((format(printf, 5, 6)));

/* Fill f (unless it is NULL): the arena or the heap is full.  Return -1. */
int fail_memory(struct fail *f);

#define FAIL_TEXT_SIZE 450 /* where, a space, why and a NUL */

/*
 * The message of a failure, "subject.userId is required", or its code's text
 * when it has no why, written to ret, which is returned.
 */
const char *fail_text(const struct fail *f, char ret[FAIL_TEXT_SIZE]);

/* The code as callers see it, "INGEST_INVALID". */
const char *fail_code_name(enum code code);

/* The code of a name, CODE__NONE if there is none. */
enum code fail_code_named(const char *name);

/* The HTTP status that goes with code; only what answers HTTP asks for it. */
int fail_code_status(enum code code);

/* The sentence of codes.tbl, for a failure that has no why of its own. */
const char *fail_code_text(enum code code);

#endif
