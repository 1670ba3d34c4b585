#!/bin/sh
# SPDX-License-Identifier: ISC
# Several companions poll one model file, and are killed: each change is loaded
# once.
. "$(dirname "$0")/lib.sh"
use load ctl metrics model

start_model_file
put_model '.bias = 0'
poll_model >/dev/null
put_model '.bias = 1'
is "the first two models are loaded" "$(poll_model) $(last_load)" "0 2|disk|1"

# A companion that keeps running logs a refusal once, and its recovery once.
model | head -c 100 | replace_file
start_cron "model --for 10m" MODEL_PATH="$path"
sleeping=$stack_cron_pid
make_due
check "the log says why the file is refused" \
    stack_until 10 "$sleeping" log_has \
    'event=model_refused source=disk why="a string without end' 1
make_due
# shellcheck disable=SC2317 # called by name
source_polled() {
	[ "$(sql "select polled_at > now() - interval '50 minutes'
	    from assay.model_source")" = t ]
}
check "the companion polls again when a poll is due" \
    stack_until 10 "$sleeping" source_polled
is "the same refusal is logged only once" "$(log_lines event=model_refused)" 1
put_model '.bias = 2'
make_due
check "the next valid file is loaded" stack_until 10 "$sleeping" \
    load_is "3|disk|2"
is "the next decisions are made with the next file" "$(next_scores)" 88
is "the page shows no refusal after a valid file" "$(http GET /v1/config/model
    json .ml.refused)" null
check "the log says that the file is valid again" \
    stack_until 5 "$sleeping" log_has event=model_source_recovered 1
check "the metric shows no refusal after a valid file" \
    stack_until 15 0 metric_is \
    engine_model_refused 0
stop_cron

# Two companions poll a file that changes.
start_cron "model --for 10m" MODEL_PATH="$path"
first=$stack_cron_pid
start_cron "model --for 10m" MODEL_PATH="$path"
second=$stack_cron_pid
for bias in 3 4; do
	put_model ".bias = $bias"
	make_due
	check "two companions load the model of bias $bias once" \
	    stack_until 15 "$second" \
	    load_is "$((bias + 1))|disk|$bias"
done
stack_end "$first" TERM
stack_end "$second" TERM
put_model '.bias = 5'
make_due
start_cron "model --once" MODEL_PATH="$path"
first=$stack_cron_pid
start_cron "model --once" MODEL_PATH="$path"
wait "$first" "$stack_cron_pid"
is "two polls by hand at once load a model once" "$(last_load)" "6|disk|5"

# The companion or the server is killed during a load.
# shellcheck disable=SC2317 # called by name
poll_waits() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event_type = 'Lock' and query like '%model_source_report%'")" = 1 ]
}
# shellcheck disable=SC2317 # called by name
companion_gone() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where application_name = 'assay cron'")" = 0 ]
}
put_model '.bias = 6'
hold_lock "select from assay.epoch for update"
start_cron model MODEL_PATH="$path" 8>&-
check "the load waits where it is killed" \
    stack_until 10 "$stack_cron_pid" poll_waits
kill -s KILL "$stack_cron_pid"
wait "$stack_cron_pid" 2>/dev/null
release_lock
stack_until 10 0 companion_gone
is "a killed companion loads all of a model or nothing" "$(last_load | sed \
    's/^7|disk|6$/6|disk|5/')" "6|disk|5"
make_due
is "the next poll loads the model once" \
    "$(poll_model) $(last_load)" "0 7|disk|6"
put_model '.bias = 7'
sql checkpoint
hold_lock "select from assay.epoch for update"
start_cron "model --for 10m" MODEL_PATH="$path" 8>&-
make_due
stack_until 10 "$stack_cron_pid" poll_waits
stack_end "$stack_pg_pid" QUIT
exec 8>&-
wait "$lock_pid"
start_database
make_due
check "a companion loads the model after the server was killed" \
    stack_until 15 "$stack_cron_pid" \
    load_is "8|disk|7"
stop_cron

is "no worker was restarted by these loads" \
    "$(metric 'engine_worker_restarts_total{group="decide"}')" 0
finish
