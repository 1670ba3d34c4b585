#!/bin/sh
# SPDX-License-Identifier: ISC
# Files of list entries over HTTP: a file is imported as a whole or not at all;
# files of any total size are imported beside decisions.
. "$(dirname "$0")/lib.sh"

start_signed_in

# import_file FILE [TYPE]: import it, as text/csv by default.
import_file() {
	http POST /v1/lists/import "" --data-binary @"$1" -H Expect: \
	    -H "Content-Type: ${2-text/csv}"
}
# import_rows LINE ...: import a file of these lines.
import_rows() {
	printf '%s\n' "$@" >"$scratch/rows.csv"
	import_file "$scratch/rows.csv"
}
# decide_for USER: DECIDED is the verdict and the first tag.
decide_for() {
	http POST /v1/decisions \
	    "{\"type\":\"order.place\",\"subject\":{\"userId\":\"$1\"}}"
	DECIDED=$(json '"\(.verdict) \(.reasons[0].tag // "")"')
}
count_entries() { sql "select count(*) from assay.list_entry"; }

import_rows kind,subject,value,reason,expiresAt block,user,u-1,"case 7", \
    'watch,phone,+251 91 234-5678,"said ""no"", twice",2050-01-31T12:00:00+01:00' \
    'block,user,u-1,case 8,2050-01-01T00:00:00Z' block,country,ng,,
is "an import answers with the number of entries by outcome" \
    "$STATUS $BODY" '200 {"added":3,"updated":0,"unchanged":1,"expired":0}'
is "imported values are normalized and the last row of an entry counts" \
    "$(sql "select kind, subject, value, reason,
    to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), created_by
    from assay.list_entry order by 2")" \
"block|country|NG|||admin@example.com
watch|phone|251912345678|said \"no\", twice|2050-01-31 11:00|admin@example.com
block|user|u-1|case 8|2050-01-01 00:00|admin@example.com"
decide_for u-1
is "the next decision follows an imported entry" "$DECIDED" "deny list.block"
import_rows value,kind,subject u-1,block,user u-2,block,user ng,block,country
is "columns can have another order, and known entries are replaced" \
    "$STATUS $BODY" '200 {"added":1,"updated":1,"unchanged":1,"expired":0}'
import_rows kind,subject,value,expiresAt block,user,u-1,2025-01-31T00:00:00Z block,user,u-2,
expired=$(json .expired) && decide_for u-1
is "a row that has expired is left out, so an entry that was renewed stays" \
    "$expired $DECIDED" "1 deny list.block"
printf '\357\273\277kind,subject,value\r\nblock,user,"u\n3"\r\n' \
    >"$scratch/odd.csv"
import_file "$scratch/odd.csv" 'text/csv; charset=utf-8'
is_error "a value that holds a line break answers 400" 400 INVALID_REQUEST
printf '\357\273\277kind,subject,value\r\nblock,user,u-3\r\n' >"$scratch/odd.csv"
import_file "$scratch/odd.csv" 'text/csv; charset=utf-8'
is "a file with a byte order mark and CRLF lines is imported" "$STATUS $BODY" \
    '200 {"added":1,"updated":0,"unchanged":0,"expired":0}'
import_rows kind,subject,value
is "a file with the header alone changes nothing" \
    "$STATUS $BODY" '200 {"added":0,"updated":0,"unchanged":0,"expired":0}'
http GET "/v1/audit?limit=1"
is_json "the audit trail has the counts of an import" '.entries[0] |
    "\(.action) \(.status) \(.params | tojson)"' \
    'POST /v1/lists/import 200 {"added":0,"updated":0,"unchanged":0,"expired":0}'

# A faulty row rejects its whole file; the message does not repeat the value.
before="$(count_entries) $(sql "select lists from assay.epoch")"
# is_rejected MESSAGE LINE ...: importing these lines is refused with the
# message.
is_rejected() {
	message=$1
	shift
	import_rows "$@"
	is_error "an import answers 400: $message" 400 INVALID_REQUEST
	is_json "the message of the 400 is: $message" .message "$message"
}
head=kind,subject,value
is_rejected "line 3: kind must be block, allow or watch" $head block,user,n-1 deny,user,n-2
is_rejected "line 4: subject must be user, device, fingerprint, ip, phone, bin or country" \
    $head block,user,n-1 block,user,n-2 block,email,n-3
