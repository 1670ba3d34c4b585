/* SPDX-License-Identifier: ISC */
/* The handlers of pass_through.tbl. */
#include "config.h"

#include <assert.h>

#include "fcgi/ep/delivery_admin.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/sql_reply.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"

/* Append the part of a request that a letter stands for. */
static void
put_request_part(struct params *p, const struct req *req, char letter)
{
	switch (letter) {
	case '0':
	case '1':
		params_text(p, req->arg[letter - '0']);
		return;
	case 'o':
		params_text(p, req->operator.email);
		return;
	case 'a':
		params_int(p, req->operator.role == ROLE_ADMIN);
		return;
	case 'c':
		params_int(p, conf.CLAIM_MINUTES);
		return;
	case 'w':
		params_text(p, DELIVERY_ADMIN_WEBHOOK);
		return;
	case 'n':
		params_text(p, DELIVERY_ADMIN_ALERT);
		return;
	default:
		assert(false && "a letter of pass_through.tbl");
	}
}

static void
put_request_parts(struct params *p, const struct req *req, const char *letters)
{
	params_init(p, req->arena);
	while (*letters != '\0')
		put_request_part(p, req, *letters++);
}

#define READ sql_reply_read
#define REFUSE(req, resp, stmt, p) sql_reply_write(req, resp, 200, stmt, p)
#define REDRIVE delivery_admin_redrive
#define PASS_THROUGH(handler, answer, statement, parts)                        \
	int handler(struct req *req, struct resp *resp)                        \
	{                                                                      \
		struct params p;                                               \
                                                                               \
		put_request_parts(&p, req, parts);                             \
		return answer(req, resp, STMT_##statement, &p);                \
	}
#include "fcgi/ep/pass_through.tbl"
#undef PASS_THROUGH
