/* SPDX-License-Identifier: ISC */
/* What a directory changes of the configuration that is active. */
#ifndef CTL_CONFIG_CONFIG_PLAN_H
#define CTL_CONFIG_CONFIG_PLAN_H

struct arena;
struct json_object;

/*
 * Compare an answer of GET /v1/config with a document of config_document.h, and
 * print each change with its number, as a difference of texts where it has any.
 * New versions of rules and policies get this label.  Return EX_OK and the
 * changes, as POST /v1/config takes them, in *ret, which the caller releases
 * with json_object_put(); or an exit status after a message, which names doing.
 */
int config_plan(struct arena *a, const char *doing, struct json_object *answer,
    struct json_object *wanted, const char *label, struct json_object **ret);

#endif
