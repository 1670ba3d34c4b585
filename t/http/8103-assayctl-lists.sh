#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl lists: what is added, changed, shown and removed, and files of
# which nothing is imported when one row is wrong.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"

start_stack
admin_token
ASSAY_TOKEN=$TOKEN
export ASSAY_TOKEN
TOKEN=

lists() { ctl lists "$@"; }
stored() {
	sql "select string_agg(concat_ws(',', kind, subject, value, reason,
	    to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD')), ' '
	    order by kind, subject, value) from assay.list_entry"
}
# from_stdin FILE
from_stdin() { ctl_in "$(cat "$1")" lists import -; }
clear() { sql "delete from assay.list_entry"; }

# One entry.
lists add --reason 'case 7' --expires 2050-01-31T12:00:00+01:00 \
    block phone '+251 91 234-5678'
is "add" "$STATUS ${OUT#* }" "0 block phone"
id=${OUT%% *}
is "in its normal form" "$(stored)" \
    "block,phone,251912345678,case 7,2050-01-31"
is "with its maker" "$(sql "select id, created_by from assay.list_entry")" \
    "$id|admin@example.com"
lists add block phone 251912345678
is "the same again" "$STATUS $OUT" "0 $id block phone"
is "it has the new end" "$(stored)" "block,phone,251912345678"
lists add --days 30 allow country ng
is "an end in days" "$(sql "select round(extract(epoch from
    expires_at - now()) / 86400) from assay.list_entry
    where subject = 'country'")" 30

refused() {
	what=$1
	want=$2
	shift 2
	lists "$@"
	is "refused: $what" "$STATUS" "$want"
}
refused "no value" 64 add block user
refused "a kind that is none" 64 add deny user u-1
refused "a subject that is none" 64 add block email a@b.c
check "which says what there are" said 'user|device|fingerprint'
refused "no address" 65 add block ip 1.2.3.4/24
refused "no country" 65 add block country UK
refused "a reason of two lines" 65 add --reason "a
b" block user u-1
refused "a card number" 65 add --reason 'has 4111111111111111' block user u-1
refused "an end that is none" 65 add --expires tomorrow block user u-1
refused "an end that is over" 65 add --expires 2020-01-01T00:00:00Z \
    block user u-1
refused "two ends" 64 add --expires 2050-01-01T00:00:00Z --days 1 block user u-1
refused "half an entry" 64 remove block user
refused "a filter that matches nothing" 64 show --kind none
is "none of which was stored" "$(sql "select count(*) from assay.list_entry")" 2

# Shown, found and removed.
lists add --reason "ein Grund" watch user 'ü 1'
sql "update assay.list_entry set expires_at = now() where subject = 'country'"
lists show
is "newest first" "$(awk 'NR > 1 { print $2, $3, $4 }' "$scratch/out" |
    tr '\n' ' ')" "watch user never allow country ended block phone never "
check "with a head" grep -q '^ID .* VALUE$' "$scratch/out"
check "reason and value" grep -q 'ein Grund *ü 1$' "$scratch/out"
lists show --json
is "as JSON" "$(jq -r '.[0] | [.kind, .subject, .value, .reason] | join(" ")' \
    "$scratch/out")" "watch user ü 1 ein Grund"
lists show --json --kind block
is "by kind" "$(jq -r '.[].value' "$scratch/out")" 251912345678
lists show --json --subject user
is "by subject" "$(jq -r '.[].value' "$scratch/out")" "ü 1"
lists find --json phone '+251 912345678'
is "by value" "$(jq -r '.[].id' "$scratch/out")" "$id"
lists find ip 251912345678
is "no such value" "$STATUS" 65
lists show --json --limit 1 --offset 1
is "a page" "$(jq -r '.[].subject' "$scratch/out")" country
lists show --limit 1
check "and where the next begins" grep -qe '--offset 1' "$scratch/err"
lists remove "$id"
is "removed by id" "$STATUS $OUT" "0 removed $id"
lists remove "$id"
is "not twice" "$STATUS" 65
lists remove allow country NG
is "removed by what it is" "$STATUS ${OUT%% *}" "0 removed"
lists remove allow country NG
is "not twice either" "$STATUS" 65
clear

# A file.
cat >"$scratch/good.csv" <<'CSV'
expiresAt,subject,value,kind,reason
2050-01-01T00:00:00Z,user,u-1,block,
,user,u-2,allow,"first, and quoted"
2020-01-01T00:00:00Z,ip,::ffff:1.1.1.1,block,old
,user,u-2,allow,second
CSV
lists import "$scratch/good.csv"
is "import" "$STATUS $OUT" "0 4 entries: 3 added, 0 updated, 1 unchanged"
check "says what is over" grep -q '1 of them have expired already' "$scratch/err"
is "the later of two counts" "$(stored)" \
    "allow,user,u-2,second block,ip,1.1.1.1,old,2020-01-01 block,user,u-1,2050-01-01"
epoch=$(sql "select lists from assay.epoch")
from_stdin "$scratch/good.csv"
is "the same again, from standard input" "$STATUS $OUT" \
    "0 4 entries: 0 added, 0 updated, 4 unchanged"
is "tells no worker" "$(sql "select lists from assay.epoch")" "$epoch"
clear

