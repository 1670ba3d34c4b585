#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl train without services: a table of invented events whose truth
# follows from two features, so that what is learnt is known beforehand.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"

# ends STATUS ARGUMENT ...: assayctl train, called so, ends so.
ends() {
	want=$1
	shift
	"$builddir/assayctl" train "$@" >"$scratch/out" 2>"$scratch/err" \
	    </dev/null
	[ $? -eq "$want" ]
}
differs() { ! cmp -s "$1" "$2"; }

# at_least NAME VALUE: a line of the report says so much.
at_least() {
	awk -v name="$1" -v want="$2" '
		index($0, name "  ") == 1 { found = $NF >= want }
		END { exit !found }' "$scratch/out"
}
# weight FEATURE: as the report has it.
weight() { awk -v name="$1" '$1 == name { print $2 }' "$scratch/out"; }

sed -n 's/^FEATURE([^,]*, "\([^"]*\)".*/\1/p' "$srcdir/core/signal/features.tbl" \
    >"$scratch/features"
awk -v features="$(paste -sd , <"$scratch/features")" \
    -f "$srcdir/t/table.awk" >"$scratch/table.csv"
first=$(sed -n 1p "$scratch/features")
second=$(sed -n 2p "$scratch/features")
third=$(sed -n 3p "$scratch/features")

check "a table is trained on" ends 0 --output "$scratch/model" \
    "$scratch/table.csv"
check "what is fraud is told" at_least "AUC ROC" 0.8
check "better than by chance" at_least "average precision" 0.3
check "what speaks for fraud adds" [ "$(weight "$first" | cut -c1)" != - ]
check "what speaks against it takes off" \
    [ "$(weight "$second" | cut -c1)" = - ]
check "a constant says nothing" [ "$(weight "$third")" = 0.0000 ]
check "each feature is told" \
    [ "$(grep -cFf "$scratch/features" "$scratch/out")" -ge \
    "$(wc -l <"$scratch/features")" ]
check "a model is written" [ -s "$scratch/model" ]
check "and nothing beside it" [ "$(find "$scratch" -name 'model?*')" = "" ]
cp "$scratch/out" "$scratch/report"

check "again" ends 0 --output "$scratch/again" "$scratch/table.csv"
check "the same model" cmp "$scratch/model" "$scratch/again"
check "the same report" cmp "$scratch/report" "$scratch/out"
gzip -c "$scratch/table.csv" >"$scratch/table.csv.gz"
check "out of a compressed file" ends 0 --output "$scratch/again" \
    "$scratch/table.csv.gz"
check "the same model again" cmp "$scratch/model" "$scratch/again"

# What could not be known is not believed.  In the one table labels come at
# once, in the other those of the last week before the end lie.
until=2026-02-01
check "up to a date" ends 0 --train-until $until --output "$scratch/known" \
    "$scratch/table.csv"
awk -F, -v OFS=, 'NR > 1 { $5 = "" } { print }' "$scratch/table.csv" \
    >"$scratch/once.csv"
awk -F, -v OFS=, 'NR % 4 == 0 && $3 >= "2026-01-25" && $3 < "2026-02-01" {
	$4 = 1 - $4 } { print }' "$scratch/once.csv" >"$scratch/lies.csv"
check "labels that come at once" ends 0 --train-until $until \
    --output "$scratch/once" "$scratch/once.csv"
check "are not believed sooner" cmp "$scratch/known" "$scratch/once"
check "nor are lies" ends 0 --train-until $until \
    --output "$scratch/lies" "$scratch/lies.csv"
check "that are too young" cmp "$scratch/known" "$scratch/lies"
for table in once lies; do
	check "without a delay" ends 0 --train-until $until --label-delay 0 \
	    --output "$scratch/$table" "$scratch/$table.csv"
done
check "they are" differs "$scratch/once" "$scratch/lies"
awk -F, -v OFS=, 'NR % 2 && $3 < "2026-01-20" && $4 == 1 {
	$5 = "2026-02-01T00:00:01Z" } { print }' "$scratch/table.csv" \
    >"$scratch/late.csv"
