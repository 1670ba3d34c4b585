#!/bin/sh
# SPDX-License-Identifier: ISC
# Which samples a backtest of new velocities reads: the windows before those that it
# decides, live decisions only, no erased users, and in a small one not too many.
. "$(dirname "$0")/lib.sh"
use velocities backtest past erase

# run_backtest TEXT [MEMBERS]: of orders with the rules TEXT.
run_backtest() {
	http POST /v1/backtest "$(jq -nc --arg dsl "$1" \
	    "{eventType: \"order.place\", \$dsl ${2:-}}")"
}
# raised VELOCITY [MEMBERS]: for how many of how many orders it is above two.
raised() {
	run_backtest "$(printf '%s\n%s' "$1" \
	    'rule r { when velocity.x > 2 then score += 100, tag t }')" "${2:-}"
	json '"\(.mix.after.review) of \(.sampleSize)"'
}
# origins: of each velocity how often its value was recorded, computed and unknown.
origins() {
	json '.velocities | map("\(.name) \(.recorded) \(.computed) \(.unknown)") |
	    join(", ")'
}

start_signed_in
add_months 2
token=$TOKEN
for n in 1 2 3 4 5 6; do
	carded "o-$n" "u-$n" d-1 "c-$((n % 3))" "$n" >/dev/null
	http POST /v1/decisions "{\"id\":\"l-$n\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-$n\",\"deviceId\":\"d-1\"}}"
done
carded dry u-1 d-1 c-9 10 "" 'X-Engine-Mode: shadow' >/dev/null
carded last u-1 d-1 c-1 7 >/dev/null
carded other u-1 d-2 c-1 >/dev/null

is "users of a device are counted over all types of events, each once" \
    "$(raised 'velocity x = distinct(userId) by deviceId over 1h')" "5 of 8"
is "the events of one type are counted without those of others" \
    "$(raised 'velocity x = count by deviceId over 1h where event.type == "order.place"')" \
    "5 of 8"
is "the current event is left out if the velocity says so" \
    "$(raised 'velocity x = count by deviceId over 1h where event.type == "order.place" excluding current')" \
    "4 of 8"
is "two keys count apart" \
    "$(raised 'velocity x = count by userId, deviceId over 1h')" "1 of 8"
is "a dry run is not counted" \
    "$(raised 'velocity x = distinct(attr.card) by deviceId over 1h')" "5 of 8"
is "the longest window decides what is read" \
    "$(raised 'velocity long = count by deviceId over 30d
velocity x = count by deviceId over 1h' ',newest: 2'; origins)" \
    "$(printf '1 of 2\nlong 0 2 0, x 0 2 0')"
is "the newest orders have what the orders before them count" \
    "$(raised 'velocity x = count by deviceId over 1h' ',newest: 2')" "1 of 2"
raised 'velocity x = count by deviceId over 1h' ',newest: 2' >/dev/null
is_json "an answer has the velocities of the candidate" '.velocities | tojson' \
    '[{"name":"x","recorded":0,"computed":2,"unknown":0}]'
http POST /v1/decisions '{"id":"f-1","type":"order.place","amount":1,"currency":"EUR",
    "subject":{"userId":"u-7","fingerprint":"unknown"}}'
http POST /v1/decisions '{"id":"f-2","type":"order.place","amount":1,"currency":"EUR",
    "subject":{"userId":"u-8","fingerprint":"f-8"}}'
raised 'velocity x = count by fingerprint over 1h' >/dev/null
is "an event has no value without the key, or with one that identifies no one" \
    "$(origins)" "x 0 1 9"
sql "delete from assay.decision_detail where event_id like 'f-%'"

# An event leaves its window at the end of a slot, which is a minute here.
sql "update assay.decision_detail d set decided_at = date_trunc('minute', l.decided_at)
	- interval '59 minutes 59.9 seconds'
    from assay.decision_detail l where l.event_id = 'last' and d.event_id = 'l-1'"
is "an event counts until its slot leaves the window" \
    "$(raised 'velocity x = count by deviceId over 1h' ',newest: 2'
	run_backtest 'velocity x = count by deviceId over 1h
	    rule r { when velocity.x > 12 then score += 100, tag t }' ',newest: 2'
	json .mix.after.review)" "$(printf '1 of 2\n1')"
run_backtest 'rule r { when event.amount > 5 then score += 9, tag t }'
is_json "an answer without velocities does not mention them" 'has("velocities")' false
raised 'velocity x = count by deviceId over 1h' >/dev/null
id=$(json .id)
http GET "/v1/backtest/$id"
is "a kept result has the velocities, too" "$(origins)" "x 0 8 0"

# What a decision has recorded is preferred.
publish_velocities order.place one "$(printf '%s\n%s' \
    'velocity y = count by deviceId over 1h' \
    'rule r { when velocity.y > 99 then score += 1, tag t }')"
http GET /v1/rules
id=$(json '.[] | select(.eventType == "order.place") | .velocities[0].id')
sql "update assay.decision_detail
    set sample = replace(sample, '\"values\":',
	'\"velocities\":{\"$id\":1},\"values\":')
    where event_id in ('o-6', 'last')"
is "a recorded value is preferred to a computed one" \
    "$(raised 'velocity x = count by deviceId over 1h'; origins)" \
    "$(printf '4 of 8\nx 2 6 0')"

# A decision that found the velocity unknown has it computed.
sql "update assay.decision_detail set sample = replace(sample, '{\"$id\":1}',
	'{\"$id\":null}')"
is "an unknown value is computed" \
    "$(raised 'velocity x = count by deviceId over 1h'; origins)" \
    "$(printf '6 of 8\nx 0 8 0')"

is "the user is erased" "$(erase_complete u-2)" "200 true"
TOKEN=$token
is "an erased user is counted no more" \
    "$(raised 'velocity x = distinct(userId) by deviceId over 1h')" "4 of 7"

# What retention has removed.
sql "insert into assay.retention_watermark
    values ('activity', now() + interval '1 minute') on conflict do nothing"
is "samples without requests are decided, but fingerprints are not known in them" \
    "$(raised 'velocity x = count by deviceId over 1h
velocity y = distinct(fingerprint) by deviceId over 1h
velocity z = distinct(fingerprint) by deviceId over all'; origins)" \
    "$(printf '5 of 7\nx 0 7 0, y 0 0 7, z 0 0 7')"
sql "insert into assay.retention_watermark
    values ('replay', now() - interval '30 minutes')"
is "a velocity is unknown where samples of its window are removed" \
    "$(raised 'velocity x = count by deviceId over 1m
velocity y = count by deviceId over 1h
velocity z = count by deviceId over all' >/dev/null; origins)" \
    "x 0 7 0, y 0 0 7, z 0 7 0"
sql 'delete from assay.retention_watermark'

# A backtest of few samples reads few decisions, and says what it does not know.
sql "insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	user_id, sample)
    select now() - interval '1 day' + i * interval '0.6 s', 'old-' || i, 'old-' || i,
	'account.login', 'u-1', (select sample from assay.decision_detail
	where event_type = 'account.login' limit 1)
    from generate_series(1, 130000) i;
    analyze assay.decision_detail"
three='velocity x = count by userId over 1h
velocity month = count by userId over 30d
velocity ever = count by userId over all'
raised "$three" ',newest: 50' >/dev/null
is "with too many decisions in its window a small backtest does not know a velocity" \
    "$(origins)" "x 0 7 0, month 0 0 7, ever 0 0 7"
raised "$three" >/dev/null
is "a backtest of all samples knows all velocities" "$(origins)" \
    "x 0 7 0, month 0 7 0, ever 0 7 0"
finish
