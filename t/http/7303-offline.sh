#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl replay --offline: thousands of events are decided by the service,
# then again from a file at the times at which it did so, and every signal,
# score, verdict and reason is the same, to the last digit.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"
# shellcheck source=t/http/offline.sh
. "$(dirname "$0")/offline.sh"

places
start_stack GEOIP_DB="$GEOIP_DB"
admin_token
api_key
API_KEY=$KEY
export API_KEY
rows
decide_rows
decide_again --export "$scratch/table.csv"

# They were worth comparing: each limit was met, and each kind of signal seen.
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
    's/^FEATURE([A-Z0-9_]*, "\([^"]*\)".*/\1/p' "$srcdir/core/signal/features.tbl" |
    paste -sd ,)"
printf '%s\n' 'id,time,userId,deviceId,amount,fraud' \
    '"a,""1""",2018-04-01 00:00:31.25,7,9,12.50,1' \
    'b,2018-04-02 23:59:59Z,7,9,3.00,' \
    'c,2018-04-08 00:00:00+02:00,7,9,-1,0' \
    'a,2018-04-09 00:00:00,7,9,1,0' 'a,2018-04-09 00:00:00,7,9,1,0' \
    >"$scratch/small.csv"
small() {
	ctl replay --offline --sql "$srcdir/sql" \
	    --export "$scratch/small.out" "$@"
}
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

# Ids are those of the file, whatever their column is called; the others are
# named after the file, and one that is too long is not cut.
long=$(printf '%0129d' 0)
printf '%s\n' 'time,tx,userId' 2018-04-01T00:00:00Z,2,7 \
    2018-04-01T00:00:00Z,,7 "2018-04-01T00:00:00Z,${long}1,7" \
    "2018-04-01T00:00:00Z,${long}2,7" >"$scratch/ids.csv"
small --map id=tx "$scratch/ids.csv"
is "ids are the file's own, or made of its name" "$(lines 1)" \
    "event_id 2 ids-2"
check "why the first row is refused is said" said \
    '^assayctl: line 4 is refused, .*: id must be'
is "and what is too long is refused" "$(sed -n 's/^  error *\([0-9]*\) .*/\1/p' \
    "$scratch/err")" 2

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
printf 'time,userId,fraud\n2018-04-02 00:00:00,1,0\n2018-04-02 00:00:00,1,True\n' \
    >"$scratch/small.csv"
small "$scratch/small.csv"
is "a truth that is neither 1 nor 0" "$STATUS $(sed 's/.*: //' \
    "$scratch/err" | head -n 1)" \
    "65 line 3 has a truth that is neither 1 nor 0"
small --rules card.refunds=/dev/null "$scratch/history.csv"
check "rules of no event type" said 'names no event type'
printf 'rule r { when event.amuont > 3 then score += 1, tag t }\n' \
    >"$scratch/bad.rule"
small --rules "$scratch/bad.rule" "$scratch/history.csv"
check "rules that are wrong, by line" said 'bad.rule:1:'
ctl replay --offline --sql "$srcdir/sql" --export /dev/null \
    "$scratch/history.csv"
check "a device is no file to replace" said 'could be replaced'
is "the old table stands" "$(cmp "$scratch/small.out" "$scratch/old" &&
    find "$scratch" -maxdepth 1 -name 'small.out.*')" ""

# A disk that is full ends it when it is.
stat -c %i "$scratch/small.out" >"$scratch/old.inode"
sh -c 'trap "" XFSZ; ulimit -f 64; exec "$@"' - "$builddir/assayctl" replay \
    --offline --sql "$srcdir/sql" --export "$scratch/small.out" \
    "$scratch/history.csv" 2>"$scratch/err"
is "a disk that is full ends it at once" "$? $(sed -n \
    's/^\([0-9]*\) events.*/\1/p' "$scratch/err" |
    awk -v all="$events" '{ print ($1 < all) }')" "65 1"
check "which is the reason" said 'small.out: File too large'
is "and leaves the table that was there" "$(stat -c %i "$scratch/small.out" |
    cmp - "$scratch/old.inode" &&
    find "$scratch" -maxdepth 1 -name 'small.out.*')" ""

# Somebody who waits for more of a file can end that.
mkfifo "$scratch/slow"
(
	exec 9>"$scratch/slow"
	head -n 2 "$scratch/history.csv" >&9
	exec sleep 60
) &
feeder=$!
more_pids="$feeder $more_pids"
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$builddir/assayctl" replay \
    --offline --sql "$srcdir/sql" "$scratch/slow" 2>"$scratch/err" &
reader=$!
# shellcheck disable=SC2317 # stack_until calls it
waits() {
	grep -q '^State:.S' "/proc/$reader/status" &&
	    find "/proc/$reader/fd" -lname "$scratch/slow" | grep -q .
}
stack_until 10 "$reader" waits
kill -s INT "$reader"
wait "$reader"
is "who waits for more of a file can be told to end" "$? $(head -n 1 \
    "$scratch/err")" "75 assayctl: interrupted"
kill -s KILL "$feeder"

# However it ends, there is the table or there is nothing.
{
	perl -e '$SIG{PIPE} = "DEFAULT"; exec @ARGV' "$builddir/assayctl" \
	    replay --offline --sql "$srcdir/sql" --json \
	    --export "$scratch/closed.out" "$scratch/history.csv"
	echo $? >"$scratch/status"
} 2>"$scratch/err" | true
is "who reads no further ends it" "$(cat "$scratch/status" "$scratch/err" |
    paste -sd ' ')" "75 assayctl: interrupted"
is "and no draft stays" "$(find "$scratch" -name 'closed.out*')" ""

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
