/* SPDX-License-Identifier: ISC */
/* Run the tests beside the rules. */
#ifndef CORE_ANALYSE_RULE_TEST_H
#define CORE_ANALYSE_RULE_TEST_H

#include "core/event/event.h"

struct arena;
struct fail;
struct policy;
struct rule_mistakes;
struct ruleset;

/*
 * Decide each test of rs with the weighted scorer and the policy.  A signal
 * that a test does not give is unknown; event.type is then type.  Add to ret a
 * mistake for each expectation that the decision does not meet, at its place in
 * the text, with what was found and what was expected.  The caller sets
 * ret->list, max and n. Return 0, or -1 with f set if arena a is full.
 */
int rule_test_run(const struct ruleset *rs, enum event_type type,
    const struct policy *policy, struct arena *a, struct rule_mistakes *ret,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * The same for a caller that reports one mistake.  Return 0, or -1 with f set:
 * RULESET_INVALID and the place of the first mistake, in the form of
 * rule_compile(), or INTERNAL if arena a is full.
 */
int rule_test_pass(const struct ruleset *rs, enum event_type type,
    const struct policy *policy, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

#endif
