/* SPDX-License-Identifier: ISC */
/* Requests inside the body of another one: read them, and make them requests.
 */
#include "config.h"

#include <json-c/json_object.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "fcgi/gate/inner_request.h"
#include "fcgi/gate/route_find.h"
#include "fcgi/http/path_match.h"
#include "fcgi/http/route_type.h"

static int check_body(struct req *req, struct inner_request *inner);

int
inner_request_read(struct req *req, const char *action,
    struct json_object *json, struct inner_request *ret)
{
	struct path_match m;

	*ret = (struct inner_request) { .json = json };
	if ((ret->route = route_find_action(req, action, &m)) == NULL)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "action", "must be method and path of a request");
	ret->path = strchr(action, ' ') + 1;
	return path_match_args(&m, req->arena, ret->arg, &req->fail) == -1 ||
		check_body(req, ret) == -1
	    ? -1
	    : 0;
}

struct req
inner_request_for(const struct req *req, const struct inner_request *inner)
{
	const struct route *route = inner->route;
	struct req ret = *req;

	ret.route = route;
	ret.params = (struct query) { 0 };
	memcpy(ret.arg, inner->arg, sizeof(ret.arg));
	ret.json = route->csv ? NULL : inner->json;
	ret.body = route->csv	  ? json_object_get_string(inner->json)
	    : inner->text == NULL ? ""
				  : inner->text;
	ret.body_size = strlen(ret.body);
	return ret;
}

/* Check the type and size of a body against its route, and write it as text. */
static int
check_body(struct req *req, struct inner_request *inner)
{
	const struct route *route = inner->route;
	size_t size;

	if (inner->json == NULL && route->body_max == 0)
		return 0;
	if (route->body_max == 0 ||
	    !json_object_is_type(
		inner->json, route->csv ? json_type_string : json_type_object))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "body",
		    "%s",
		    route->body_max == 0 ? "must be absent for this action"
			: route->csv	 ? "must be a string of CSV"
					 : "must be an object");
	inner->text = arena_strdup(req->arena,
	    json_object_to_json_string_ext(
		inner->json, JSON_C_TO_STRING_PLAIN));
	if (inner->text == NULL)
		return fail_memory(&req->fail);
	size = route->csv ? (size_t)json_object_get_string_len(inner->json)
			  : strlen(inner->text);
	if (size > route->body_max)
		return fail_set(
		    &req->fail, FAIL_INPUT, PAYLOAD_TOO_LARGE, NULL, "%s", "");
	return 0;
}
