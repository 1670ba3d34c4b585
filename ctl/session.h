/* SPDX-License-Identifier: ISC */
/* The session that `assayctl login` keeps in a file of its user's. */
#ifndef CTL_SESSION_H
#define CTL_SESSION_H

#include <stdint.h>

struct arena;

/* Texts live in the arena of session_read(); NULL is what there is none of. */
struct session {
	const char *url;
	const char *token;
	const char *email;
	const char *role;
	const char *until; /* as a time's text */
};

/*
 * Read the session.  Returns EX_OK, with nothing in *ret if there is no file,
 * or an exit status after having said what is wrong with it: others may read
 * it, it is not ours.
 */
int session_read(struct arena *a, struct session *ret);

/* Write it, whole or not at all.  Returns EX_OK, or as session_read(). */
int session_write(const struct session *ss);

/* Remove it.  Returns EX_OK, or as session_read(). */
int session_forget(void);

#endif
