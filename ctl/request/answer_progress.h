/* SPDX-License-Identifier: ISC */
/* How far a request is that takes minutes, asked while its answer is due. */
#ifndef CTL_REQUEST_ANSWER_PROGRESS_H
#define CTL_REQUEST_ANSWER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/net/http.h"

/* One request that is watched.  Times are clock_ticks(). */
struct answer_progress {
	const char *about; /* event type of it, NULL: it is not watched */
	struct http_call call; /* that asks */
	int64_t began;
	int64_t next; /* when to ask again */
	int64_t shown_at; /* when it was told last, 0: never */
	int64_t samples;
	int64_t of;
	double rate; /* samples a second */
};

/* Ask, if it is time to. */
void answer_progress_ask(
    struct answer_progress *w, struct http *h, int64_t now);

/* Take the answer that http_wait() has returned. */
void answer_progress_take(
    struct answer_progress *w, struct http *h, int64_t now);

/* Draw the bar.  False: it is not known how far the request is. */
bool answer_progress_draw(const struct answer_progress *w, int64_t now);

/* Ask no more. */
void answer_progress_end(struct answer_progress *w, struct http *h);

#endif
