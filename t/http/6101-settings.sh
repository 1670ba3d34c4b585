#!/bin/sh
# SPDX-License-Identifier: ISC
# Settings that admins change at /v1/config: who may read and change them, which
# values they take, and that a change is audited and reaches other hosts.
. "$(dirname "$0")/lib.sh"

set -- RATE_LIMIT_DECISIONS_PER_MIN=50 RATE_LIMIT_LOGIN_PER_MIN=40 \
    RETENTION_REPLAY_DAYS=45 RETENTION_SWEEP_MINUTES=15
start_stack "$@"
start_host 2 "$@"
pages='rate-limits alerts retention'
http GET /v1/config/environment
is_error "environment cannot be read without a token" 401 UNAUTHENTICATED
for page in $pages; do
	http GET "/v1/config/$page"
	is_error "$page cannot be read without a token" 401 UNAUTHENTICATED
	http PUT "/v1/config/$page" '{}'
	is_error "$page cannot be changed without a token" 401 UNAUTHENTICATED
done
admin_token
sql "update assay.operator set role = 'analyst'"
http GET /v1/config/environment
is_error "an analyst may not read environment" 403 FORBIDDEN
for page in $pages; do
	http GET "/v1/config/$page"
	is_error "an analyst may not read $page" 403 FORBIDDEN
	http PUT "/v1/config/$page" '{}'
	is_error "an analyst may not change $page" 403 FORBIDDEN
done
sql "update assay.operator set role = 'admin'"
settings_epoch() {
	sql 'select settings from assay.epoch'
}

# Without overrides the values of the environment hold.
http GET /v1/config/rate-limits
is "rate-limits shows the values of the environment" \
    "$STATUS $BODY" '200 {"windowMs":60000,"decisionsPerMin":50,"loginPerMin":40,"overridden":{"decisionsPerMin":false,"loginPerMin":false}}'
http GET /v1/config/alerts
is "alerts shows the values of the environment" "$STATUS $BODY" \
    '200 {"anomalyZScore":3,"overridden":{"anomalyZScore":false}}'
http GET /v1/config/retention
is "retention shows the values of the environment" \
    "$STATUS $BODY" '200 {"sweepMinutes":15,"days":{"verdicts":365,"activity":90,"replay":45,"idempotency":7,"deadLetter":30},"overridden":{"verdicts":false,"activity":false,"replay":false,"idempotency":false,"deadLetter":false}}'

# The settings that the environment fixes: those that the table marks, and no secret.
http GET /v1/config/environment
is_json "environment shows the settings that conf.tbl marks as shown" \
    '.settings | map(.name) | join(" ")' "$(sed -n \
    's/^CONF(\([A-Z0-9_]*\),.* SHOWN,$/\1/p' "$srcdir/lib/conf/conf.tbl" |
    paste -sd ' ')"
is_json "environment shows value, default and meaning of a setting" '.settings[] |
    select(.name == "RETENTION_SWEEP_MINUTES") | "\(.value) \(.default) \(.meaning)"' \
    '15 60 minutes between two retention sweeps'
is_json "environment shows null for a setting without a value" \
    '.settings[] | select(.name == "FOUR_EYES") | .value' null

# refuse_change PAGE BODY: the page answers the body with 400.
refuse_change() {
	http PUT "/v1/config/$1" "$2"
	is_error "$1 refuses the change $2" 400 INVALID_REQUEST
}
for value in 0 -1 2147483648 1.5 1e10 '"600"' true '[1]' '{}'; do
	refuse_change rate-limits "{\"decisionsPerMin\":$value}"
	refuse_change rate-limits "{\"decisionsPerMin\":9,\"loginPerMin\":$value}"
done
refuse_change rate-limits '{"windowMs":1000}'
refuse_change rate-limits '{"decisionsPerMinute":1}'
refuse_change rate-limits '{"anomalyZScore":4}'
refuse_change rate-limits '[]'
for value in 0 0.0000001 -3 1000.5 1e300 '"3"' false '[]'; do
	refuse_change alerts "{\"anomalyZScore\":$value}"
