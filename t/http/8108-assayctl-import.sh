#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl lists import: a file is imported completely or, when a row is wrong,
# not at all; a failed import continues where it stopped.
. "$(dirname "$0")/lib.sh"
use ctl

start_stack
admin_token
ASSAY_TOKEN=$TOKEN
export ASSAY_TOKEN
TOKEN=

# delete_entries: delete the entries of all lists.
delete_entries() { sql "delete from assay.list_entry"; }
# import_stdin FILE
import_stdin() { ctl_in "$(cat "$1")" lists import -; }

# A valid file.
cat >"$scratch/good.csv" <<'CSV'
expiresAt,subject,value,kind,reason
2050-01-01T00:00:00Z,user,u-1,block,
,user,u-2,allow,"first, and quoted"
2020-01-01T00:00:00Z,ip,::ffff:1.1.1.1,block,old
,user,u-2,allow,second
CSV
ctl lists import "$scratch/good.csv"
is "lists import counts added and unchanged entries" \
    "$STATUS $OUT" "0 4 entries: 2 added, 0 updated, 1 unchanged"
check "lists import says that expired entries are left out" \
    grep -q '1 of them have expired already' "$scratch/err"
is "the later of two equal rows is stored" "$(stored_entries)" \
    "allow,user,u-2,second block,user,u-1,2050-01-01"
epoch=$(sql "select lists from assay.epoch")
import_stdin "$scratch/good.csv"
is "lists import from standard input changes nothing again" "$STATUS $OUT" \
    "0 4 entries: 0 added, 0 updated, 3 unchanged"
is "an import without a change begins no epoch" \
    "$(sql "select lists from assay.epoch")" "$epoch"
delete_entries

cat >"$scratch/bad.csv" <<'CSV'
kind,subject,value,expiresAt
block,user,u-1,
block,ip,10.20.30.400,
deny,user,u-2,
block,phone,2519123456,soon
block,user,"u
3",
CSV
printf 'block,user,mallory-1 ,\nblock,user,mallory-2\302\240,\n' >>"$scratch/bad.csv"
ctl lists import "$scratch/bad.csv"
is "lists import exits 65 with wrong rows" "$STATUS" 65
is "each wrong row is printed with its line" \
    "$(sed "s,$scratch/,," "$scratch/err")" \
"bad.csv:3: value must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24, at least /8 or for IPv6 /16, without bits after that
bad.csv:4: kind must be block, allow or watch
bad.csv:5: expiresAt must be a day and time of ISO 8601, like 2027-01-31T00:00:00Z
bad.csv:6: value must be 1 to 128 bytes of UTF-8, not blank, no control characters
bad.csv:8: value must not begin or end with white space or a character that shows nothing: it would look like another value
bad.csv:9: value must not begin or end with white space or a character that shows nothing: it would look like another value
assayctl: nothing was imported; correct the file and import it again"
import_stdin "$scratch/bad.csv"
check "wrong rows of standard input are printed, too" \
    grep -q '^stdin:3: ' "$scratch/err"
is "a file with wrong rows imports nothing" "$(stored_entries)" ""

# refuse_file WHAT LINE TEXT: this file is refused at that line.
refuse_file() {
	printf '%b' "$3" >"$scratch/one.csv"
	ctl lists import "$scratch/one.csv"
	is "a file with $1 is refused at line $2" "$STATUS $(head -n 1 "$scratch/err" |
	    sed 's/^[^:]*:\([0-9]*\): .*/\1/')" "65 $2"
}
refuse_file "no bytes" 1 ''
refuse_file "a missing column" 1 'kind,subject\nblock,user\n'
refuse_file "an unknown column" 1 'kind,subject,value,expires\nblock,user,u,2050\n'
refuse_file "a column twice" 1 'kind,subject,value,value\nblock,user,u,v\n'
refuse_file "a short row" 3 'kind,subject,value\nblock,user,u\nblock,user\n'
refuse_file "an open quote" 2 'kind,subject,value\nblock,user,"u\n'
refuse_file "an end in 1970" 2 \
    'kind,subject,value,expiresAt\nblock,user,u,1970-01-01T00:00:00Z\n'
awk 'BEGIN { print "kind,subject,value"
	for (i = 0; i < 30; i++) print "block,ip,x" }' >"$scratch/many.csv"
ctl lists import "$scratch/many.csv"
is "more than 20 wrong rows are counted" \
    "$(grep -c '^/' "$scratch/err") $(grep -c \
    'and 10 more' "$scratch/err")" "21 1"
ctl lists import "$scratch/none.csv"
is "a missing file exits 66" "$STATUS" 66
is "refused files store no entry" "$(stored_entries)" ""

# The database refuses a row: the requests before it stay.
sql "create function assay.stop() returns trigger language plpgsql as \$\$
    begin if new.value = 'u-15000' then raise 'stop'; end if; return new; end
    \$\$;
    create trigger stop before insert on assay.list_entry for each row
    execute function assay.stop()"
awk 'BEGIN { print "kind,subject,value,reason"
	for (i = 1; i <= 25000; i++)
		print "block,user,u-" i ",\"say \"\"" i "\"\", or\"" }' \
    >"$scratch/big.csv"
ctl lists import "$scratch/big.csv"
is "a failed import keeps the requests before the failure" "$STATUS $(sql \
    "select count(*) from assay.list_entry")" "70 10000"
check "a failed import prints the line to continue from" prints \
    'imported 10000 of 25000 entries; continue with --from-line 10002'
sql "drop trigger stop on assay.list_entry"
epoch=$(sql "select lists from assay.epoch")
ctl lists import --from-line 10002 "$scratch/big.csv"
is "lists import --from-line continues" "$STATUS $OUT" \
    "0 15000 entries: 15000 added, 0 updated, 0 unchanged"
is "each request of an import begins one epoch" \
    "$(($(sql "select lists from assay.epoch") - epoch))" 2
is "an imported reason keeps its quotes" \
    "$(sql "select reason from assay.list_entry
    where value = 'u-20000'")" 'say "20000", or'
ctl lists import --json "$scratch/big.csv"
is "lists import --json counts unchanged entries" \
    "$STATUS $(jq -r .unchanged "$scratch/out")" "0 25000"
is "each request of an import is in the audit trail" "$(sql "select count(*)
    from assay.audit where action = 'POST /v1/lists/import'
    and status = 200 and id > (select max(id) from assay.audit
	where status = 500)")" 5

# Long rows: requests stay small.
awk 'BEGIN { print "kind,subject,value,reason"
	for (i = 0; i < 250; i++) reason = reason "\""
	for (i = 1; i <= 4000; i++)
		print "block,device,d-" i ",\"a" reason reason "\"" }' \
    >"$scratch/long.csv"
ctl lists import "$scratch/long.csv"
is "4000 long rows are imported" "$STATUS $OUT" \
    "0 4000 entries: 4000 added, 0 updated, 0 unchanged"

script -qec "$builddir/assayctl lists import $scratch/big.csv" /dev/null \
    </dev/null | tr '\r' '\n' >"$scratch/tty"
check "an import shows a progress bar on a terminal" \
    grep -q '^\[=* *\] [0-9]* %, [0-9]* of 25000 entries' "$scratch/tty"
ASSAY_TOKEN=over ctl lists import "$scratch/big.csv"
is "lists import with an ended session exits 77" "$STATUS" 77
stop_pool
ctl lists show
is "lists show without a pool exits 75" "$STATUS" 75
is "no log has a value of a list" "$(grep -lE '251912|10\.20\.30|u-15000' \
    "$scratch"/log/* | wc -l | tr -d ' ')" 0
finish
