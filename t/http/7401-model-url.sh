#!/bin/sh
# SPDX-License-Identifier: ISC
# Models from a URL: what is published there reaches a running pool; what is
# wrong, huge, slow, half or hostile does not, and is told of.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"
# shellcheck source=t/http/model.sh
. "$(dirname "$0")/model.sh"

token=4711tokenof4711
start_storage
url="$storage/open/model.json?token=$token"
from="MODEL_URL=$url MODEL_CA_FILE=$scratch/ca.pem"
start_stack SCORER=ml
admin_token
api_key

# Good ones.
publish model.json '.bias = 1'
is "what is published is loaded" "$(look) $(loads)" "0 1|url|1"
is "and the next decision is made with it" "$(scores)" 73
is "it is shown" "$(serves | cut -d ' ' -f 1,2,4)" "url operator-supplied 1"
is "another look asks whether it changed" "$(look) $(asked | tail -n 1)" \
    "0 304 \"$(md5sum <"$storage_dir/model.json" | cut -d ' ' -f 1)\""
is "which counts as a look, and loads nothing" "$(loads) $(looks)" \
    "1|url|1 url loaded 1 url same 1"
publish model.json '.bias = 2'
is "what is put there then is loaded" "$(look) $(loads)" "0 2|url|2"
is "by who says so" "$(tail -n 1 "$storage_dir/asked" | cut -d ' ' -f 4 |
    cut -d / -f 1)" Assay
mode odd
publish model.json '.bias = 3'
is "whatever it is said to be" "$(look) $(loads)" "0 3|url|3"
is "without an etag it is fetched again" "$(look) $(asked | tail -n 1)" \
    "0 odd -"
for how in any both; do
	mode "$how"
	is "so it is with one of more than this, $how" "$(look >/dev/null
	    look) $(asked | tail -n 1)" "0 $how -"
done
mode weak
is "a weak one will do" "$(look >/dev/null; look) $(asked | tail -n 1)" \
    '0 weak W/"a"'
mode soon
publish model.json '.bias = 4'
is "and however often it is promised" "$(look) $(loads)" "0 4|url|4"
mode good
look >/dev/null
sql "update assay.model_place set hash = null" >/dev/null
is "an etag counts with what it is of" "$(look) $(asked | tail -n 1 |
    cut -d ' ' -f 1) $(loads)" "0 200 4|url|4"

# Bad ones.
wrong() {
	is "refused, $1: $2" "$(look) $(why)" "70 $2"
}
fetched="the model cannot be fetched"
while IFS='|' read -r how wanted; do
	mode "$how"
	wrong "$how" "$wanted"
done <<-END
	html|expected a value at byte 0
	empty|the file is empty
	half|$fetched: the connection broke
	cut|a string without end at byte 603
	partial|$fetched: status 206
	huge|$fetched: the answer is too long
	endless|$fetched: the answer is too long
	chunks|$fetched: the answer is too long
	bomb|expected a value at byte 0
	bombs|$fetched: the answer is too long
	heads|$fetched: the answer is too long
	badchunk|$fetched: the connection broke
	garbage|$fetched: no HTTP
	nothing|$fetched: the connection broke
	redirect|$fetched: status 302
	500|$fetched: status 500
	404|$fetched: status 404
END
mode same
sql "update assay.model_place set etag = null" >/dev/null
wrong "nothing new, unasked" "$fetched: status 304"
mode good
is "no redirect was followed" "$(grep -c elsewhere "$storage_dir/asked")" 0
certificate other.pem elsewhere.pem subjectAltName=IP:127.0.0.1
from="MODEL_URL=$url MODEL_CA_FILE=$scratch/other.pem"
wrong "another authority" "$fetched: the certificate is not trusted"

# Where those of the system vouch for it, and others are meant; mounts that
# nobody else sees take root.
if unshare -m true 2>/dev/null; then
	usual_as=$stack_as
	mkdir "$scratch/certs"
	cp "$scratch/ca.pem" "$scratch/certs/$(openssl x509 -noout -hash \
	    -in "$scratch/ca.pem").0"
	cat >"$scratch/vouched" <<-END
		mount --bind $scratch/certs /etc/ssl/certs && exec "\$@"
	END
	stack_as="unshare -m sh $scratch/vouched $stack_as"
	wrong "another authority alone" \
	    "$fetched: the certificate is not trusted"
	stack_as=$usual_as
fi
from="MODEL_URL=$url"
wrong "none of the system's" "$fetched: the certificate is not trusted"
from="MODEL_URL=$url MODEL_CA_FILE=$scratch/none.pem"
wrong "no authorities" "$fetched: the authorities to trust cannot be read"
from="MODEL_URL=https://localhost:${storage##*:}/open/model.json?$token
    MODEL_CA_FILE=$scratch/ca.pem"
