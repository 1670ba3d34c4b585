#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/audit by actor, action and time.
. "$(dirname "$0")/lib.sh"
use ctl

start_stack
admin_token
login admin@example.com 'correct horse'
# list_value VALUE: block a user, which makes an entry.
list_value() {
	http POST /v1/lists "{\"kind\":\"block\",\"subject\":\"user\",
	    \"value\":\"$1\"}"
}
list_value u-1
list_value u-2
http POST /v1/apikeys '{"name":"k","scopes":["labels"]}'
middle=$(sql "select assay.time_text(clock_timestamp())")
list_value u-3
sql "select assay.audit_write('other@example.com', 'analyst',
    'POST /v1/lists', 403, '{}')" >/dev/null

# finds QUERY WANT LABEL: the statuses of a page.
finds() {
	http GET "/v1/audit?$1"
	is "$3" "$STATUS $(json '.entries | map(.status) | join(" ")') $(
	    json .next)" "200 $2 null"
}
finds 'action=POST%20/v1/lists' "403 201 201 201" "the entries of an action"
finds 'action=POST%20/v1/list' "403 201 201 201" "the beginning of an action"
finds 'action=/v1/lists' "" "no action begins with a path"
finds 'action=POST%20/v1/l%25' "" "a percent sign is no pattern"
finds 'actor=other@example.com' 403 "the entries of an actor"
finds 'actor=other@example.co' "" "a part of an actor finds nothing"
finds 'contains=OTHER%40example' 403 "a part of an actor"
finds 'contains=/LISTS' "403 201 201 201" "a part of an action"
finds 'contains=u-2' 201 "a part of the parameters"
finds 'contains=%25&action=POST' "" "a percent sign is no pattern of a part"
finds "contains=lists&actor=other@example.com" 403 "a part and an actor"
finds "action=POST%20/v1/lists&since=$middle" "403 201" "the entries since a time"
finds "action=POST%20/v1/lists&until=$middle" "201 201" "the entries before a time"
finds "actor=admin@example.com&action=POST%20/v1/lists&limit=2" "201 201" \
    "a page of the entries of an actor and an action"
http GET "/v1/audit?actor=admin@example.com&action=POST%20/v1/lists&limit=2"
finds "actor=admin@example.com&action=POST%20/v1/lists&before=$(
    json '.entries[-1].id')" 201 "the next page keeps the filters"
ctl audit --contains OTHER@
check "assayctl audit finds a part" prints 'other@example.com .*403'
ctl audit --actor other@example.com
check "assayctl audit has the filters" prints 'other@example.com .*403'

# A request looks at 100,000 entries.
sql "insert into assay.audit (id, actor, role, action, status, params)
    select 'aud_' || lpad(n::text, 26, '0'), 'm', 'owner', 'x', 200, '{}'
    from generate_series(1, 150000) n" >/dev/null
http GET '/v1/audit?actor=other@example.com'
is_json "a long search ends without a result" \
    '"\(.entries | length) \(.next | type)"' "0 string"
finds "actor=other@example.com&before=$(json .next)" 403 \
    "next continues a long search"
for query in since=x until= actors=a; do
	http GET "/v1/audit?$query"
	is_error "GET /v1/audit with $query answers 400" 400 INVALID_REQUEST
done
sql "update assay.operator set role = 'analyst'"
http GET '/v1/audit?actor=a'
is_error "an analyst may not read the audit trail" 403 FORBIDDEN
finish