awk -F, -v OFS=, 'NR % 2 && $3 < "2026-01-20" && $4 == 1 {
	$4 = $5 = "" } { print }' "$scratch/table.csv" >"$scratch/never.csv"
check "labels that come after it" ends 0 --train-until $until \
    --output "$scratch/late" "$scratch/late.csv"
check "or never" ends 0 --train-until $until --output "$scratch/never" \
    "$scratch/never.csv"
check "are the same" cmp "$scratch/late" "$scratch/never"
check "without them an event is legit" \
    differs "$scratch/known" "$scratch/never"
awk -F, -v OFS=, 'NR > 1 && $3 < "2026-02-01" && $4 == 0 {
	$4 = $5 = "" } { print }' "$scratch/table.csv" >"$scratch/fraud.csv"
check "or, if asked for, nothing" ends 65 --train-until $until \
    --unlabelled skip "$scratch/fraud.csv"
check "which is told" says "to validate with"

# The test.
check "on some days" ends 0 --train-until $until --test-days 3 \
    "$scratch/table.csv"
tested() { awk '$1 == "test" { print $4 + $5 }' "$scratch/out"; }
check "which are so many events" [ "$(tested)" -eq 300 ]
check "without users known for fraud" ends 0 --train-until $until \
    --test-days 3 --leave-known "$scratch/table.csv"
left=$(awk '/^not tested: known users/ { print $NF }' "$scratch/out")
check "there are fewer" [ "$(($(tested) + ${left:-0}))" -eq 300 ]
check "by some" [ "${left:-0}" -gt 100 ]

# Of the last week the frauds are told already, and nothing else.
awk -F, -v OFS=, 'NR > 1 && $3 >= "2026-02-03" && $4 == 0 {
	$4 = $5 = "" } { print }' "$scratch/table.csv" >"$scratch/young.csv"
observed() {
	awk '/^fraud, observed/ { print ($NF < 0.15) }' "$scratch/out"
}
check "labels that come first" ends 0 --train-until $until \
    "$scratch/young.csv"
check "are not the truth" [ "$(observed)" = 1 ]
check "and wait for the others" grep -q '^not tested: too young  *[1-9]' \
    "$scratch/out"
check "the test ends before them" ends 0 "$scratch/young.csv"
check "with as much fraud as ever" [ "$(observed)" = 1 ]
check "when all are young" ends 65 --train-until 2026-02-05 \
    "$scratch/young.csv"
check "it is told" says "are younger than --label-delay"

# What is wrong is told by its place, and leaves the model alone.
# spoils LINE COLUMN TEXT: a table with one field another.
spoils() {
	awk -F, -v OFS=, -v line="$1" -v column="$2" -v text="$3" '
		NR == line { $column = text } { print }' \
	    "$scratch/table.csv" >"$scratch/bad.csv"
}
while IFS='|' read -r line column text told; do
	spoils "$line" "$column" "$text"
	check "'$text' in column $column" ends 65 --output "$scratch/model" \
	    "$scratch/bad.csv"
	check "is told by its line" says "bad.csv:$line: $told"
done <<'CASES'
3|3|yesterday|decided_at must be a time
3|3|2025-01-01T00:00:00Z|decided_at is before the row above's
4|4|2|fraud must be 0, 1 or empty
5|5|soon|labelled_at must be a time
6|2||user_id is missing
7|6|nan|
7|6|1.5|
7|6||
7|7|0x|
CASES
sed '9s/,[^,]*$//' "$scratch/table.csv" >"$scratch/bad.csv"
check "a row that is too short" ends 65 "$scratch/bad.csv"
check "is told" says "bad.csv: line 9 has"
cut -d, -f1-8 "$scratch/table.csv" >"$scratch/bad.csv"
check "a column that is missing" ends 65 "$scratch/bad.csv"
check "is told by its name" says "$(sed -n 4p "$scratch/features") is no column"
head -n 1 "$scratch/table.csv" >"$scratch/bad.csv"
check "no rows" ends 65 "$scratch/bad.csv"
: >"$scratch/bad.csv"
check "nothing at all" ends 65 "$scratch/bad.csv"
check "a file that is missing" ends 66 "$scratch/none.csv"
awk -F, -v OFS=, 'NR > 1 { $4 = 0 } { print }' "$scratch/table.csv" \
    >"$scratch/bad.csv"
