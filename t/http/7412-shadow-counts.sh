#!/bin/sh
# SPDX-License-Identifier: ISC
# What is counted of a probation: each decision and each label once, whoever is
# killed and whatever begins and ends meanwhile; and as assayctl shows it.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"

start_stack SCORER_SHADOW=ml
admin_token
api_key
key=$KEY
KEY=
login admin@example.com 'correct horse'

# recounted: what should be there, by the samples and the labels that count.
recounted() {
	sql "with seen as (
	    select s.number, d.event_type, d.event_id,
		r.verdict || '.' || w.verdict as verdicts
	    from assay.detail d, json_to_record(d.replay::json)
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
counted() {
	sql "select number, event_type, kind, name, n from assay.shadow_count
	where kind in ('verdicts', 'fraud', 'legit') and n <> 0" | LC_ALL=C sort
}
# shellcheck disable=SC2317 # stack_until calls it
all_counted() {
	[ "$(counted)" = "$(recounted)" ]
}

# traffic ROUND: decisions, some by batches, and labels, some of them before
# their decision and some that change.
traffic() {
	for i in 1 2 3; do
		events=
		for j in 1 2 3 4 5 6 7 8; do
			events="$events{\"id\":\"e-$1-$i-$j\",\"type\":\"order.place\",
			    \"amount\":$((j * 900)),\"currency\":\"EUR\",
			    \"subject\":{\"userId\":\"w-$j\"}},"
		done
		KEY=$key
		http POST /v1/labels/chargeback "{\"eventId\":\"e-$1-$i-1\"}"
		sql "select assay.label_put('e-$1-$i-' || n, 'analyst', 'legit', 'c')
		    from generate_series(2, 4) n" >/dev/null
		http POST /v1/decisions/batch "{\"events\":[${events%,}]}"
		http POST /v1/labels/chargeback "{\"eventId\":\"e-$1-$i-2\"}"
		KEY=
	done
}
# begin VERSION: rules on probation, by a file.
begin() {
	echo 'rule r { when event.amount > 3000 then score += 60, tag big }' \
	    >"$scratch/cand.rule"
	ctl rules shadow order.place "$1" "$scratch/cand.rule"
}

# Two companions, killed again and again, while probations come and go.
cron project SCORER_SHADOW=ml
begin v1
check "rules are put on probation" said 'order.place v1 is on probation: shd_'
killed=0
(traffic 1; begin v2; traffic 2; traffic 3) >/dev/null &
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
check "companions were killed" [ "$killed" -gt 1 ]
start_cron "project --for 10m" SCORER_SHADOW=ml
first=$stack_cron_pid
start_cron "project --for 10m" SCORER_SHADOW=ml
traffic 4 >/dev/null
stack_until 40 0 all_counted
is "every decision and every label is counted once" "$(counted)" \
    "$(recounted)"
check "of the one that is there" [ "$(sql "select count(distinct c.number)
    from assay.shadow_count c join assay.shadow s using (number)
    where s.version = 'v2' and c.n > 20")" = 1 ]
kill -s TERM "$first" "$stack_cron_pid"
wait "$first" "$stack_cron_pid"

# Killed between the cursor and the counts: nothing is held up, nothing lost.
mkfifo "$scratch/holder"
cluster_psql postgres assay -q <"$scratch/holder" >/dev/null 2>&1 &
holder=$!
exec 8>"$scratch/holder"
echo "begin; lock table assay.shadow_count in share mode;" >&8
# shellcheck disable=SC2317 # stack_until calls it
waits() {
	[ "$(sql "select count(*) from pg_locks where not granted
	    and relation = 'assay.shadow_count'::regclass")" = 1 ]
}
KEY=$key
http POST /v1/decisions '{"id":"h-1","type":"order.place","amount":9000,
    "currency":"EUR","subject":{"userId":"u-h"}}'
start_cron "project --for 10m" SCORER_SHADOW=ml
stack_until 20 0 waits
http POST /v1/decisions '{"id":"h-2","type":"order.place","amount":9000,
    "currency":"EUR","subject":{"userId":"u-h"}}'
