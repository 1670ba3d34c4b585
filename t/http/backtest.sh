# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of backtests share; sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh; read by scenarios

# decide_sample: the shipped sample, 100 events a request.
decide_sample() {
	jq -Rnc '[inputs | split(",")] | .[0] as $names | .[1:] | map(
		[$names, .] | transpose | map(select(.[1] != "") |
		    {(.[0]): .[1]}) | add |
		{id, type, currency,
		    amount: (if .amount then .amount | tonumber else null end),
		    subject: {userId, deviceId, fingerprint, ip, phone, channel},
		    instrument: {kind, bin, issuerCountry, threeDS:
			(if .threeDS then .threeDS == "true" else null end)},
		    attributes: {merchant: .["attr.merchant"]}} |
		del(.. | nulls) | del(.. | select(. == {}))) |
	    _nwise(100) | {events: .}' "$srcdir/sample/transactions.csv" \
	    >"$scratch/batches"
	while read -r batch; do
		http POST /v1/decisions/batch "$batch"
		json '.results[] | select(.ok | not)'
	done <"$scratch/batches"
}

# send_backtest FILE: in the background, the answer to FILE.answer.
send_backtest() {
	curl -sS --max-time 610 --unix-socket "$scratch/run/http.sock" \
	    -o "$1.answer" -w '%{http_code}' -X POST --data-binary "@$1" \
	    -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' "$BASE/v1/backtest" \
	    >"$1.status" 2>"$scratch/curl" &
	curl_pid=$!
}

# slow_rules N: a body with N rules that are slow and never fire.
slow_rules() {
	awk -v n="$1" 'BEGIN {
		printf "{\"eventType\":\"card.refund\",\"dsl\":\""
		while (n-- > 0) {
			printf "rule r%d { when ", n
			for (i = 0; i < 24; i++)
				printf "event.amount < %d && ", 1e9 + n + i
			printf "event.amount > 1000000000 then score += 1, tag t%d }\\n", n % 9
		}
		print "\"}" }'
}

# none_running: GET shows no backtest.
# shellcheck disable=SC2317 # called by name
none_running() {
	http GET /v1/backtest
	[ "$(json '.running | length')" = 0 ]
}

# make_slow_samples: $samples of card.refund, and two bodies for them, slow and
# slower.
make_slow_samples() {
	sql "insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
		user_id, sample)
	    select decided_at, verdict_id || i, event_id || '-' || i, 'card.refund',
		user_id, sample
	    from assay.decision_detail, generate_series(1, 600) i
	    where event_type = 'card.authorize' order by decided_at"
	# As in a log that grows: rows lie in the order of time, and autovacuum has
	# summarized the index on it.  Otherwise each search reads all.
	sql 'vacuum analyze assay.decision_detail'
	samples=$(sql "select count(*) from assay.decision_detail
	    where event_type = 'card.refund'")
	slow_rules 1000 >"$scratch/slow"
	slow_rules 200 >"$scratch/slower"
}

# The verdict of the seed's bands on a score.
live_bands="case when score <= 24 then 'allow' when score <= 44 then 'challenge'
	when score <= 69 then 'review' else 'deny' end"

# make_samples: a view of the log, with the same columns for any candidate.
make_samples() {
	sql "create view sample as
	    select v.event_type as type, v.verdict as answered, v.score,
		v.reasons::jsonb @> '[{\"tag\":\"list.watch\"}]' as watched,
		signals(d.sample)::jsonb as s,
		coalesce(l.chargeback, l.analyst) as label
	    from assay.verdict_log v
		join assay.decision_detail d on d.verdict_id = v.id
		left join assay.label l on l.event_id = v.event_id
	    where v.score >= 0;
	    create function watched(verdict text, watched boolean) returns text
	    return case when watched and verdict in ('allow', 'challenge')
		then 'review' else verdict end"
}

# recount_backtest TYPE VERDICT LIVE: what VERDICT makes of each sample, in SQL.
recount_backtest() {
	sql "with t as (
		select answered, label, watched($2, watched) as candidate,
		    watched($3, watched) as live from sample where type = '$1'
	), k as (
		select answered, candidate, label, candidate <> 'allow' as c,
		    live <> 'allow' as b from t where label is not null
	), n as (
		select count(*) filter (where c and label = 'fraud') as tp,
		    count(*) filter (where c and label = 'legit') as fp,
		    count(*) filter (where not c and label = 'fraud') as fn,
		    count(*) filter (where not c and label = 'legit') as tn,
		    count(*) filter (where b and label = 'fraud') as btp,
		    count(*) filter (where b and label = 'legit') as bfp,
		    count(*) filter (where not b and label = 'fraud') as bfn,
		    count(*) filter (where not b and label = 'legit') as btn,
		    count(*) filter (where answered <> candidate) as flips
		from k
	)
	select (select count(*) from t), (select count(*) from k), n.*,
	    coalesce(round(tp * 1e6 / nullif(tp + fp, 0)), 0),
	    coalesce(round(tp * 1e6 / nullif(tp + fn, 0)), 0),
	    coalesce(round(fp * 1e6 / nullif(fp + tn, 0)), 0),
	    tp - btp, fp - bfp,
	    (select string_agg(answered || '>' || candidate || ':' || c, ' '
		    order by answered collate \"C\", candidate collate \"C\")
		from (select answered, candidate, count(*) as c from t
		    where answered <> candidate group by 1, 2) p),
	    (select string_agg(candidate || ':' || c, ' '
		    order by candidate collate \"C\")
		from (select candidate, count(*) as c from t group by 1) p)
	from n"
}

# answered_backtest: the same numbers of the answer.
answered_backtest() {
	json '[.sampleSize, .labeled,
	    (.candidate | .truePositives, .falsePositives, .falseNegatives,
		.trueNegatives),
	    (.baseline | .truePositives, .falsePositives, .falseNegatives,
		.trueNegatives),
	    .delta.flips, (.candidate | .precision, .recall,
		.falsePositiveRate | . * 1000000 | round),
	    .delta.fraudCaught, .delta.falsePositives,
	    (.flipsByPair | map("\(.from)>\(.to):\(.samples)") | sort |
		join(" ")),
	    (.mix.after | to_entries | map(select(.value > 0)) |
		sort_by(.key) | map("\(.key):\(.value)") | join(" "))] |
	    join("|")'
}

# check_backtest WHAT TYPE MEMBERS VERDICT [LIVE]: it agrees with the recount.
check_backtest() {
	http POST /v1/backtest "{\"eventType\":\"$2\"$3}"
	is "$1" "$STATUS $(answered_backtest)" \
	    "200 $(recount_backtest "$2" "$4" "${5:-$live_bands}")"
}

# database_digest: of all rows but those that the companion writes meanwhile.
database_digest() {
	"$(stack_pg_bin)/pg_dump" -h "$scratch/run" -U postgres \
	    --exclude-table-data=assay.label \
	    --exclude-table-data=assay.backtest_result \
	    --exclude-table-data=assay.tag_count \
	    --exclude-table-data='assay.analytics*' assay |
	    grep -v '^[\]' | md5sum
}
