#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl replay --offline with wrong files, a full disk, a closed pipe and an
# interrupt: the old table stays or the new one is complete.
. "$(dirname "$0")/lib.sh"
use ctl offline

start_database
make_rows
cp "$scratch/rows.csv" "$scratch/history.csv"
printf 'time,userId\n2018-04-02 00:00:00,1\n' >"$scratch/small.csv"
replay_small "$scratch/small.csv"
is "a valid file is replayed" "$STATUS" 0

# A wrong input leaves an old table as it was and no part of a new one.
cp "$scratch/small.out" "$scratch/old"
printf 'time,userId\n2018-04-02,1\n' >"$scratch/small.csv"
replay_small "$scratch/small.csv"
is "a time without a clock is refused by its line" \
    "$STATUS $(sed 's/.*: //' "$scratch/err")" \
    "65 the time in line 2 must be like 2026-01-31T13:45:00Z"
printf 'time,userId\n1969-12-31 23:59:59,1\n' >"$scratch/small.csv"
replay_small "$scratch/small.csv"
is "a time before 1970 is refused" "$STATUS" 65
printf 'time,userId\n2018-04-02 00:00:00,1\n2018-04-01 00:00:00,1\n' \
    >"$scratch/small.csv"
replay_small "$scratch/small.csv"
check "a time that goes back is refused by its line" prints 'line 3 is earlier'
printf 'when,userId\n1,1\n' >"$scratch/small.csv"
replay_small "$scratch/small.csv"
check "a file without a column of times is refused" prints 'map time=COLUMN'
printf 'time,userId,fraud\n2018-04-02 00:00:00,1,0\n2018-04-02 00:00:00,1,yes\n' \
    >"$scratch/small.csv"
replay_small "$scratch/small.csv"
is "a fraud column must have 1 or 0" "$STATUS $(sed 's/.*: //' \
    "$scratch/err" | head -n 1)" \
    "65 fraud in line 3 must be 1, 0, true, false or empty"
replay_small --rules card.refunds=/dev/null "$scratch/history.csv"
check "rules for an unknown event type are refused" \
    prints 'begins with an unknown event type'
printf 'rule r { when event.amuont > 3 then score += 1, tag t }\n' \
    >"$scratch/bad.rule"
replay_small --rules "$scratch/bad.rule" "$scratch/history.csv"
check "a syntax error in rules is printed with its line" prints 'bad.rule:1:'
ctl replay --offline --sql "$srcdir/sql" --export /dev/null \
    "$scratch/history.csv"
check "a device cannot be the exported table" \
    prints 'exists and is not a regular file'
is "refused replays keep the old table" \
    "$(cmp "$scratch/small.out" "$scratch/old" &&
    find "$scratch" -maxdepth 1 -name 'small.out.*')" ""

# A full disk ends the replay.
stat -c %i "$scratch/small.out" >"$scratch/old.inode"
sh -c 'trap "" XFSZ; ulimit -f 64; exec "$@"' - "$builddir/assayctl" replay \
    --offline --sql "$srcdir/sql" --export "$scratch/small.out" \
    "$scratch/history.csv" 2>"$scratch/err"
is "a full disk ends the replay early" "$? $(sed -n \
    's/^\([0-9]*\) events.*/\1/p' "$scratch/err" |
    awk -v all="$events" '{ print ($1 < all) }')" "65 1"
check "the error names the file that cannot grow" \
    prints 'small.out: File too large'
is "a full disk keeps the old table" "$(stat -c %i "$scratch/small.out" |
    cmp - "$scratch/old.inode" &&
    find "$scratch" -maxdepth 1 -name 'small.out.*')" ""

# SIGINT ends a replay that waits for more of its input.
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
reader_waits() {
	grep -q '^State:.S' "/proc/$reader/status" &&
	    find "/proc/$reader/fd" -lname "$scratch/slow" | grep -q .
}
stack_until 10 "$reader" reader_waits
kill -s INT "$reader"
wait "$reader"
is "a replay that waits for input can be interrupted" "$? $(head -n 1 \
    "$scratch/err")" "75 assayctl: interrupted"
kill -s KILL "$feeder"

# A closed pipe leaves no table.
{
	perl -e '$SIG{PIPE} = "DEFAULT"; exec @ARGV' "$builddir/assayctl" \
	    replay --offline --sql "$srcdir/sql" --json \
	    --export "$scratch/closed.out" "$scratch/history.csv"
	echo $? >"$scratch/status"
} 2>"$scratch/err" | true
is "a closed pipe ends the replay" "$(cat "$scratch/status" "$scratch/err" |
    paste -sd ' ')" "75 assayctl: interrupted"
is "a closed pipe leaves no draft of the table" \
    "$(find "$scratch" -name 'closed.out*')" ""

ctl replay --offline --jobs 2 "$scratch/history.csv"
is "--jobs is refused with --offline" "$STATUS" 64
ctl replay --export "$scratch/small.out" "$scratch/history.csv"
is "--export is refused without --offline" "$STATUS" 64

# Rules and policies that are given replace those of the seed.
printf 'rule r { when velocity.attemptsLast2m >= 0 then score += 60, tag t }\n' \
    >"$scratch/all.rule"
echo '{"onError":"fail_open","bands":[{"verdict":"allow","min":0,"max":59},
	{"verdict":"deny","min":60,"max":100}]}' >"$scratch/all.json"
replay_small --rules "$scratch/all.rule" --policy account.login="$scratch/all.json" \
    --json "$scratch/history.csv"
is "given rules and policies decide" "$(sed -n \
    's/.*"type":"\([a-z.]*\)".*"verdict":"\([a-z]*\)","score":\([0-9]*\).*/\1 \2 \3/p' \
    "$scratch/out" | sort -u | grep -e login -e card.auth | paste -sd ' ')" \
    "account.login deny 60 card.authorize review 60"
finish
