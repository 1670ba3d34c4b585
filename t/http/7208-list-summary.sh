#!/bin/sh
# SPDX-License-Identifier: ISC
# The numbers of list entries, their filters, and the check of an import.
. "$(dirname "$0")/lib.sh"
use ctl

start_stack
admin_token
login admin@example.com 'correct horse'
http GET /v1/lists/summary
is "empty lists have no entries" "$STATUS $(json 'tojson')" \
    '200 {"total":0,"byKind":{"block":0,"allow":0,"watch":0},"expiringSoon":0}'
# csv PATH ROWS: send a CSV body with all columns.
csv() {
	printf 'kind,subject,value,reason,expiresAt\n%b' "$2" >"$scratch/rows.csv"
	http POST "$1" "" --data-binary @"$scratch/rows.csv" -H Expect: \
	    -H "Content-Type: text/csv"
}
soon=$(date -u -d '3 days' +%FT%TZ)
later=$(date -u -d '30 days' +%FT%TZ)
rows="block,user,a,x,\nallow,user,b,x,$soon\nwatch,ip,10.0.0.1,x,$later\n"
csv /v1/lists/import/check "$rows"
is "a check answers what an import would add" "$STATUS $BODY" \
    '200 {"added":3,"updated":0,"unchanged":0,"expired":0}'
http GET /v1/lists/summary
is_json "a check stores nothing" .total 0
is "a check makes no entry in the audit trail" "$(sql "select count(*)
    from assay.audit where action like '%/check'")" 0
csv /v1/lists/import "$rows"
is "the import does what the check said" "$BODY" \
    '{"added":3,"updated":0,"unchanged":0,"expired":0}'
csv /v1/lists/import/check "block,user,a,y,\nallow,user,b,x,$soon\nblock,user,c,,\nblock,user,c,z,\n"
is "a check counts new, changed, equal and repeated rows" "$BODY" \
    '{"added":1,"updated":1,"unchanged":2,"expired":0}'
checked=$BODY
csv /v1/lists/import "block,user,a,y,\nallow,user,b,x,$soon\nblock,user,c,,\nblock,user,c,z,\n"
is "check and import count alike" "$BODY" "$checked"
csv /v1/lists/import/check "block,user,a,y,\nblock,planet,b,x,\n"
is_error "a check refuses a wrong row" 400 INVALID_REQUEST
is_json "a check names the line of a wrong row" '.message[0:7]' "line 3:"
http GET /v1/lists/summary
is_json "the summary counts kinds and what ends soon" tojson \
    '{"total":4,"byKind":{"block":2,"allow":1,"watch":1},"expiringSoon":1}'
read=$(sql "begin; set local enable_seqscan = off;
    set local enable_bitmapscan = off;
    create temp table answer on commit drop as select assay.list_summary();
    select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index
    where indrelid = 'assay.list_entry'::regclass")
is "an entry is counted once, and once more if it ends soon" "$read" 5
ctl lists summary
check "assayctl lists summary prints the counts" prints 'block  *2|by kind allow  *1'

# finds QUERY WANT LABEL: the values of a page.
finds() {
	http GET "/v1/lists?$1"
	is "$3" "$STATUS $(json 'map(.value) | sort | join(" ")')" "200 $2"
}
sql "update assay.list_entry set created_by = 'ana@example.com' where value = 'a'"
finds createdBy=ana@example.com a "the entries of an operator"
finds createdBy=ana "" "a part of an email finds nothing"
finds expiring=7 b "the entries that end within a week"
finds expiring=31 "10.0.0.1 b" "the entries that end within a month"
finds 'expiring=31&kind=watch&limit=1' 10.0.0.1 "the filters go together"
sql "update assay.list_entry set expires_at = now() - interval '1 hour'
    where value = 'b'"
finds expiring=7 "" "an entry that has ended does not end soon"
finds "" "10.0.0.1 a b c" "without a filter all entries are shown"
ctl lists show --expiring 31
check "assayctl lists show has the filters" prints 'watch .*10.0.0.1'
for query in expiring=0 expiring=x createdby=a; do
	http GET "/v1/lists?$query"
	is_error "GET /v1/lists with $query answers 400" 400 INVALID_REQUEST
done
sql "update assay.operator set role = 'analyst'"
http GET /v1/lists/summary
is "an analyst may read the summary" "$STATUS" 200
csv /v1/lists/import/check "$rows"
is_error "an analyst may not check an import" 403 FORBIDDEN
finish
