#!/bin/sh
# SPDX-License-Identifier: ISC
# Erasure and the risk counts: an erased entity is not counted, a shared one
# keeps its counts.
. "$(dirname "$0")/lib.sh"
use lock past days erase risk

start_with_key
add_months 4

decide_order q-1 u-1 "$here"

# An erasure waits for the projection, which would count for an erased entity.
decide_order y-3 u-held '"deviceId":"d-held2"'
hold_lock "select assay.analytics_lock();
    select assay.risk_put(array[e.id], array[20770], array['\\x01'::bytea])
    from assay.entity e where e.key = 'd-held2'"
erase_user u-held &
request=$!
stack_until 10 0 lock_waits "locktype = 'advisory'" ||
    not_ok "the erasure waits for the projection"
release_lock
wait "$request"
is "an erasure removes what the projection counted meanwhile" \
    "$(sql "select count(*) from assay.entity_risk r
    where not exists (select from assay.entity e
	where e.id = r.entity and e.kind in (2, 3))")" 0
start_cron "project --for 10m"
first=$stack_cron_pid
start_cron "project --for 10m"

# Users are erased while the companions count.
for round in 6 7; do
	make_traffic "$round"
	for j in 1 2 3 4 5 6 7 8; do
		erase_user "w-$j"
	done
done
is "nothing is counted for an erased entity" "$(sql "select count(*)
    from assay.entity_risk r where not exists (select from assay.entity e
	where e.id = r.entity and e.kind in (2, 3))")" 0
kill -s TERM "$first" "$stack_cron_pid"
wait "$first" "$stack_cron_pid"

# Counts of a shared device stay after an erasure; nothing is added to them.
decide_order v-1 x-gone "$here"
decide_order v-2 x-gone '"deviceId":"d-own","ip":"196.188.5.5"'
age_events 8 'v-_'
cron project
before=$(days_counted)
own=$(sql "select string_agg(id::text, '|') from assay.entity
    where key in ('d-own', '196.188.5.5')")
check "the user's own device and ip are counted" \
    [ "$(printf '%s\n' "$before" | grep -cE "^($own)\|")" = 2 ]
erase_user x-gone
is "the counts of the erased user's own device and ip are gone" \
    "$(days_counted)" \
    "$(printf '%s\n' "$before" | grep -vE "^($own)\|")"
before=$(days_counted)
http POST /v1/labels/chargeback '{"eventId":"v-1"}'
cron project
is "a label of an erased user changes no count" "$(days_counted)" "$before"
is "the labels of an erased user are done with" \
    "$(sql "select count(*) from assay.label
    where credited_outcome is not null and risk_outcome is null")" 0
decide_order v-3 x-gone '"deviceId":"d-own","ip":"196.188.5.5"'
is "the device of an erased user starts from nothing" \
    "$(rates_seen)" "0.01 0.01 0.01 0 0.01"
cron project
before=$(days_counted)
check "a rebuild of the analytics exits 0" cron "project --rebuild"
is "a rebuild of the analytics keeps the risk counts" \
    "$(days_counted)" "$before"
finish
