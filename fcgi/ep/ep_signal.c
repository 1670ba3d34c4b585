/* SPDX-License-Identifier: ISC */
/* GET /v1/signals: what rules can read. */
#include "config.h"

#include <math.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "core/signal/signal_range.h"
#include "core/signal/signals.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/query.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"

static int read_attributes(
    struct req *req, enum event_type type, const char **ret);
static void add_description(struct str *s, enum signal sig);

/* The meanings of the signals. */
static const char *const meanings[SIGNAL__MAX] = {
#define SIGNAL(ident, name, type, meaning) [SIGNAL_##ident] = (meaning),
#include "core/signal/signals.tbl"
#undef SIGNAL
};

static const char *const type_names[VALUE__MAX] = {
	[VALUE_NUMBER] = "number",
	[VALUE_STRING] = "text",
	[VALUE_BOOL] = "boolean",
};

/*
 * GET /v1/signals.  200: the signals, the attributes in the newest samples of
 * an event type, and the operators of the language; 400: unknown event type.
 */
int
signal_list(struct req *req, struct resp *resp)
{
	static const char *const operators[] = { "==", "!=", ">", ">=", "<",
		"<=", "in", "&&", "||", "!" };
	const char *attributes = "[]";
	enum event_type type;
	struct str s;
	unsigned int i;

	if (query_event_type(&req->params, &type, &req->fail) == -1 ||
	    (type != EVENT_TYPE__NONE &&
		read_attributes(req, type, &attributes) == -1))
		return -1;
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_array(&s, "signals");
	for (i = 0; i < SIGNAL__MAX; i++)
		add_description(&s, (enum signal)i);
	writer_end(&s);
	writer_json(&s, "attributes", attributes);
	writer_array(&s, "operators");
	for (i = 0; i < nitems(operators); i++)
		writer_text(&s, NULL, operators[i]);
	writer_end(&s);
	writer_json(&s, "functions", "[]");
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

static int
read_attributes(struct req *req, enum event_type type, const char **ret)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, event_type_name(type));
	if (db_one(req->db, req->arena, STMT_ATTRIBUTES_SEEN, &p, &rows,
		&req->fail) == -1)
		return -1;
	*ret = rows_text(&rows, 0, "attributes");
	return 0;
}

/* Append a signal; only a number has a range. */
static void
add_description(struct str *s, enum signal sig)
{
	const struct signal_range *range = signal_range_of(sig);
	const bool number = signal_type(sig) == VALUE_NUMBER;

	writer_object(s, NULL);
	writer_text(s, "name", signal_name(sig));
	writer_text(s, "type", type_names[signal_type(sig)]);
	writer_text(s, "meaning", meanings[sig]);
	writer_number(s, "min", number ? range->least : NAN);
	writer_number(s, "max", number ? range->most : NAN);
	writer_end(s);
}
