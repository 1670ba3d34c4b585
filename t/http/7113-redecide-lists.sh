#!/bin/sh
# SPDX-License-Identifier: ISC
# Which entries of lists decide in a redecision, and when a redecision fails, so that the
# next one goes on.
. "$(dirname "$0")/lib.sh"
use velocities redecide lock

# decided_by SUBJECT VALUE: put it on the block list, decide again, and take it off.
decided_by() {
	http POST /v1/lists "{\"kind\":\"block\",\"subject\":\"$1\",\"value\":\"$2\",
	    \"reason\":\"stolen\"}"
	entry=$(json .id)
	redecide
	changes | cut -d ' ' -f 1 | paste -sd ' '
	http DELETE "/v1/lists/$entry"
}

start_signed_in
http POST /v1/decisions '{"id":"o-1","type":"order.place","amount":1,"currency":"EUR",
    "subject":{"userId":"u-1","deviceId":"d-1","fingerprint":"f-1","ip":"81.0.0.1",
    "phone":"+4915112345678"},"instrument":{"kind":"card","bin":"411111"}}'
http POST /v1/decisions '{"id":"o-2","type":"order.place","amount":1,"currency":"EUR",
    "subject":{"userId":"u-2","deviceId":"d-2","fingerprint":"f-2","ip":"81.9.0.2"},
    "instrument":{"kind":"card","bin":"52222222"}}'
while IFS='|' read -r subject value events; do
	is "an entry about $subject $value decides the events that have it" \
	    "$(decided_by "$subject" "$value")" "$events"
done <<-'END'
	user|u-1|o-1
	device|d-2|o-2
	fingerprint|f-1|o-1
	ip|81.9.0.2|o-2
	ip|81.0.0.0/8|o-2 o-1
	bin|411111|o-1
	bin|522222|o-2
	phone|+4915112345678|
	user|u-3|
END
http POST /v1/lists "{\"kind\":\"block\",\"subject\":\"user\",\"value\":\"u-1\",
    \"reason\":\"stolen\",\"expiresAt\":\"2999-01-01T00:00:00Z\"}"
sql "update assay.list_entry set expires_at = now() - interval '1 second'" >/dev/null
redecide
is "an entry that has expired decides nothing" "$(changes)" ""

# A label that was taken back does not count.
sql "insert into assay.label (event_id, analyst) values ('o-1', 'none')" >/dev/null
block d-1
redecide '"act":10'
is "an event whose label was taken back gets a case" "$(changes)" \
    "o-1 allow deny -1 list.block case"

# What cannot go on ends, and the next one begins.
begin_redecision
failing=$redecision
sql "update assay.ruleset set text = 'rule r {'" >/dev/null
cron redecide
http GET "/v1/redecisions/$failing"
is_json "a redecision whose rules cannot be read fails, and says why" \
    '"\(.redecision.state) \(.redecision.why | length > 10) \(.redecision.decisions)"' \
    "failed true 0"
publish_velocities order.place two 'rule r { when event.amount > 0 then score += 100, tag t }'
http POST /v1/redecisions '{"since":"1h","eventTypes":["order.place"]}'
redecision=$(json .id)
sql "alter table assay.redecision_count add constraint refused
    check (redecision <> '$redecision')" >/dev/null
begin_redecision '"eventTypes":["order.place"]'
next=$redecision
start_cron "redecide --for 10m"
is_done() { [ "$(sql "select outcome from assay.redecision where id = '$next'")" = "done" ]; }
stack_until 60 0 is_done
is "a slice that fails again and again ends its redecision, and the next one is done" \
    "$(sql "select string_agg(outcome, ' ' order by id) from assay.redecision
	where id >= '$failing'")" "failed failed done"

# The guard of erasures.
begin_redecision '"eventTypes":["order.place"]'
hold_lock "select pg_advisory_xact_lock(assay.erasure_guard())"
check "a slice waits for an erasure that begins" \
    stack_until 20 0 lock_waits "locktype = 'advisory'"
release_lock
next=$redecision
stack_until 60 0 is_done
kill -s TERM "$stack_cron_pid"
wait "$stack_cron_pid"
finish
