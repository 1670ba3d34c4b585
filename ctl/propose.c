/* SPDX-License-Identifier: ISC */
/* The option --propose: make a change a proposal. */
#include "config.h"

#include <stdio.h>
#include <sysexits.h>

#include <json-c/json.h>

#include "core/base/str.h"
#include "core/base/writer.h"
#include "ctl/propose.h"
#include "ctl/request/request_spec.h"
#include "ctl/term_text.h"

static const char *proposal_body(struct http_client *sv,
    const struct client_request *req, const char *reason);

int
propose_request(struct http_client *sv, const struct client_request *req,
    const char *reason, bool json)
{
	struct client_request outer = *req;
	struct json_object *answer;
	int status;

	outer.method = "POST";
	outer.path = "/v1/proposals";
	outer.type = NULL;
	outer.body = proposal_body(sv, req, reason);
	if (outer.body == NULL) {
		ctl_say("%s: the request is too large", req->what);
		return EX_DATAERR;
	}
	if ((status = http_client_call(sv, &outer, &answer)) != EX_OK)
		return status;
	if (json) {
		puts(sv->call.reply);
		return EX_OK;
	}
	term_text_put(json_object_get_string(request_spec_at(answer, "id")));
	puts(" waits for the approval of another admin");
	return EX_OK;
}

/* The body with the request; a body with a type of its own is a string. */
static const char *
proposal_body(struct http_client *sv, const struct client_request *req,
    const char *reason)
{
	struct str action, s;

	str_init(&action, sv->arena);
	str_addf(&action, "%s %s", req->method, req->path);
	if (str_text(&action) == NULL)
		return NULL;
	str_init(&s, sv->arena);
	writer_object(&s, NULL);
	writer_text(&s, "action", str_text(&action));
	if (req->body != NULL && req->type == NULL)
		writer_json(&s, "body", req->body);
	else if (req->body != NULL)
		writer_text(&s, "body", req->body);
	writer_text(&s, "reason", reason);
	writer_end(&s);
	return str_text(&s);
}
