#!/bin/sh
# SPDX-License-Identifier: ISC
# The whole configuration: it has an etag, and several changes of it are made
# together or not at all.
. "$(dirname "$0")/lib.sh"
use eyes config

start_stack
two_admins
TOKEN=$ann
# What the changes below change.
state() {
	sql "select concat_ws(' ',
	    (select version from assay.ruleset_active
		where event_type = 'card.refund'),
	    (select version from assay.policy_active
		where event_type = 'card.refund'),
	    (select string_agg(name || '=' || value, ',' order by name)
		from assay.setting),
	    (select string_agg(name || '=' || target_minutes, ',' order by name)
		from assay.case_queue),
	    (select count(*) from assay.webhook_endpoint where active))"
}

config
is_json "the configuration has its parts" 'keys_unsorted | join(" ")' \
    "etag rules policies settings queues webhooks lists"
is_json "each event type has rules and a policy" \
    '[.rules, .policies | map(.eventType) | sort] | (.[0] == .[1]) and (.[0] | index("card.refund") != null)' \
    true
make_changes
config
is "the etag has 32 hexadecimal digits" \
    "$(printf %s "$etag" | grep -cx '[0-9a-f]\{32\}')" 1
first=$etag
config
is "without a change the etag stays" "$etag" "$first"
seed=$(state)
all="$(rules v2),$policy,$rates,$days,$queue,$hook"

apply "$all" ',"rehearse":true'
is "a rehearsal answers with the same etag and no results" "$STATUS $BODY" \
    "200 {\"etag\":\"$first\",\"results\":[]}"
is "a rehearsal changes nothing" "$(state)" "$seed"
apply "$all,$(rules v3 '\"no number\"')"
is_error "a change with a mistake is refused" 400 RULESET_INVALID
is_json "the error names the change" '.message | test("^changes.6.: line 1, ")' true
apply "$all,$(rules v2)"
is_error "a version that exists is refused" 409 VERSION_EXISTS
is "a refused change undoes the others" "$(state)" "$seed"
is "a refused change leaves no entries of the others" "$(sql "select count(*)
    from assay.audit where action = 'POST /v1/policies'")" 0

apply "$all"
is "all changes are made" "$STATUS $(state)" \
    "200 v2 p2 decisionsPerMin=700,retention.activity=30 fraud review=60 1"
second=$(json .etag)
is_json "each change has its result" \
    '[.results[0].version, .results[1].version, .results[2].decisionsPerMin,
    .results[3].days.activity, .results[4].targetMinutes, (.results[5].secret | length > 20)] | map(tostring) | join(" ")' \
    "v2 p2 700 30 60 true"
config
is "the answer has the new etag" "$second" "$etag"
is_json "the configuration has the changes and no secret" '[(.rules[] | select(.eventType == "card.refund").version),
    .settings, .queues, (.webhooks[0] | keys_unsorted)] | tojson' \
    '["v2",{"decisionsPerMin":700,"retention.activity":30},{"fraud review":60},["id","url","events"]]'
is "each change has its audit entry, and so has their number" "$(sql "select
    string_agg(action, ', ' order by action collate \"C\") from (select * from assay.audit
	order by id desc limit 7) a")" \
    "POST /v1/config, POST /v1/policies, POST /v1/rules, POST /v1/webhooks, PUT /v1/config/rate-limits, PUT /v1/config/retention, PUT /v1/queues/fraud%20review"
as "$ann" GET '/v1/audit?limit=7'
is_json "the entry of all says how many they are" '.entries[] |
    select(.action == "POST /v1/config").params | "\(.etag == "'"$first"'") \(.changes) \(.rehearse)"' "true 6 false"

etag=$first
apply "$(rules v3)"
is_error "an old etag is refused" 409 CONFIG_CHANGED
etag=$second
(apply "$(rules v3)" && echo "$STATUS $(json .code)" >"$scratch/one") &
apply "$(rules v4)"
other="$STATUS $(json .code)"
wait $!
is "of two changes with one etag one is made" \
    "$(printf '%s\n' "$other" "$(cat "$scratch/one")" | LC_ALL=C sort | paste -sd ,)" \
    "200 null,409 CONFIG_CHANGED"

config
seed=$(state)
for wrong in '"rules"' '{"action":"POST /v1/rules"}' '{"body":{}}' \
    '{"action":"POST /v1/apikeys","body":{"name":"k"}}' \
    '{"action":"POST /v1/config","body":{}}' '{"action":"GET /v1/rules"}' \
    '{"action":"no","body":{}}' '{"action":"POST /v1/lists/import","body":"a"}' \
    '{"action":"PUT /v1/config/alerts","body":[]}'; do
	apply "$rates,$wrong"
	is_error "no change of the configuration: $wrong" 400 INVALID_REQUEST
done
apply ""
is_error "no changes are refused" 400 INVALID_REQUEST
as "$ann" POST /v1/config "{\"etag\":\"short\",\"changes\":[$rates]}"
is_error "an etag of another length is refused" 400 INVALID_REQUEST
as "$eve" GET /v1/config
is_error "an analyst cannot read the configuration" 403 FORBIDDEN
as "$eve" POST /v1/config "{\"etag\":\"$etag\",\"changes\":[$rates]}"
is_error "an analyst cannot change the configuration" 403 FORBIDDEN
is "the refused requests changed nothing" "$(state)" "$seed"

finish
