/* SPDX-License-Identifier: ISC */
/* Whether a decision could be made here and now, and if not, why. */
#ifndef FCGI_WORKER_READINESS_H
#define FCGI_WORKER_READINESS_H

struct arena;
struct fail;
struct str;
struct worker;

enum readiness_status {
	READINESS_YES = 1,
	READINESS_DOWN, /* the database does not answer */
	READINESS_READ_ONLY, /* it is a standby, or set so */
	READINESS_RESTORED, /* from a dump, and not made ready */
	READINESS_OLD, /* a migration is missing */
	READINESS_NEWER, /* it needs a newer program */
	READINESS_EMPTY, /* no rules and policies are loaded, nor can be */
	READINESS__MAX
};

#define READINESS_WHY_SIZE 512

/* What a look came to. */
struct readiness {
	enum readiness_status state;
	const char *store; /* a word for the database */
	const char *member; /* of the checks that says more, or NULL */
	char why[READINESS_WHY_SIZE]; /* in words, "" if it is ready */
};

/*
 * Look whether this worker, which decides, could make a decision: its database
 * answers within a second and a half, may be written and has the schema that
 * this program needs, and rules and policies are loaded, which is tried if they
 * are not.  Of all workers of the pool, one line is logged when the answer
 * changes.  Takes no lock.
 */
void readiness_check(struct worker *w, struct arena *a, struct readiness *ret);

/*
 * Load the rules and policies now, in the worker's database session.  Returns
 * 0, or -1 with f set.
 */
int readiness_load(struct worker *w, struct fail *f)
    __attribute__((warn_unused_result));

/* For metrics: what is known of the schema, learnt by a worker of any group. */
void readiness_measure(struct worker *w, struct arena *a);

/* Print the metrics of all this, as the worker that answers knows it. */
void readiness_print(const struct worker *w, struct str *s);

#endif
