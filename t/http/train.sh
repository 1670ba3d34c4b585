# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenario of training with samples needs: a history that is decided,
# replayed offline, spread over forty days, and labelled.  Sourced after ctl.sh
# and past.sh; the scenario has $events rows in rows.csv.
# shellcheck disable=SC2154 # of lib.sh, ctl.sh and the scenario

# policy_bands ALLOWED: a policy that reviews higher scores.
policy_bands() {
	printf '"onError":"fail_open","bands":[{"verdict":"allow","min":0,
	    "max":%d},{"verdict":"review","min":%d,"max":100}]' \
	    "$1" $(($1 + 1))
}

# decide_part FROM SCORER: decide 800 rows with that scorer.
decide_part() {
	stop_pool
	start_pool "SCORER=$2"
	wait_ready
	ctl replay --quiet --batch 50 --offset "$1" --limit 800 \
	    "$scratch/rows.csv"
	is "the scorer $2 decides 800 events" "$STATUS" 0
}

# replay_history: the same events offline, at the times of their decisions.
replay_history() {
	sql "select event_id, to_char(decided_at at time zone 'UTC',
		'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')
	    from assay.decision_detail order by decided_at" >"$scratch/live"
	perl -e '
		open my $live, "<", $ARGV[0]; open my $rows, "<", $ARGV[1];
		print scalar <$rows>;
		my %row = map { /^([^,]*),[^,]*(.*)/s; $1 => $2 } <$rows>;
		while (<$live>) { chomp; my ($id, $time) = split /\|/;
		    print "$id,$time$row{$id}" }' "$scratch/live" "$scratch/rows.csv" \
	    >"$scratch/history.csv"
	printf '{%s}' "$(policy_bands 40)" >"$scratch/mild.json"
	ctl replay --offline --sql "$srcdir/sql" --policy "$scratch/mild.json" \
	    --export "$scratch/offline.csv" "$scratch/history.csv"
	is "the history is replayed offline" "$STATUS" 0
}

# spread_samples: as if the history had taken forty days, with labels a week
# after each event; the same in table.csv.
spread_samples() {
	add_months 3
	sql "create table public.moved as
	    select event_id, now() - interval '40 days' + interval '20 minutes' *
		row_number() over (order by decided_at) as at from assay.decision_detail;
	    update assay.decision_detail d set decided_at = m.at
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
			# One legit event in three gets no label.
			$f[3] = "" if !$f[3] && $. % 3 == 0;
			@f[2, 4] = @{$at{$f[0]}};
			$f[4] = "" if $f[3] eq "";
			print join ",", @f;
		}' "$scratch/moved" "$scratch/offline.csv" >"$scratch/table.csv"
	cut -d, -f1,4,5 "$scratch/table.csv" | sed -n 's/,\([01]\),/,\1,/p' |
	    awk -F, '{ printf "%s(\047%s\047, %s, \047%s\047::timestamptz)",
		(NR == 1 ? "" : ","), $1, ($2 == 1 ? "true" : "false"), $3 }' \
	    >"$scratch/labels"
	# An analyst had labelled the frauds legit.
	sql "insert into assay.label (event_id, chargeback, analyst, labelled_at,
		outcome_at)
	    select id, case when fraud then 'fraud' end, 'legit',
		at - interval '6 days' * fraud::int, case when fraud then at end
	    from (values $(cat "$scratch/labels")) as v(id, fraud, at)"
}

# train_both WHAT ARGUMENT ...: table and samples train the same model.
train_both() {
	train_what=$1
	shift
	ctl train --output "$scratch/of_table" "$@" "$scratch/table.csv"
	is "the table trains a model: $train_what" "$STATUS" 0
	sed '/^verdicts/,/^$/d' "$scratch/out" >"$scratch/report"
	ctl train --output "$scratch/of_samples" "$@"
	is "the samples train a model: $train_what" "$STATUS" 0
	check "table and samples train the same model: $train_what" \
	    cmp "$scratch/of_table" "$scratch/of_samples"
	check "both agree but for policies and champion: $train_what" [ "$(sed \
	    '/^verdicts/,/^$/d; /^compared with/,/^$/d' "$scratch/out")" = \
	    "$(cat "$scratch/report")" ]
}

# report_bands TYPE: its bands, and whether any event was tested.
report_bands() {
	awk -v title="verdicts by the active policy on $1" '
		$0 == title { on = 1; next }
		NF == 0 { on = 0 }
		on && $1 != "VERDICT" { printf "%s %s-%s ", $1, $2, $3
		    n += $4 + $5 }
		END { print (n > 0) }' "$scratch/out"
}
