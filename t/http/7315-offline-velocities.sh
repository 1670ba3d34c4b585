#!/bin/sh
# SPDX-License-Identifier: ISC
# Velocities of thousands of events: the service, a replay offline and a fill from
# stored decisions compute the same numbers.
. "$(dirname "$0")/lib.sh"
use ctl offline velocities

make_places
make_rows
start_signed_in GEOIP_DB="$GEOIP_DB"
API_KEY=$KEY
export API_KEY
velocity_rules >"$scratch/velocities.rule"
publish_velocities card.authorize one "$(cat "$scratch/velocities.rule")"
cron velocity
begin_fills
cron velocity
is "without stored decisions velocities are complete, but for those by phone" \
    "$(sql 'select count(*), count(*) filter (where complete) from assay.velocity')" "11|10"
sql "update assay.velocity set complete = true; select assay.velocity_changed()" >/dev/null

decide_rows
ctl replay --offline --sql "$srcdir/sql" --json \
    --rules card.authorize="$scratch/velocities.rule" "$scratch/history.csv"
is "the same events are replayed offline" "$STATUS" 0

# A line for each event: its id, and the values of all velocities.
http GET /v1/rules
json '.[] | select(.eventType == "card.authorize") | .velocities' >"$scratch/names.json"
sql "select json_build_object('id', d.event_id, 'values', d.sample::json -> 'velocities')
    from assay.decision_detail d where d.event_type = 'card.authorize'" |
    jq -r --slurpfile names "$scratch/names.json" '. as $event |
	"\(.id) \($names[0] | map("\(.name)=\($event.values[.id])") | sort | join(" "))"' |
    sort >"$scratch/live-values"
jq -r 'select(.type == "card.authorize") | "\(.eventId) \(.signals | to_entries
	| map(select(.key | startswith("velocity.") and
	    (. | test("attempts|amountLast") | not))
	    | "\(.key[9:])=\(.value)") | sort | join(" "))"' "$scratch/out" |
    sort >"$scratch/offline-values"
is "hundreds of events have values" \
    "$([ "$(wc -l <"$scratch/live-values")" -gt 500 ] && echo yes)" yes
for name in users places phones events spent mean least most spread before denied; do
	check "an event has a value of the velocity $name" \
	    grep -q "$name=[1-9]" "$scratch/live-values"
done
is "the values of the service and of the replay are the same" \
    "$(diff "$scratch/live-values" "$scratch/offline-values" | head -n 4)" ""
is "the same rules fire" "$(sql "select count(*) from assay.verdict_log
    where event_type = 'card.authorize'
	and reasons ~ 'users|spent|denied'")" \
    "$(jq -r 'select(.type == "card.authorize")
	| select(.reasons | map(.tag) | any(IN("users", "spent", "denied")))
	| .eventId' "$scratch/out" | wc -l)"

# The same definitions in other words have states of their own, which are filled.
publish_velocities card.authorize two "$(each_velocity 'where event.type != "none"')"
cron velocity
begin_fills
cron velocity
is "the fill is complete, but for velocities by phone" \
    "$(sql "select count(*) filter (where complete), count(*) from assay.velocity
	where definition like '%where event.type%'")" "9|10"
is "the filled states are those that decisions have counted, to the last bit" \
    "$(sql "with pairs as (
	    select a.number as a, b.number as b from assay.velocity a
	    join assay.velocity b on b.fillable and b.number > a.number
		and b.definition in (
		a.definition || ' where event.type != \"none\"',
		replace(a.definition, ' excluding',
		    ' where event.type != \"none\" excluding'))
	), counted as (
	    select p.b, s.key, s.shard, s.state from pairs p
	    join assay.velocity_state s on s.number = p.a
	), filled as (
	    select p.b, s.key, s.shard, s.state from pairs p
	    join assay.velocity_state s on s.number = p.b
	)
	select (select count(*) from pairs), count(*) > 300,
	    count(*) filter (where c.state is distinct from f.state)
	from counted c full join filled f using (b, key, shard)")" "9|t|0"
finish
