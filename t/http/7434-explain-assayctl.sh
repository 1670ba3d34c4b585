#!/bin/sh
# SPDX-License-Identifier: ISC
# Who may read explanations; assayctl explain prints them.
. "$(dirname "$0")/lib.sh"
use ctl explain

start_explain
decide_all w 1
explain_all w
decide_listed

# Access, and event ids.
KEY=
explain_event nobody
is_error "an unknown event answers 404" 404 NOT_FOUND
explain_event "$(printf '%0200d' 0)"
is_error "an id of 200 bytes answers 400" 400 INVALID_REQUEST
http POST /v1/decisions/w-1/explain '{}'
is_error "POST on an explanation answers 405" 405 METHOD_NOT_ALLOWED
token=$TOKEN
TOKEN=
explain_event w-1
is_error "an explanation answers 401 without credentials" 401 UNAUTHENTICATED
KEY=$both
explain_event w-1
is_error "an explanation answers 401 with an API key" 401 UNAUTHENTICATED
http POST /v1/decisions '{"id":"odd/explain","type":"order.place",
    "amount":1,"currency":"EUR","subject":{"userId":"u-one"}}'
http GET /v1/decisions/odd%2Fexplain
is_json "an event id may end like the route" .eventId odd/explain
TOKEN=$token
explain_event odd%2Fexplain
is_json "an event id that ends like the route is explained" .recomputed true
http POST /v1/auth/users \
    '{"email":"ana@example.com","password":"correct horse","role":"analyst"}'
http POST /v1/auth/login \
    '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=$(json .token)
explain_event w-1
is "an analyst may read an explanation" "$STATUS" 200
TOKEN=$token
KEY=$both
decide_learned
restart_pool SCORER=ml
decide_all m 3
publish_other
decide_all o 4
sql "delete from assay.model_activation where hash is not null;
    delete from assay.model" >/dev/null
# assayctl explain.
ctl explain w-1
is "assayctl explain exits 0" "$STATUS" 0
check "assayctl explain prints that the decision is recomputed" \
    prints '|recomputed  *yes|'
check "assayctl explain prints the rules" \
    prints 'RESULT  *SILENCED  *POINTS  *TAG  *RULE  *BECAUSE|'
check "assayctl explain prints unknown comparisons" prints '(unknown)'
check "assayctl explain prints unknown signals" prints '|geo.country  *-|'
ctl explain "$(all_answers w 'map(select(.changes.stricter))[0].eventId')"
check "assayctl explain prints the counterfactual" \
    prints '|stricter  *[a-z]*  *[0-9]*  *[a-z].*: .* -> '
check "assayctl explain prints no table of a model without one" not prints '|TERM'
ctl explain o-1
check "assayctl explain prints why a decision is not recomputed" prints \
    '|  why not  *its model is not stored and is not'
ctl explain m-4
check "assayctl explain prints the terms of a model" \
    prints '|FEATURE  *VALUE  *WEIGHT  *TERM|'
ctl explain t-1
check "assayctl explain prints the points of tag weights" \
    prints '|tag weights, as recorded|'
for id in w-1 m-4 t-1 o-1 l-blocked; do
	NO_COLOR=1 TERM=xterm COLUMNS=80 script -qec \
	    "$builddir/assayctl explain $id" /dev/null </dev/null |
	    tr -d '\r' >"$scratch/shown"
	check "the explanation of $id fits into 80 columns" test \
	    "$(LC_ALL=C.UTF-8 wc -L <"$scratch/shown")" -le 80
done
ctl explain --json w-1
is "assayctl explain --json prints the answer" \
    "$(jq -S . "$scratch/out" | cksum)" \
    "$(head -n 1 "$scratch/w.all" | jq -S . | cksum)"
ctl explain nobody
is "assayctl explain refuses an unknown event" "$STATUS" 65
finish
