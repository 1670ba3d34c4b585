#!/bin/sh
# SPDX-License-Identifier: ISC
# MODEL_URL over time: a companion that keeps running, a server that hangs or
# drips, a killed companion, and a change of the source.
. "$(dirname "$0")/lib.sh"
use load metrics model storage

token=4711tokenof4711
start_storage
url="$storage/open/model.json?token=$token"
from="MODEL_URL=$url MODEL_CA_FILE=$scratch/ca.pem"
start_signed_in SCORER=ml
fetched="the model cannot be fetched"
for bias in 1 2 3 4; do
	store_model model.json ".bias = $bias"
	poll_model >/dev/null
done
is "four models of the URL are loaded" "$(last_load)" "4|url|4"

# A companion that keeps running logs a refusal once.
storage_mode 503
make_due
# shellcheck disable=SC2086 # several
start_cron "model --for 10m" $from
staying=$stack_cron_pid
# shellcheck disable=SC2317 # called by name
failures_are() {
	[ "$(sql "select failures from assay.model_source")" = "$1" ]
}
refused="event=model_refused source=url why=\"$fetched: status 503"
check "the log says why the URL is refused" \
    stack_until 10 "$staying" log_has "$refused" 1
make_due
check "the companion tries the URL again" \
    stack_until 10 "$staying" failures_are 2
is "the refusal of the URL is logged only once" "$(log_lines event=model_refused)" 1
http GET /v1/config/model
is "the page shows where and why a model is refused" \
    "$(json '.ml | "\(.source) \(.bias) " +
    "\(.refused | "\(.source) \(.why) \(.since < .at)")"')" \
    "url 4 url $fetched: status 503 true"
check "a metric shows that the URL is refused" \
    stack_until 15 0 metric_is engine_model_refused 1
store_model model.json '.bias = 5'
storage_mode good
make_due
check "the model is loaded once the server answers" stack_until 10 "$staying" \
    load_is "5|url|5"
check "the log says that the URL is valid again" \
    stack_until 5 "$staying" log_has \
    'event=model_source_recovered source=url' 1
is "the page shows no refusal after a valid answer" "$(http GET /v1/config/model
    json .ml.refused)" null

# A server that does not answer delays no other companion.
# shellcheck disable=SC2317 # called by name
url_requested() {
	storage_requests | tail -n 1 | grep -q "^$1 "
}
store_model model.json '.bias = 6'
storage_mode hang
make_due
check "the companion waits for a server that hangs" \
    stack_until 10 "$staying" url_requested hang
is "the waiting companion holds no transaction and no lock" \
    "$(sql "select count(*)
    from pg_stat_activity a left join pg_locks l using (pid)
    where application_name = 'assay cron'
	and (xact_start is not null or backend_xmin is not null
	    or l.pid is not null)")" 0
n=$(storage_requests | wc -l)
# shellcheck disable=SC2086 # several
start_cron "model --for 10m" $from
other=$stack_cron_pid
sleep 3
is "another companion does not request meanwhile" \
    "$(storage_requests | wc -l)" "$n"
kill -s KILL "$staying"
wait "$staying" 2>/dev/null
storage_mode good
make_due
check "another companion takes over from a killed one" stack_until 10 "$other" \
    load_is "6|url|6"
storage_mode drip
make_due
check "the companion reads from a server that drips" \
    stack_until 10 "$other" url_requested drip
is "decisions are made while the server drips" "$(next_scores)" 100
check "the companion gives up a server that drips" \
    stack_until 30 "$other" log_has \
    "event=model_refused source=url why=\"$fetched: no answer in time" 1
storage_mode hang
make_due
check "the companion waits for a server that hangs again" \
    stack_until 10 "$other" url_requested hang
kill -s TERM "$other"
check "TERM ends a companion that waits for a server" \
    stack_until 5 0 stack_gone "$other"

# A rollback holds when the URL's token changes.
storage_mode good
sql "select assay.model_activate('published', (select hash from assay.model_activation
    where number = 1), null)" >/dev/null
from="MODEL_URL=${url}x MODEL_CA_FILE=$scratch/ca.pem"
make_due
is "another token in the URL keeps the rolled back model" \
    "$(poll_model) $(last_load)" "0 7|published|1"
is "an ETag is sent only for the URL that it came from" \
    "$(storage_requests | tail -n 1 |
    cut -d ' ' -f 2) $(poll_model) $(storage_requests | tail -n 1 |
    cut -d ' ' -f 1)" "- 0 304"
from="MODEL_URL=$storage/open/./model.json MODEL_CA_FILE=$scratch/ca.pem"
is "another path in the URL loads the model again" \
    "$(poll_model) $(last_load)" "0 8|url|6"

# From the URL to a file, then to no source.
mkdir "$scratch/model"
model '.bias = 7' >"$scratch/model/model.json"
stack_own "$scratch/model"
from="MODEL_PATH=$scratch/model/model.json"
is "a file replaces the URL as the source" \
    "$(poll_model) $(last_load)" "0 9|disk|7"
is "a change of the source clears the refusal" "$(sql "select count(*),
    count(refusal) from assay.model_source") $(http GET /v1/config/model
    json .ml.refused)" "1|0 null"
leave_source "a host without a source is removed"
is "the bundled model is active without a source" "$(last_load)" "10|bundled|"
is "no log has the URL, its token or the server's text" "$(grep -l -e "$token" \
    -e open/model -e "127.0.0.1:${storage##*:}" -e the-storage-says \
    "$scratch"/log/*)" ""
finish
