#!/bin/sh
# SPDX-License-Identifier: ISC
# Files of models: read strictly, loaded when they change and at no other time,
# whatever is in them, whoever looks and whoever is killed meanwhile.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"
# shellcheck source=t/http/model.sh
. "$(dirname "$0")/model.sh"

mkdir "$scratch/model"
path=$scratch/model/model.json
from=MODEL_PATH=$path

# place: standard input becomes the file, as a whole.
place() {
	cat >"$path.new"
	stack_own "$scratch/model"
	mv "$path.new" "$path"
}

# put [FILTER]: the same of a model.
put() {
	model "${1:-.}" | place
}

# version: what the file's model is known by.
version() {
	sha256sum <"$path" | head -c 16
}

start_stack SCORER=ml
admin_token
api_key
is "at first there is the bundled model" "$(serves | cut -d ' ' -f 1,2)" \
    "bundled synthetic-demo"
scores >/dev/null
was=$(decider)
is "and it decides" "${was%@*}" synthetic-demo

# A good one.
put '.bias = 1'
is "a file is looked at, due or not" "$(look)" 0
is "and what is in it is loaded" "$(loads)" "1|disk|1"
is "known by its hash" "$(sql "select hash from assay.model")" \
    "$(sha256sum <"$path" | cut -d ' ' -f 1)"
is "the next decision is made with it" "$(scores)" 73
is "it is shown" "$(serves)" "disk operator-supplied $(version) 1"
is "samples name it" "$(decider)" "$(version)"
is "another look loads nothing" "$(look) $(loads)" "0 1|disk|1"
model '.bias = 1' | jq . | place
is "the same in another form is another" "$(look) $(loads)" "0 2|disk|1"

# Bad ones: what is refused, and what is said of it.
refuses() {
	is "refused, $1: $2" "$(look) $(why)" "70 $2"
}
while IFS='|' read -r filter wanted; do
	put "$filter"
	refuses "$filter" "$wanted"
done <<-END
	.bias = "u-4711"|bias must be a number from -1000000 to 1000000
	.bias = 1e7|bias must be a number from -1000000 to 1000000
	.weights[2] = null|weights[2] must be a number from -1000000 to 1000000
	del(.weights[0])|weights must be an array of $(echo "$names" | jq length) to $(echo "$names" | jq length) elements
	.featureNames[3] = "device.last"|featureNames[3] must be "device.firstSeen"
	.featureNames[0] = .featureNames[1]|featureNames[0] must be "velocity.attemptsLast2m"
	.featuresVersion = 4711|featuresVersion must be $version: it was trained for another feature vector
	.trainedAt = "yesterday, at noon"|trainedAt must be a date, as 2026-11-21 or 2026-11-21T09:57:51Z
	.baseRate = 1|baseRate must be a number between 0 and 1
	.calibration.a = 0|calibration.a must be a number above 0
	.metrics.userId = "u-4711"|metrics.userId is an unknown field
	.["10.20.30.40"] = 1|the file has an unknown member
	del(.metrics.auc)|metrics.auc is required
	[.]|the file must be a JSON object
END
model | head -c 500 | place
refuses half "a string without end at byte $(model | head -c 500 |
    grep -ob '"' | tail -n 1 | cut -d : -f 1)"
: | place
refuses nothing "the file is empty"
model | sed 's/"bias":0/"bias":NaN/' | place
refuses NaN "$(model | grep -ob '"bias":0' | sed 's/:.*//' | {
	read -r at
	echo "expected a value at byte $((at + 7))"
})"
model | sed 's/"bias":0/"bias":0,"bias":1/' | place
check "refused: a member twice" [ "$(look)" = 70 ]
{
	model
	head -c 70000 /dev/zero | tr '\0' ' '
} | place
refuses huge "the file is over 65536 bytes"
head -c 3000000 /dev/zero | place
refuses zeros "the file is over 65536 bytes"
rm "$path"
refuses gone "the file cannot be read: No such file or directory"
mkfifo "$path"
stack_own "$scratch/model"
refuses pipe "the file cannot be read: it is no regular file"
rm "$path"
mkdir "$path"
refuses directory "the file cannot be read: it is no regular file"
rmdir "$path"
ln -s "$path" "$path"
refuses loop "the file cannot be read: Too many levels of symbolic links"
rm "$path"
is "the last is shown" "$(http GET /v1/config/model
    json .ml.refused.why)" \
    "the file cannot be read: Too many levels of symbolic links"
