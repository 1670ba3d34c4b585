/* SPDX-License-Identifier: ISC */
/* Functions that webhooks and alert channels share: topics and deliveries. */
#include "config.h"

#include <json-c/json_object.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/ep/delivery_admin.h"
#include "fcgi/gate/audit.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/sys/clock.h"

#define BATCH 2000 /* deliveries per transaction */
#define REDRIVE_TIME (10 * CLOCK_SECOND) /* of the route's 15 seconds */

static const char *topic_at(
    struct json_object *list, size_t i, enum event_topic_subscriber who);
static bool is_repeated(struct json_object *list, size_t i);

int
delivery_admin_events(
    struct req *req, enum event_topic_subscriber who, struct params *p)
{
	struct json_object *list = NULL;
	const char *names[TOPIC__MAX];
	size_t i, n;

	json_object_object_get_ex(req->json, "events", &list);
	n = json_object_array_length(list);
	for (i = 0; i < n; i++) {
		names[i] = topic_at(list, i, who);
		if (names[i] == NULL || is_repeated(list, i))
			return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
			    "events",
			    "must contain topics that can be subscribed to "
			    "here, each once");
	}
	params_texts(p, names, n);
	return 0;
}

void
delivery_admin_topics(enum event_topic_subscriber who, struct params *p)
{
	const char *names[TOPIC__MAX];
	const size_t n = event_topic_names(who, names);

	params_texts(p, names, n);
}

int
delivery_admin_redrive(
    struct req *req, struct resp *resp, enum stmt stmt, struct params *p)
{
	const int64_t until = clock_ticks() + REDRIVE_TIME;
	int64_t requeued = 0, moved = 0;
	struct rows rows;
	struct str s;

	/*
	 * A delivery that is pending again cannot become a dead letter before
	 * this loop ends, so the loop moves each only once.
	 */
	params_int(p, BATCH);
	do {
		if (moved > 0 && audit_checkpoint(req) == -1)
			return -1;
		if (db_one(req->db, req->arena, stmt, p, &rows, &req->fail) ==
		    -1)
			return -1;
		moved = rows_int(&rows, 0, "moved");
		requeued += rows_int(&rows, 0, "requeued");
	} while (moved == BATCH && clock_ticks() < until);

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_int(&s, "requeued", requeued);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/* Return the name at i if such a subscriber may have it, else NULL. */
static const char *
topic_at(struct json_object *list, size_t i, enum event_topic_subscriber who)
{
	struct json_object *name = json_object_array_get_idx(list, i);

	if (!json_object_is_type(name, json_type_string) ||
	    !event_topic_offered(who, json_object_get_string(name)))
		return NULL;
	return json_object_get_string(name);
}

static bool
is_repeated(struct json_object *list, size_t i)
{
	struct json_object *name = json_object_array_get_idx(list, i);
	size_t j;

	for (j = 0; j < i; j++)
		if (json_object_equal(json_object_array_get_idx(list, j), name))
			return true;
	return false;
}
