/* SPDX-License-Identifier: ISC */
/* GET requests of jobs that fetch files. */
#ifndef CRON_WEB_GET_H
#define CRON_WEB_GET_H

struct fail;
struct http;
struct http_call;
struct job_run;

/*
 * Send a GET request and wait for its end, or until the run must end; then the
 * call has neither status nor error.  The caller ends it with http_done() and
 * http_free().  Returns NULL with f set if it cannot be sent.
 */
struct http *web_get(struct job_run *r, struct http_call *call, struct fail *f);

/*
 * Return the reply's ETag as the server sent it, or NULL if it has none that is
 * well-formed.  "*" in particular would match any later file.  Valid until
 * http_done().
 */
const char *web_etag(const struct http_call *call);

#endif
