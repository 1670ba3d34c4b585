#!/bin/sh
# SPDX-License-Identifier: ISC
# The companion decides what was accepted to be decided later: as the pool
# would, once, each user's events in their order; and what becomes of those
# that cannot be decided.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
api_key
token=$TOKEN
TOKEN=

# later ID USER [MEMBERS]: have an event decided later.
later() {
	http POST /v1/decisions/async "{\"id\":\"$1\",
	    \"type\":\"payment.authorize\",\"amount\":20,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"$2\"${3:+,$3}}}" \
	    -H "X-Correlation-Id: cor-$1"
}

# decision ID: what GET says of it, in short.
decision() {
	http GET "/v1/decisions/$1"
	echo "$STATUS $(json '.eventId // .code') $(json '.verdict // "-"') $(
	    json '.score // "-"')"
}

queued() {
	sql "select string_agg(event_id, ' ' order by number)
	from assay.async_queue"
}

log=$scratch/log/cron.log

# counted NAME: what the last run says of it.
counted() {
	sed -n 's/.*run=done.*/&/p' "$log" | tail -n 1 |
	    sed "s/.*\( $1=\)\([0-9]*\).*/\2/"
}

check "nothing to do" cron decide
is "is nothing done" "$(counted decided)" 0

# The ordinary case.
later o-1 u-1 '"deviceId":"d-1","ip":"196.188.1.2","phone":"+251911234544"'
is "it waits" "$(decision o-1)" "404 NOT_FOUND - -"
cron decide
is "it is decided" "$(decision o-1)" "200 o-1 allow 0"
is "the queue is empty" "$(queued)" ""
is "all that a decision leaves is there, once" "$(sql "select
    (select count(*) from assay.verdict_log where event_id = 'o-1'
	and correlation_id = 'cor-o-1'),
    (select count(*) from assay.detail where event_id = 'o-1'
	and user_id = 'u-1' and replay is not null),
    (select count(*) from assay.idempotency where key = 'o-1'),
    (select count(*) from assay.user_state where user_id = 'u-1'),
    (select count(*) from assay.link)")" "1|1|1|1|6"
check "the log has its line" grep -q \
    'req=cor-o-1 decision=async ms=[0-9]* verdict=allow' "$log"
is "the pool knows it" "$(http POST /v1/decisions '{"id":"o-1",
    "type":"payment.authorize","subject":{"userId":"u-1"}}'
    header x-engine-idempotent-replay)" true
later o-1 u-1
is "again it is not queued" "$STATUS $(queued)" "202 "

# Order: of a user one after another, whoever else waits.
for i in 1 2 3 4 5 6 7; do
	later "v-$i" u-many
done
later o-2 u-2
cron decide
is "each event of a user sees those before it" "$(sql "select string_agg(
    event_id || '=' || (replay::json->'signals'->>'velocity.attemptsLast24h'),
    ' ' order by decided_at) from assay.detail where user_id = 'u-many'")" \
    "v-1=0 v-2=1 v-3=2 v-4=3 v-5=4 v-6=5 v-7=6"
is "the run says how many" "$(counted decided)" 8

# Reviews, and what the lists say.
TOKEN=$token
http POST /v1/policies '{"id":"pol_payment_authorize","version":"later-1",
    "onError":"fail_closed","bands":[{"verdict":"review","min":0,"max":100,
    "reviewQueue":"later"}]}'
is "a policy that reviews" "$STATUS" 200
for entry in block:u-block allow:u-allow; do
	http POST /v1/lists "{\"kind\":\"${entry%:*}\",\"subject\":\"user\",
	    \"value\":\"${entry#*:}\"}"
	is "a list says ${entry%:*}" "$STATUS" 201
done
TOKEN=
later o-3 u-3
later o-block u-block
later o-allow u-allow
cron decide
is "it reviews" "$(decision o-3)" "200 o-3 review 0"
is "in a case, by the newest policy" "$(sql "select c.event_id, c.queue,
    v.policy_version from assay.review_case c
    join assay.verdict_log v on v.id = c.verdict_id")" "o-3|later|later-1"
