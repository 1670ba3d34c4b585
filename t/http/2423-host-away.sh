#!/bin/sh
# SPDX-License-Identifier: ISC
# A host is gone for an hour, by all clocks, with decisions in its spool.  When it is
# back it knows what changed meanwhile, and each decision is in the log once.
# shellcheck disable=SC2317 # called by name
. "$(dirname "$0")/lib.sh"
use away erase hosts tally

cp "$builddir/t/http/clock.so" "$scratch/bin/"
later="CLOCK_AHEAD=3600 LD_PRELOAD=$scratch/bin/clock.so
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1"
# login_of USER ID [DEVICE]
login_of() {
	echo "{\"id\":\"$2\",\"type\":\"account.login\",\"subject\":{\"userId\":\"$1\",
	    \"deviceId\":\"${3:-d-1}\"}}"
}
is_erased() { [ "$(erase_complete u-gone)" = "200 true" ]; }

start_two_hosts
token=$TOKEN old_key=$KEY old_id=$(json .key.id)
analyst_token
ana=$TOKEN
TOKEN=
on 2 POST /v1/decisions "$(login_of u-kept early)"
is_json "the second host decides" '.score >= 0' true
TOKEN=$ana
on 2 GET /v1/auth/me
is "the second host knows the analyst" "$STATUS" 200
TOKEN=

stop_database
host=2
for n in 1 2 3; do
	http POST /v1/decisions "$(login_of u-gone "gone-$n")"
	ask_decision "$(login_of u-kept "kept-$n")"
done
host=
is_json "without the database it decides with onError verdicts" .score -1
second=$(echo "$more_pids" | tr ' ' '\n' | head -n 2)
# shellcheck disable=SC2046,SC2086 # several
kill -KILL $(pgrep -P "$(echo $second | tr ' ' ,)") $second
rm -f "$scratch"/run2/*.sock

# An hour later by the clocks of the database and of both hosts.
export CLOCK_AHEAD=3600 LD_PRELOAD="$scratch/bin/clock.so"
start_database
unset CLOCK_AHEAD LD_PRELOAD
stop_pool
# shellcheck disable=SC2086 # settings
start_pool $later
wait_ready
TOKEN=$token
http POST "/v1/apikeys/$old_id/revoke"
api_key
http PATCH /v1/auth/users/ana@example.com '{"disabled":true}'
http POST /v1/lists '{"kind":"block","subject":"device","value":"d-1","reason":"stolen"}'
http POST /v1/rules '{"eventType":"account.login","version":"v2",
    "dsl":"rule seen { when velocity.attemptsLast2m >= 0 then score += 7, tag seen_later }"}'
is "a ruleset is published while a host is away" "$STATUS" 200
http PUT /v1/config/rate-limits '{"decisionsPerMin":4711}'
TOKEN=
is "an erasure is not complete while a host is away" "$(erase_complete u-gone)" "200 false"
ask_decision "$(login_of u-kept kept-1)"
is_json "a caller sends an event again, to the other host" .verdict deny
# shellcheck disable=SC2086 # settings
cron project $later
is "the decisions so far are counted" "$(miscounted)" ""

# shellcheck disable=SC2086 # settings
start_host 2 $later
host=2
wait_drained
host=
answers_logged_once "each answer of its spool is in the log once, with its time"
is "the decisions of its spool have the times of the hour before" "$(sql "select count(*) from assay.verdict_log
    where score < 0 and decided_at between now() - interval '65 minutes'
	and now() - interval '55 minutes'")" 6
is "the decisions of the erased user have no details" "$(degraded_rows 'gone-%') $(detail_rows u-gone)" "3 0"
check "the erasure is complete once its spool is empty" stack_until 20 0 is_erased
# shellcheck disable=SC2086 # settings
cron project $later
is "late decisions are counted, each once" "$(miscounted)" ""

on 2 POST /v1/decisions "$(login_of u-kept late-1)"
is_json "the host that is back decides with the list entry of the hour" .verdict deny
on 2 POST /v1/decisions "$(login_of u-new late-2 d-2)"
is_json "the host that is back decides with the ruleset of the hour" '.reasons[0].tag' seen_later
new_key=$KEY KEY=$old_key
on 2 POST /v1/decisions "$(login_of u-kept late-3)"
is_error "the host that is back refuses the key that was revoked meanwhile" 401 INVALID_API_KEY
KEY=$new_key TOKEN=$ana
on 2 GET /v1/auth/me
is_error "the host that is back refuses the session of the operator who was disabled" 401 UNAUTHENTICATED
TOKEN=$token
on 2 GET /v1/config/rate-limits
is_json "the host that is back has the limit that was set meanwhile" .decisionsPerMin 4711
finish
