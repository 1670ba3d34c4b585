/* SPDX-License-Identifier: ISC */
/*
 * The configuration as one JSON document, from the service or from a directory:
 *
 *	rules      an object: event type -> text
 *	policies   an object: event type -> {onError, bands}
 *	settings   an object: runtime setting -> override
 *	queues     an object: review queue -> target in minutes
 *	webhooks   an array of {url, events}
 *	lists      an object: kind of list -> number of entries, for information
 *
 * A part that is absent is not managed.
 */
#ifndef CTL_CONFIG_CONFIG_DOCUMENT_H
#define CTL_CONFIG_CONFIG_DOCUMENT_H

struct arena;
struct json_object;

/*
 * Read DIR/rules/TYPE.rule, DIR/policies/TYPE.json, DIR/settings.json,
 * DIR/queues.json, DIR/webhooks.json and DIR/lists.json, and check them as far
 * as that is possible without the service.  Messages name doing.  Return EX_OK
 * and the document in *ret, which the caller releases with json_object_put(),
 * or an exit status after an error message.
 */
int config_document_read(struct arena *a, const char *doing, const char *dir,
    struct json_object **ret);

/*
 * Write these files from an answer of GET /v1/config; make what is missing of
 * DIR.  Return an exit
 * status, after an error message if it is not EX_OK.
 */
int config_document_write(struct arena *a, const char *doing, const char *dir,
    struct json_object *answer);

#endif
