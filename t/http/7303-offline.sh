#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl replay --offline: the service decides thousands of events; replayed
# from a file at the same times, each has the same signals, score, verdict and
# reasons to the last digit.
. "$(dirname "$0")/lib.sh"
use ctl offline

make_places
start_signed_in GEOIP_DB="$GEOIP_DB"
API_KEY=$KEY
export API_KEY
make_rows
decide_rows
decide_again --export "$scratch/table.csv"

# The comparison covers each limit and each kind of signal.
for what in '"device.usersOnDevice":500' '"graph.ringSize":500' \
    '"graph.devicesOnUser":90' '"geo.impossibleTravel":true' \
    '"geo.countryChanged":true' '"geo.ipSimMismatch":true' \
    '"device.fingerprintDeviceMismatch":true' '"verdict":"deny"' \
    '"anomaly.amountZScore":-\{0,1\}[0-9]*\.[0-9]'; do
	check "some decisions have $what" [ "$(live_lines "$what")" -gt 0 ]
done

# The exported table.
is "the table has a row for each event" \
    "$(wc -l <"$scratch/table.csv" | tr -d ' ')" \
    $((events + 1))
is "the columns are the features of features.tbl" \
    "$(head -n 1 "$scratch/table.csv")" \
    "event_id,user_id,decided_at,fraud,labelled_at,$(sed -n \
    's/^FEATURE([A-Z0-9_]*, "\([^"]*\)".*/\1/p' "$srcdir/core/signal/features.tbl" |
    paste -sd ,)"
printf '%s\n' 'id,time,userId,deviceId,amount,fraud' \
    '"a,""1""",2018-04-01 00:00:31.25,7,9,12.50,1' \
    'b,2018-04-02 23:59:59Z,7,9,3.00,' \
    'c,2018-04-08 00:00:00+02:00,7,9,-1,0' \
    'a,2018-04-09 00:00:00,7,9,1,0' 'a,2018-04-09 00:00:00,7,9,1,0' \
    >"$scratch/small.csv"
# shellcheck disable=SC2317
small_column() { cut -d , -f "$1" "$scratch/small.out" | paste -sd ' '; }
replay_small --label-delay 3 "$scratch/small.csv"
is "events that the service would refuse are left out" "$STATUS $(sed -n \
    's/^  error *\([0-9]*\) .*/\1/p' "$scratch/err")" "65 2"
is "a label follows its event after the delay" "$(sed 's/"a,""1"""/a1/' \
    "$scratch/small.out" | cut -d , -f 1,3-5 | sed 1d)" \
    'a1,2018-04-01T00:00:31.250000Z,1,2018-04-04T00:00:31.250000Z
b,2018-04-02T23:59:59.000000Z,,
a,2018-04-09T00:00:00.000000Z,0,2018-04-12T00:00:00.000000Z'

# Ids are those of the column that --map names; other ids are made of the file's
# name; an id that is too long is refused.
long=$(printf '%0129d' 0)
printf '%s\n' 'time,tx,userId' 2018-04-01T00:00:00Z,2,7 \
    2018-04-01T00:00:00Z,,7 "2018-04-01T00:00:00Z,${long}1,7" \
    "2018-04-01T00:00:00Z,${long}2,7" >"$scratch/ids.csv"
replay_small --map id=tx "$scratch/ids.csv"
is "ids are the file's, or the file's name with the line" "$(small_column 1)" \
    "event_id 2 ids-2"
check "the reason of the first refused row is printed" prints \
    '^assayctl: line 4 is refused: id must be'
is "ids over 128 bytes are refused" "$(sed -n 's/^  error *\([0-9]*\) .*/\1/p' \
    "$scratch/err")" 2
finish
