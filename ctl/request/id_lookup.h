/* SPDX-License-Identifier: ISC */
/* Ids that are typed in part: which of those that are listed is meant. */
#ifndef CTL_REQUEST_ID_LOOKUP_H
#define CTL_REQUEST_ID_LOOKUP_H

struct json_object;
struct http_client;

#define ID_PART_MIN 4 /* characters of an id that name it */

/* Where the ids of one kind are listed. */
struct id_lookup_list {
	const char *prefix; /* "cse_"; "" where ids have any form */
	const char *path; /* of the route that lists them */
	const char *array; /* path to its array */
	const char *member; /* path to the id in an element */
};

/*
 * Find the one id of a list that typed begins, with or without its prefix, or
 * ends.  *ret is that id, which lives as long as the list; or typed itself if
 * it is a whole id, is shorter than ID_PART_MIN, or belongs to none.  Returns
 * EX_OK, or EX_DATAERR after having said which ids it may mean.
 */
int id_lookup_match(const struct id_lookup_list *il, struct json_object *list,
    const char *what, const char *typed, const char **ret);

/*
 * The same with the list that the service gives; a whole id asks for none.
 * what is the command, for messages.  Returns also what http_client_call()
 * does.
 */
int id_lookup(struct http_client *sv, const struct id_lookup_list *il,
    const char *what, const char *typed, const char **ret);

#endif