is "lists block" "$(decision o-block)" "200 o-block deny -1"
is "and allow" "$(decision o-allow)" "200 o-allow allow -1"

# A synchronous call goes before.
later o-4 u-4
http POST /v1/decisions '{"id":"o-4","type":"account.login",
    "subject":{"userId":"u-other"}}'
is "what waits is decided at once" "$STATUS" 200
cron decide
is "and dropped later" "$(counted decided) $(counted dropped) $(queued)" \
    "0 1 "
is "it was decided once" "$(sql "select count(*) from assay.verdict_log
    where event_id = 'o-4'")" 1


# Somebody else has the row, or the user, while this companion looks.
# hold SQL ...: in a transaction of its own, until let_go.
mkfifo "$scratch/fifo"
hold() {
	cluster_psql postgres assay -At <"$scratch/fifo" >/dev/null &
	holder=$!
	exec 8>"$scratch/fifo"
	echo "begin; $1;" >&8
	stack_until 20 "$holder" waits "wait_event = 'ClientRead' and
	    state = 'idle in transaction' and usename = 'postgres'"
}
let_go() {
	echo "commit;" >&8
	exec 8>&-
	wait "$holder"
}
# waits CONDITION: one session does.
# shellcheck disable=SC2317 # called by stack_until
waits() {
	[ "$(sql "select count(*) from pg_stat_activity where $1")" = 1 ]
}
# The number of a user's lock is FNV-1a of the id.
lock_of() {
	perl -e 'use integer; my $h = -3750763034362895579;
	    $h = ($h ^ ord) * 1099511628211 for split //, $ARGV[0];
	    print $h' "$1"
}

later o-5 u-5
later o-6 u-6
hold "delete from assay.async_queue where event_id = 'o-5'"
start_cron decide
stack_until 20 "$stack_cron_pid" waits "wait_event_type = 'Lock'"
let_go
wait "$stack_cron_pid"
is "who takes the row away decides" "$(queued) $(sql "select string_agg(
    event_id, ' ') from assay.verdict_log where event_id in ('o-5', 'o-6')")" \
    " o-6"
is "and nobody else has failed" "$(counted failed)" 0

later o-7 u-7
later o-8 u-8
hold "select pg_advisory_xact_lock($(lock_of u-7))"
cron decide
is "a user who is held is left alone, and holds up nobody" "$(queued) $(
    decision o-8) $(counted failed)" "o-7 200 o-8 review 0 0"
let_go
cron decide
is "for now" "$(decision o-7)" "200 o-7 review 0"

# Erasure, before the companion has the user and while it has.
later o-9 u-gone
hold "select assay.erase_identity($(lock_of u-gone), 'u-gone', 1000)"
cron decide
let_go
cron decide
is "what is erased is not decided" "$(queued) $(decision o-9)" \
    " 404 NOT_FOUND - -"
cluster_psql postgres assay <<'END'
create function assay.slow() returns trigger language plpgsql as $$
begin
	if new.event_id = 'o-10' then
		perform pg_sleep(0.4);
	elsif new.event_id in ('o-slow', 'o-slow-2') then
		perform pg_sleep(9);
	end if;
	return new;
end $$;
grant execute on function assay.slow() to assay_companion;
create trigger slow before insert on assay.detail
    for each row execute function assay.slow();
END
later o-10 u-going
later o-11 u-going
start_cron decide
stack_until 20 "$stack_cron_pid" waits "wait_event = 'PgSleep'"
TOKEN=$token
http POST /v1/privacy/erase '{"userId":"u-going"}'
TOKEN=
wait "$stack_cron_pid"
is "what is being decided is erased then" "$STATUS $(json \
    '"\(.replaySamplesRemoved) \(.baseline)"') $(queued)" "200 1 true "