check "no fraud" ends 65 --output "$scratch/model" "$scratch/bad.csv"
check "is told" says "of one kind"
check "an end before the table" ends 65 --train-until 2025-01-01 \
    "$scratch/table.csv"
check "is told" says "to train on"
check "an end behind it" ends 65 --train-until 2027-01-01 \
    --output "$scratch/model" "$scratch/table.csv"
check "leaves nothing to test on" says "to test on"
check "an end that is none" ends 64 --train-until soon "$scratch/table.csv"
echo '{"bands":[]}' >"$scratch/bands"
check "bands that are none" ends 65 --policy "$scratch/bands" \
    "$scratch/table.csv"
check "a place where nothing can be written" ends 70 \
    --output "$scratch/none/model" "$scratch/table.csv"
check "the model is what it was" cmp "$scratch/model" "$scratch/again"
mkfifo "$scratch/pipe"
check "a pipe" ends 65 --output "$scratch/pipe" "$scratch/table.csv"
check "is told" says "is no file that could be replaced"
check "and is not replaced" [ -p "$scratch/pipe" ]

# Ctrl-C, while it waits for the rest of a table.
mkfifo "$scratch/slow.csv"
"$builddir/assayctl" train --output "$scratch/model" "$scratch/slow.csv" \
    >"$scratch/out" 2>"$scratch/err" &
pid=$!
exec 3>"$scratch/slow.csv"
head -n 100 "$scratch/table.csv" >&3
kill -TERM $pid
exec 3>&-
wait $pid
check "interrupted" [ $? -eq 75 ]
check "is told" says "nothing was written"
check "and is true" cmp "$scratch/model" "$scratch/again"

# Later, while it waits for somebody to read its report.
# waits PID: it is doing nothing, for some seconds to come.
waits() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		grep -q 'L2 1e-07' "$scratch/err" &&
		    [ "$(cut -d ' ' -f 3 "/proc/$1/stat")" = S ] && return
		sleep 0.5
	done
	return 1
}
exec 3<>"$scratch/pipe"
head -c 65536 /dev/zero >&3
"$builddir/assayctl" train --output "$scratch/unread" "$scratch/table.csv" \
    >"$scratch/pipe" 2>"$scratch/err" 3>&- &
pid=$!
check "it waits" waits $pid
kill -TERM $pid
head -c 65536 <&3 >/dev/null
wait $pid
check "interrupted when all is done but to write it" [ $? -eq 75 ]
exec 3>&-
check "it writes nothing" [ ! -e "$scratch/unread" ]

# The evaluation: a model for each of the last weeks.
evaluates() {
	builddir=$builddir sh "$srcdir/bench/evaluate.sh" "$@" \
	    >"$scratch/out" 2>"$scratch/err"
}
refuses() { ! evaluates "$@"; }
check "nothing to evaluate on" evaluates
check "is a visible skip" says "SKIP: evaluate"
check "two weeks" evaluates "$scratch/table.csv.gz" 2
check "are the last" [ "$(grep -c '^from ' "$scratch/out")" -eq 2 ]
check "up to the end" grep -q '^from 2026-02-03  ' "$scratch/out"
check "beside what is published" says "logistic regression"
"$builddir/sample/generate" --users 300 --days 60 --events 6000 --fraud 40 |
    awk -F, -v OFS=, 'NR == 1 { print "time,customer,terminal,amount,fraud" }
	$2 < "2026-02-16" && $4 != "" && NR > 1 {
	    print $2, $6, $7, $4, $(NF - 1) }' | gzip >"$scratch/history.csv.gz"
check "a history as it was recorded" evaluates "$scratch/history.csv.gz" 2
check "is decided first" says "replaying"
check "and tested up to its end" grep -q '^from 2026-02-09  ' "$scratch/out"
check "a table that is none" refuses "$srcdir/README.md"

conclude
