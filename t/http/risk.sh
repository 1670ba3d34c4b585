# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of fraud rates share.  Sourced after lib.sh and past.sh.
# shellcheck disable=SC2034 # read by scenarios

here='"deviceId":"d-shop","ip":"196.188.7.8"'

# rates_seen: by the last decision, of its device over 30, 7 and 1 days and its
# labels, and of its ip.
rates_seen() {
	sql "select string_agg(coalesce(trim_scale(round(
		(signals(sample)->>('risk.' || w.name))::numeric, 6))
		::text, '-'), ' ' order by w.place)
	from (select * from assay.decision_detail order by decided_at desc limit 1) d,
	    (values (1, 'deviceFraudRate'), (2, 'deviceFraudRate7d'),
		(3, 'deviceFraudRate1d'), (4, 'deviceLabels'),
		(5, 'ipFraudRate')) as w(place, name)"
}

# age_events DAYS LIKE: as if those events were so many days older.
age_events() {
	for table in decision_detail verdict_log; do
		sql "update assay.$table
		    set decided_at = decided_at - interval '$1 days'
		    where event_id like '$2'"
	done
}

# make_traffic ROUND: decisions of few devices and ips, and labels, some of them
# before their decision and some that change.
make_traffic() {
	for i in 1 2 3; do
		events=
		for j in 1 2 3 4 5 6 7 8; do
			events="$events{\"id\":\"e-$1-$i-$j\",\"type\":\"order.place\",
			    \"subject\":{\"userId\":\"w-$j\",
			    \"deviceId\":\"d-$((j % 3))\",
			    \"ip\":\"196.188.1.$((i + j % 2))\"}},"
		done
		http POST /v1/labels/chargeback "{\"eventId\":\"e-$1-$i-1\"}"
		sql "select assay.label_put('e-$1-$i-' || n, 'analyst', 'legit', 'c')
		    from generate_series(2, 4) n" >/dev/null
		http POST /v1/decisions/batch "{\"events\":[${events%,}]}"
		http POST /v1/labels/chargeback "{\"eventId\":\"e-$1-$i-2\"}"
	done
}