is "and what waited behind it never is" "$(sql "select string_agg(event_id, ' ')
    from assay.verdict_log where event_id in ('o-10', 'o-11')") $(sql "select
    count(*) from assay.user_state where user_id = 'u-going'")" "o-10 0"

# What cannot be decided rests, and its user's later events with it.
cluster_psql postgres assay <<'END'
create function assay.poison() returns trigger language plpgsql as $$
begin
	if new.user_id = 'u-poison' then
		raise exception 'poison' using errcode = '22012';
	end if;
	return new;
end $$;
grant execute on function assay.poison() to assay_companion;
create trigger poison before insert or update on assay.user_state
    for each row execute function assay.poison();
END
# rested: as if the time had passed.
rested() {
	sql "update assay.async_queue set not_before = now()"
}
later p-1 u-poison
later p-2 u-poison
later o-12 u-12
later o-slow u-slow
cron decide
is "a failure is tried again, others are decided" "$(queued) $(
    decision o-12) $(counted failed)" "p-1 p-2 o-slow 200 o-12 review 0 2"
is "after a rest" "$(sql "select tries, not_before > now()
    from assay.async_queue where event_id = 'p-1'")" "1|t"
cron decide
is "not sooner" "$(counted failed)" 0
check "the log says why" grep -q 'level=warn .*req=cor-p-1 decision=later tries=1 code=INTERNAL why="database error 22012' "$log"
sql "delete from assay.async_queue where event_id = 'o-slow'"
for _ in 2 3 4 5 6 7; do
	rested
	cron decide
done
is "again and again" "$(sql "select tries from assay.async_queue
    where event_id = 'p-1'") $(decision p-1)" "7 404 NOT_FOUND - -"
rested
cron decide
is "then it is given up, as the policy has it" "$(decision p-1) $(sql "select
    reasons from assay.verdict_log where event_id = 'p-1'")" \
    '200 p-1 deny -1 [{"tag":"engine.degraded","points":0}]'
is "and its user's next has its turn" "$(queued) $(sql "select tries
    from assay.async_queue")" "p-2 1"
check "the log says so" grep -q 'level=error .*req=cor-p-1 decision=degraded log=database code=INTERNAL why="database error 22012' "$log"
sql "drop trigger poison on assay.user_state"
rested
cron decide
is "it is decided when that is mended" "$(decision p-2)" "200 p-2 review 0"

# Rows that are no events, as a program of another version may leave them.
for row in "m-1 {" 'm-2 {"id":"m-2","type":"order.place"}' \
    'm-3 {"id":"o-1","type":"order.place","subject":{"userId":"u-m-3"}}' \
    'm-4 {"id":"m-4","type":"order.place","subject":{"userId":"u-1"}}'; do
	sql "insert into assay.async_queue (event_id, user_id, event,
	    correlation_id) values ('${row%% *}', 'u-${row%% *}', '${row#* }',
	    'cor-m')"
done
later m-5 u-m-2
cron decide
is "what cannot be read waits as well" "$(counted failed) $(decision m-5)" \
    "4 404 NOT_FOUND - -"
sql "update assay.async_queue set tries = 7, not_before = now()
    where event_id <> 'm-5'"
cron decide
is "and goes, without a verdict" "$(queued) $(counted unreadable) $(
    decision m-1) $(decision m-5)" " 4 404 NOT_FOUND - - 200 m-5 review 0"
check "which the log says" grep -q 'level=error .*req=cor-m decision=none number=[0-9]* where=subject why="is required"' "$log"

# Nothing is degraded, and no try counted, because the database is away.
later o-13 u-13
start_cron "decide --for 10m"
stop_database
check "the companion waits for the database" stack_until 10 "$stack_cron_pid" \
    grep -q 'job=decide .*step=away' "$log"
start_database
check "and goes on by itself" stack_until 20 "$stack_cron_pid" \
    grep -q 'req=cor-o-13 decision=async' "$log"
stop_cron
wait_ready
is "it was decided" "$(decision o-13)" "200 o-13 review 0"
finish
