#!/bin/sh
# SPDX-License-Identifier: ISC
# Explanations of decisions by tag weights and by models: each is recomputed
# with the weights and the model of its time.
. "$(dirname "$0")/lib.sh"
use ctl explain

start_explain
decide_all w 1
explain_all w

# Tag weights.
decide_learned
check "labels changed the points of a tag" test "$(jq '[.[].reasons[] |
    select(.tag == "amount" and .points == 41)] | length' \
    "$scratch/t.was")" -gt 5
check_all t "decisions by tag weights"
for n in 5 6 7 8 9 10; do
	sql "select assay.label_put('$(all_answers w "map(select(.reasons |
	    any(.tag == \"amount\")))[$n].eventId")', 'analyst', 'legit',
	    'c')" >/dev/null
done
check_all t "decisions by tag weights of that time"
is "the points are those of the decision's time" \
    "$(all_answers t '[.[].learned.tags[] |
    select(.tag == "amount")] | unique | tojson')" \
    '[{"tag":"amount","points":41,"rulesPoints":14}]'

# The bundled model and another one.
stop_pool
start_pool SCORER=ml
wait_ready
decide_all m 3
check_all m "decisions by the bundled model"
is "the terms of the model sum up to its probability" \
    "$(all_answers m 'map(.model |
    select((1 / (1 + (-(.calibration.a * (.bias + (.terms | map(.term) |
	add)) + .calibration.b) | exp)) - .p | fabs) > 1e-9)) | length')" 0
is "each term is value times weight" "$(all_answers m '[.[].model.terms[] |
    select((.value * .weight - .term | fabs) > 1e-12)] | length')" 0
check "counterfactuals of a model use signals that no rule reads" \
    test "$(all_answers m '
    map([.changes[]? | .signal?] | select(any(strings |
	test("^(velocity|anomaly)[.]")))) | length')" -gt 15
publish_other
decide_all o 4
check_all o "decisions by another model"
is "the other model has its own version" \
    "$(all_answers o '[.[].modelVersion] | unique |
    map(test("^[0-9a-f]{16}$")) | tojson')" "[true]"
check_all m "earlier decisions by the bundled model"
finish