is "while what served before goes on to" "$(scores)" 73
is "none of them was loaded, or stored" "$(loads) $(sql "select count(*)
    from assay.model")" "2|disk|1 2"
check "that one is refused is a metric" stack_until 15 0 metric_is \
    engine_model_refused 1

# A companion that stays says it once, and what it was when it is over.
model | head -c 100 | place
start_cron "model --for 10m" MODEL_PATH="$path"
sleeping=$stack_cron_pid
count() {
	grep -c "$1" "$scratch/log/cron.log"
}
# shellcheck disable=SC2317 # called by name
counts() {
	[ "$(count "$1")" = "$2" ]
}
due
check "it says what is wrong" stack_until 10 "$sleeping" counts \
    'model=refused source=disk why="a string without end' 1
due
# shellcheck disable=SC2317 # called by name
looked_at() {
	[ "$(sql "select looked_at > now() - interval '50 minutes'
	    from assay.model_place")" = t ]
}
check "it looks when it is time to" stack_until 10 "$sleeping" looked_at
is "and says no more" "$(count model=refused)" 1
put '.bias = 2'
due
check "what is put there then is loaded" stack_until 10 "$sleeping" \
    loads_are "3|disk|2"
is "and decides" "$(scores)" 88
is "nothing is refused any more" "$(http GET /v1/config/model
    json .ml.refused)" null
check "which it says" stack_until 5 "$sleeping" counts model=fine 1
check "and so does the metric" stack_until 15 0 metric_is \
    engine_model_refused 0
stop_cron

# Two at once, over and over, at a file that changes.
start_cron "model --for 10m" MODEL_PATH="$path"
first=$stack_cron_pid
start_cron "model --for 10m" MODEL_PATH="$path"
second=$stack_cron_pid
for bias in 3 4; do
	put ".bias = $bias"
	due
	check "two companions load $bias, once" stack_until 15 "$second" \
	    loads_are "$((bias + 1))|disk|$bias"
done
stack_end "$first" TERM
stack_end "$second" TERM
put '.bias = 5'
due
start_cron "model --once" MODEL_PATH="$path"
first=$stack_cron_pid
start_cron "model --once" MODEL_PATH="$path"
wait "$first" "$stack_cron_pid"
is "and two that are told to, once" "$(loads)" "6|disk|5"

# Killed in the middle.
# shellcheck disable=SC2317 # called by name
waits() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event_type = 'Lock' and query like '%model_look%'")" = 1 ]
}
# shellcheck disable=SC2317 # called by name
has_left() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where application_name = 'assay cron'")" = 0 ]
}
put '.bias = 6'
hold "select from assay.epoch for update"
start_cron model MODEL_PATH="$path" 7>&-
check "it comes to where it is killed" stack_until 10 "$stack_cron_pid" waits
kill -s KILL "$stack_cron_pid"
wait "$stack_cron_pid" 2>/dev/null
release
stack_until 10 0 has_left
is "who was killed leaves all of it or nothing" "$(loads | sed \
    's/^7|disk|6$/6|disk|5/')" "6|disk|5"
