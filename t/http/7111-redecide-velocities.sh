#!/bin/sh
# SPDX-License-Identifier: ISC
# A redecision computes velocities as of the time of each event: it makes each of
# thousands of decisions as it was made, also when the companion is killed again and
# again, and when two work.
. "$(dirname "$0")/lib.sh"
use ctl offline velocities redecide lock

# pairs: of the redecision, by type, with sums.
pairs() {
	http GET "/v1/redecisions/$redecision"
	json '.pairs | tojson'
}
# decided: how many decisions the last redecision has decided.
decided() {
	sql "select coalesce(sum(decisions), 0) from assay.redecision_count
	    where redecision = '$redecision'"
}
# is_done: whether the redecision is.
is_done() {
	[ "$(sql "select outcome from assay.redecision where id = '$redecision'")" = "done" ]
}
# has_decided NUMBER: whether so many are decided.
has_decided() { [ "$(decided)" -ge "$1" ]; }
# kill_during NUMBER: start a companion, and kill it in a slice after so many.
kill_during() {
	start_cron "redecide --for 10m" REDECIDE_SHARE=5
	stack_until 60 0 has_decided "$1"
	hold_lock "lock table assay.redecision_count in share mode"
	stack_until 20 0 lock_waits "relation = 'assay.redecision_count'::regclass"
	kill -s KILL "$stack_cron_pid"
	wait "$stack_cron_pid" 2>/dev/null
	release_lock
	sql "update assay.redecision set leased_until = '-infinity'" >/dev/null
}

make_places
make_rows
start_signed_in GEOIP_DB="$GEOIP_DB"
API_KEY=$KEY
export API_KEY
velocity_rules >"$scratch/velocities.rule"
rules=$(cat "$scratch/velocities.rule")
publish_velocities card.authorize one "$rules"
cron velocity
begin_fills
cron velocity
sql "update assay.velocity set complete = true, complete_since = counted_since;
    select assay.velocity_changed()" >/dev/null
decide_rows

redecide
is "with recorded velocities each event is decided as before" "$(found)" \
    "done: $events decided, 0 more, 0 less severe, 0 acted, 0 cases"
publish_velocities card.authorize two \
    "$(echo "$rules" | sed 's/> 3 /> 2 /; s/> 900 /> 300 /')"
redecide
is_json "with other limits some are decided otherwise" '.redecision.moreSevere > 20' true
pairs >"$scratch/recorded-pairs"
changes >"$scratch/recorded-changes"

# The same history as if no velocity had been counted.
sql "update assay.decision_detail
    set sample = regexp_replace(sample, '\"velocities\":[{][^}]*[}],', '');
    update assay.velocity set complete_since = null"
redecide '"ruleset":"one","eventTypes":["card.authorize"]'
is_json "computed velocities decide each event as before" \
    '"\(.redecision.state) \(.redecision.decisions > 900) \(.redecision.moreSevere) \(.redecision.lessSevere)"' \
    "done true 0 0"
redecide
is "computed velocities give the changes that recorded ones give" \
    "$(changes)" "$(cat "$scratch/recorded-changes")"
is "the sums are the same" "$(pairs)" "$(cat "$scratch/recorded-pairs")"

# Killed and resumed.
begin_redecision
kill_during 1
check "a companion was killed before the end" not is_done
kill_during 1000
check "another one was killed, too" not is_done
cron redecide
is "a redecision goes on where it was" "$(pairs)" "$(cat "$scratch/recorded-pairs")"

# Ended and resumed: the next run need not wait for the lease.
begin_redecision
start_cron "redecide --for 10m" REDECIDE_SHARE=1
stack_until 60 0 has_decided 1
kill -s TERM "$stack_cron_pid"
wait "$stack_cron_pid"
check "a run was ended in the rest after a slice" not is_done
cron redecide
check "the next run goes on at once" is_done

# Two work.
begin_redecision
start_cron "redecide --for 10m" REDECIDE_SHARE=100
first=$stack_cron_pid
start_cron "redecide --for 10m" REDECIDE_SHARE=100
stack_until 60 0 is_done
kill -s TERM "$first" "$stack_cron_pid"
wait "$first" "$stack_cron_pid"
is "two companions decide each event once" "$(pairs)" "$(cat "$scratch/recorded-pairs")"

# A velocity that needs too much memory, or whose phone is masked.
publish_velocities card.authorize three \
    'velocity phones = distinct(phone) by deviceId over 7d
    rule r { when velocity.phones > 0 then score += 100, tag t }'
redecide '"eventTypes":["card.authorize"]'
is_json "a velocity of masked phones is unknown" '.redecision.moreSevere' 0
finish
