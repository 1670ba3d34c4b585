#!/bin/sh
# SPDX-License-Identifier: ISC
# The storage report: estimates, and filesystems each once.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_database
start_pool DISK_HEALTH_PATHS="$scratch/run, $scratch/spool,/nonexistent,/proc"
start_nginx
wait_ready
admin_token
api_key

http GET /v1/config/storage
is "the report of a new store" "$STATUS" 200
is_json "has these parts" 'keys | join(" ")' \
    "collections components disks totalBytes"
is_json "a database of some megabytes" '.components[0] |
    "\(.name) \(.kind) \(.bytes > 5000000)"' "postgresql database true"
is_json "and a model" '.components[1] | "\(.name) \(.kind) \(.bytes > 100)"' \
    "bundled model true"
is_json "together" '.totalBytes == (.components | map(.bytes) | add)' true
is_json "every collection" '.collections | map(.name) | join(" ")' \
    "$(sed -n 's/^COLLECTION(\(.*\))$/\1/p' "$srcdir/lib/shared/collections.tbl" |
	paste -sd ' ')"
is_json "of no rows or more" '.collections | all(.rows >= 0)' true
is_json "each filesystem once, under its first path" \
    '.disks | map(.path) | join(" ")' "$scratch/run /proc"
df=$(df -B1 --output=size "$scratch/run" | tail -n 1 | tr -d ' ')
is_json "as large as it is" ".disks[0].totalBytes == $df" true
is_json "used and free within it" '.disks[0] | .usedBytes > 0 and
    .freeBytes > 0 and .usedBytes + .freeBytes <= .totalBytes' true
is_json "in per cent" '.disks[0] | (.usedPercent - 100 * .usedBytes /
    (.usedBytes + .freeBytes)) | fabs < 0.06' true

TOKEN_KEPT=$TOKEN
TOKEN=
for i in 1 2 3 4 5 6 7; do
	http POST /v1/decisions "{\"id\":\"e-$i\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-$i\"}}"
done
TOKEN=$TOKEN_KEPT

# rows NAME: as the report has it.
rows() {
	http GET /v1/config/storage
	json ".collections[] | select(.name == \"$1\") | .rows"
}
# shellcheck disable=SC2317 # called by its name
counted() {
	[ "$(rows verdicts) $(rows users) $(rows replay)" = "7 7 7" ]
}
check "what was decided is counted soon" stack_until 20 "$stack_pool_pid" counted
sql "update assay.detail set request = null; analyze assay.detail"
is "parts of rows as analyze found them" "$(rows activity) $(rows replay)" "0 7"
# The same for Prometheus, without asking the database.
metric() {
	http GET /metrics
	printf '%s\n' "$BODY" | grep -cE "^$1\$"
}
# shellcheck disable=SC2317 # called by its name
measured() {
	[ "$(metric 'engine_storage_rows[{]collection="verdicts"[}] 7')" = 1 ]
}
check "rows are measured every few seconds" stack_until 30 "$stack_pool_pid" \
    measured
is "all of them" "$(metric 'engine_storage_rows[{].*[}] [0-9]+')" \
    "$(grep -c '^COLLECTION' "$srcdir/lib/shared/collections.tbl")"
is "bytes, of the database and of the model" \
    "$(metric 'engine_storage_bytes [0-9]{7,}') $(metric \
    'engine_disk_component_bytes[{]component="postgresql",kind="database"[}] [0-9]{7,}') $(metric \
    'engine_disk_component_bytes[{]component="bundled",kind="model"[}] [0-9]+')" \
    "1 1 1"
disks() {
	echo "$(metric "engine_disk_total_bytes[{]path=\"$scratch/run\"[}] $df") $(metric \
	    "engine_disk_free_bytes[{]path=\"$scratch/run\"[}] [0-9]+") $(metric \
	    "engine_disk_used_ratio[{]path=\"$scratch/run\"[}] 0[.][0-9]{4}")"
}
is "filesystems" "$(disks)" "1 1 1"
is "nobody else reads it" "$(TOKEN=
    http GET /v1/config/storage
    echo "$STATUS")" 401
stop_database
is "without a database the disks are there" "$(disks)" "1 1 1"
is "and what was measured last" \
    "$(metric 'engine_storage_rows[{]collection="verdicts"[}] 7')" 1
finish
