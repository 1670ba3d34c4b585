/* SPDX-License-Identifier: ISC */
/* Check whether this worker can make a decision, and if not, why. */
#ifndef FCGI_WORKER_READINESS_H
#define FCGI_WORKER_READINESS_H

struct arena;
struct fail;
struct str;
struct worker;

enum readiness_status {
	READINESS_YES = 1,
	READINESS_DOWN, /* the database does not answer */
	READINESS_READ_ONLY, /* a standby, or set to read-only */
	READINESS_RESTORED, /* from a dump, and not made ready */
	READINESS_FORMER, /* only a former primary answers */
	READINESS_OLD, /* a migration is missing */
	READINESS_NEWER, /* the schema needs a newer program */
	READINESS_NO_MONTH, /* no partition for decisions of now */
	READINESS_EMPTY, /* no rules and policies can be loaded */
	READINESS__MAX
};

#define READINESS_WHY_SIZE 512

/* The result of a check. */
struct readiness {
	enum readiness_status state;
	const char *store; /* value of checks.store */
	const char *member; /* member of checks that explains it; or NULL */
	char why[READINESS_WHY_SIZE]; /* explanation, "" if ready */
};

/*
 * Check whether this worker of the decide group can make a decision: its
 * database answers within 1.5 seconds, accepts writes and has the schema that
 * this program needs, and rules and policies are loaded.  Load them if they are
 * not.  Log one line for the whole pool when the result changes.  Take no lock.
 */
void readiness_check(struct worker *w, struct arena *a, struct readiness *ret);

/*
 * Load the rules and policies in the worker's database session.  Return 0, or
 * -1 with f set.
 */
int readiness_load(struct worker *w, struct fail *f)
    __attribute__((warn_unused_result));

/* Print the metrics of readiness, the schema and the loaded policies. */
void readiness_print(const struct worker *w, struct str *s);

#endif
