/* SPDX-License-Identifier: ISC */
/* The kinds of model sources, and the settings that each needs. */
#include "config.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "cron/model_source.h"
#include "lib/conf/conf.h"

#define LEASE_DISK 5000 /* ms */
#define LEASE_WEB 30000 /* more than TIMEOUT_MS of model_source_web.c */

static const struct model_source sources[] = {
	{ SOURCE_DISK, "disk", LEASE_DISK, model_source_disk_place,
	    model_source_disk_poll },
	{ SOURCE_URL, "url", LEASE_WEB, model_source_url_place,
	    model_source_url_poll },
	{ SOURCE_S3, "s3", LEASE_WEB, model_source_s3_place,
	    model_source_s3_poll },
};

static const struct {
	enum model_source_id id;
	const char *name;
	const char *const *value;
} needs[] = {
	{ SOURCE_DISK, "MODEL_PATH", &conf.MODEL_PATH },
	{ SOURCE_URL, "MODEL_URL", &conf.MODEL_URL },
	{ SOURCE_S3, "MODEL_S3_BUCKET", &conf.MODEL_S3_BUCKET },
	{ SOURCE_S3, "MODEL_S3_KEY", &conf.MODEL_S3_KEY },
	{ SOURCE_S3, "MODEL_S3_ACCESS_KEY_ID", &conf.MODEL_S3_ACCESS_KEY_ID },
	{ SOURCE_S3, "MODEL_S3_SECRET_ACCESS_KEY",
	    &conf.MODEL_S3_SECRET_ACCESS_KEY },
};

const struct model_source *
model_source_find(void)
{
	size_t i;

	for (i = 0; conf.MODEL_SOURCE != NULL && i < nitems(sources); i++)
		if (strcmp(conf.MODEL_SOURCE, sources[i].name) == 0)
			return &sources[i];
	return NULL;
}

int
model_source_check(struct fail *f)
{
	const struct model_source *so = model_source_find();
	size_t i;

	for (i = 0; so != NULL && i < nitems(needs); i++)
		if (needs[i].id == so->id && *needs[i].value == NULL)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
			    needs[i].name, "must be set if models come from %s",
			    so->name);
	return 0;
}
