#!/bin/sh
# SPDX-License-Identifier: ISC
# Another event under a used key on other hosts, and with
# IDEMPOTENCY_MISMATCH=refuse.
. "$(dirname "$0")/lib.sh"
use idempotency

start_with_key
login='"type":"account.login","subject"'
http POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-1\"}}"

# All hosts with one AUTH_SECRET make the same digest.
start_host 2
on 2 POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-1\"}}"
is "another host replays the same event without a mismatch" \
    "$(is_replay) $(is_mismatch)" "true "
on 2 POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}}"
is "another host finds the mismatch of another event" \
    "$(is_replay) $(is_mismatch)" "true true"

stop_pool
start_pool IDEMPOTENCY_MISMATCH=refuse \
    AUTH_SECRET=0a1b2c3d4e5f60718293a4b5c6d7e8f901234567
wait_ready
before=$(mismatch_count)
http POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-1\"}}"
is "refuse: the same event gets the original after a new AUTH_SECRET" \
    "$STATUS $(is_replay) $(is_mismatch)" "200 true "
http POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}}"
is_error "refuse: another event answers 422" 422 IDEMPOTENCY_MISMATCH
is "refuse: the 422 shows nothing of the original" \
    "$(is_replay)$(is_mismatch)" ""
key=$KEY
KEY=ak_live_000000000000000000000000000000000000000000000000
http POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}}"
is_error "refuse: an unknown API key answers 401" 401 INVALID_API_KEY
KEY=$key
http POST /v1/decisions/batch "{\"events\":[
    {\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}},
    {\"id\":\"b-3\",$login:{\"userId\":\"u-1\"}},
    {\"id\":\"b-3\",$login:{\"userId\":\"u-2\"}},
    {\"id\":\"b-3\",$login:{\"userId\":\"u-1\"}}]}"
is "refuse: a batch fails only the entries with a mismatch" \
    "$STATUS $(json '[.results[] | .ok, .error.code // "-"] | join(" ")')" \
    "200 false IDEMPOTENCY_MISMATCH true - false IDEMPOTENCY_MISMATCH true -"
http POST /v1/decisions/batch "{\"events\":[
    {\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}}]}"
is "refuse: a batch of only a mismatch answers 200 with the error" \
    "$STATUS $(json '.results[0].error.code')" "200 IDEMPOTENCY_MISMATCH"
http POST /v1/decisions/async "{\"id\":\"b-3\",$login:{\"userId\":\"u-9\"}}"
is_error "refuse: async answers 422 to another event" 422 \
    IDEMPOTENCY_MISMATCH
http POST /v1/decisions/async "{\"id\":\"b-3\",$login:{\"userId\":\"u-1\"}}"
is "refuse: async accepts the same event" "$STATUS $(is_mismatch)" "202 "
is "refuse: each mismatch is counted" "$(mismatch_count)" $((before + 5))
finish