is_rejected "line 2: value must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24, at least /8 or for IPv6 /16, without bits after that" $head block,ip,203.0.113.400
is_rejected "line 2: expiresAt must be a day and time of ISO 8601, like 2027-01-31T00:00:00Z" \
    $head,expiresAt block,user,n-1,never
is_rejected "line 3 has 2 fields, the first row has 3" $head block,user,n-1 block,user
is_rejected "line 2 begins a quote never closed" $head 'block,user,"n-1'
is_rejected "line 1: value is not in the header: kind,subject,value,reason,expiresAt" \
    kind,subject block,user
is_rejected "line 1: a column is none of kind,subject,value,reason,expiresAt" \
    $head,expires block,user,n-1,2050-01-01T00:00:00Z
: >"$scratch/empty.csv"
import_file "$scratch/empty.csv"
is_error "an import of an empty file answers 400" 400 INVALID_REQUEST
import_file "$scratch/rows.csv" application/json
is_error "an import with the type application/json answers 415" \
    415 UNSUPPORTED_MEDIA_TYPE
is_json "the message names the type that an import needs" \
    .message "the body must be text/csv"
http POST /v1/lists/import '{"entries":[]}'
is_error "an import with a JSON body answers 415" 415 UNSUPPORTED_MEDIA_TYPE
import_file "$scratch/rows.csv" 'text/csv; charset=latin1'
is_error "an import in another character set answers 415" \
    415 UNSUPPORTED_MEDIA_TYPE
{ echo $head; seq -f 'block,user,many-%.0f' 10001; } >"$scratch/many.csv"
import_file "$scratch/many.csv"
is_error "an import of more than 10000 rows answers 400" 400 INVALID_REQUEST
{ echo $head,reason; seq -f "block,user,large-%.0f,$(printf '%0240d' 0)" 4200; } \
    >"$scratch/large.csv"
import_file "$scratch/large.csv"
is_error "an import of more than 1 MiB answers 413" 413 PAYLOAD_TOO_LARGE
is "a rejected import adds nothing and does not raise the epoch" \
    "$(count_entries) $(sql "select lists from assay.epoch")" "$before"

# Three files, of more entries than a worker caches, beside decisions.
(while [ ! -e "$scratch/done" ]; do
	curl -s --max-time 10 --unix-socket "$scratch/run/http.sock" \
	    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
	    -d '{"type":"order.place","subject":{"userId":"list-7"}}' \
	    "$BASE/v1/decisions" | jq -r '"\(.verdict) \(.score)"'
done) >"$scratch/meanwhile" &
deciding=$!
for n in 0 1 2; do
	{ echo $head; seq -f 'block,user,list-%.0f' $((n * 10000 + 1)) \
	    $((n * 10000 + 10000)); } >"$scratch/part.csv"
	import_file "$scratch/part.csv"
	is "import $n of 10000 entries adds them all" "$STATUS $BODY" \
	    '200 {"added":10000,"updated":0,"unchanged":0,"expired":0}'
done
import_file "$scratch/part.csv"
is "the same file again changes nothing" "$BODY" \
    '{"added":0,"updated":0,"unchanged":10000,"expired":0}'
: >"$scratch/done"
wait "$deciding"
is "decisions beside the imports allow or deny" \
    "$(sort -u "$scratch/meanwhile" | grep -vE '^(allow|deny) (0|28|-1)$')" ""
is "the last decision beside the imports denies its imported user" \
    "$(tail -n 1 "$scratch/meanwhile")" "deny -1"
is "no decision beside the imports is degraded" \
    "$(sql "select count(*) from assay.verdict_log
    where reasons like '%degraded%'")" 0
for user in list-1 list-30000 u-2; do
	decide_for "$user"
	is "the listed user $user is denied" "$DECIDED" "deny list.block"
done
decide_for list-30001
is "a user beyond the imported ones is allowed" "$DECIDED" "allow "
http GET "/v1/lists?subject=country"
is_json "a query finds one country among 30000 users" \
    'map(.value) | join("")' NG
finish
