/* SPDX-License-Identifier: ISC */
/* What a ruleset must pass before it decides. */
#ifndef FCGI_EP_RULESET_GATE_H
#define FCGI_EP_RULESET_GATE_H

#include <stdbool.h>

struct req;
struct ruleset;

/*
 * Run the tests of a ruleset with the active policy of its event type.  If it
 * is published, and RULE_TESTS_REQUIRED is set, it must have one.  Return 0, or
 * -1 with req->fail set: RULESET_INVALID with the place of the first failure.
 */
int ruleset_gate(struct req *req, const char *event_type,
    const struct ruleset *rs, bool published)
    __attribute__((warn_unused_result));

#endif
