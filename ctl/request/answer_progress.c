/* SPDX-License-Identifier: ISC */
/* Poll the progress of a slow request while its answer is pending. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "core/base/fail.h"
#include "ctl/request/answer_progress.h"
#include "ctl/request/request_spec.h"
#include "ctl/term_text.h"
#include "lib/sys/clock.h"

#define EVERY (CLOCK_SECOND / 4) /* pause between polls */
#define LATER (5 * CLOCK_SECOND) /* pause after a poll that failed */
#define FRESH (2 * CLOCK_SECOND) /* age up to which a result is drawn */

static struct json_object *find_running(
    const struct answer_progress *w, struct json_object *json, int64_t now);
static int64_t member_number(struct json_object *json, const char *name);

void
answer_progress_ask(struct answer_progress *w, struct http *h, int64_t now)
{
	struct fail f = { 0 };

	if (w->about == NULL || w->call.handle != NULL || now < w->next)
		return;
	w->next = now + EVERY;
	if (http_start(h, &w->call, &f) == -1)
		w->next = now + LATER;
}

void
answer_progress_take(struct answer_progress *w, struct http *h, int64_t now)
{
	struct json_object *json = NULL, *one;
	double seconds;

	if (w->call.status != 200)
		w->next = now + LATER;
	else if (w->call.reply != NULL)
		json = json_tokener_parse(w->call.reply);
	http_done(h, &w->call);
	if ((one = find_running(w, json, now)) != NULL) {
		w->shown_at = now;
		w->samples = member_number(one, "samples");
		w->of = member_number(one, "of");
		seconds =
		    json_object_get_double(request_spec_at(one, "seconds"));
		w->rate = seconds > 0 ? (double)w->samples / seconds : 0;
	}
	json_object_put(json);
}

bool
answer_progress_draw(const struct answer_progress *w, int64_t now)
{
	if (w->shown_at == 0 || now - w->shown_at > FRESH || w->samples > w->of)
		return false;
	term_text_bar(w->samples, w->of);
	fprintf(stderr, ", %" PRId64 " of %" PRId64 " samples, %.0f/s\033[K",
	    w->samples, w->of, w->rate);
	return true;
}

void
answer_progress_end(struct answer_progress *w, struct http *h)
{
	if (w->call.handle != NULL)
		http_done(h, &w->call);
}

/*
 * Return the running backtest of this event type that is not older than our
 * request; NULL if there are several, because nothing identifies ours.
 */
static struct json_object *
find_running(
    const struct answer_progress *w, struct json_object *json, int64_t now)
{
	const double waited =
	    (double)(now - w->began) / (double)CLOCK_SECOND + 1;
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
		if (type == NULL || strcmp(type, w->about) != 0 ||
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
member_number(struct json_object *json, const char *name)
{
	return json_object_get_int64(request_spec_at(json, name));
}
