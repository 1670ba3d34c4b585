/* SPDX-License-Identifier: ISC */
/* Erase what is stored of a user, in short transactions. */
#ifndef LIB_RETENTION_USER_ERASURE_H
#define LIB_RETENTION_USER_ERASURE_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct db;
struct fail;

/* The progress of an erasure; zero before the first step. */
struct user_erasure {
	bool graph; /* the user had a place in the entity graph */
	bool baseline; /* and a state */
	int64_t
	    until; /* decisions up to this time are erased, microseconds UTC */
	int64_t requests; /* erased so far */
	int64_t samples;
};

/*
 * Erase the state of the user and the user's place in the graph, at most some
 * 1,000 links of it, under the lock of the user's decisions.  Sets *ret_more if
 * links are left.  Return 0, or -1 with f set.
 */
int user_erasure_identity(struct user_erasure *er, struct db *db,
    struct arena *a, const char *user, bool *ret_more, struct fail *f)
    __attribute__((warn_unused_result));

/* The same for the details of the user's decisions, after the identity. */
int user_erasure_details(struct user_erasure *er, struct db *db,
    struct arena *a, const char *user, bool *ret_more, struct fail *f)
    __attribute__((warn_unused_result));

#endif
