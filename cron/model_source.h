/* SPDX-License-Identifier: ISC */
/* The places that models come from: a file, a URL, an object of a storage. */
#ifndef CRON_MODEL_SOURCE_H
#define CRON_MODEL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct fail;
struct job_run;

/* What a look came to; with neither text nor same it was ended before. */
struct model_source_found {
	const char *text; /* NUL-terminated, in the run's arena */
	size_t size;
	const char *etag; /* for the next look to know it by, or NULL */
	bool same; /* there is what the etag was of */
};

/* The name of a place, of which it says nothing but which it is; or NULL. */
typedef const char *model_source_place_fn(struct arena *a, const char *host);

/*
 * Look at the place, which had what etag names when it was last looked at
 * (NULL: nothing is known).  No more than MODEL_FILE_MAX bytes and one are
 * taken.  Returns 0, or -1 with f set to why there is nothing: no host, URL,
 * secret or word of a server is in it.
 */
typedef int model_source_poll_fn(struct job_run *r, const char *etag,
    struct model_source_found *ret, struct fail *f);

/* In the order of the label "source" of the metrics. */
enum model_source_id { SOURCE_DISK = 1, SOURCE_URL, SOURCE_S3, SOURCE__MAX };

/* A kind of place. */
struct model_source {
	enum model_source_id id;
	const char *name; /* in MODEL_SOURCE and assay.model_activation */
	int lease_ms; /* longer than a look takes */
	model_source_place_fn *place;
	model_source_poll_fn *poll_fn;
};

/* The source that the settings name, NULL when they name none. */
const struct model_source *model_source_find(void);

/*
 * Whether the settings have all that their source needs.  Returns 0, or -1
 * with f naming what is missing.
 */
int model_source_check(struct fail *f) __attribute__((warn_unused_result));

/* model_source_disk.c */
model_source_place_fn model_source_disk_place;
model_source_poll_fn model_source_disk_poll;

/* model_source_web.c */
model_source_place_fn model_source_url_place, model_source_s3_place;
model_source_poll_fn model_source_url_poll, model_source_s3_poll;

#endif
