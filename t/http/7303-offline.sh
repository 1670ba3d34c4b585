#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl replay --offline: thousands of events are decided by the service,
# then again from a file at the times at which it did so, and every signal,
# score, verdict and reason is the same, to the last digit.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"

# A database of places in which 64/4 is in America, with coordinates, and 80/4
# in Germany: a walk of four bits to either.
perl -e 'sub text { chr(0x40 + length $_[0]) . $_[0] }
	sub number { chr($_[0] << 5 | 1) . chr $_[1] }
	sub real { "\x68" . reverse pack "d", $_[0] }
	my $us = "\xe3" . text("country_code") . text("US") . text("latitude") .
	    real(40.7127) . text("longitude") . real(-74.0059);
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
start_stack GEOIP_DB="$GEOIP_DB"
admin_token
api_key
API_KEY=$KEY
export API_KEY

# Ordinary people and campaigns, then what goes over every limit: links of one
# user, users of one device, currencies, attempts in two minutes.
"$builddir/sample/generate" --seed 11 --users 160 --days 6 --events 2400 \
    >"$scratch/rows.csv"
perl -e '
	sub row { my %f = @_; printf "%s,2026-02-01T00:00:00Z,%s,%s,%s,%s,%s," .
	    "%s,%s,%s,web,card,411111,DE,true,m,%s,%d,\n", map { $f{$_} // "" }
	    qw(id type amount currency user device mark ip phone mismatch),
	    "fraud" }
	for (1 .. 90) {
		row(id => "many-$_", type => "card.authorize",
		    amount => $_ * 1.37, currency => "EUR", user => "many",
		    device => "d-$_", mark => "f-" . $_ % 7,
		    ip => "81.0." . $_ % 3 . ".$_", phone => "+49 151 00" . (1000 + $_))
	}
	for (1 .. 90) {
		row(id => "back-$_", type => "order.place", amount => $_,
		    currency => "EUR", user => "many", device => "d-$_")
	}
	for (1 .. 530) {
		row(id => "crowd-$_", type => "account.login",
		    user => "c-$_", device => "crowd", mark => "crowd",
		    ip => "70.1.2.3", mismatch => $_ % 2 ? "true" : "false")
	}
	for (1 .. 120) {
		row(id => "coins-$_", type => "wallet.withdraw",
		    amount => int($_ * $_ / 0.07) / 100, user => "coins", currency =>
		    "X" . chr(65 + $_ % 11) . "A", device => "d-" . $_ % 4)
	}' >>"$scratch/rows.csv"
events=$(($(wc -l <"$scratch/rows.csv") - 1))
ctl replay --quiet --limit 400 "$scratch/rows.csv"
is "the service decides, one by one" "$STATUS" 0
ctl replay --quiet --offset 400 --batch 40 "$scratch/rows.csv"
is "and many at a time" "$STATUS" 0

# Their times in place of those of the file; only now are these in order.
sql "select event_id, to_char(decided_at at time zone 'UTC',
	'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), replay
    from assay.detail order by decided_at" >"$scratch/live"
is "each left a sample" "$(wc -l <"$scratch/live" | tr -d ' ')" "$events"
perl -e '
	open my $live, "<", $ARGV[0]; open my $rows, "<", $ARGV[1];
	print scalar <$rows>;
	my %row = map { /^([^,]*),[^,]*(.*)/s; $1 => $2 } <$rows>;
	while (<$live>) {
		my ($id, $time) = split /\|/;
		print "$id,$time$row{$id}";
	}' "$scratch/live" "$scratch/rows.csv" >"$scratch/history.csv"
seed="--sql $srcdir/sql"
# shellcheck disable=SC2086 # two arguments
ctl replay --offline $seed --json --export "$scratch/table.csv" \
    "$scratch/history.csv"
is "the same events are decided offline" "$STATUS $(tail -n 1 "$scratch/out" |
    jq -r '.totals | "\(.events) \(.errors)"')" "0 $events 0"
perl -e '
	sub same { $_[0] =~ /"score":([^,]*)/ or return ""; my $score = $1;
	    $_[0] =~ /"verdict":"(\w+)"/; my $verdict = $1;
	    $_[0] =~ /"(?:tags|reasons)":(\[.*?\]),"/; my $tags = $1;
	    $_[0] =~ /"signals":(\{.*?\})/; "$verdict $score $tags $1" }
	open my $live, "<", $ARGV[0]; open my $out, "<", $ARGV[1];
	my (%live, $n, $shown);
	while (<$live>) { my ($id, undef, $replay) = split /\|/, $_, 3;
	    $live{$id} = same($replay) }
	while (<$out>) {
		/"eventId":"([^"]*)"/ or next;
		$n++ if same($_) eq $live{$1} and length $live{$1} > 200;
		print "$1\n  live    $live{$1}\n  offline " . same($_) . "\n"
		    if same($_) ne $live{$1} && !$shown++;
	}
	print $n + 0' "$scratch/live" "$scratch/out" >"$scratch/compared"
is "and every one came to the same" "$(cat "$scratch/compared")" "$events"

