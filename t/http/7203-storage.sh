#!/bin/sh
# SPDX-License-Identifier: ISC
# The storage report: estimated rows, sizes, and each filesystem once.
. "$(dirname "$0")/lib.sh"

start_signed_in DISK_HEALTH_PATHS="$scratch/run, $scratch/spool,/nonexistent,/proc"

http GET /v1/config/storage
is "the storage report answers 200" "$STATUS" 200
is_json "the report has these parts" 'keys | join(" ")' \
    "collections components disks totalBytes"
is_json "the report has a database of some megabytes" '.components[0] |
    "\(.name) \(.kind) \(.bytes > 5000000)"' "postgresql database true"
is_json "the report has the bundled model" \
    '.components[1] | "\(.name) \(.kind) \(.bytes > 100)"' \
    "bundled model true"
is_json "the total is the sum of the components" \
    '.totalBytes == (.components | map(.bytes) | add)' true
is_json "the report has every collection" \
    '.collections | map(.name) | join(" ")' \
    "$(sed -nE 's/^(COLLECTION\(|RETAINED\([A-Z_]+, )(.*)\)$/\2/p' "$srcdir/lib/shared/collections.tbl" |
	paste -sd ' ')"
is_json "no collection has a negative number of rows" \
    '.collections | all(.rows >= 0)' true
is_json "each filesystem is shown once, by its first path" \
    '.disks | map(.path) | join(" ")' "$scratch/run /proc"
df=$(df -B1 --output=size "$scratch/run" | tail -n 1 | tr -d ' ')
is_json "a filesystem has the size that df prints" \
    ".disks[0].totalBytes == $df" true
is_json "used and free bytes fit into the filesystem" \
    '.disks[0] | .usedBytes > 0 and
    .freeBytes > 0 and .usedBytes + .freeBytes <= .totalBytes' true
is_json "the used percentage follows from the bytes" \
    '.disks[0] | (.usedPercent - 100 * .usedBytes /
    (.usedBytes + .freeBytes)) | fabs < 0.06' true

TOKEN_KEPT=$TOKEN
TOKEN=
for i in 1 2 3 4 5 6 7; do
	http POST /v1/decisions "{\"id\":\"e-$i\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-$i\"}}"
done
TOKEN=$TOKEN_KEPT

# stored_rows NAME: print the number of rows in the report.
stored_rows() {
	http GET /v1/config/storage
	json ".collections[] | select(.name == \"$1\") | .rows"
}
# shellcheck disable=SC2317 # called by its name
rows_counted() {
	[ "$(stored_rows verdicts) $(stored_rows users) $(stored_rows replay)" = "7 7 7" ]
}
check "the report counts new decisions soon" \
    stack_until 20 "$stack_pool_pid" rows_counted
sql "update assay.decision_detail set request = null; analyze assay.decision_detail"
is "the report counts parts of rows as analyze found them" \
    "$(stored_rows activity) $(stored_rows replay)" "0 7"
# metric_lines PATTERN: how many lines of /metrics match.  Metrics are sampled;
# a scrape sends no query.
metric_lines() {
	http GET /metrics
	printf '%s\n' "$BODY" | grep -cE "^$1\$"
}
# shellcheck disable=SC2317 # called by its name
rows_measured() {
	[ "$(metric_lines 'engine_storage_rows[{]collection="verdicts"[}] 7')" = 1 ]
}
check "metrics of rows follow within seconds" stack_until 30 "$stack_pool_pid" \
    rows_measured
is "each collection has a metric of its rows" \
    "$(metric_lines 'engine_storage_rows[{].*[}] [0-9]+')" \
    "$(grep -cE '^(COLLECTION|RETAINED)' "$srcdir/lib/shared/collections.tbl")"
is "database and model have metrics of their bytes" \
    "$(metric_lines 'engine_storage_bytes [0-9]{7,}') $(metric_lines \
    'engine_disk_component_bytes[{]component="postgresql",kind="database"[}] [0-9]{7,}') $(metric_lines \
    'engine_disk_component_bytes[{]component="bundled",kind="model"[}] [0-9]+')" \
    "1 1 1"
disk_metrics() {
	echo "$(metric_lines "engine_disk_total_bytes[{]path=\"$scratch/run\"[}] $df") $(metric_lines \
	    "engine_disk_free_bytes[{]path=\"$scratch/run\"[}] [0-9]+") $(metric_lines \
	    "engine_disk_used_ratio[{]path=\"$scratch/run\"[}] 0[.][0-9]{4}")"
}
is "each filesystem has metrics" "$(disk_metrics)" "1 1 1"
is "the report answers 401 without a token" "$(TOKEN=
    http GET /v1/config/storage
    echo "$STATUS")" 401
stop_database
is "metrics of filesystems stay without a database" "$(disk_metrics)" "1 1 1"
is "metrics of rows keep their last value without a database" \
    "$(metric_lines 'engine_storage_rows[{]collection="verdicts"[}] 7')" 1
finish
