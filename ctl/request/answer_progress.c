/* SPDX-License-Identifier: ISC */
/* How far a request is that takes minutes, asked while its answer is due. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "core/base/fail.h"
#include "lib/sys/clock.h"
#include "ctl/request/request_spec.h"
#include "ctl/term_text.h"
#include "ctl/request/answer_progress.h"

#define EVERY (CLOCK_SECOND / 4)
#define LATER (5 * CLOCK_SECOND) /* after a question that was not answered */
#define FRESH (2 * CLOCK_SECOND) /* how long an answer is shown */

static struct json_object *find(
    const struct answer_progress *, struct json_object *, int64_t);
static int64_t number(struct json_object *, const char *);

void
answer_progress_ask(struct answer_progress *w, struct http *h, int64_t now)
{
	struct fail f = { 0 };

	if (w->wa_about == NULL || w->wa_call.hc_handle != NULL ||
	    now < w->wa_next)
		return;
	w->wa_next = now + EVERY;
	if (http_start(h, &w->wa_call, &f) == -1)
		w->wa_next = now + LATER;
}

void
answer_progress_take(struct answer_progress *w, struct http *h, int64_t now)
{
	struct json_object *json = NULL, *one;
	double seconds;

	if (w->wa_call.hc_status != 200)
		w->wa_next = now + LATER;
	else if (w->wa_call.hc_reply != NULL)
		json = json_tokener_parse(w->wa_call.hc_reply);
	http_done(h, &w->wa_call);
	if ((one = find(w, json, now)) != NULL) {
		w->wa_told = now;
		w->wa_samples = number(one, "samples");
		w->wa_of = number(one, "of");
		seconds =
		    json_object_get_double(request_spec_at(one, "seconds"));
		w->wa_rate = seconds > 0 ? (double)w->wa_samples / seconds : 0;
	}
	json_object_put(json);
}

bool
answer_progress_draw(const struct answer_progress *w, int64_t now)
{
	if (w->wa_told == 0 || now - w->wa_told > FRESH ||
	    w->wa_samples > w->wa_of)
		return false;
	term_text_bar(w->wa_samples, w->wa_of);
	fprintf(stderr, ", %" PRId64 " of %" PRId64 " samples, %.0f/s\033[K",
	    w->wa_samples, w->wa_of, w->wa_rate);
	return true;
}

void
answer_progress_end(struct answer_progress *w, struct http *h)
{
	if (w->wa_call.hc_handle != NULL)
		http_done(h, &w->wa_call);
}

/*
 * The one that runs of this type and is no older than our request.  If there
 * are several, nothing says which is ours.
 */
static struct json_object *
find(const struct answer_progress *w, struct json_object *json, int64_t now)
{
	const double waited =
	    (double)(now - w->wa_began) / (double)CLOCK_SECOND + 1;
	struct json_object *all = request_spec_at(json, "running"), *one,
			   *got = NULL;
	const char *type;
	size_t i, n = 0;

	if (json_object_is_type(all, json_type_array))
		n = json_object_array_length(all);
	for (i = 0; i < n; i++) {
		one = json_object_array_get_idx(all, i);
		type =
		    json_object_get_string(request_spec_at(one, "eventType"));
		if (type == NULL || strcmp(type, w->wa_about) != 0 ||
		    json_object_get_double(request_spec_at(one, "seconds")) >
			waited)
			continue;
		if (got != NULL)
			return NULL;
		got = one;
	}
	return got;
}

static int64_t
number(struct json_object *json, const char *name)
{
	return json_object_get_int64(request_spec_at(json, name));
}
