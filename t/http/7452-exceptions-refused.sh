#!/bin/sh
# SPDX-License-Identifier: ISC
# Exceptions: wrong input, roles, a second person, erasure, and assayctl.
. "$(dirname "$0")/lib.sh"
use ctl exceptions eyes

start_stack
start_host 2 FOUR_EYES=rules
two_admins
api_key
publish_two

# refused LABEL MEMBERS WHERE: 400 about that field.
refused() {
	except "$2"
	is "$1" "$STATUS $(json '"\(.code) \(.message | split(" ")[0])"')" \
	    "400 INVALID_REQUEST $3"
}
refused "a tag that no active rule has is refused" '"name":"bog"' name
refused "a rule is not a tag" '"kind":"rule"' name
refused "a tag of another event type is refused" '"eventType":"account.login"' name
refused "an unknown kind is refused" '"kind":"list"' kind
refused "an unknown event type is refused" '"eventType":"order.lost"' eventType
refused "an unknown subject is refused" '"subject":"planet"' subject
refused "a network is refused" '"subject":"ip","value":"203.0.113.0/24"' value
refused "a blank reason is refused" '"reason":" "' reason
refused "a time in the past is refused" '"expiresAt":"2020-01-01T00:00:00Z"' expiresAt
refused "more than 366 days are refused" "\"expiresAt\":\"$(in_days 367)\"" expiresAt
http POST /v1/exceptions '{"kind":"tag","name":"big","subject":"user","value":"u-1",
    "reason":"why"}'
is_error "an exception needs an end" 400 INVALID_REQUEST
http GET '/v1/exceptions?state=over'
is_error "an unknown state is refused" 400 INVALID_REQUEST
http GET /v1/exceptions/exc_none
is_error "there is no exception of an unknown id" 404 NOT_FOUND
http POST /v1/exceptions/exc_none/end
is_error "an exception of an unknown id cannot end" 404 NOT_FOUND
is "nothing was made" "$(sql 'select count(*) from assay.rule_exception')" 0

TOKEN=$eve
except
is_error "an analyst cannot make an exception" 403 FORBIDDEN
TOKEN=$ann
on 2 POST /v1/exceptions "{\"kind\":\"tag\",\"name\":\"big\",\"subject\":\"user\",
    \"value\":\"u-1\",\"reason\":\"why\",\"expiresAt\":\"$(in_days 3)\"}"
is_error "FOUR_EYES wants a second person" 409 APPROVAL_REQUIRED
propose "$eve" "POST /v1/exceptions" "{\"kind\":\"tag\",\"name\":\"big\",
    \"subject\":\"user\",\"value\":\"u-1\",\"reason\":\"has called\",
    \"expiresAt\":\"$(in_days 3)\"}"
is "an analyst proposes one" "$STATUS" 201
is "a proposal silences nothing" "$(decide_big u-1 a-1)" "review 55 any,big"
approve "$bob"
is "an admin approves it" "$STATUS" 200
is "an approved exception acts" "$(decide_big u-1 a-2)" "allow 30 any"
is "the maker of an approved exception is the analyst" \
    "$(sql 'select created_by from assay.rule_exception')" eve@example.com
is "the decided proposal has no user" \
    "$(sql "select count(*) from assay.proposal p
	where p::text like '%u-1%'")" 0

except '"name":"any"'
except '"name":"any"'
is_error "the same exception is refused" 409 EXCEPTION_EXISTS
propose "$eve" "POST /v1/exceptions" "{\"kind\":\"tag\",\"name\":\"big\",
    \"eventType\":\"order.place\",\"subject\":\"user\",\"value\":\"u-1\",
    \"reason\":\"has called\",\"expiresAt\":\"$(in_days 366)\"}"
http POST /v1/privacy/erase '{"userId":"u-1","rehearse":true}'
is_json "a rehearsal counts the exceptions for the user" .stored.exceptions 2
http POST /v1/privacy/erase '{"userId":"u-1"}'
is "an erasure removes the exceptions for the user" \
    "$STATUS $(sql 'select count(*) from assay.rule_exception')" "200 0"
approve "$bob"
is_error "an erasure ends the proposals of exceptions for the user" 409 PROPOSAL_DECIDED
is "an erased exception acts no more" "$(decide_big u-1 a-3)" "review 55 any,big"

# At most so many are active.
sql "insert into assay.rule_exception (id, kind, name, subject, value, reason,
	created_by, expires_at)
    select 'exc_0' || n, 'tag', 'big', 'user', 'v-' || n, 'why', 'a@example.com',
	now() + interval '1 day' from generate_series(1, 10000) n"
except
is_error "more than 10000 are refused" 409 EXCEPTIONS_FULL
sql "update assay.epoch set exceptions = exceptions + 1"
is "each of them acts" "$(decide_big v-1 f-1) $(decide_big v-10000 f-2)" \
    "allow 30 any allow 30 any"
sql "delete from assay.rule_exception; update assay.epoch set exceptions = exceptions + 1"

login admin@example.com 'correct horse'
ctl exceptions add --reason 'has called' --days 7 tag big user u-1
is "assayctl makes an exception" "$STATUS" 0
id=$(cut -d ' ' -f 1 "$scratch/out")
is "the exception of assayctl acts" "$(decide_big u-1 g-1)" "allow 30 any"
ctl exceptions list --state active
check "assayctl lists exceptions" prints "$id  *active"
ctl exceptions show "$id"
check "assayctl shows the decisions" prints 'g-1 .* allow  *review'
ctl explain g-1
check "assayctl explain shows what is silenced" prints 'true  *yes  *25  *big  *r_big'
ctl exceptions end "$id"
check "assayctl ends an exception" prints "$id is ended"
ctl exceptions add --days 7 tag big user u-1
is "assayctl needs a reason" "$STATUS" 65
finish
