#!/bin/sh
# SPDX-License-Identifier: ISC
# A backtest computes velocities that decisions did not count: the result is the one
# that recorded velocities give, on thousands of events.
. "$(dirname "$0")/lib.sh"
use ctl offline velocities backtest

rules=$scratch/velocities.rule
velocity_rules >"$rules"

# run_backtest TEXT [MEMBERS]: of card authorizations with the rules TEXT.
run_backtest() {
	http POST /v1/backtest "$(jq -nc --arg dsl "$1" \
	    "{eventType: \"card.authorize\", \$dsl ${2:-}}")"
}
# origins: of each velocity how often its value was recorded, computed and unknown.
origins() {
	json '.velocities[] | "\(.name) \(.recorded) \(.computed) \(.unknown)"'
}
# results: of the answer, without the time that it took and where values came from.
results() { json 'del(.id, .seconds, .samplesPerSecond, .velocities) | tojson'; }

make_places
make_rows
start_signed_in GEOIP_DB="$GEOIP_DB"
API_KEY=$KEY
export API_KEY
publish_velocities card.authorize one "$(cat "$rules")"
cron velocity
begin_fills
cron velocity
sql "update assay.velocity set complete = true, complete_since = counted_since;
    select assay.velocity_changed()" >/dev/null
decide_rows
http POST /v1/decisions '{"id":"dry","type":"card.authorize","amount":5,"currency":"EUR",
    "subject":{"userId":"many","deviceId":"d-1"}}' -H 'X-Engine-Mode: shadow'
sql "insert into assay.label (event_id, analyst)
    select d.event_id, case when abs(hashtext(d.event_id)) % 3 = 1 then 'fraud'
	else 'legit' end
    from assay.decision_detail d where abs(hashtext(d.event_id)) % 3 > 0"

# As decisions have recorded them.
run_backtest "$(cat "$rules")" ',flips: 100'
results >"$scratch/recorded"
origins >"$scratch/recorded-origins"
is_json "with recorded velocities the candidate has the verdicts of the decisions" \
    '[.sampleSize > 900, (.flipsByPair | length), .labeled > 400] | tostring' \
    "[true,0,true]"
is_json "nothing is computed that decisions have recorded" \
    '.velocities | map(.computed) | add' 0
sed 's/> 3 /> 2 /; s/> 900 /> 300 /' "$rules" >"$scratch/other.rule"
run_backtest "$(cat "$scratch/other.rule")" ',flips: 100'
is_json "other limits give other verdicts" '.active.flips > 20' true
results >"$scratch/recorded-other"

# limits NAME: a few limits that divide the recorded values of a velocity.
http GET /v1/rules
json '.[] | select(.eventType == "card.authorize") | .velocities' >"$scratch/names.json"
sql "create table recorded as select d.decided_at,
	(d.sample::json -> 'velocities')::jsonb as v
    from assay.decision_detail d
    where d.event_type = 'card.authorize' and d.sample is not null"
id_of() { jq -r --arg name "$1" '.[] | select(.name == $name) | .id' "$scratch/names.json"; }
limits() {
	sql "select string_agg(distinct x::text, ' ') from unnest((
	    select percentile_disc('{0.1,0.3,0.5,0.7,0.9}'::float8[])
		within group (order by (v ->> '$(id_of "$1")')::numeric)
	    from recorded where v ->> '$(id_of "$1")' is not null)) x"
}
# above NAME LIMIT [WHERE]: how many recorded values are above it.
above() {
	sql "select count(*) from recorded
	    where (v ->> '$(id_of "$1")')::numeric > $2 ${3:-}"
}

# The same history as if no velocity had been counted.
sql "update assay.decision_detail
    set sample = regexp_replace(sample, '\"velocities\":[{][^}]*[}],', '');
    update assay.velocity set complete_since = null"
run_backtest "$(cat "$rules")" ',flips: 100'
is "computed velocities give the same result, to the last event" \
    "$(results)" "$(cat "$scratch/recorded")"
origins >"$scratch/computed-origins"
is "each value is computed that was recorded, but for those of masked phones" \
    "$(grep -v phones "$scratch/computed-origins")" \
    "$(awk '!/phones/ { print $1, 0, $2, $4 }' "$scratch/recorded-origins")"
is "velocities of masked phones are unknown" \
    "$(awk '/phones/ { print $2, $3 }' "$scratch/computed-origins")" "0 0"
run_backtest "$(cat "$scratch/other.rule")" ',flips: 100'
is "other limits give the result that they give with recorded velocities" \
    "$(results)" "$(cat "$scratch/recorded-other")"

# Beside a candidate without velocities the active rules have theirs computed.
run_backtest 'rule r { when event.amount > 1e9 then score += 1, tag t }'
is "computed velocities give the active rules the verdicts of the decisions" \
    "$(json '.active.verdicts | map_values(add) | tojson')" \
    "$(json '.mix.before | tojson')"

differing=
count=0
for name in users places events spent mean least most spread before denied; do
	for limit in $(limits "$name"); do
		run_backtest "$(grep "^velocity $name" "$rules")
		    rule r { when velocity.$name > $limit then score += 100, tag t }"
		count=$((count + 1))
		[ "$(json .mix.after.deny)" = "$(above "$name" "$limit")" ] ||
		    differing="$differing $name>$limit"
	done
done
is "as many computed values are above each limit as recorded ones" "$differing" ""
check "each velocity has limits" [ "$count" -gt 30 ]

finish
