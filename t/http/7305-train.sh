#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl train --publish makes a trained model active; what train refuses.
. "$(dirname "$0")/lib.sh"
use ctl

awk -v features="$(sed -n 's/^FEATURE([^,]*, "\([^"]*\)".*/\1/p' \
    "$srcdir/core/signal/features.tbl" | paste -sd ,)" -f "$srcdir/t/table.awk" \
    >"$scratch/table.csv"
start_database

# last_activation: how many models became active, and the last of them.
last_activation() {
	sql "select count(*) over (), origin, hash from assay.model_activation
	    order by number desc limit 1"
}

unset ADMIN_DATABASE_URL DATABASE_URL
ctl train --publish "$scratch/table.csv"
is "--publish without a database is refused" "$STATUS" 78
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export ADMIN_DATABASE_URL
ctl train --publish --output "$scratch/model" "$scratch/table.csv"
is "a trained model is published" "$STATUS" 0
hash=$(sha256sum <"$scratch/model" | cut -d ' ' -f 1)
is "the published model is the written one" \
    "$(last_activation)" "1|published|$hash"
ctl models check "$scratch/model"
is "assayctl models check accepts the trained model" "$STATUS" 0
ctl train --publish "$scratch/table.csv"
is "training the same table again exits 0" "$STATUS" 0
check "an equal model is reported as active already" \
    grep -q 'is already active' "$scratch/err"
is "an equal model is not activated again" \
    "$(last_activation)" "1|published|$hash"
ctl train --publish --train-until 2026-02-01 "$scratch/table.csv"
is "a model of other days is published" \
    "$STATUS $(last_activation | cut -d '|' -f 1)" "0 2"
check "a model of other days is another model" \
    [ "$(last_activation)" != "2|published|$hash" ]
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=assay_companion"
ctl train --publish "$scratch/table.csv"
is "a role that is not the owner publishes nothing" \
    "$STATUS $(last_activation | cut -d '|' -f 1)" "70 2"

# The samples of the database, which has none yet.
unset ADMIN_DATABASE_URL
DATABASE_URL="host=$scratch/run dbname=assay user=assay_operator"
export DATABASE_URL
ctl train
is "training without samples is refused" "$STATUS" 65
check "the error says where samples come from" \
    prints 'no samples to train on; each scored decision leaves one'
ctl train --since 2026-01-01 "$scratch/table.csv"
is "--since is refused with a table" "$STATUS" 64
ctl train --event-type card.refunds
is "an unknown event type is refused" "$STATUS" 64
ctl train --since soon
is "--since refuses what is not a time" "$STATUS" 64
finish
