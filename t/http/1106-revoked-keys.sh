#!/bin/sh
# SPDX-License-Identifier: ISC
# A revoked key is refused at once by every worker of every host, and no
# memory of better days brings it back.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
start_host 2
admin_token
admin=$TOKEN
event='{"type":"account.login","subject":{"userId":"u"}}'

# revoke ID: on this host.
revoke() {
	TOKEN=$admin
	http POST "/v1/apikeys/$1/revoke"
	TOKEN=
}
# codes: what a key gets, asked often enough for all workers of both hosts.
codes() {
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
is "a key decides on both hosts" "$(codes)" " 8 200 "
revoke "$first"
is "another's end is not its own" "$(codes)" " 8 200 "
KEY=$kept
on 2 POST /v1/decisions '{'
is_error "revoked, it is told nothing else, on the other host" \
    401 INVALID_API_KEY
on 2 POST /v1/decisions/batch "{\"events\":[$event]}"
is_error "no batch" 401 INVALID_API_KEY
on 2 GET /v1/decisions/evt_none
is_error "no look back" 401 INVALID_API_KEY
is "and no decision anywhere" "$(codes)" " 8 401 "

# What a host knew of keys, for while the database is away.
TOKEN=$admin
api_key
third=$KEY
api_key
fourth=$(json .key.id) unseen=$KEY
TOKEN=
is "a key that both hosts know" "$(codes)" " 8 200 "
KEY=$third
is "and one more" "$(codes)" " 8 200 "
revoke "$fourth"
revoke "$second"
stop_database
is "known, it is answered while the database is away" "$(codes)" " 8 200 "
KEY=$kept
is "but none that was seen revoked" "$(codes)" " 8 503 "
KEY=$unseen
http POST /v1/decisions "$event"
is_error "nor one that was revoked on this very host" 503 UNAVAILABLE
start_database
wait_ready
is "with the database it is refused everywhere" "$(codes)" " 8 401 "
finish
