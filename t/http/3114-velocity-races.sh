#!/bin/sh
# SPDX-License-Identifier: ISC
# Velocities: an erasure waits for a fill, a fill that is killed counts nothing twice,
# and no decision is missed while a definition is new.
. "$(dirname "$0")/lib.sh"
use erase lock velocities

device="from assay.velocity_state s join assay.velocity v using (number)
    where v.definition like 'count by deviceId%'"

start_stack
admin_token
api_key
token=$TOKEN
for n in $(seq 1 20); do
	carded "a-$n" "u-$((n % 4))" d-1 c-1 >/dev/null
done
publish_velocities order.place one 'velocity seen = count by deviceId over 24h
velocity own = count by userId over 24h
rule r_any { when event.amount > 0 then score += 1, tag any }'
cron velocity
carded b-1 u-1 d-1 c-1 >/dev/null
begin_fills

# The fill waits for the lock of a state.  It is killed there, and another one counts.
hold_lock "select 1 $device for update of s"
start_cron velocity
check "a fill waits for the lock of a state" stack_until 20 "$lock_pid" lock_waiters_are 1
kill -s KILL "$stack_cron_pid"
wait "$stack_cron_pid" 2>/dev/null || :
release_lock
is "a fill that is killed has counted nothing" \
    "$(sql "select count(*), bool_or(complete) from assay.velocity_state, assay.velocity v")" "4|f"

# An erasure that begins meanwhile waits, and then removes what the fill has stored.
hold_lock "select 1 $device for update of s"
start_cron velocity
stack_until 20 "$lock_pid" lock_waiters_are 1
(erase_user u-2; echo "$STATUS" >"$scratch/erased") &
erasing=$!
check "an erasure waits for the fill" stack_until 20 "$lock_pid" lock_waiters_are 2
release_lock
wait "$stack_cron_pid"
wait "$erasing"
is "the erasure succeeds" "$(cat "$scratch/erased")" 200
TOKEN=$token
carded b-2 u-3 d-1 c-1 >/dev/null
is "the fill has counted each decision once" "$(seen b-2 seen) $(seen b-2 own)" "22 6"
is "nothing is left of the erased user" \
    "$(sql "select count(*) from assay.velocity_state s
	where s.key = assay.velocity_hash('userId:u-2')")" 0

# Decisions while a definition is published and counted: each is counted once.
send_some() {
	for n in $(seq "$1" "$2"); do carded "m-$n" "u-$((n % 7 + 10))" d-2 c-1; done >/dev/null
}
(send_some 1 150) &
sender=$!
publish_velocities order.place two 'velocity all = sum(event.amount) by deviceId over 7d
rule r_any { when event.amount > 0 then score += 1, tag any }'
cron velocity
wait "$sender"
begin_fills
cron velocity
carded m-last u-10 d-2 c-1 >/dev/null
is "no decision is missed or counted twice while it is new" "$(seen m-last all)" 1510
check "some of them counted it themselves, and others did not" [ "$(sql "select
    count(*) filter (where sample::json -> 'velocities' ->> i.id is not null
	or json_typeof(sample::json -> 'velocities' -> i.id) = 'null') between 1 and 149
    from assay.decision_detail, (select id::text from assay.velocity
	where definition like 'sum%') i where event_id ~ '^m-[0-9]'")" = t ]
finish
