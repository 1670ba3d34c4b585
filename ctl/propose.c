/* SPDX-License-Identifier: ISC */
/* The option --propose: make a change a proposal. */
#include "config.h"

#include <stdio.h>
#include <sysexits.h>

#include <json-c/json.h>

#include "core/base/str.h"
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
	str_add(&s, "{\"action\":");
	str_json(&s, str_text(&action));
	if (req->body != NULL) {
		str_add(&s, ",\"body\":");
		if (req->type == NULL)
			str_add(&s, req->body);
		else
			str_json(&s, req->body);
	}
	str_add(&s, ",\"reason\":");
	str_json(&s, reason);
	str_addc(&s, '}');
	return str_text(&s);
}