# They were worth comparing: each limit was met, and each kind of signal seen.
seen() { grep -c -e "$1" "$scratch/live"; }
for what in '"device.usersOnDevice":500' '"graph.ringSize":500' \
    '"graph.devicesOnUser":90' '"geo.impossibleTravel":true' \
    '"geo.countryChanged":true' '"geo.ipSimMismatch":true' \
    '"device.fingerprintDeviceMismatch":true' '"verdict":"deny"' \
    '"anomaly.amountZScore":-\{0,1\}[0-9]*\.[0-9]'; do
	check "some have $what" [ "$(seen "$what")" -gt 0 ]
done

# The table.
is "the table has a row an event" "$(wc -l <"$scratch/table.csv" | tr -d ' ')" \
    $((events + 1))
is "its columns are those of the features" "$(head -n 1 "$scratch/table.csv")" \
    "event_id,user_id,decided_at,fraud,labelled_at,$(sed -n \
    's/^FEATURE([A-Z0-9_]*, "\([^"]*\)".*/\1/p' "$srcdir/core/features.tbl" |
    paste -sd ,)"
printf '%s\n' 'id,time,userId,deviceId,amount,fraud' \
    '"a,""1""",2018-04-01 00:00:31.25,7,9,12.50,1' \
    'b,2018-04-02 23:59:59Z,7,9,3.00,' \
    'c,2018-04-08 00:00:00+02:00,7,9,-1,0' \
    'a,2018-04-09 00:00:00,7,9,1,0' 'a,2018-04-09 00:00:00,7,9,1,0' \
    >"$scratch/small.csv"
# shellcheck disable=SC2086
small() { ctl replay --offline $seed --export "$scratch/small.out" "$@"; }
# shellcheck disable=SC2317
lines() { cut -d , -f "$1" "$scratch/small.out" | paste -sd ' '; }
small --label-delay 3 "$scratch/small.csv"
is "what the service would refuse has not happened" "$STATUS $(sed -n \
    's/^  error *\([0-9]*\) .*/\1/p' "$scratch/err")" "65 2"
is "a label comes after its delay, or never" "$(sed 's/"a,""1"""/a1/' \
    "$scratch/small.out" | cut -d , -f 1,3-5 | sed 1d)" \
    'a1,2018-04-01T00:00:31.250000Z,1,2018-04-04T00:00:31.250000Z
b,2018-04-02T23:59:59.000000Z,,
a,2018-04-09T00:00:00.000000Z,0,2018-04-12T00:00:00.000000Z'

# What is wrong leaves no table, whole or in part, and an old one alone.
cp "$scratch/small.out" "$scratch/old"
printf 'time,userId\n2018-04-02,1\n' >"$scratch/small.csv"
small "$scratch/small.csv"
is "no time" "$STATUS $(sed 's/.*: //' "$scratch/err")" \
    "65 line 2 has no time like 2026-01-31T13:45:00Z"
printf 'time,userId\n1969-12-31 23:59:59,1\n' >"$scratch/small.csv"
small "$scratch/small.csv"
is "a time before all time" "$STATUS" 65
printf 'time,userId\n2018-04-02 00:00:00,1\n2018-04-01 00:00:00,1\n' \
    >"$scratch/small.csv"
small "$scratch/small.csv"
check "time that goes back is told by its line" said 'line 3 is before'
printf 'when,userId\n1,1\n' >"$scratch/small.csv"
small "$scratch/small.csv"
check "no column of times" said 'map time=COLUMN'
small --rules card.refunds=/dev/null "$scratch/history.csv"
check "rules of no event type" said 'names no event type'
printf 'rule r { when event.amuont > 3 then score += 1, tag t }\n' \
    >"$scratch/bad.rule"
small --rules "$scratch/bad.rule" "$scratch/history.csv"
check "rules that are wrong, by line" said 'bad.rule:1:'
is "the old table stands" "$(cmp "$scratch/small.out" "$scratch/old" &&
    find "$scratch" -maxdepth 1 -name 'small.out.*')" ""
ctl replay --offline --jobs 2 "$scratch/history.csv"
is "a service is not asked" "$STATUS" 64
ctl replay --export "$scratch/small.out" "$scratch/history.csv"
is "which has no table" "$STATUS" 64

# Other rules and another policy than the seed.
printf 'rule r { when velocity.attemptsLast2m >= 0 then score += 60, tag t }\n' \
    >"$scratch/all.rule"
echo '{"onError":"fail_open","bands":[{"verdict":"allow","min":0,"max":59},
	{"verdict":"deny","min":60,"max":100}]}' >"$scratch/all.json"
small --rules "$scratch/all.rule" --policy account.login="$scratch/all.json" \
    --json "$scratch/history.csv"
is "rules and policies are those that are given" "$(sed -n \
    's/.*"type":"\([a-z.]*\)".*"verdict":"\([a-z]*\)","score":\([0-9]*\).*/\1 \2 \3/p' \
    "$scratch/out" | sort -u | grep -e login -e card.auth | paste -sd ' ')" \
    "account.login deny 60 card.authorize review 60"
finish
