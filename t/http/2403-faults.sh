#!/bin/sh
# SPDX-License-Identifier: ISC
# The database answers with errors: a poisoned event, a deadlock, a held lock, a
# full disk; and the spool's disk fails too.  A trigger raises the error of a full
# disk, because a really full one needs its own file system, which not every
# machine lets a test mount.
. "$(dirname "$0")/lib.sh"
use away lock

start_with_key

cluster_psql postgres assay <<'END'
create sequence assay.tries;
grant usage on sequence assay.tries to assay_decide;
create function assay.poison() returns trigger language plpgsql as $$
begin
	if new.user_id = 'u-poison' then
		raise exception 'poison' using errcode = '22012';
	end if;
	if new.user_id = 'u-dead' and nextval('assay.tries') = 1 then
		raise exception 'deadlock' using errcode = '40P01';
	end if;
	return new;
end $$;
grant execute on function assay.poison() to assay_decide;
create trigger poison before insert or update on assay.user_state
    for each row execute function assay.poison();
create function assay.no_room() returns trigger language plpgsql as $$
begin
	raise exception 'no space left on device' using errcode = '53100';
end $$;
grant execute on function assay.no_room() to assay_decide;
END

http POST /v1/decisions/batch "{\"events\":[$(login_event u-1),$(login_event u-poison),
    $(login_event u-2)]}"
is_json "a poisoned event does not change the others of its batch" \
    '[.results[].decision.score] | join(" ")' "0 -1 0"
is "the onError verdict of a poisoned event is in the database" \
    "$(sql "select count(*)
    from assay.verdict_log where score = -1") $(metric \
    engine_spool_written_total)" "1 0"
check "the pool logs the server's error for a poisoned event" grep -q \
    'event=decision_degraded log=database code=INTERNAL why="database error 22012' \
    "$scratch/log/pool.log"
ask_decision "$(login_event u-dead)"
is "a deadlock is tried again" "$(json .score)" 0

# Another transaction holds the lock of a user.
hold_lock "select pg_advisory_xact_lock($(user_lock u-held))"
http POST /v1/decisions "$(login_event u-held)"
is "a user's lock held too long gives the onError verdict" "$(brief_answer)" \
    "200 allow -1 engine.degraded"
ask_decision "$(login_event u-free)"
is "events of other users are scored during the held lock" "$(json .score)" 0
is "the onError verdict of a held lock is not in the spool" \
    "$(metric engine_spool_written_total)" 0
release_lock
ask_decision "$(login_event u-held)"
is "the user's events are scored after the lock is released" "$(json .score)" 0
sql "delete from assay.decision_detail where verdict_id in
    (select id from assay.verdict_log where score = -1)"

# A full disk.
sql "create trigger no_room before insert on assay.verdict_log
    for each row execute function assay.no_room()" >/dev/null
for user in 1 2 3; do
	ask_decision "$(login_event u-$user)"
	is "decision $user on a full disk gets the onError verdict" \
	    "$(brief_answer)" \
	    "200 allow -1 engine.degraded"
done
http POST /v1/decisions/batch "{\"events\":[$(login_event b-1),$(login_event b-2)]}"
is_json "a batch on a full disk gets onError verdicts" \
    '[.results[].decision.score] | join(" ")' "-1 -1"
is "answers on a full disk are in the spool" \
    "$(metric engine_spool_written_total)" 5
http GET /readyz
is "with a full disk /readyz answers 200" "$STATUS" 200
# shellcheck disable=SC2317 # called by stack_until
spool_is_stuck() {
	grep -q 'event=spool_drain_failed' "$scratch/log/pool.log"
}
check "the pool logs that it cannot drain the spool" stack_until 10 \
    "$stack_pool_pid" spool_is_stuck
check "a stuck spool keeps its records" \
    test "$(metric engine_spool_records)" -eq 5
sql "drop trigger no_room on assay.verdict_log" >/dev/null
wait_drained
sql "delete from assay.decision_detail where user_id in ('b-1', 'b-2')"
answers_logged_once "after the full disk each answer is in the log once"
is "no record of the full disk is quarantined" \
    "$(metric engine_spool_quarantined_total)" 0

# Neither database nor spool can be written.
stop_database
chmod 500 "$scratch/spool"
http POST /v1/decisions "$(login_event u-1)"
is_error "a decision that cannot be logged answers 503" 503 UNAVAILABLE
check "the pool logs why the decision failed" \
    grep -q 'event=decision_failed why="spool opening' \
    "$scratch/log/pool.log"
is "a failed decision counts no record" "$(metric engine_spool_records)" 0
chmod 700 "$scratch/spool"
ask_decision "$(login_event u-1)"
is "a decision is degraded when the spool can be written again" \
    "$(brief_answer)" "200 allow -1 engine.degraded"
start_database
wait_drained
answers_logged_once "the degraded decision is in the log once"

# A record of a month without a partition is quarantined; the other records are
# drained.
stop_database
http POST /v1/decisions "$(login_event u-1)"
sed 's/^[0-9a-f]* //; s/"decidedAt":[0-9]*/"decidedAt":1000000/' \
    "$scratch/spool/active" | tr -d '\n' >"$scratch/old"
printf '%s %s\n' "$(sha256sum <"$scratch/old" | cut -c 1-16)" \
    "$(cat "$scratch/old")" >"$scratch/spool/active"
ask_decision "$(login_event u-2)"
start_database
wait_drained
answers_logged_once "a refused record does not stop the drain"
is "the refused record is quarantined" "$(metric engine_spool_quarantined_total) $(cat \
    "$scratch"/spool/*.quarantine | grep -c '"decidedAt":1000000')" "1 1"
finish
