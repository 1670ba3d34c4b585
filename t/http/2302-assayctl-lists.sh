#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl lists: what is added, changed, shown and removed, and files of
# which nothing is imported when one row is wrong.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_database
DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export DATABASE_URL

# lists ARGUMENT ...: its status, and what it printed in out and err.
lists() {
	"$builddir/assayctl" lists "$@" >"$scratch/out" 2>"$scratch/err"
	STATUS=$?
	OUT=$(cat "$scratch/out")
}
stored() {
	sql "select string_agg(concat_ws(',', kind, subject, value, reason,
	    to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD')), ' '
	    order by kind, subject, value) from assay.list_entry"
}
clear() { sql "delete from assay.list_entry"; }

# One entry.
lists add --reason 'case 7' --expires 2050-01-31T12:00:00+01:00 \
    block phone '+251 91 234-5678'
is "add" "$STATUS ${OUT%% *}" "0 added"
id=${OUT#* }
is "in its normal form" "$(stored)" \
    "block,phone,251912345678,case 7,2050-01-31"
is "with its maker" "$(sql "select id, created_by from assay.list_entry")" \
    "$id|assayctl"
lists add --reason 'case 7' --expires 2050-01-31T11:00:00Z \
    block phone 00251912345678
is "the same again" "$STATUS $OUT" "0 unchanged $id"
lists add block phone 251912345678
is "with another end" "$STATUS $OUT" "0 updated $id"
is "it has the new one" "$(stored)" "block,phone,251912345678"
lists add --days 30 allow country ng
is "an end in days" "$(sql "select round(extract(epoch from
    expires_at - now()) / 86400) from assay.list_entry
    where subject = 'country'")" 30

refused() {
	what=$1
	shift
	lists "$@"
	is "refused: $what" "$STATUS" 64
}
refused "no value" add block user
refused "a kind that is none" add deny user u-1
refused "a subject that is none" add block email a@b.c
check "which says what there are" grep -q 'user, device, fingerprint' \
    "$scratch/err"
refused "no address" add block ip 1.2.3.4/24
refused "no country" add block country UK
refused "a reason of two lines" add --reason "a
b" block user u-1
refused "a card number" add --reason 'has 4111111111111111' block user u-1
refused "an end that is none" add --expires tomorrow block user u-1
refused "an end that is over" add --expires 2020-01-01T00:00:00Z block user u-1
refused "two ends" add --expires 2050-01-01T00:00:00Z --days 1 block user u-1
refused "half an entry" remove block user
refused "a value of no subject" show --value u-1
refused "a filter that matches nothing" show --kind none
is "none of which was stored" "$(sql "select count(*) from assay.list_entry")" 2

# Shown and removed.
lists add --reason "ein Grund" watch user 'ü 1'
sql "update assay.list_entry set expires_at = now() where subject = 'country'"
lists show
is "newest first" "$(awk 'NR > 1 { print $2, $3, $4 }' "$scratch/out" |
    tr '\n' ' ')" "watch user never allow country expired block phone never "
check "with a head" grep -q '^ID .* REASON$' "$scratch/out"
check "value and reason" grep -q 'ü 1 *ein Grund$' "$scratch/out"
lists show --json
is "as JSON" "$(head -n 1 "$scratch/out" | jq -r 'keys_unsorted | join(" ")')" \
    "id kind subject value reason createdBy createdAt"
lists show --json --kind block
is "by kind" "$(jq -r .value "$scratch/out")" 251912345678
lists show --json --subject user
is "by subject" "$(jq -r .value "$scratch/out")" "ü 1"
lists show --json --subject phone --value '+251 912345678'
is "by value" "$(jq -r .id "$scratch/out")" "$id"
lists show --json --limit 1 --offset 1
is "a page" "$(jq -r .subject "$scratch/out")" country
check "and where the next begins" grep -qe '--offset 2' "$scratch/err"
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
lists import - <"$scratch/good.csv"
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
bad.csv:5: expiresAt must be a time like 2027-01-31T00:00:00Z
bad.csv:6: value must be 1 to 128 bytes of UTF-8, no control characters
assayctl: nothing was imported; correct the file and import it again"
lists import - <"$scratch/bad.csv"
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

# A batch that the database refuses: those before it stay, and it is said.
sql "create function assay.stop() returns trigger language plpgsql as \$\$
    begin if new.value = 'u-15000' then raise 'stop'; end if; return new; end
    \$\$;
    create trigger stop before insert on assay.list_entry for each row
    execute function assay.stop()"
awk 'BEGIN { print "kind,subject,value"
	for (i = 1; i <= 25000; i++) print "block,user,u-" i }' >"$scratch/big.csv"
lists import "$scratch/big.csv"
is "an import that fails on its way" "$STATUS $(sql \
    "select count(*) from assay.list_entry")" "70 10000"
check "says how far it came" grep -q '10000 of 25000 entries are in' \
    "$scratch/err"
sql "drop trigger stop on assay.list_entry"
epoch=$(sql "select lists from assay.epoch")
lists import "$scratch/big.csv"
is "and goes on when it is run again" "$STATUS $OUT" \
    "0 25000 entries: 15000 added, 0 updated, 10000 unchanged"
is "with one change for each batch" \
    "$(($(sql "select lists from assay.epoch") - epoch))" 2

stop_database
lists show
is "without a database" "$STATUS" 69
is "no log has a value" "$(grep -lE '251912|10\.20\.30|u-15000' \
    "$scratch"/log/* | wc -l | tr -d ' ')" 0
finish
