#!/bin/sh
# SPDX-License-Identifier: ISC
# The life of a velocity: a shadow defines it, two rulesets share it, it is unused, it
# is forgotten; what an erasure and the end of a window remove; how many there can be.
. "$(dirname "$0")/lib.sh"
use erase velocities

# age_velocities CONDITION: those were unused for eight days.
age_velocities() {
	sql "update assay.velocity set unused_since = unused_since - interval '8 days'
	    where $1" >/dev/null
}

# sync_now: the companion reads the rulesets again.
sync_now() {
	cron velocity
}

start_stack
admin_token
api_key
token=$TOKEN
rule='rule r_any { when event.amount > 0 then score += 1, tag any }'
by_device='count by deviceId over 24h'

# A shadow alone defines it.  It is counted, filled, and known when it is promoted.
carded a-1 u-1 d-1 c-1 >/dev/null
publish_velocities order.place shadowed "velocity seen = $by_device
rule r_seen { when velocity.seen >= 3 then score += 95, tag seen }" ', shadow: true'
sync_now
begin_fills
sync_now
is "a shadow's velocity is counted and filled" "$(velocity_states)" "seen true 1"
http GET /v1/velocities
is_json "the list says who uses it" '.[0].usedBy[0] | "\(.eventType) \(.name) \(.shadow)"' \
    "order.place seen true"
carded a-2 u-1 d-1 c-1 >/dev/null
is "the shadow does not decide" "$(carded a-3 u-1 d-1 c-1)" ""
is "the shadow reads the velocity" "$(sql "select sample::json -> 'shadow' ->> 'verdict'
    from assay.decision_detail where event_id = 'a-3'")" review

# The same definition in another ruleset, under another name and in other words.
publish_velocities account.login other "velocity logins = count   by deviceId over 1440m
rule r_logins { when velocity.logins >= 4 then score += 95, tag logins }"
sync_now
is "two rulesets share one velocity" "$(velocity_states)" "logins+seen true 1"
http POST /v1/decisions "$(login_event u-1 ',"deviceId":"d-1"')"
is_json "the other ruleset has the count at once" '.verdict' deny

# Unused: it is counted for a week, then forgotten.
http POST /v1/model/shadow/end '{"eventType":"order.place"}'
http POST /v1/rules/account.login/rollback '{"toVersion":"seed@v0.4"}'
sync_now
http GET /v1/velocities
is_json "an unused velocity is still counted" \
    '"\(length) \(.[0].usedBy | length) \(.[0].unusedSince != null)"' "1 2 true"
carded a-4 u-1 d-1 c-1 >/dev/null
publish_velocities account.login again "velocity logins = $by_device
rule r_logins { when velocity.logins >= 6 then score += 95, tag logins }"
http POST /v1/decisions "$(login_event u-1 ',"deviceId":"d-1"')"
is_json "a velocity that is used again has missed nothing" '.verdict' deny
http POST /v1/rules/account.login/rollback '{"toVersion":"seed@v0.4"}'
sync_now
age_velocities true
sync_now
is "a velocity that was unused for a week is not counted any more" "$(velocity_states)" ""
sync_now
is "the states of a velocity that is not counted are removed" "$(sql 'select count(*) from assay.velocity_state')
$(sql 'select count(*) from assay.velocity')" "0
0"

# Erasure: of a user, and of the device that no other user has.
publish_velocities order.place erased "velocity orders = count by userId over 24h
velocity pairs = count by attr.card, userId over 24h
velocity devices = count by deviceId over 24h
velocity people = distinct(userId) by ip over 24h
$rule"
sync_now
begin_fills
sync_now
carded e-1 u-8 d-8 c-8 >/dev/null
carded e-2 u-9 d-9 c-9 >/dev/null
carded e-3 u-9 d-8 c-9 >/dev/null
states='select string_agg(n::text, $$ $$ order by definition)
    from (select v.definition, count(*) as n
	from assay.velocity_state join assay.velocity v using (number) group by 1) s'
is "there are states of both users and devices" "$(sql "$states")" "4 3 3"
is "the user is erased" "$(erase_complete u-9)" "200 true"
TOKEN=$token
is "the erasure removes the states of the user, and of the device without another user" \
    "$(sql "$states")" "3 2 2"
carded e-4 u-9 d-8 c-9 >/dev/null
is "a user of that name begins again" "$(seen e-4 orders)" 1
is "the numbers of a shared device stay" "$(seen e-4 devices)" 3

# Past its window.
sql "update assay.velocity_state set expires_at = now() - interval '1 s'
    where number = (select min(number) from assay.velocity)" >/dev/null
before=$(sql 'select count(*) from assay.velocity_state')
sync_now
check "states past their window are removed" \
    [ "$(sql 'select count(*) from assay.velocity_state')" -lt "$before" ]

# At most 32 in a ruleset, and 64 in a database.
many() { for n in $(seq "$1" "$2"); do echo "velocity v$n = count by userId over ${n}m"; done; }
publish_velocities order.place many "$(many 1 33)
$rule"
is_error "a ruleset with 33 velocities is refused" 400 RULESET_INVALID
is_json "the error names the place and the limit" .message \
    "line 33, column 1 a ruleset has at most 32 velocities"
publish_velocities order.place many "$(many 1 32)
$rule"
publish_velocities account.login many "$(many 33 64)
$rule"
sync_now
is "the new ones have the places of those that are not used any more" \
    "$(sql "select count(*), count(unused_since) from assay.velocity where id is not null")" "64|0"
publish_velocities wallet.withdraw many "$(many 65 65)
$rule"
sync_now
is "the database counts 64 of them" \
    "$(sql 'select count(*) from assay.velocity where id is not null')" 64
check "the companion says that others are left out" \
    grep -q event=velocities_left_out "$scratch/log/cron.log"
carded f-1 u-1 d-1 c-1 >/dev/null
is "a decision counts all of them" "$(sql "select count(*) from assay.decision_detail d,
    json_object_keys(d.sample::json -> 'velocities') where d.event_id = 'f-1'")" 64
finish