KEY=
is "a decision waits for nobody who counts" "$STATUS $(json '.score >= 0')" \
    "200 true"
begin v3 &
request=$!
kill -s KILL "$stack_cron_pid"
wait "$stack_cron_pid" 2>/dev/null
echo "commit;" >&8
exec 8>&-
wait "$holder" "$request"
cron project SCORER_SHADOW=ml
is "and a beginning waits for who counts" "$(counted)" "$(recounted)"

# As operators see it.
traffic 5 >/dev/null
sql "update assay.label set look_at = now()"
cron project SCORER_SHADOW=ml
cron project SCORER_SHADOW=ml
ctl shadow list
check "all of them" said 'order.place  *ruleset  *v3  *active  *2.*order.place  *scorer  *ml  *waiting'
ctl shadow show order.place
check "one of them" said 'version  *v3|.*decisions  *24|.*LIVE  *POINTS.*big  *0  *0  *15  *900'
check "with what labels say" said 'P5  *P25.*|live  *[0-9].*|shadow  *0  *0  *60 '
ctl shadow show card.none
is "none of a type that is none" "$STATUS" 65
ctl shadow promote --type order.place --id shd_1
check "another was meant" said 'something else is on probation'
ctl shadow promote --type order.place
check "it is promoted" said '^v3 serves'
ctl rules list
check "and serves" said 'order.place  *v3 '
ctl shadow end --type order.place
check "and has ended" said 'nothing is on probation there'
ctl shadow end
check "a setting is none to end" said 'SCORER_SHADOW is a setting'
echo '{}' >"$scratch/none.json"
ctl shadow start --model "$scratch/none.json"
is "a file that is no model is not sent" "$STATUS" 65
names=$(sed -n 's/^FEATURE([^,]*, "\([^"]*\)".*/"\1"/p' \
    "$srcdir/core/signal/features.tbl" | jq -cs .)
version=$(sed -n 's/^#define FEATURES_VERSION \([0-9]*\).*/\1/p' \
    "$srcdir/core/signal/features.h")
jq -n --argjson names "$names" --argjson version "$version" '{
    featuresVersion: $version, featureNames: $names, weights: ($names | map(0)),
    bias: 3, trainedAt: "2026-11-21", baseRate: 0.5,
    calibration: { a: 1, b: 0 },
    metrics: { auc: 0.9, accuracy: 0.8, samples: 100 } }' >"$scratch/model.json"
ctl shadow start --model "$scratch/model.json"
check "a model is, byte for byte" said \
    "^$(sha256sum <"$scratch/model.json" | head -c 16) is on probation: shd_"

# One that begins to serve at the moment at which it is put on probation.
jq '.bias = 2' <"$scratch/model.json" >"$scratch/other.json"
hash=$(sha256sum <"$scratch/other.json" | head -c 64)
cluster_psql postgres assay -q <"$scratch/holder" >/dev/null 2>&1 &
holder=$!
exec 8>"$scratch/holder"
echo "begin; select from assay.shadow for key share;" >&8
# shellcheck disable=SC2317 # stack_until calls it
wait_for() {
	[ "$(sql "select count(*) from pg_locks where not granted")" = "$1" ]
}
ctl shadow start --model "$scratch/other.json" &
request=$!
stack_until 20 0 wait_for 1
sql "select assay.model_serve('published', '$hash',
    convert_from('\\x$(od -An -v -tx1 "$scratch/other.json" | tr -d ' \n')',
    'UTF8'))" >"$scratch/served" &
serving=$!
stack_until 20 0 wait_for 2
echo "commit;" >&8
exec 8>&-
wait "$holder" "$request" "$serving"
check "is on probation" said "^$(printf %.16s "$hash") is on probation: shd_"
is "and serves" "$(cat "$scratch/served")" t
ctl shadow end
check "and ends" said 'is on probation no more'
ctl shadow start
is "without a file there is none" "$STATUS" 65
finish
