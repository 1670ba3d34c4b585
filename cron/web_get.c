/* SPDX-License-Identifier: ISC */
/* GET requests of jobs that fetch files. */
#include "config.h"

#include <string.h>

#include "cron/job.h"
#include "cron/web_get.h"
#include "lib/net/http.h"

#define WAIT_MS 100 /* between two checks whether the run must end */

struct http *
web_get(struct job_run *r, struct http_call *call, struct fail *f)
{
	struct http *h;

	call->method = "GET";
	if ((h = http_new(1, f)) == NULL)
		return NULL;
	if (http_start(h, call, f) == -1) {
		http_free(h);
		return NULL;
	}
	while (http_wait(h, WAIT_MS) == NULL && !job_must_stop(r))
		continue;
	return h;
}

const char *
web_etag(const struct http_call *call)
{
	const char *etag = http_header(call, "ETag");
	const char *at = etag;

	if (etag == NULL)
		return NULL;
	if (strncmp(at, "W/", 2) == 0)
		at += 2;
	if (*at++ != '"')
		return NULL;
	while (*at > ' ' && *at < 0x7f && *at != '"')
		at++;
	return strcmp(at, "\"") == 0 ? etag : NULL;
}
