/* SPDX-License-Identifier: ISC */
/* Sources of models: a file, a URL, an object in S3 storage. */
#ifndef CRON_MODEL_SOURCE_H
#define CRON_MODEL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct fail;
struct job_run;

/* The result of a poll.  Without text and same, the run ended before it. */
struct model_source_found {
	const char *text; /* NUL-terminated, in r->arena */
	size_t size;
	const char *etag; /* to send with the next poll, or NULL */
	bool same; /* the model is still the etag's */
};

/*
 * Return a name that identifies the source but reveals no URL or secret, from
 * arena a; or NULL if the arena is full.
 */
typedef const char *model_source_place_fn(struct arena *a, const char *host);

/*
 * Poll the source.  etag is that of the last good model, or NULL.  Read at most
 * MODEL_FILE_MAX + 1 bytes.  Return 0, or -1 with f set to a reason without
 * host, URL, secret or text of the server.
 */
typedef int model_source_poll_fn(struct job_run *r, const char *etag,
    struct model_source_found *ret, struct fail *f);

/* In the order of the label "source" of the metrics. */
enum model_source_id { SOURCE_DISK = 1, SOURCE_URL, SOURCE_S3, SOURCE__MAX };

/* A kind of source. */
struct model_source {
	enum model_source_id id;
	const char *name; /* in MODEL_SOURCE and assay.model_activation */
	int lease_ms; /* longer than a poll takes */
	model_source_place_fn *place;
	model_source_poll_fn *poll_fn;
};

/* Return the source that MODEL_SOURCE names, or NULL if it is not set. */
const struct model_source *model_source_find(void);

/*
 * Check that the settings of the source are complete.  Return 0, or -1 with f
 * set to the missing one.
 */
int model_source_check(struct fail *f) __attribute__((warn_unused_result));

/* model_source_disk.c */
model_source_place_fn model_source_disk_place;
model_source_poll_fn model_source_disk_poll;

/* model_source_web.c */
model_source_place_fn model_source_url_place, model_source_s3_place;
model_source_poll_fn model_source_url_poll, model_source_s3_poll;

#endif
