#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl train: what was decided live and labelled trains the same model, to
# the bit, as the table that the same history makes offline; and what was
# trained is what serves.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"
# shellcheck source=t/http/past.sh
. "$(dirname "$0")/past.sh"

awk -v features="$(sed -n 's/^FEATURE([^,]*, "\([^"]*\)".*/\1/p' \
    "$srcdir/core/signal/features.tbl" | paste -sd ,)" -f "$srcdir/t/table.awk" \
    >"$scratch/table.csv"
start_database

# served: how many models were made to serve, and the last of them.
served() {
	sql "select count(*) over (), origin, hash from assay.model_load
	    order by number desc limit 1"
}

unset ADMIN_DATABASE_URL DATABASE_URL
ctl train --publish "$scratch/table.csv"
is "no database" "$STATUS" 78
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export ADMIN_DATABASE_URL
ctl train --publish --output "$scratch/model" "$scratch/table.csv"
is "a model is published" "$STATUS" 0
hash=$(sha256sum <"$scratch/model" | cut -d ' ' -f 1)
is "the one that is written" "$(served)" "1|published|$hash"
ctl models check "$scratch/model"
is "which the other commands take" "$STATUS" 0
ctl train --publish "$scratch/table.csv"
is "the same again" "$STATUS" 0
check "serves already" grep -q 'serves already' "$scratch/err"
is "and is no other" "$(served)" "1|published|$hash"
ctl train --publish --train-until 2026-02-01 "$scratch/table.csv"
is "another" "$STATUS $(served | cut -d '|' -f 1)" "0 2"
check "is another" [ "$(served)" != "2|published|$hash" ]
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=assay_companion"
ctl train --publish "$scratch/table.csv"
is "who is not the owner publishes nothing" \
    "$STATUS $(served | cut -d '|' -f 1)" "70 2"

# The database's own samples, of which there are none yet.
unset ADMIN_DATABASE_URL
DATABASE_URL="host=$scratch/run dbname=assay user=assay_operator"
export DATABASE_URL
ctl train
is "nothing was decided" "$STATUS" 65
check "is told" said 'no such replay samples: each decision leaves one'
ctl train --since 2026-01-01 "$scratch/table.csv"
is "a table is read whole" "$STATUS" 64
ctl train --event-type card.refunds
is "no event type" "$STATUS" 64
ctl train --since soon
is "no time" "$STATUS" 64

# Decide a history, each third of it by another scorer.  Nothing is denied, so
# that baselines are the same whoever scores; model and labels are such that
# the scores are not.
start_pool
start_nginx
wait_ready
admin_token
api_key
API_KEY=$KEY
export API_KEY
types=$(sed -n 's/^EVENT_TYPE([^,]*, "\([^"]*\)".*/\1/p' \
    "$srcdir/core/event/event_types.tbl")
# bands ALLOWED: a policy that reviews what is above.
bands() {
	printf '"onError":"fail_open","bands":[{"verdict":"allow","min":0,
	    "max":%d},{"verdict":"review","min":%d,"max":100}]' \
	    "$1" $(($1 + 1))
}
for type in $types; do
	http POST /v1/policies "{\"id\":\"pol_$(echo "$type" | tr . _)\",
	    \"version\":\"mild\",$(bands 40)}"
	is "a policy for $type" "$STATUS" 200
done
sql "insert into assay.tag_count
    select distinct t.tag, 90, 10 from assay.ruleset r,
	regexp_matches(r.text, 'tag ([a-z_.]+)', 'g') m, unnest(m) as t(tag)
    on conflict do nothing; update assay.tag_epoch set number = number + 1"
"$builddir/sample/generate" --seed 5 --users 120 --days 6 --events 2400 \
    >"$scratch/rows.csv"
events=$(($(wc -l <"$scratch/rows.csv") - 1))
# part FROM SCORER
part() {
	stop_pool
	start_pool "SCORER=$2"
	wait_ready
	ctl replay --quiet --batch 50 --offset "$1" --limit 800 \
	    "$scratch/rows.csv"
	is "some are decided by $2" "$STATUS" 0
}
part 0 weighted
part 800 learned
part 1600 ml
is "each left a sample" "$(sql "select count(replay),
    count(*) filter (where replay like '%\"scorer\":\"ml\"%'),
    count(*) filter (where replay like '%\"scorer\":\"learned\"%')
    from assay.detail")" "$events|800|800"
check "whose score is not that of the rules" [ "$(sql "select count(*)
    from assay.detail where replay::json ->> 'score' <>
	replay::json ->> 'rulesScore'")" -gt 500 ]

# The same history offline, at the times at which it was decided; then as if it
# had taken forty days, with labels from a week after.
sql "select event_id, to_char(decided_at at time zone 'UTC',
	'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')
    from assay.detail order by decided_at" >"$scratch/live"
perl -e '
	open my $live, "<", $ARGV[0]; open my $rows, "<", $ARGV[1];
	print scalar <$rows>;
	my %row = map { /^([^,]*),[^,]*(.*)/s; $1 => $2 } <$rows>;
	while (<$live>) { chomp; my ($id, $time) = split /\|/;
	    print "$id,$time$row{$id}" }' "$scratch/live" "$scratch/rows.csv" \
    >"$scratch/history.csv"
printf '{%s}' "$(bands 40)" >"$scratch/mild.json"
ctl replay --offline --sql "$srcdir/sql" --policy "$scratch/mild.json" \
    --export "$scratch/offline.csv" "$scratch/history.csv"
