/* SPDX-License-Identifier: ISC */
/* What a ruleset must pass before it decides. */
#include "config.h"

#include "core/analyse/rule_test.h"
#include "core/base/fail.h"
#include "core/decide/policy.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "fcgi/ep/live_book.h"
#include "fcgi/ep/ruleset_gate.h"
#include "fcgi/http/req.h"
#include "lib/conf/conf.h"

int
ruleset_gate(struct req *req, const char *event_type, const struct ruleset *rs,
    bool published)
{
	const enum event_type type = event_type_parse(event_type);
	struct policy policy;

	if (rs->n_tests == 0 && published && conf.RULE_TESTS_REQUIRED)
		return fail_set(&req->fail, FAIL_INPUT, RULESET_INVALID, NULL,
		    "a ruleset without tests cannot be published while "
		    "RULE_TESTS_REQUIRED is set");
	if (rs->n_tests == 0)
		return 0;
	if (live_book_load_policy(req, type, &policy) == -1)
		return -1;
	return rule_test_pass(rs, type, &policy, req->arena, &req->fail);
}
