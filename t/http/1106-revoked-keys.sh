#!/bin/sh
# SPDX-License-Identifier: ISC
# Every worker of every host refuses a revoked key at once; cached keys do not
# bring it back.
. "$(dirname "$0")/lib.sh"

start_stack
start_host 2
admin_token
admin=$TOKEN
event='{"type":"account.login","subject":{"userId":"u"}}'

# revoke_key ID: revoke the key on this host.
revoke_key() {
	TOKEN=$admin
	http POST "/v1/apikeys/$1/revoke"
	TOKEN=
}
# decision_statuses: print the statuses that decisions with the key get, enough
# requests to reach all workers of both hosts.
decision_statuses() {
	for at in "" 2 "" 2 "" 2 "" 2; do
		on "$at" POST /v1/decisions "$event"
		echo "$STATUS"
	done | sort | uniq -c | tr -s ' \n' ' '
}

api_key
first=$(json .key.id) kept=$KEY
api_key
second=$(json .key.id)
TOKEN=
is "a key decides on both hosts" "$(decision_statuses)" " 8 200 "
revoke_key "$first"
is "revoking another key does not end it" "$(decision_statuses)" " 8 200 "
KEY=$kept
on 2 POST /v1/decisions '{'
is_error "bad JSON with a revoked key answers 401 on the other host" \
    401 INVALID_API_KEY
on 2 POST /v1/decisions/batch "{\"events\":[$event]}"
is_error "a batch with a revoked key answers 401 on the other host" \
    401 INVALID_API_KEY
on 2 GET /v1/decisions/evt_none
is_error "reading with a revoked key answers 401 on the other host" \
    401 INVALID_API_KEY
is "every worker refuses a revoked key" "$(decision_statuses)" " 8 401 "

# Keys in the cache while PostgreSQL is down.
TOKEN=$admin
api_key
third=$KEY
api_key
fourth=$(json .key.id) unseen=$KEY
TOKEN=
is "a third key decides on both hosts" "$(decision_statuses)" " 8 200 "
KEY=$third
is "a second cached key decides on both hosts" "$(decision_statuses)" " 8 200 "
revoke_key "$fourth"
revoke_key "$second"
stop_database
is "without a database a cached key is answered" "$(decision_statuses)" " 8 200 "
KEY=$kept
is "without a database a key that was seen revoked answers 503" \
    "$(decision_statuses)" " 8 503 "
KEY=$unseen
http POST /v1/decisions "$event"
is_error "without a database a key that this host revoked answers 503" \
    503 UNAVAILABLE
start_database
wait_ready
host=2
wait_ready
host=
is "with the database every worker refuses the revoked key" "$(decision_statuses)" " 8 401 "
finish
