/* SPDX-License-Identifier: ISC */
/* Find the complete id for a partial one in a list. */
#ifndef CTL_REQUEST_ID_LOOKUP_H
#define CTL_REQUEST_ID_LOOKUP_H

struct json_object;
struct http_client;

#define ID_PART_MIN 4 /* characters that a partial id has at least */

/* The list that contains the ids of one kind. */
struct id_lookup_list {
	const char *prefix; /* "cse_"; "" if ids have any form */
	const char *path; /* of the route that returns the list */
	const char *array; /* path to the array in its answer */
	const char *member; /* path to the id in an element */
};

/*
 * Find the only id of a list that begins with typed, with or without the
 * prefix, or ends with it.  Set *ret to that id, which lives as long as the
 * list; or to typed if it is a complete id, is shorter than ID_PART_MIN, or
 * matches no id.  Return EX_OK; or EX_DATAERR after printing the ids if several
 * match.  what is the command, for messages.
 */
int id_lookup_match(const struct id_lookup_list *il, struct json_object *list,
    const char *what, const char *typed, const char **ret);

/*
 * The same, with the list read from the service; a complete id needs no
 * request. If the request fails, return the status of http_client_call().
 */
int id_lookup(struct http_client *sv, const struct id_lookup_list *il,
    const char *what, const char *typed, const char **ret);

#endif
