#!/bin/sh
# SPDX-License-Identifier: ISC
# Requests for review cases that are rejected have no effect; each is in the
# audit trail.
. "$(dirname "$0")/lib.sh"
use list cases

start_cases

# Rejected requests.
open_case e-4
verdict=$(json .id)
for body in '{}' '{"outcome":"Fraud"}' '{"outcome":""}' '{"outcome":null}' \
    '{"outcome":1}' '{"outcome":"fraud","note":null}' \
    '{"outcome":"fraud","note":["x"]}' '{"outcome":"fraud","reason":"x"}' \
    '["fraud"]' "{\"outcome\":\"fraud\",\"note\":\"$(printf '%04001d' 0)\"}"; do
	http POST "/v1/cases/$CASE/resolve" "$body"
	is_error "a resolution with the body $(printf %.50s "$body") answers 400" \
	    400 INVALID_REQUEST
done
http POST "/v1/cases/$CASE/resolve" '{"outcome":'
is_error "a resolution with half a JSON body answers 400" 400 INVALID_JSON
http POST "/v1/cases/$CASE/resolve"
is_error "a resolution without a body answers 400" 400 INVALID_JSON
for id in cse_0 "$verdict" '%E2%82%AC' "${CASE}x"; do
	http GET "/v1/cases/$id"
	is_error "GET of the unknown case $id answers 404" 404 CASE_NOT_FOUND
	http POST "/v1/cases/$id/assign"
	is_error "an assignment of the unknown case $id answers 404" \
	    404 CASE_NOT_FOUND
	http POST "/v1/cases/$id/resolve" '{"outcome":"fraud"}'
	is_error "a resolution of the unknown case $id answers 404" \
	    404 CASE_NOT_FOUND
done
http POST /v1/cases '{}'
is_error "POST /v1/cases answers 405" 405 METHOD_NOT_ALLOWED
http DELETE "/v1/cases/$CASE"
is_error "DELETE of a case answers 405" 405 METHOD_NOT_ALLOWED
http GET "/v1/cases/$CASE/assign"
is_error "GET of an assignment answers 405" 405 METHOD_NOT_ALLOWED
admin=$TOKEN
TOKEN=
for request in "GET /v1/cases" "GET /v1/cases/$CASE" \
    "POST /v1/cases/$CASE/assign" "POST /v1/cases/$CASE/resolve" \
    "GET /v1/model"; do
	# shellcheck disable=SC2086 # method and path
	http $request
	is_error "with an API key alone $request answers 401" \
	    401 UNAUTHENTICATED
done
TOKEN=$admin
is "a rejected request changes neither a case nor its trail" \
    "$(sql "select status, (select count(*)
    from assay.case_trail where case_id = id) from assay.review_case
    where id = '$CASE'")" 'open|1'
is "the audit trail has every rejected change of a case" "$(sql "select status,
    count(*) from assay.audit where action like '%/cases/%'
    group by 1 order by 1")" "400|12
404|8"

# Without an audit entry a resolution has no effect.
open_case e-5
sql 'alter table assay.audit add constraint never check (status <> 200)
    not valid'
http POST "/v1/cases/$CASE/resolve" '{"outcome":"fraud"}'
is_error "a resolution without an audit entry answers 500" 500 INTERNAL
is "a failed resolution stores no label and no event" "$(sql "select status,
    (select count(*) from assay.label where event_id = 'e-5'),
    (select count(*) from assay.outbox where data like '%e-5%')
    from assay.review_case where event_id = 'e-5'")" 'open|0|0'
sql 'alter table assay.audit drop constraint never'
finish
