/* SPDX-License-Identifier: ISC */
/* The file with the session of `assayctl login`. */
#ifndef CTL_SESSION_H
#define CTL_SESSION_H

#include <stdint.h>

struct arena;

/* Texts are in the arena of session_read(); a missing one is NULL. */
struct session {
	const char *url;
	const char *token;
	const char *email;
	const char *role;
	const char *until; /* when the token expires, as text */
};

/*
 * Read the session; *ret is zeroed if there is no file.  Return EX_OK, or an
 * exit status after an error message: others can read the file, or it belongs
 * to another user.
 */
int session_read(struct arena *a, struct session *ret);

/*
 * Replace the file atomically.  Return EX_OK, or an exit status after an error
 * message.
 */
int session_write(const struct session *ss);

/* Remove the file.  Return as session_write(). */
int session_remove(void);

#endif
