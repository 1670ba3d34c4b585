/* SPDX-License-Identifier: ISC */
/* One reply: status, headers and a JSON (or text) body. */
#include "config.h"

#include <assert.h>
#include <fcgiapp.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route_type.h"

#define HEADER_SIZE 512

static bool has_header(const struct resp *resp, const char *name);

/* The body if the arena has no room even for an error. */
static const char last_resort[] =
    "{\"error\":true,\"code\":\"INTERNAL\","
    "\"message\":\"something failed on our side\"}";

int
resp_json(struct req *req, struct resp *resp, int status, const char *json)
{
	if (json == NULL)
		return fail_memory(&req->fail);
	resp->status = status;
	resp->content_type = NULL;
	resp->body = json;
	resp->body_size = strlen(json);
	return 0;
}

void
resp_header(struct req *req, struct resp *resp, const char *fmt, ...)
{
	char text[HEADER_SIZE], *p;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (p = text; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	assert(resp->n_headers < RESP_HEADERS_MAX);
	p = arena_strdup(req->arena, text);
	if (p != NULL)
		resp->header[resp->n_headers++] = p;
}

void
resp_fail(struct req *req, struct resp *resp)
{
	const struct fail *f = &req->fail;
	char message[FAIL_TEXT_SIZE];
	struct str s;

	/* A failed request changes no session. */
	resp->set_cookie = NULL;
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_bool(&s, "error", true);
	writer_text(&s, "code", fail_code_name(f->code));
	writer_text(&s, "message", fail_text(f, message));
	writer_end(&s);
	if (f->code == UNAVAILABLE && !has_header(resp, "Retry-After"))
		resp_header(req, resp, "Retry-After: 1");
	if (resp_json(req, resp, fail_code_status(f->code), str_text(&s)) == 0)
		return;
	resp->status = fail_code_status(INTERNAL);
	resp->content_type = NULL;
	resp->body = last_resort;
	resp->body_size = sizeof(last_resort) - 1;
}

void
resp_write(
    const struct req *req, const struct resp *resp, struct FCGX_Stream *out)
{
	size_t i;

	FCGX_FPrintF(out, "Status: %d\r\nContent-Type: %s\r\n", resp->status,
	    resp->content_type == NULL ? "application/json"
				       : resp->content_type);
	FCGX_FPrintF(out, "Content-Length: %lu\r\nX-Correlation-Id: %s\r\n",
	    (unsigned long)resp->body_size,
	    req->correlation_id == NULL ? "" : req->correlation_id);
	if (req->route == NULL)
		FCGX_PutS("X-Route: -\r\n", out);
	else
		FCGX_FPrintF(out, "X-Route: %s %s\r\n",
		    req_method_name(req->route->method), req->route->path);
	for (i = 0; i < resp->n_headers; i++)
		FCGX_FPrintF(out, "%s\r\n", resp->header[i]);
	if (resp->set_cookie != NULL)
		FCGX_FPrintF(out, "Set-Cookie: %s\r\n", resp->set_cookie);
	FCGX_PutS("\r\n", out);
	if (!req->head) {
		assert(resp->body_size <= INT_MAX);
		FCGX_PutStr(resp->body, (int)resp->body_size, out);
	}
}

static bool
has_header(const struct resp *resp, const char *name)
{
	const size_t n = strlen(name);
	size_t i;

	for (i = 0; i < resp->n_headers; i++)
		if (strncasecmp(resp->header[i], name, n) == 0 &&
		    resp->header[i][n] == ':')
			return true;
	return false;
}
