#!/bin/sh
# SPDX-License-Identifier: ISC
# Queues, their targets, and the next case: by age, score and target, with claims
# that expire, and many analysts at once.
. "$(dirname "$0")/lib.sh"
use list cases

start_cases

# add_case ID QUEUE SCORE MINUTES: an open case, so many minutes old.
add_case() {
	sql "insert into assay.review_case (id, event_id, verdict_id, queue,
	    score, opened_at) values ('$1', 'e-$1', 'vd_0', '$2', $3,
	    now() - interval '$4 minutes')"
}
# takes LABEL ID [BODY]: the next case is this one.
takes() {
	http POST /v1/cases/next "${3-"{}"}"
	is_json "$1" '.case.id' "$2"
}
# queue NAME: open, assigned, mine, snoozed, target and breached.
queue() {
	http GET /v1/queues
	json ".queues[] | select(.queue == \"$1\") | \"\\(.open) \\(.assigned) \
\\(.mine) \\(.snoozed) \\(.targetMinutes) \\(.breached)\""
}

http GET /v1/queues
is "without cases there are no queues" "$STATUS $BODY" '200 {"queues" : []}'
takes "without cases there is no next one" null

add_case cse_1 a 10 50
add_case cse_2 a 90 40
add_case cse_3 b 50 30
add_case cse_4 b 50 20
add_case cse_5 a 30 10
is "a queue counts its open cases" "$(queue a)" "3 0 0 0 null 0"
http GET /v1/queues
is_json "a queue has the time of its oldest open case" \
    "[.queues[].oldestAt[0:19] + \"Z\" | fromdate] |
    (.[1] - .[0]) / 60 | round" 20

takes "the next case is the oldest one" cse_1
is_json "the next case is assigned to the caller, with a claim" \
    '.case | "\(.status) \(.assignedTo) \(.claimExpiresAt > .openedAt)"' \
    "assigned $me true"
is "the trail has the assignment" \
    "$(json '.case.audit | map("\(.action) \(.actor)") | join(", ")')" \
    "assigned $me"
takes "the next case of a queue is in that queue" cse_3 '{"queue":"b"}'
takes "the next case by score has the highest score" cse_2 '{"order":"score"}'
is "a queue counts its assigned cases, and those of the caller" "$(queue a)" \
    "1 2 2 0 null 0"

# Targets: cases past theirs come first.
http PUT /v1/queues/a '{"targetMinutes":60}'
is "an admin sets the target of a queue" "$STATUS $(json tojson)" \
    '200 {"queue":"a","targetMinutes":60}'
http PUT /v1/queues/b '{"targetMinutes":15}'
http PUT /v1/queues/later '{"targetMinutes":15}'
is "a queue counts cases past its target" "$(queue b), $(queue later)" \
    "1 1 1 0 15 2, 0 0 0 0 15 0"
http GET /v1/cases/cse_4
is_json "a case is due when its target ends" \
    '[.dueAt, .openedAt] | map(.[0:19] + "Z" | fromdate) | .[0] - .[1]' 900
add_case cse_6 a 99 45
takes "a case past its target precedes an older one and a higher score" cse_4 '{"order":"score"}'
takes "of cases within their targets the highest score is next" cse_6 \
    '{"order":"score"}'
takes "the lowest score is last" cse_5 '{"order":"score"}'
takes "an empty queue has no next case" null '{"queue":"b"}'
http POST /v1/cases/cse_4/resolve '{"outcome":"legit"}'
http GET /v1/cases/cse_4
is_json "a resolved case is not due" .dueAt null
http PUT /v1/queues/later '{"targetMinutes":null}'
is "a queue without cases and target is not listed" "$(queue later)" ""

# A claim that has expired is no claim.
sql "update assay.review_case set claim_expires_at = now() - interval '1 s'
    where id = 'cse_5'"
sql "insert into assay.operator (email, role, password)
    select 'ana@example.com', 'analyst', password from assay.operator"
admin=$TOKEN
http POST /v1/auth/login '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=$(json .token)
takes "a case whose claim has expired is next" cse_5 '{"queue":"*"}'
is_json "the trail says whose claim has expired" '.case.audit[-1].detail' \
    "from $me"
takes "a case that was claimed again is not next" null
is "a queue counts the caller's cases, not others'" "$(queue a)" "0 4 1 0 60 0"

# Who holds most cases gets no further one; snoozed ones and expired claims are not held.
add_case cse_7 a 10 5
add_case cse_8 a 10 4
takes "who holds fewer than most cases gets the next one" cse_7 '{"most":2}'
http POST /v1/cases/next '{"most":2}'
is "who holds most cases gets none, and their number" "$STATUS $(json tojson)" \
    '200 {"case":null,"held":2}'
takes "without most there is a next one" cse_8
http POST /v1/cases/cse_7/snooze "{\"until\":\"$(date -u -d '+1 day' +%FT%TZ)\"}"
sql "update assay.review_case set claim_expires_at = now() where id = 'cse_8'"
takes "who holds fewer again gets the next one" cse_8 '{"most":2}'

for body in '[]' '{"queue":1}' '{"queue":""}' '{"order":"newest"}' '{"to":"me"}' \
    '{"most":0}' '{"most":1001}' '{"most":"2"}'; do
	http POST /v1/cases/next "$body"
	is_error "a next case with the body $body answers 400" \
	    400 INVALID_REQUEST
done
http PUT /v1/queues/a '{"targetMinutes":5}'
is_error "an analyst may not set a target" 403 FORBIDDEN
TOKEN=$admin
for body in '{}' '{"targetMinutes":0}' '{"targetMinutes":525601}' \
    '{"targetMinutes":1.5}' '{"targetMinutes":"9"}'; do
	http PUT /v1/queues/a "$body"
	is_error "a target of $body answers 400" 400 INVALID_REQUEST
done
http PUT /v1/queues/4111111111111111 '{"targetMinutes":5}'
is_error "a queue with a card number answers 400" 400 INGEST_PAN_REJECTED

# Many analysts at once, on two hosts, with fewer cases than requests.
start_host 2 OPERATOR_WORKERS=4
sql "insert into assay.review_case (id, event_id, verdict_id, queue, score,
    opened_at) select 'cse_r' || n, 'r-' || n, 'vd_0', 'race', n, now()
    from generate_series(1, 40) n"
pids=
for n in $(seq 48); do
	curl -s --unix-socket \
	    "$scratch/run$([ $((n % 2)) = 0 ] || echo 2)/http.sock" \
	    -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' -d \
	    "{\"queue\":\"race\"$([ $((n % 3)) = 0 ] || echo ',"order":"score"')}" \
	    "$BASE/v1/cases/next" >"$scratch/race.$n" &
	pids="$pids $!"
done
# shellcheck disable=SC2086 # several
wait $pids
cat "$scratch"/race.* | jq -r '.case.id // "none"' >"$scratch/got"
is "of 48 requests each case goes to one" \
    "$(grep -v none "$scratch/got" | sort | uniq -d)" ""
is "all 40 cases are handed out, and the other requests get none" \
    "$(grep -c cse_r "$scratch/got") $(grep -c none "$scratch/got")" "40 8"
is "each case has one assignment in its trail" "$(sql "select count(*),
    max(n) from (select count(*) as n from assay.case_trail
    where case_id like 'cse_r%' group by case_id) w")" "40|1"
finish