done
refuse_change alerts '{"anomalyZscore":3}'
for value in -1 36501 0.5 '"7"' true; do
	refuse_change retention "{\"verdicts\":10,\"deadLetter\":$value}"
done
refuse_change retention '{"days":{"verdicts":1}}'
refuse_change retention '{"sweepMinutes":1}'
refuse_change retention '{"dead_letter":1}'
http POST /v1/config/retention/preview '{"verdicts":-1}'
is_error "a preview of retention refuses what a change refuses" 400 INVALID_REQUEST
day=$(date -u -d '-30 days' +%F)
http POST /v1/config/retention/preview '{"verdicts":3,"activity":0,"replay":null}'
[ "$day" = "$(date -u -d '-30 days' +%F)" ] || # midnight has passed
	http POST /v1/config/retention/preview \
	    '{"verdicts":3,"activity":0,"replay":null}'
is "a preview of retention has the days and the time of each kind" "$STATUS $(json \
    '.removes | "\(.verdicts.days) \(.idempotency.days) \(.replay.days)
    \(.activity.before) \(.deadLetter.exact) \(.deadLetter.before[:10])"')" \
    "200 3 3 45
    null true $(date -u -d '-30 days' +%F)"
for page in $pages; do
	http PUT "/v1/config/$page" '{"'
	is_error "an incomplete body for $page answers 400" 400 INVALID_JSON
	http DELETE "/v1/config/$page"
	is_error "$page cannot be deleted" 405 METHOD_NOT_ALLOWED
done
http PUT /v1/config/alerts '{}'
is "an empty change is accepted and changes nothing" \
    "$STATUS $(json .anomalyZScore)" "200 3"
is "refused and empty changes leave no override and no new epoch" \
    "$(settings_epoch) $(sql 'select count(*) from assay.setting')" "1 0"

# A body names what it changes; null removes an override.
http PUT /v1/config/retention '{"verdicts":0,"replay":1e1,"deadLetter":36500}'
is "retention takes new windows and keeps the others" \
    "$STATUS $BODY" '200 {"sweepMinutes":15,"days":{"verdicts":0,"activity":90,"replay":10,"idempotency":7,"deadLetter":36500},"overridden":{"verdicts":true,"activity":false,"replay":true,"idempotency":false,"deadLetter":true}}'
is "a change begins a new epoch" "$(settings_epoch)" 2
http PUT /v1/config/retention '{"replay":null,"activity":null,"idempotency":45}'
is "null restores the window of the environment" \
    "$STATUS $(json '"\(.days.replay) \(.overridden.replay)
    \(.days.verdicts) \(.days.idempotency)" | gsub("\\s+"; " ")')" \
    "200 45 false 0 45"
for value in 2.5 1000 0.000001 3; do
	http PUT /v1/config/alerts "{\"anomalyZScore\":$value}"
	is_json "alerts takes a threshold of $value" \
	    ".anomalyZScore == $value" true
done
is_json "an override equal to the default is still an override" \
    .overridden.anomalyZScore true
http PUT /v1/config/alerts '{"anomalyZScore":null}'
is "null removes the override of the threshold" "$BODY" \
    '{"anomalyZScore":3,"overridden":{"anomalyZScore":false}}'
on 2 GET /v1/config/retention
is_json "another host shows the changed window" .days.deadLetter 36500
http GET '/v1/audit?limit=1'
is_json "the audit trail has actor, path and the null of the change" \
    '.entries[0] |
    "\(.actor) \(.action) \(.params | tojson)"' \
    'admin@example.com PUT /v1/config/alerts {"anomalyZScore":null}'

# A change that cannot be written to the audit trail is not made.
before=$(settings_epoch)
sql 'alter table assay.audit add constraint never check (status <> 200)
    not valid'
http PUT /v1/config/rate-limits '{"decisionsPerMin":7}'
is_error "a change without an audit entry answers 500" 500 INTERNAL
sql 'alter table assay.audit drop constraint never'
is "a change without an audit entry is rolled back" \
    "$(settings_epoch)" "$before"
finish
