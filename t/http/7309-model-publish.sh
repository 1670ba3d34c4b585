#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl models publishes, lists and rolls back models; which model is active
# when hosts have no model file any more.
. "$(dirname "$0")/lib.sh"
use load ctl model

start_model_file
next_scores >/dev/null
was=$(deciding_model)
for bias in 5 1 7; do
	put_model ".bias = $bias"
	poll_model >/dev/null
done
is "three models of the file are loaded" "$(last_load)" "3|disk|7"

# assayctl models: publish, check, list, rollback.
model '.bias = 20' >"$scratch/published.json"
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export ADMIN_DATABASE_URL
ctl models publish "$scratch/published.json"
is "publish makes a model the active one" \
    "$STATUS $OUT" "0 $scratch/published.json is active"
ctl models publish "$scratch/published.json"
is "publish reports a model that is active already" "$STATUS $OUT" \
    "0 $scratch/published.json is already active"
is "the next decisions are made with the published model" "$(next_scores)" 100
is "the page shows the model as published" \
    "$(shown_model | cut -d ' ' -f 1,2,4)" \
    "published operator-supplied 20"
is "a poll keeps the published model while the file is the same" \
    "$(poll_model) $(last_load)" \
    "0 4|published|20"
model | head -c 20 >"$scratch/bad.json"
ctl models publish "$scratch/bad.json"
is "an incomplete model is not published" \
    "$STATUS $(last_load)" "65 4|published|20"
ctl models check "$scratch/bad.json" "$scratch/published.json"
is "check prints what is wrong with a model" "$STATUS $(cat "$scratch/err")" \
    "65 $scratch/bad.json: expected , or } at byte 20"
is "check prints version, date and AUC of a valid model" \
    "$OUT" "$scratch/published.json: $(sha256sum \
    <"$scratch/published.json" | head -c 16), trained 2026-11-21 on 100\
 samples, AUC 0.9000"
ctl models list
is "list shows the loads, newest first" "$(printf '%s\n' "$OUT" | sed 1d |
    awk '{ print $1, $3, $6 }' | head -n 3 | paste -sd ';')" \
    "4 published 0.9000;3 disk 0.9000;2 disk 0.9000"
ctl models rollback 2
is "rollback makes an earlier load active" "$STATUS $(last_load)" "0 5|disk|1"
is "the next decisions are made with the earlier model" "$(next_scores)" 73
ctl models rollback 99
is "rollback refuses a load that does not exist" \
    "$STATUS $(last_load)" "65 5|disk|1"
demo_warnings() {
	grep -c 'level=warn .*model=synthetic-demo' "$scratch/log/pool.log"
}
warned=$(demo_warnings)
ctl models rollback bundled
is "rollback activates the bundled model" "$STATUS $(last_load)" "0 6|bundled|"
next_scores >/dev/null
is "the next decision is made with the bundled model" "$(deciding_model)" "$was"
check "the log warns again of the demonstration model" \
    [ "$(demo_warnings)" -gt "$warned" ]
is "each load has the database role that made it" \
    "$(sql "select distinct activated_by from assay.model_activation
    order by 1" | paste -sd ' ')" "assay_companion postgres"
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=assay_companion"
ctl models publish "$scratch/published.json"
is "a role that is not the owner publishes nothing" \
    "$STATUS $(last_load)" "70 6|bundled|"
put_model '.bias = 8'
is "a changed file replaces a rolled back model" \
    "$(poll_model) $(last_load)" "0 7|disk|8"

# Hosts that have no model file any more.
is "a poll by hand without the settings keeps the model" \
    "$(from=; poll_model) $(last_load)" "0 7|disk|8"
leave_source "a host without a file is removed"
is "the bundled model is active when no host has a file" \
    "$(last_load)" "8|bundled|"
is "a host with a file again loads its model" \
    "$(poll_model) $(last_load)" "0 9|disk|8"

# The last two hosts lose their file at the same moment.
sql "insert into assay.model_host values ('other', 'disk other', now())"
hold_lock "select assay.model_source_release('other')"
start_cron "model --for 10m"
check "the second host waits for the first" \
    stack_until 10 "$stack_cron_pid" lock_waiters_are 1
release_lock
check "the last host activates the bundled model" \
    stack_until 10 "$stack_cron_pid" load_is "10|bundled|"
stop_cron
is "a host with the file again loads its model again" \
    "$(poll_model) $(last_load)" "0 11|disk|8"
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
ctl models publish "$scratch/published.json"
leave_source "a host without a file is removed after a publish"
is "a published model stays when no host has a file" \
    "$(last_load)" "12|published|20"
is "no worker was restarted by all these loads" "$(metric \
    'engine_worker_restarts_total{group="decide"}')" 0
finish