cat >"$scratch/bad.csv" <<'CSV'
kind,subject,value,expiresAt
block,user,u-1,
block,ip,10.20.30.400,
deny,user,u-2,
block,phone,2519123456,soon
block,user,"u
3",
CSV
lists import "$scratch/bad.csv"
is "a bad file" "$STATUS" 65
is "is told by its lines" "$(sed "s,$scratch/,," "$scratch/err")" \
"bad.csv:3: value must be an IPv4 or IPv6 address
bad.csv:4: kind must be block, allow or watch
bad.csv:5: expiresAt must be a day and time of ISO 8601, like 2027-01-31T00:00:00Z
bad.csv:6: value must be 1 to 128 bytes of UTF-8, not blank, no control characters
assayctl: nothing was imported; correct the file and import it again"
from_stdin "$scratch/bad.csv"
check "from standard input too" grep -q '^stdin:3: ' "$scratch/err"
is "nothing of it was imported" "$(stored)" ""

# file WHAT LINE TEXT: this file is refused, at that line.
file() {
	printf '%b' "$3" >"$scratch/one.csv"
	lists import "$scratch/one.csv"
	is "refused: $1" "$STATUS $(head -n 1 "$scratch/err" |
	    sed 's/^[^:]*:\([0-9]*\): .*/\1/')" "65 $2"
}
file "nothing" 1 ''
file "a column that is missing" 1 'kind,subject\nblock,user\n'
file "a column that is none" 1 'kind,subject,value,expires\nblock,user,u,2050\n'
file "a column twice" 1 'kind,subject,value,value\nblock,user,u,v\n'
file "a short row" 3 'kind,subject,value\nblock,user,u\nblock,user\n'
file "an open quote" 2 'kind,subject,value\nblock,user,"u\n'
file "an end in 1970" 2 \
    'kind,subject,value,expiresAt\nblock,user,u,1970-01-01T00:00:00Z\n'
awk 'BEGIN { print "kind,subject,value"
	for (i = 0; i < 30; i++) print "block,ip,x" }' >"$scratch/many.csv"
lists import "$scratch/many.csv"
is "many faults are counted" "$(grep -c '^/' "$scratch/err") $(grep -c \
    'and 10 more' "$scratch/err")" "21 1"
lists import "$scratch/none.csv"
is "a file that is missing" "$STATUS" 66
is "nothing was stored by any of them" "$(stored)" ""

# A row that the database refuses: requests before stay, and it is said.
sql "create function assay.stop() returns trigger language plpgsql as \$\$
    begin if new.value = 'u-15000' then raise 'stop'; end if; return new; end
    \$\$;
    create trigger stop before insert on assay.list_entry for each row
    execute function assay.stop()"
awk 'BEGIN { print "kind,subject,value,reason"
	for (i = 1; i <= 25000; i++)
		print "block,user,u-" i ",\"say \"\"" i "\"\", or\"" }' \
    >"$scratch/big.csv"
lists import "$scratch/big.csv"
is "an import that fails on its way" "$STATUS $(sql \
    "select count(*) from assay.list_entry")" "70 10000"
check "says how far it came" said \
    '10000 of 25000 entries are in; go on with --from-line 10002'
sql "drop trigger stop on assay.list_entry"
epoch=$(sql "select lists from assay.epoch")
lists import --from-line 10002 "$scratch/big.csv"
is "and goes on from there" "$STATUS $OUT" \
    "0 15000 entries: 15000 added, 0 updated, 0 unchanged"
is "with one change for each request" \
    "$(($(sql "select lists from assay.epoch") - epoch))" 2
is "texts as they were" "$(sql "select reason from assay.list_entry
    where value = 'u-20000'")" 'say "20000", or'
lists import --json "$scratch/big.csv"
is "once more" "$STATUS $(jq -r .unchanged "$scratch/out")" "0 25000"
is "each request is in the trail" "$(sql "select count(*)
    from assay.audit where action = 'POST /v1/lists/import'
    and status = 200 and id > (select max(id) from assay.audit
	where status = 500)")" 5

# Requests are small, whatever the rows are.
awk 'BEGIN { print "kind,subject,value,reason"
	for (i = 0; i < 250; i++) reason = reason "\""
	for (i = 1; i <= 4000; i++)
		print "block,device,d-" i ",\"a" reason reason "\"" }' \
    >"$scratch/long.csv"
lists import "$scratch/long.csv"
is "long rows" "$STATUS $OUT" \
    "0 4000 entries: 4000 added, 0 updated, 0 unchanged"

script -qec "$builddir/assayctl lists import $scratch/big.csv" /dev/null \
    </dev/null | tr '\r' '\n' >"$scratch/tty"
check "a progress bar on a terminal" \
    grep -q '^\[=* *\] [0-9]* %, [0-9]* of 25000 entries' "$scratch/tty"
ASSAY_TOKEN=over lists import "$scratch/big.csv"
is "nobody" "$STATUS" 77
stop_pool
lists show
is "without a pool" "$STATUS" 75
is "no log has a value" "$(grep -lE '251912|10\.20\.30|u-15000' \
    "$scratch"/log/* | wc -l | tr -d ' ')" 0
finish
