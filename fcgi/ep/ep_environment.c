/* SPDX-License-Identifier: ISC */
/* /v1/config/environment: settings that hold until the next start. */
#include "config.h"

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "lib/conf/conf.h"
#include "lib/conf/conf_value.h"

static const struct environment_row {
	const char *name;
	enum conf_type type;
	const void *member;
	const char *fallback;
	int flags;
	const char *meaning;
} environment[] = {
#define CONF(name, type, allowed, fallback, flags, meaning)                    \
	{ #name, CONF_##type##_, &conf.name, fallback, flags, meaning },
#include "lib/conf/conf.tbl"
#undef CONF
};

/*
 * GET /v1/config/environment.  200: the settings that conf.tbl marks as SHOWN,
 * as the worker that answers has read them.
 */
int
environment_get(struct req *req, struct resp *resp)
{
	char number[CONF_TEXT_SIZE];
	const struct environment_row *row;
	struct str s;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_array(&s, "settings");
	for (row = environment; row < environment + nitems(environment);
	     row++) {
		if ((row->flags & SHOWN) == 0)
			continue;
		writer_object(&s, NULL);
		writer_text(&s, "name", row->name);
		writer_text(&s, "value",
		    conf_value_text(row->type, row->member, number));
		writer_text(&s, "default", row->fallback);
		writer_text(&s, "meaning", row->meaning);
		writer_end(&s);
	}
	writer_end(&s);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}