due
is "and the next has it loaded, once" "$(look) $(loads)" "0 7|disk|6"
put '.bias = 7'
sql checkpoint
hold "select from assay.epoch for update"
start_cron "model --for 10m" MODEL_PATH="$path" 7>&-
due
stack_until 10 "$stack_cron_pid" waits
stack_end "$stack_pg_pid" QUIT
release 2>/dev/null
start_database
due
check "nor does a server that is killed" stack_until 15 "$stack_cron_pid" \
    loads_are "8|disk|7"
stop_cron

# The operator's command line.
model '.bias = 20' >"$scratch/published.json"
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export ADMIN_DATABASE_URL
ctl models publish "$scratch/published.json"
is "what is published serves" "$STATUS $OUT" "0 $scratch/published.json serves"
ctl models publish "$scratch/published.json"
is "and does already" "$STATUS $OUT" \
    "0 $scratch/published.json serves already"
is "and decides" "$(scores)" 100
is "it is shown as that" "$(serves | cut -d ' ' -f 1,2,4)" \
    "published operator-supplied 20"
is "for as long as the file does not change" "$(look) $(loads)" \
    "0 9|published|20"
model | head -c 20 >"$scratch/bad.json"
ctl models publish "$scratch/bad.json"
is "a bad one is not published" "$STATUS $(loads)" "65 9|published|20"
ctl models check "$scratch/bad.json" "$scratch/published.json"
is "but told of" "$STATUS $(cat "$scratch/err")" \
    "65 $scratch/bad.json: expected , or } at byte 20"
is "beside the good one" "$OUT" "$scratch/published.json: $(sha256sum \
    <"$scratch/published.json" | head -c 16), trained 2026-11-21 on 100\
 samples, AUC 0.9000"
ctl models list
is "all that was loaded is listed" "$(printf '%s\n' "$OUT" | sed 1d |
    awk '{ print $1, $3, $6 }' | head -n 3 | paste -sd ';')" \
    "9 published 0.9000;8 disk 0.9000;7 disk 0.9000"
ctl models rollback 2
is "and can be gone back to" "$STATUS $(loads)" "0 10|disk|1"
is "and decides again" "$(scores)" 73
ctl models rollback 99
is "if it is there" "$STATUS $(loads)" "65 10|disk|1"
warnings() { grep -c 'level=warn .*model=synthetic-demo' "$scratch/log/pool.log"; }
warned=$(warnings)
ctl models rollback bundled
is "and to the bundled one" "$STATUS $(loads)" "0 11|bundled|"
scores >/dev/null
is "which decides again" "$(decider)" "$was"
check "and is warned of again" [ "$(warnings)" -gt "$warned" ]
is "by who did" "$(sql "select distinct loaded_by from assay.model_load
    order by 1" | paste -sd ' ')" "assay_companion postgres"
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=assay_companion"
ctl models publish "$scratch/published.json"
is "who is not the owner publishes nothing" "$STATUS $(loads)" "70 11|bundled|"
put '.bias = 8'
is "another file is loaded again" "$(look) $(loads)" "0 12|disk|8"

# Without a file.
is "who looks by hand, without the settings, gives nothing up" \
    "$(from=; look) $(loads)" "0 12|disk|8"
no_place
is "no file, no model of a file" "$(loads)" "13|bundled|"
is "and one again, the same" "$(look) $(loads)" "0 14|disk|8"

# The last two hosts have none any more at the same moment.
sql "insert into assay.model_host values ('other', 'disk other', now())"
hold "select assay.model_unlook('other')"
start_cron "model --for 10m"
check "one waits for the other" \
    stack_until 10 "$stack_cron_pid" waits_are 1
printf 'commit;\n\\q\n' >&7
release
check "and knows that it is the last" \
    stack_until 10 "$stack_cron_pid" loads_are "15|bundled|"
stop_cron
is "and one again" "$(look) $(loads)" "0 16|disk|8"
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
ctl models publish "$scratch/published.json"
no_place
is "what was published stays" "$(loads)" "17|published|20"
is "all that with the workers that there were" "$(metric \
    'engine_worker_restarts_total{group="decide"}')" 0
finish
