#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl train --publish: what was trained is what serves.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"

awk -v features="$(sed -n 's/^FEATURE([^,]*, "\([^"]*\)".*/\1/p' \
    "$srcdir/core/features.tbl" | paste -sd ,)" -f "$srcdir/t/table.awk" \
    >"$scratch/table.csv"
start_database

# served: how many models were made to serve, and the last of them.
served() {
	sql "select count(*) over (), origin, hash from assay.model_load
	    order by number desc limit 1"
}

unset ADMIN_DATABASE_URL DATABASE_URL
ctl train --publish "$scratch/table.csv"
is "no database" "$STATUS" 78
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export ADMIN_DATABASE_URL
ctl train --publish --output "$scratch/model" "$scratch/table.csv"
is "a model is published" "$STATUS" 0
hash=$(sha256sum <"$scratch/model" | cut -d ' ' -f 1)
is "the one that is written" "$(served)" "1|published|$hash"
ctl models check "$scratch/model"
is "which the other commands take" "$STATUS" 0
ctl train --publish "$scratch/table.csv"
is "the same again" "$STATUS" 0
check "serves already" grep -q 'serves already' "$scratch/err"
is "and is no other" "$(served)" "1|published|$hash"
ctl train --publish --train-until 2026-02-01 "$scratch/table.csv"
is "another" "$STATUS $(served | cut -d '|' -f 1)" "0 2"
check "is another" [ "$(served)" != "2|published|$hash" ]
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=assay_companion"
ctl train --publish "$scratch/table.csv"
is "who is not the owner publishes nothing" \
    "$STATUS $(served | cut -d '|' -f 1)" "70 2"
finish
