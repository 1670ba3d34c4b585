/* SPDX-License-Identifier: ISC */
/* Whether a decision could be made here and now, and if not, why. */
#ifndef FCGI_POOL_READINESS_H
#define FCGI_POOL_READINESS_H

struct arena;
struct str;
struct worker;

enum ready {
	READY_YES = 1,
	READY_DOWN, /* the database does not answer */
	READY_READ_ONLY, /* it is a standby, or set so */
	READY_RESTORED, /* from a dump, and not made ready */
	READY_OLD, /* a migration is missing */
	READY_NEWER, /* it needs a newer program */
	READY_EMPTY, /* no rules and policies are loaded, nor can be */
	READY__MAX
};

#define READY_WHY_SIZE 512

/* What a look came to. */
struct readiness {
	enum ready re_state;
	const char *re_store; /* a word for the database */
	const char *re_member; /* of the checks that says more, or NULL */
	char re_why[READY_WHY_SIZE]; /* in words, "" if it is ready */
};

/*
 * Look whether this worker, which decides, could make a decision: its database
 * answers within a second and a half, may be written and has the schema that
 * this program needs, and rules and policies are loaded, which is tried if they
 * are not.  Of all workers of the pool, one line is logged when the answer
 * changes.  Takes no lock.
 */
void ready_look(struct worker *w, struct arena *a, struct readiness *ret);

/* For metrics: what is known of the schema, learnt by a worker of any group. */
void ready_measure(struct worker *w, struct arena *a);

/* Print the metrics of all this, as the worker that answers knows it. */
void ready_print(const struct worker *w, struct str *s);

#endif
