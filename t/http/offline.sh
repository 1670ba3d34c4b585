# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2034,SC2154 # of lib.sh and ctl.sh; read by scenarios
# A history that the service decides, and assayctl replay --offline of it.
# Sourced after ctl.sh; the scenario calls the functions in their order.

# make_places: GEOIP_DB, in which 64/4 is in America, with coordinates, and 80/4
# in Germany: four bits lead to either.
make_places() {
	perl -e 'sub text { chr(0x40 + length $_[0]) . $_[0] }
		sub number { chr($_[0] << 5 | 1) . chr $_[1] }
		sub real { "\x68" . reverse pack "d", $_[0] }
		my $us = "\xe3" . text("country_code") . text("US") .
		    text("latitude") . real(40.7127) .
		    text("longitude") . real(-74.0059);
		my $de = "\xe1" . text("country_code") . text("DE");
		print map { substr pack("N", $_), 1 } 1, 4, 4, 2, 3, 4, 4 + 16,
		    4 + 16 + length $us;
		print "\0" x 16, $us, $de, "\xab\xcd\xefMaxMind.com\xe9",
		    text("node_count"), number(6, 4), text("record_size"),
		    number(5, 24), text("ip_version"), number(5, 4),
		    text("database_type"), text("t"), text("languages"), "\0\4",
		    text("binary_format_major_version"), number(5, 2),
		    text("binary_format_minor_version"), number(5, 0),
		    text("build_epoch"), "\1\2\1", text("description"), "\xe0"' \
	    >"$scratch/run/places.mmdb"
	GEOIP_DB=$scratch/run/places.mmdb
	export GEOIP_DB
}

# make_rows: $events in rows.csv, $habits of ordinary users and campaigns, then
# events beyond every limit: links of one user, users of one device, currencies,
# attempts in two minutes.
make_rows() {
	habits=2400
	"$builddir/sample/generate" --seed 11 --users 160 --days 6 \
	    --events $habits >"$scratch/rows.csv"
	perl -e '
		sub row { my %f = @_; printf "%s,2026-02-01T00:00:00Z,%s,%s," .
		    "%s,%s,%s,%s,%s,%s,web,card,411111,DE,true,m,%s,%d,\n",
		    map { $f{$_} // "" } qw(id type amount currency user
			device mark ip phone mismatch fraud) }
		for (1 .. 90) {
			row(id => "many-$_", type => "card.authorize",
			    amount => $_ * 1.37, currency => "EUR",
			    user => "many", device => "d-$_",
			    mark => "f-" . $_ % 7, ip => "81.0." . $_ % 3 .
			    ".$_", phone => "+49 151 00" . (1000 + $_))
		}
		for (1 .. 90) {
			row(id => "back-$_", type => "order.place", amount => $_,
			    currency => "EUR", user => "many",
			    device => "d-$_")
		}
		for (1 .. 530) {
			row(id => "crowd-$_", type => "account.login",
			    user => "c-$_", device => "crowd",
			    mark => "crowd", ip => "70.1.2.3",
			    mismatch => $_ % 2 ? "true" : "false")
		}
		for (1 .. 120) {
			row(id => "coins-$_", type => "wallet.withdraw",
			    amount => int($_ * $_ / 0.07) / 100,
			    currency => (qw(EUR USD GBP JPY CHF SEK NOK DKK
				PLN CZK HUF))[$_ % 11],
			    user => "coins", device => "d-" . $_ % 4)
		}' >>"$scratch/rows.csv"
	events=$(($(wc -l <"$scratch/rows.csv") - 1))
}

# decide_rows: all of them, live.  The file live has a line for each decision;
# history.csv is rows.csv with the times of the decisions, in their order.
decide_rows() {
	ctl replay --quiet --limit 400 "$scratch/rows.csv"
	is "the service decides 400 events one by one" "$STATUS" 0
	ctl replay --quiet --offset 400 --batch 40 "$scratch/rows.csv"
	is "the service decides the other events in batches" "$STATUS" 0
	sql "select d.event_id, to_char(d.decided_at at time zone 'UTC',
		'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),
		'\"signals\":' || signals(d.sample) || '\"reasons\":' || v.reasons ||
		',' || d.sample
	    from assay.decision_detail d join assay.verdict_log v on v.id = d.verdict_id
	    order by d.decided_at" >"$scratch/live"
	perl -e '
		open my $live, "<", $ARGV[0]; open my $rows, "<", $ARGV[1];
		print scalar <$rows>;
		my %row = map { /^([^,]*),[^,]*(.*)/s; $1 => $2 } <$rows>;
		while (<$live>) {
			my ($id, $time) = split /\|/;
			print "$id,$time$row{$id}" if exists $row{$id};
		}' "$scratch/live" "$scratch/rows.csv" >"$scratch/history.csv"
	is "each event left a sample" "$(wc -l <"$scratch/history.csv" | tr -d ' ')" \
	    $((events + 1))
}

# decide_again [OPTION ...]: the same offline, with the same result.
decide_again() {
	ctl replay --offline --sql "$srcdir/sql" --json "$@" \
	    "$scratch/history.csv"
	is "the same events are replayed offline" "$STATUS $(tail -n 1 \
	    "$scratch/out" | jq -r '.totals | "\(.events) \(.errors)"')" \
	    "0 $events 0"
	perl -e '
		sub same { join " ", map { $_[0] =~ /$_/ ? $1 : "-" }
		    qr/"verdict":"(\w+)"/, qr/"score":([^,]*)/,
		    qr/"reasons":(\[.*?\]),/, qr/("model":.*?),"(?:signals|values)"/,
		    qr/"signals":(\{.*?\})/ }
		open my $live, "<", $ARGV[0]; open my $out, "<", $ARGV[1];
		my (%live, $n, $shown);
		while (<$live>) { my ($id, undef, $made) = split /\|/, $_, 3;
		    $live{$id} = same($made) }
		while (<$out>) {
			/"eventId":"([^"]*)"/ or next;
			$n++ if same($_) eq $live{$1} and
			    length $live{$1} > 200;
			print "$1\n  live    $live{$1}\n  offline ", same($_),
			    "\n" if same($_) ne $live{$1} && !$shown++;
		}
		print $n + 0' "$scratch/live" "$scratch/out" \
	    >"$scratch/compared"
	is "each replayed event has the same result" "$(cat "$scratch/compared")" \
	    "$events"
}

# replay_small ARGUMENT ...: a replay that exports small.out.
replay_small() {
	ctl replay --offline --sql "$srcdir/sql" \
	    --export "$scratch/small.out" "$@"
}

# live_lines PATTERN: in how many live decisions it occurs.
live_lines() { grep -c -e "$1" "$scratch/live"; }