wrong "another name" "$fetched: the certificate is not trusted"
from="MODEL_URL=https://127.0.0.1:1/$token"
wrong "nobody there" "$fetched: no connection"
from="MODEL_URL=http://127.0.0.1:${storage##*:}/$token
    ALLOW_PRIVATE_TARGETS=true"
wrong "no TLS" "$fetched: the connection broke"
is "without that, it is not even tried" "$(from="MODEL_URL=http://127.0.0.1/"
    look)" 78
is "none of them was loaded" "$(loads) $(scores)" "4|url|4 98"

# A companion that stays says it once, of the place where it is.
from="MODEL_URL=$url MODEL_CA_FILE=$scratch/ca.pem"
mode 503
# shellcheck disable=SC2086 # several
start_cron "model --for 10m" $from
staying=$stack_cron_pid
count() {
	grep -c "$1" "$scratch/log/cron.log"
}
# shellcheck disable=SC2317 # called by name
counts() {
	[ "$(count "$1")" = "$2" ]
}
# shellcheck disable=SC2317 # called by name
failures_are() {
	[ "$(sql "select failures from assay.model_place")" = "$1" ]
}
refused="model=refused source=url why=\"$fetched: status 503"
check "it says what is wrong" stack_until 10 "$staying" counts "$refused" 1
due
check "and tries again" stack_until 10 "$staying" failures_are 2
is "and says no more" "$(count model=refused)" 1
http GET /v1/config/model
is "it is shown, with where and why" "$(json '.ml | "\(.source) \(.bias) " +
    "\(.refused | "\(.source) \(.why) \(.since < .at)")"')" \
    "url 4 url $fetched: status 503 true"
check "and a metric" stack_until 15 0 metric_is engine_model_refused 1
publish model.json '.bias = 5'
mode good
due
check "when it is over, what is there is loaded" stack_until 10 "$staying" \
    loads_are "5|url|5"
check "which it says" stack_until 5 "$staying" counts \
    'model=fine source=url' 1
is "nothing is refused any more" "$(http GET /v1/config/model
    json .ml.refused)" null

# One that gives no answer holds up nothing.
# shellcheck disable=SC2317 # called by name
has_asked() {
	asked | tail -n 1 | grep -q "^$1 "
}
publish model.json '.bias = 6'
mode hang
due
check "a server is slow" stack_until 10 "$staying" has_asked hang
is "no transaction and no lock waits for it" "$(sql "select count(*)
    from pg_stat_activity a left join pg_locks l using (pid)
    where application_name = 'assay cron'
	and (xact_start is not null or backend_xmin is not null
	    or l.pid is not null)")" 0
n=$(asked | wc -l)
# shellcheck disable=SC2086 # several
start_cron "model --for 10m" $from
other=$stack_cron_pid
sleep 3
is "nor does another companion ask meanwhile" "$(asked | wc -l)" "$n"
kill -s KILL "$staying"
wait "$staying" 2>/dev/null
mode good
due
check "who was killed is taken over from" stack_until 10 "$other" \
    loads_are "6|url|6"
mode drip
due
check "one that drips" stack_until 10 "$other" has_asked drip
is "is no reason not to decide" "$(scores)" 100
check "and is given up" stack_until 30 "$other" counts \
    "model=refused source=url why=\"$fetched: no answer in time" 1
mode hang
due
check "one that hangs" stack_until 10 "$other" has_asked hang
kill -s TERM "$other"
check "is not waited for at the end" stack_until 5 0 stack_gone "$other"

# What was gone back to stays when a token is replaced.
mode good
sql "select assay.model_serve('published', (select hash from assay.model_load
    where number = 1), null)" >/dev/null
from="MODEL_URL=${url}x MODEL_CA_FILE=$scratch/ca.pem"
due
is "another token makes no other place" "$(look) $(loads)" "0 7|published|1"
is "but an etag is of what it was sent for" "$(asked | tail -n 1 |
    cut -d ' ' -f 2) $(look) $(asked | tail -n 1 | cut -d ' ' -f 1)" "- 0 304"
from="MODEL_URL=$storage/open/./model.json MODEL_CA_FILE=$scratch/ca.pem"
is "another path does" "$(look) $(loads)" "0 8|url|6"

# Elsewhere.
mkdir "$scratch/model"
model '.bias = 7' >"$scratch/model/model.json"
stack_own "$scratch/model"
from="MODEL_PATH=$scratch/model/model.json"
is "a file instead" "$(look) $(loads)" "0 9|disk|7"
is "what was refused elsewhere is forgotten" "$(sql "select count(*),
    count(refusal) from assay.model_place") $(http GET /v1/config/model
    json .ml.refused)" "1|0 null"
no_place
is "no place at all" "$(loads)" "10|bundled|"
is "no log has the URL, or what the server says" "$(grep -l -e "$token" \
    -e open/model -e "127.0.0.1:${storage##*:}" -e the-storage-says \
    "$scratch"/log/*)" ""
finish
