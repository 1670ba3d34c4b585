#!/bin/sh
# SPDX-License-Identifier: ISC
# Erasure of users who are in the spool of a host while the database is away.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/away.sh
. "$(dirname "$0")/away.sh"

start_stack
admin_token
api_key
token=$TOKEN
TOKEN=

# login USER ID: decide on one.
login() {
	http POST /v1/decisions "{\"id\":\"$2\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"$1\",\"deviceId\":\"d-$1\"},
	    \"attributes\":{\"plan\":\"plan-of-$1\"}}"
}

# erase USER: as an admin; prints whether it was complete.
erase() {
	TOKEN=$token
	http POST /v1/privacy/erase "{\"userId\":\"$1\"}"
	TOKEN=
	echo "$STATUS $(json .complete)"
}

# The decide role cannot come in any more, operators can.
shut_out() {
	sql 'alter role assay_decide nologin' >/dev/null
	sql "select pg_terminate_backend(pid) from pg_stat_activity
	    where usename = 'assay_decide'" >/dev/null
}

let_in() {
	sql 'alter role assay_decide login' >/dev/null
}

# shellcheck disable=SC2317 # called by stack_until
far_drained() {
	on 2 GET /metrics
	[ "$(printf '%s\n' "$BODY" |
	    awk '$1 == "engine_spool_records" { print $2 }')" = 0 ]
}

details() {
	sql "select count(*) from assay.detail where user_id = '$1'"
}

# How many of these events have a row in the verdict log.
logged() {
	sql "select count(*) from assay.verdict_log
	    where event_id like '$1' and score = -1"
}

login u-here l-0
is "with nothing in the spool an erasure is complete" "$(erase u-here)" \
    "200 true"

shut_out
for i in 1 2 3; do
	login u-gone "g-$i"
	login u-stays "s-$i"
done
is "decisions go into the spool" "$(grep -c '"userId":"u-gone"' \
    "$scratch/spool/active")" 3
is "erasure says that it is not complete" "$(erase u-gone)" "200 false"
is "no user is named in what is kept of it" "$(sql "select count(*)
    from assay.erasure e where e::text like '%u-gone%'")" 0
let_in
wait_drained
is "the verdicts are in the log" "$(logged 'g-%') $(logged 's-%')" "3 3"
is "the user who was erased does not come back" "$(details u-gone)" 0
is "the other one does" "$(details u-stays)" 3
TOKEN=$token
http GET '/v1/activity?limit=200'
TOKEN=
is "the activity log shows nothing of it" \
    "$(printf '%s' "$BODY" | grep -c 'u-gone')" 0
is "the same request is complete now" "$(erase u-gone)" "200 true"

# What the user does later is kept: the erasure was before it.
sql "update assay.erasure set erased_at = erased_at - interval '2 minutes'" \
    >/dev/null
shut_out
login u-gone g-later
let_in
wait_drained
is "a decision in the spool after the erasure keeps its detail" \
    "$(details u-gone)" 1
is "and is erased with the next" "$(erase u-gone) $(details u-gone)" \
    "200 true 0"

# While records are brought home, erase their users.
shut_out
for i in 1 2 3 4 5 6 7 8; do
	login "u-$i" "m-$i"
done
let_in
for i in 1 2 3 4 5 6 7 8; do
	erase "u-$i" >/dev/null
done
wait_drained
is "users who are erased while the spool is drained are gone" \
    "$(logged 'm-%') $(sql "select count(*) from assay.detail
    where user_id like 'u-_'")" "8 0"

# A degraded decision that reaches the database is a row of its own.
sql 'begin; lock assay.user_state in access exclusive mode;
    select pg_sleep(2.5); commit' >/dev/null &
sleep 0.3
login u-slow w-1
wait $!
wait_drained
is "a degraded decision is logged" "$(logged w-1)" 1
is "and its detail is erased" "$(erase u-slow) $(details u-slow)" "200 true 0"

# Another host: its spool is reported to the database.
start_host 2
on 2 POST /v1/decisions '{"type":"account.login","subject":{"userId":"u-2"}}'
shut_out
for i in 1 2 3; do
	on 2 POST /v1/decisions "{\"id\":\"h-$i\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-far\"}}"
done
check "decisions go into the spool of the other host" \
    grep -q u-far "$scratch/spool2/active"
is "erasure at this host knows of the spool of the other" "$(erase u-far)" \
    "200 false"
let_in
stack_until 20 0 far_drained || not_ok "the other spool runs empty"
is "it brings none of it" "$(logged 'h-%') $(details u-far)" "3 0"
# shellcheck disable=SC2317 # called by stack_until
far_complete() {
	[ "$(erase u-far)" = "200 true" ]
}
check "erasure is complete once both hosts have said so" \
    stack_until 20 0 far_complete

# A host that is silent may have anything on its disk.
sql "update assay.spool_host set reported_at = reported_at - interval '1 day';
    insert into assay.spool_host (spool, records, asides, reported_at)
    values ('gone', 0, 0, now() - interval '1 day')" >/dev/null
is "erasure is not complete while a host is silent" "$(erase u-far)" \
    "200 false"
sql "delete from assay.spool_host where spool = 'gone'" >/dev/null
check "it is when the host was taken out of the table" \
    stack_until 20 0 far_complete

# What was set aside is on a disk, too.
: >"$scratch/spool/old.aside"
is "erasure is not complete while records are set aside" "$(erase u-far)" \
    "200 false"
rm "$scratch/spool/old.aside"
is "it is when they are gone" "$(erase u-far)" "200 true"

# No older record comes back than retention has passed.
sql "insert into assay.retention_mark values ('activity', now() +
    interval '1 hour') on conflict (collection) do update
    set until = excluded.until" >/dev/null
shut_out
login u-old r-1
let_in
wait_drained
is "a record that retention has passed keeps its verdict alone" \
    "$(logged r-1) $(details u-old)" "1 0"

# Retention forgets an erasure when nothing can come back.
sql "delete from assay.retention_mark;
    update assay.erasure set erased_at = now() - interval '91 days';
    insert into assay.spool_host values ('long gone', 3, 0,
	now() - interval '91 days')" >/dev/null
erase u-last >/dev/null
cron "retain --once"
is "retention forgets erasures after the window of activity" \
    "$(sql 'select count(*) from assay.erasure')" 1
is "and hosts that are silent for as long" "$(sql "select count(*)
    from assay.spool_host where spool = 'long gone'")" 0
finish
