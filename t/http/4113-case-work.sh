#!/bin/sh
# SPDX-License-Identifier: ISC
# What analysts do with cases: hand over, release, snooze, write notes, open
# again, and resolve several.
. "$(dirname "$0")/lib.sh"
use list cases

start_cases
sql "insert into assay.operator (email, role, password, disabled_at)
    select w.email, 'analyst', o.password, w.at from assay.operator o,
	(values ('ana@example.com', null), ('gone@example.com', now()))
	as w(email, at)"
admin=$TOKEN
http POST /v1/auth/login '{"email":"ana@example.com","password":"correct horse"}'
ana=$(json .token)

# is_open LABEL [MEMBERS]: the last answer says that the case is open, with these members.
is_open() {
	is "$1" "$STATUS $(json tojson)" "200 {\"id\":\"$CASE\",\
\"status\":\"open\",\"assignedTo\":null${2-}}"
}

open_case e-1
http POST "/v1/cases/$CASE/hand-over" '{"to":"Ana@example.com"}'
is "a case is handed over to another operator" "$STATUS $(json tojson)" "200 \
{\"id\":\"$CASE\",\"status\":\"assigned\",\"assignedTo\":\"ana@example.com\"}"
for to in gone nobody; do
	http POST "/v1/cases/$CASE/hand-over" "{\"to\":\"$to@example.com\"}"
	is_error "a case is not handed over to $to" 404 USER_MISSING
done
http POST "/v1/cases/$CASE/release"
is_open "an admin releases a case of an analyst"
http POST "/v1/cases/$CASE/release"
is "releasing an open case changes nothing" "$STATUS $(json .status)" "200 open"
http POST "/v1/cases/$CASE/assign"
TOKEN=$ana
http POST "/v1/cases/$CASE/release"
is_error "an analyst does not release a case of another" 409 CASE_NOT_YOURS
http POST "/v1/cases/$CASE/snooze" '{"until":null}'
is_error "an analyst does not snooze a case of another" 409 CASE_NOT_YOURS
http POST "/v1/cases/$CASE/assign"
http POST "/v1/cases/$CASE/release"
is_open "an analyst releases a case"
http GET "/v1/cases/$CASE"
is "the trail has each of these" "$(case_trail)" "opened engine, \
handed_over $me (to ana@example.com), released $me (from ana@example.com), \
assigned $me, assigned ana@example.com (from $me), released \
ana@example.com (from ana@example.com)"
is_json "a released case has no claim" .claimExpiresAt null

# Snooze.
until=$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%S.000Z)
http POST "/v1/cases/$CASE/assign"
http POST "/v1/cases/$CASE/snooze" "{\"until\":\"$until\"}"
is_open "a case is snoozed, and open" ",\"snoozedUntil\":\"$until\""
http GET /v1/queues
is_json "a queue counts a snoozed case apart" \
    '.queues[0] | "\(.open) \(.snoozed) \(.oldestAt)"' "0 1 null"
http POST /v1/cases/next '{}'
is_json "a snoozed case is not next" .case null
for query in '' status=open snoozed=false 'queue=*&snoozed=false' order=score; do
	http GET "/v1/cases?$query"
	is "no snoozed case is in the list: $query" "$BODY" "[]"
done
for query in snoozed=true 'queue=*' eventId=e-1 'snoozed=true&order=score'; do
	http GET "/v1/cases?$query"
	is_json "a snoozed case is in the list: $query" \
	    '.[0].snoozedUntil' "$until"
done
http POST "/v1/cases/$CASE/snooze" '{"until":null}'
http POST /v1/cases/next '{}'
is_json "a case that was woken is next" .case.id "$CASE"
http POST "/v1/cases/$CASE/snooze" "{\"until\":\"$until\"}"
sql "update assay.review_case set snoozed_until = now() - interval '1 s'"
http GET /v1/cases
is_json "a case is in its queue after the time" \
    '.[0] | "\(.status) \(.snoozedUntil)"' "open null"
http POST /v1/cases/next '{}'
is_json "a case is next after the time" .case.id "$CASE"

# Notes.
for text in first 'the second one'; do
	http POST "/v1/cases/$CASE/notes" "{\"text\":\"$text\"}"
	is_json "the note is added: $text" '"\(.text) \(.author)"' \
	    "$text ana@example.com"
done
is "an added note answers 201" "$STATUS" 201
http GET "/v1/cases/$CASE"
is_json "a case has its notes, oldest first" \
    '.notes | map(.text) | join(", ")' "first, the second one"
is_json "the trail has who wrote a note" '.audit[-1] | "\(.action) \(.actor)"' \
    "noted ana@example.com"

# Resolved, open again, resolved otherwise: the label follows.
label() {
	sql "select outcome from assay.label where event_id = '$1'"
}
http POST "/v1/cases/$CASE/reopen" '{}'
is_error "a case that is not resolved is not opened again" 409 CASE_NOT_RESOLVED
http POST "/v1/cases/$CASE/resolve" '{"outcome":"fraud","note":"looked bad"}'
http POST "/v1/cases/$CASE/snooze" "{\"until\":\"$until\"}"
is_error "a resolved case is not snoozed" 409 CASE_RESOLVED
http POST "/v1/cases/$CASE/reopen" '{"note":"he called"}'
is_open "a resolved case is opened again"
http GET "/v1/cases/$CASE"
is_json "the note of the resolution and the new one are notes" \
    '.notes | map("\(.text) by \(.author)") | .[2:] | join(", ")' \
    "looked bad by ana@example.com, he called by ana@example.com"
is "a case that is open again has no resolution, and keeps its label" \
    "$(json .resolution) $(json '.audit[-1].detail') $(label e-1)" \
    "null from fraud fraud"
http POST "/v1/cases/$CASE/resolve" '{"outcome":"inconclusive"}'
is "an inconclusive resolution does not remove the label" "$(label e-1)" fraud
http POST "/v1/cases/$CASE/reopen" '{}'
http POST "/v1/cases/$CASE/resolve" '{"outcome":"legit"}'
is "another resolution replaces the label" "$(label e-1)" legit
is "the tags count the event once, with its last label" \
    "$(sql "select fraud, legit from assay.tag_count where tag = 'amount'")" \
    "0|1"
is "the analytics count each case by its last resolution" "$(sql "select name,
    sum(n) from assay.analytics_change where name like 'case.%' group by name
    having sum(n) <> 0")" "case.legit|1"

# Several at once.
TOKEN=$admin
ids=
for event in m-1 m-2 m-3; do
	open_case $event
	ids="$ids,\"$CASE\""
done
http POST "/v1/cases/$CASE/resolve" '{"outcome":"legit"}'
http POST /v1/cases/resolve "{\"ids\":[\"cse_none\"$ids],\"outcome\":\"fraud\",
    \"note\":\"one ring\"}"
is_json "each of several cases has its result" '.results | map(
    if .ok then .status else .error.code end) | join(" ")' \
    "CASE_NOT_FOUND resolved resolved CASE_RESOLVED"
is_json "a result that is an error has its message" \
    '.results[3].error.message' "the case is resolved already"
is "the resolved cases label their events" \
    "$(label m-1) $(label m-2) $(label m-3)" "fraud fraud legit"
is "each resolution is an event" "$(sql "select count(*) from assay.outbox
    where event = 'case.resolved.v1' and data like '%one ring%'")" 2
finish
