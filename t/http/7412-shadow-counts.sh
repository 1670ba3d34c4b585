#!/bin/sh
# SPDX-License-Identifier: ISC
# The counts of a shadow: each decision and each label is counted once, even if
# companions are killed and shadows begin and end meanwhile.
. "$(dirname "$0")/lib.sh"
use lock ctl shadow

start_signed_in SCORER_SHADOW=ml
key=$KEY
KEY=
login admin@example.com 'correct horse'

# recount_shadows: print the counts, computed from the samples and the labels.
recount_shadows() {
	sql "with seen as (
	    select s.number, d.event_type, d.event_id,
		r.verdict || '.' || w.verdict as verdicts
	    from assay.decision_detail d, json_to_record(d.sample::json)
		    as r(verdict text, shadow json),
		json_to_record(r.shadow) as w(id text, verdict text),
		assay.shadow s
	    where r.shadow is not null and s.id = w.id)
	select number, event_type, 'verdicts', verdicts, count(*) from seen
	group by 1, 2, 4
	union all
	select number, event_type, l.outcome, verdicts, count(*)
	from seen join assay.label l using (event_id)
	group by 1, 2, 3, 4" | LC_ALL=C sort
}
counted_shadows() {
	sql "select number, event_type, kind, name, n from assay.shadow_count
	where kind in ('verdicts', 'fraud', 'legit') and n <> 0" | LC_ALL=C sort
}
# shellcheck disable=SC2317 # stack_until calls it
all_counted() {
	[ "$(counted_shadows)" = "$(recount_shadows)" ]
}

# Two companions are killed again and again while shadows are replaced.
cron project SCORER_SHADOW=ml
begin_shadow v1
check "assayctl starts a shadow ruleset" \
    prints 'order.place v1 is a shadow: shd_'
killed=0
(make_traffic 1; begin_shadow v2; make_traffic 2; make_traffic 3) >/dev/null &
working=$!
while kill -0 "$working" 2>/dev/null; do
	start_cron "project --for 10m" SCORER_SHADOW=ml
	first=$stack_cron_pid
	start_cron "project --for 10m" SCORER_SHADOW=ml
	sleep "0.$((killed % 5 + 2))"
	kill -s KILL "$first" "$stack_cron_pid"
	wait "$first" "$stack_cron_pid" 2>/dev/null
	killed=$((killed + 1))
done
check "companions were killed twice or more" [ "$killed" -gt 1 ]
start_cron "project --for 10m" SCORER_SHADOW=ml
first=$stack_cron_pid
start_cron "project --for 10m" SCORER_SHADOW=ml
make_traffic 4 >/dev/null
stack_until 40 0 all_counted
is "every decision and every label is counted once" "$(counted_shadows)" \
    "$(recount_shadows)"
check "the second shadow has more than 20 counts" \
    [ "$(sql "select count(distinct c.number)
    from assay.shadow_count c join assay.shadow s using (number)
    where s.version = 'v2' and c.n > 20")" = 1 ]
newest="order by d.decided_at desc, d.verdict_id desc limit 20"
is "the examples are the newest 20 decisions that differ, each once" \
    "$(sql "select d.event_id, d.live, d.shadow from assay.shadow_example d
    join assay.shadow s using (number) where s.version = 'v2' $newest")" \
    "$(sql "select d.event_id, r.verdict, w.verdict from assay.decision_detail d,
    json_to_record(d.sample::json) as r(verdict text, shadow json),
    json_to_record(r.shadow) as w(id text, verdict text), assay.shadow s
    where s.id = w.id and s.version = 'v2' and r.verdict <> w.verdict $newest")"
http GET /v1/model/shadow
is_json "a shadow has its author and examples" '.[] | select(.version == "v2") |
    "\(.author) \(.proposal) \(.examples | length)"' "admin@example.com null 20"
kill -s TERM "$first" "$stack_cron_pid"
wait "$first" "$stack_cron_pid"

# A companion is killed between the cursor and the counts.
hold_lock "lock table assay.shadow_count in share mode"
# shellcheck disable=SC2317 # stack_until calls it
count_waits() {
	[ "$(sql "select count(*) from pg_locks where not granted
	    and relation = 'assay.shadow_count'::regclass")" = 1 ]
}
KEY=$key
http POST /v1/decisions '{"id":"h-1","type":"order.place","amount":9000,
    "currency":"EUR","subject":{"userId":"u-h"}}'
start_cron "project --for 10m" SCORER_SHADOW=ml
stack_until 20 0 count_waits
http POST /v1/decisions '{"id":"h-2","type":"order.place","amount":9000,
    "currency":"EUR","subject":{"userId":"u-h"}}'
KEY=
is "a decision does not wait for the companion's counts" \
    "$STATUS $(json '.score >= 0')" \
    "200 true"
begin_shadow v3 &
request=$!
kill -s KILL "$stack_cron_pid"
wait "$stack_cron_pid" 2>/dev/null
release_lock
wait "$request"
cron project SCORER_SHADOW=ml
is "the counts agree when a shadow began meanwhile" \
    "$(counted_shadows)" "$(recount_shadows)"
finish