is "it is decided again offline" "$STATUS" 0
months 3
sql "create table public.moved as
    select event_id, now() - interval '40 days' + interval '20 minutes' *
	row_number() over (order by decided_at) as at from assay.detail;
    update assay.detail d set decided_at = m.at
    from public.moved m where m.event_id = d.event_id"
sql "select event_id, to_char(at at time zone 'UTC',
	'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), to_char((at + interval '7 days')
	at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')
    from public.moved" >"$scratch/moved"
perl -e '
	open my $moved, "<", $ARGV[0]; open my $rows, "<", $ARGV[1];
	my %at = map { chomp; my ($id, @at) = split /\|/; $id => \@at } <$moved>;
	print scalar <$rows>;
	while (<$rows>) {
		my @f = split /,/, $_, -1;
		# Of one in three that is legit nobody ever hears.
		$f[3] = "" if !$f[3] && $. % 3 == 0;
		@f[2, 4] = @{$at{$f[0]}};
		$f[4] = "" if $f[3] eq "";
		print join ",", @f;
	}' "$scratch/moved" "$scratch/offline.csv" >"$scratch/table.csv"
cut -d, -f1,4,5 "$scratch/table.csv" | sed -n 's/,\([01]\),/,\1,/p' |
    awk -F, '{ printf "%s(\047%s\047, %s, \047%s\047::timestamptz)",
	(NR == 1 ? "" : ","), $1, ($2 == 1 ? "true" : "false"), $3 }' \
    >"$scratch/labels"
# Of what is fraud an analyst had thought otherwise.
sql "insert into assay.label (event_id, chargeback, analyst, labelled_at,
	outcome_at)
    select id, case when fraud then 'fraud' end, 'legit',
	at - interval '6 days' * fraud::int, case when fraud then at end
    from (values $(cat "$scratch/labels")) as v(id, fraud, at)"

# same WHAT ARGUMENT ...: either way trains the same model.
same() {
	who=$1
	shift
	ctl train --output "$scratch/of_table" "$@" "$scratch/table.csv"
	is "$who: of the table" "$STATUS" 0
	sed '/^verdicts/,/^$/d' "$scratch/out" >"$scratch/report"
	ctl train --output "$scratch/of_samples" "$@"
	is "$who: of the samples" "$STATUS" 0
	check "is the same model" cmp "$scratch/of_table" "$scratch/of_samples"
	check "and, but for policies, the same report" [ "$(sed \
	    '/^verdicts/,/^$/d' "$scratch/out")" = "$(cat "$scratch/report")" ]
}
same "all of it"
users=$(sed 1d "$scratch/table.csv" | cut -d , -f 2 | sort -u | wc -l)
check "by a role that may read" said "read $events rows of $users users"
same "known by some time" --train-until "$(sed -n '2000{s/^[^,]*,[^,]*,//
    s/,.*//p;}' "$scratch/table.csv")" --label-delay 3 --train-days 25 \
    --test-days 4

# The report is by the policies that are live, each type by its own.
http POST /v1/policies "{\"id\":\"pol_card_authorize\",
    \"version\":\"other\",$(bands 12)}"
is "another policy goes live" "$STATUS" 200
# banded TYPE: the bands and how many events were tested.
banded() {
	awk -v title="verdicts by the live policy on $1" '
		$0 == title { on = 1; next }
		NF == 0 { on = 0 }
		on && $1 != "VERDICT" { printf "%s %s-%s ", $1, $2, $3
		    n += $4 + $5 }
		END { print (n > 0) }' "$scratch/out"
}
ctl train
is "the report is by it" "$(banded card.authorize)" \
    "allow 0-12 review 13-100 1"
is "and by others for others" "$(banded account.login)" \
    "allow 0-40 review 41-100 1"
ctl train --policy "$scratch/mild.json"
is "or by one that is given" "$(grep -c 'mild.json on card.authorize$' \
    "$scratch/out")$(grep -c 'live policy' "$scratch/out")" 10

# Less of it.
ctl train --event-type card.authorize
is "of one type there are so many" "$STATUS $(sed -n \
    's/.*read \([0-9]*\) rows.*/\1/p' "$scratch/err")" \
    "0 $(sql "select count(*) from assay.detail
	where event_type = 'card.authorize'")"
since=$(sed -n '601{s/^[^,]*,[^,]*,//;s/,.*//p;}' "$scratch/table.csv")
ctl train --since "$since"
is "and since some time" "$STATUS $(sed -n \
    's/.*read \([0-9]*\) rows.*/\1/p' "$scratch/err")" \
    "0 $((events - 599))"

# Many at one instant, a sample that nobody can read, and no labels.
sql "update assay.detail set decided_at = date_trunc('hour', now());
    update assay.detail
    set replay = '{}' where verdict_id = (select max(verdict_id)
	from assay.detail)"
ctl train --train-until "$since"
check "samples of one instant are read once" said \
    "read $((events - 1)) rows of $users users"
check "what cannot be read is left out" said 'left out 1 samples'
sql "delete from assay.label"
ctl train
is "without labels" "$STATUS" 65
check "is told, and what makes them" said 'none of the 2399 samples has a label'
ctl train --since 2100-01-01
check "nor of times to come" said 'no such replay samples'
DATABASE_URL="host=$scratch/run dbname=assay user=assay_decide"
ctl train
is "who decides reads no samples" "$STATUS" 70
finish
