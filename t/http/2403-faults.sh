#!/bin/sh
# SPDX-License-Identifier: ISC
# The database is there and refuses: a poisoned event, a deadlock, a held
# lock, a full disk; and the spool's disk refuses too.  What the server says
# when its disk is full is said by a trigger: a disk that is really full needs
# a file system of its own, which not every machine lets a test mount.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/away.sh
. "$(dirname "$0")/away.sh"

start_stack
admin_token
api_key
TOKEN=

# login USER: an event of theirs.
login() {
	printf '{"type":"account.login","subject":{"userId":"%s"}}' "$1"
}

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

http POST /v1/decisions/batch "{\"events\":[$(login u-1),$(login u-poison),
    $(login u-2)]}"
is_json "a poisoned event harms no other" \
    '[.results[].decision.score] | join(" ")' "0 -1 0"
is "it is logged in the database" "$(sql "select count(*)
    from assay.verdict_log where score = -1") $(metric \
    engine_spool_written_total)" "1 0"
check "and told with what the server said" grep -q \
    'decision=degraded log=database code=INTERNAL why="database error 22012' \
    "$scratch/log/pool.log"
ask "$(login u-dead)"
is "a deadlock is tried again" "$(json .score)" 0

# A held lock: the number of a user's advisory lock is FNV-1a of the id.
key=$(perl -e 'use integer; my $h = -3750763034362895579;
    $h = ($h ^ ord) * 1099511628211 for split //, "u-held"; print $h')
mkfifo "$scratch/fifo"
cluster_psql postgres assay -At <"$scratch/fifo" >/dev/null &
holder=$!
exec 8>"$scratch/fifo"
echo "begin; select pg_advisory_xact_lock($key);" >&8
# shellcheck disable=SC2317 # called by stack_until
held() {
	[ "$(sql "select count(*) from pg_locks where locktype = 'advisory'
	    and granted")" = 1 ]
}
stack_until 10 0 held
http POST /v1/decisions "$(login u-held)"
is "a lock that is held too long degrades" "$(brief)" \
    "200 allow -1 engine.degraded"
ask "$(login u-free)"
is "its user alone" "$(json .score)" 0
is "in the database" "$(metric engine_spool_written_total)" 0
echo "rollback;" >&8
exec 8>&-
wait "$holder"
ask "$(login u-held)"
is "until it is free" "$(json .score)" 0
sql "delete from assay.detail where verdict_id in
    (select id from assay.verdict_log where score = -1)"

# A full disk.
sql "create trigger no_room before insert on assay.verdict_log
    for each row execute function assay.no_room()" >/dev/null
for user in 1 2 3; do
	ask "$(login u-$user)"
	is "a full disk costs no answer ($user)" "$(brief)" \
	    "200 allow -1 engine.degraded"
done
http POST /v1/decisions/batch "{\"events\":[$(login b-1),$(login b-2)]}"
is_json "nor those of a batch" '[.results[].decision.score] | join(" ")' "-1 -1"
is "they are in the spool" "$(metric engine_spool_written_total)" 5
http GET /readyz
is "the server answers, and so does readyz" "$STATUS" 200
# shellcheck disable=SC2317 # called by stack_until
stuck() {
	grep -q 'spool=stuck' "$scratch/log/pool.log"
}
check "that the spool cannot be drained is told" stack_until 10 \
    "$stack_pool_pid" stuck
check "and loses nothing" test "$(metric engine_spool_records)" -eq 5
sql "drop trigger no_room on assay.verdict_log" >/dev/null
wait_drained
sql "delete from assay.detail where user_id in ('b-1', 'b-2')"
logged_once "with room again each answer is in the log once"
is "and none was set aside" "$(metric engine_spool_aside_total)" 0

# The spool refuses as well.
stop_database
chmod 500 "$scratch/spool"
http POST /v1/decisions "$(login u-1)"
is_error "what cannot be logged is not answered" 503 UNAVAILABLE
check "and somebody is told why" grep -q 'decision=failed why="spool opening' \
    "$scratch/log/pool.log"
is "nothing is counted" "$(metric engine_spool_records)" 0
chmod 700 "$scratch/spool"
ask "$(login u-1)"
is "until it can" "$(brief)" "200 allow -1 engine.degraded"
start_database
wait_drained
logged_once "then it is in the log once"
finish
