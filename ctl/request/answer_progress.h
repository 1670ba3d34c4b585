/* SPDX-License-Identifier: ISC */
/* Poll the progress of a slow request while its answer is pending. */
#ifndef CTL_REQUEST_ANSWER_PROGRESS_H
#define CTL_REQUEST_ANSWER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/net/http.h"

/* One slow request.  Times are clock_ticks(). */
struct answer_progress {
	const char *about; /* its event type, NULL: do not poll */
	struct http_call call; /* the poll */
	int64_t began; /* start of the slow request */
	int64_t next; /* time of the next poll */
	int64_t shown_at; /* time of the last result, 0: none yet */
	int64_t samples;
	int64_t of; /* samples in all */
	double rate; /* samples a second */
};

/* Start a poll if it is time. */
void answer_progress_ask(
    struct answer_progress *w, struct http *h, int64_t now);

/* Read the answer to a poll after http_wait() has returned its call. */
void answer_progress_take(
    struct answer_progress *w, struct http *h, int64_t now);

/* Draw the progress bar.  Return false if the progress is unknown. */
bool answer_progress_draw(const struct answer_progress *w, int64_t now);

/* End a poll that is pending. */
void answer_progress_end(struct answer_progress *w, struct http *h);

#endif
