#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl train without services: the table has invented events whose truth
# follows from two features, so the right weights are known.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"

# exits STATUS ARGUMENT ...: assayctl train exits with this status.
exits() {
	exits_want=$1
	shift
	"$builddir/assayctl" train "$@" >"$scratch/out" 2>"$scratch/err" \
	    </dev/null
	[ $? -eq "$exits_want" ]
}
differs() { ! cmp -s "$1" "$2"; }

# at_least NAME VALUE: a measure of the report has at least this value, and is
# within its bounds.
at_least() {
	awk -v name="$1" -v want="$2" '
		index($0, name "  ") == 1 {
			found = $(NF - 2) >= want && $(NF - 1) < $(NF - 2) &&
			    $(NF - 2) < $NF
		}
		END { exit !found }' "$scratch/out"
}
# weight FEATURE: print its weight in the report.
weight() { awk -v name="$1" '$1 == name { print $2 }' "$scratch/out"; }

sed -n 's/^FEATURE([^,]*, "\([^"]*\)".*/\1/p' "$srcdir/core/signal/features.tbl" \
    >"$scratch/features"
awk -v features="$(paste -sd , <"$scratch/features")" \
    -f "$srcdir/t/table.awk" >"$scratch/table.csv"
first=$(sed -n 1p "$scratch/features")
second=$(sed -n 2p "$scratch/features")
third=$(sed -n 3p "$scratch/features")

check "a table trains a model" exits 0 --output "$scratch/model" \
    "$scratch/table.csv"
check "the model separates fraud from legit" at_least "AUC ROC" 0.8
check "the average precision is better than by chance" \
    at_least "average precision" 0.3
check "a feature that indicates fraud has a positive weight" \
    [ "$(weight "$first" | cut -c1)" != - ]
check "a feature that indicates legit has a negative weight" \
    [ "$(weight "$second" | cut -c1)" = - ]
check "a constant feature is left out" [ "$(weight "$third")" = left ]
check "training says how long it took, and how much memory" \
    grep -Eq '^assayctl: took [0-9.]+ s and [1-9][0-9]* MB of memory$' \
    "$scratch/err"
check "the report has every feature" \
    [ "$(grep -cFf "$scratch/features" "$scratch/out")" -ge \
    "$(wc -l <"$scratch/features")" ]
check "the model is written to its file" [ -s "$scratch/model" ]
check "no draft of the model remains" \
    [ "$(find "$scratch" -name 'model?*')" = "" ]
cp "$scratch/out" "$scratch/report"

check "training the same table again exits 0" \
    exits 0 --output "$scratch/again" "$scratch/table.csv"
check "the same table trains the same model" \
    cmp "$scratch/model" "$scratch/again"
check "the same table gives the same report" \
    cmp "$scratch/report" "$scratch/out"
gzip -c "$scratch/table.csv" >"$scratch/table.csv.gz"
check "a compressed table trains a model" exits 0 --output "$scratch/again" \
    "$scratch/table.csv.gz"
check "the compressed table trains the same model" \
    cmp "$scratch/model" "$scratch/again"

# The card of the model.
check "train writes a card" exits 0 --output "$scratch/again" \
    --card "$scratch/card.md" "$scratch/table.csv"
check "the card names the hash of the model" grep -qF \
    "$(sha256sum <"$scratch/model" | cut -d ' ' -f 1)" "$scratch/card.md"
sed -n 's/^!\[.*base64,\(.*\))$/\1/p' "$scratch/card.md" | base64 -d \
    >"$scratch/picture.svg"
count_of() { grep -o "$1" "$scratch/picture.svg" | wc -l; }
check "the picture has a point for each bin with fraud" [ "$(count_of '<circle')" \
    -eq "$(awk '/^calibration$/ { on = 1 } /^verdicts/ { on = 0 }
	on && $4 > 0 && NF == 6 { n++ } END { print n + 0 }' "$scratch/report")" ]
check "the picture ends" [ "$(tail -n 1 "$scratch/picture.svg")" = "</svg>" ]
check "the card has each figure with its bounds" [ "$(grep -cE \
    '^\| (area|average|card).*( [0-9.]+ \|){3}$' "$scratch/card.md")" -eq 3 ]
check "a card that cannot be written fails" exits 70 \
    --card "$scratch/nothing/card.md" --output "$scratch/none" "$scratch/table.csv"
check "without its card no model is written" [ ! -e "$scratch/none" ]
check "a card may not replace the model" exits 64 --output "$scratch/none" \
    --card "$scratch/none" "$scratch/table.csv"
check "a card may not replace the table" exits 64 \
    --card "$scratch/table.csv" "$scratch/table.csv"
awk -F, -v OFS=, 'NR > 1 && $4 == 1 { $2 = "u" NR % 15 } { print }' \
    "$scratch/table.csv" >"$scratch/few.csv"
check "a table with few users with a fraud trains a model" exits 0 \
    --card "$scratch/few.md" --champion "$scratch/model" "$scratch/few.csv"
check "few users with a fraud give no bounds" grep -Eq \
    '^AUC ROC +0[.][0-9]+ +- +-$' "$scratch/out"
check "few users with a fraud make no model better" prints \
    "the difference may be chance"
check "the card has no bounds either" [ "$(grep -c '| - | - |' "$scratch/few.md")" = 6 ]

# Labels count only if they were known at the time.  In one table labels come at
# once; in the other those of the last week before the end are wrong.
until=2026-02-01
check "--train-until trains up to a date" \
    exits 0 --train-until $until --output "$scratch/known" \
    "$scratch/table.csv"
awk -F, -v OFS=, 'NR > 1 { $5 = "" } { print }' "$scratch/table.csv" \
    >"$scratch/once.csv"
awk -F, -v OFS=, 'NR % 4 == 0 && $3 >= "2026-01-25" && $3 < "2026-02-01" {
	$4 = 1 - $4 } { print }' "$scratch/once.csv" >"$scratch/lies.csv"
check "a table with labels at once trains a model" \
    exits 0 --train-until $until \
    --output "$scratch/once" "$scratch/once.csv"
check "labels within the delay do not count" \
    cmp "$scratch/known" "$scratch/once"
check "a table with wrong young labels trains a model" \
    exits 0 --train-until $until \
    --output "$scratch/lies" "$scratch/lies.csv"
check "wrong labels within the delay do not count" \
    cmp "$scratch/known" "$scratch/lies"
for table in once lies; do
	check "a table trains without a label delay: $table" \
	    exits 0 --train-until $until --label-delay 0 \
	    --output "$scratch/$table" "$scratch/$table.csv"
done
check "without a delay wrong young labels count" \
    differs "$scratch/once" "$scratch/lies"
awk -F, -v OFS=, 'NR % 2 && $3 < "2026-01-20" && $4 == 1 {
	$5 = "2026-02-01T00:00:01Z" } { print }' "$scratch/table.csv" \
    >"$scratch/late.csv"
awk -F, -v OFS=, 'NR % 2 && $3 < "2026-01-20" && $4 == 1 {
	$4 = $5 = "" } { print }' "$scratch/table.csv" >"$scratch/never.csv"
check "a table with labels after the end trains a model" \
    exits 0 --train-until $until \
    --output "$scratch/late" "$scratch/late.csv"
check "a table without those labels trains a model" \
    exits 0 --train-until $until --output "$scratch/never" \
    "$scratch/never.csv"
check "labels after the end count as none" cmp "$scratch/late" "$scratch/never"
check "an event without a label counts as legit" \
    differs "$scratch/known" "$scratch/never"
awk -F, -v OFS=, 'NR > 1 && $3 < "2026-02-01" && $4 == 0 {
	$4 = $5 = "" } { print }' "$scratch/table.csv" >"$scratch/fraud.csv"
check "--unlabelled skip leaves events without labels out" \
    exits 65 --train-until $until \
    --unlabelled skip "$scratch/fraud.csv"
check "the error says what is missing to validate" prints "cannot validate"

# The days that the model is tested on.
check "--test-days tests on these days" \
    exits 0 --train-until $until --test-days 3 \
    "$scratch/table.csv"
tested_events() { awk '$1 == "test" { print $4 + $5 }' "$scratch/out"; }
check "three days have 300 events" [ "$(tested_events)" -eq 300 ]
check "--leave-known leaves out users known for fraud" \
    exits 0 --train-until $until \
    --test-days 3 --leave-known "$scratch/table.csv"
left=$(awk '/^not tested: known users/ { print $NF }' "$scratch/out")
check "tested and left out events are all events" \
    [ "$(($(tested_events) + ${left:-0}))" -eq 300 ]
check "more than 100 events are left out" [ "${left:-0}" -gt 100 ]

# In the last week only frauds are labelled so far.
awk -F, -v OFS=, 'NR > 1 && $3 >= "2026-02-03" && $4 == 0 {
	$4 = $5 = "" } { print }' "$scratch/table.csv" >"$scratch/young.csv"
observed_share_low() {
	awk '/^fraud, observed/ { print ($NF < 0.15) }' "$scratch/out"
}
check "a table with young frauds trains a model" exits 0 --train-until $until \
    "$scratch/young.csv"
check "events with early labels are not tested" [ "$(observed_share_low)" = 1 ]
check "the report counts events that are too young" \
    grep -q '^not tested: no label yet  *[1-9]' \
    "$scratch/out"
check "without --train-until the test ends before them" \
    exits 0 "$scratch/young.csv"
check "the tested days have the usual share of fraud" \
    [ "$(observed_share_low)" = 1 ]
check "a test of only young events exits 65" exits 65 --train-until 2026-02-05 \
    "$scratch/young.csv"
check "the error names --label-delay" prints "are younger than --label-delay"

# The champion: a model that scores the events of the same test.
check "a model is compared with itself" exits 0 --train-until $until \
    --champion "$scratch/known" "$scratch/table.csv"
gains_nothing() {
	awk '/^compared with/ { on = 1; next } NF == 0 { on = 0 }
	    on && NF > 5 { n += $(NF - 2) == 0 && $(NF - 1) == 0 && $NF == 0 }
	    on && /^the difference may be chance/ { said = 1 }
	    END { exit n != 3 || !said }' "$scratch/out"
}
check "no model is better than itself" gains_nothing
sed 's/"weights":\[[^,]*,[^,]*,/"weights":[0,0,/' "$scratch/known" \
    >"$scratch/blind"
check "a model is compared with one that ignores two features" exits 0 \
    --train-until $until --champion "$scratch/blind" "$scratch/table.csv"
check "the model that uses them is better" \
    grep -q '^the new model is better' "$scratch/out"
check "a champion of the same time knows no event of the test" \
    [ "$(grep -c 'may know events' "$scratch/err")" = 0 ]
check "a model is compared with a later one" exits 0 --train-until 2026-01-25 \
    --champion "$scratch/known" "$scratch/table.csv"
check "a later champion gets a warning" prints "it may know events of the test"
check "a champion that is missing is refused" exits 66 \
    --champion "$scratch/nothing" "$scratch/table.csv"
check "a champion that is no model is refused" exits 65 \
    --champion "$scratch/table.csv" "$scratch/table.csv"

# Bands for a precision, a share of the legit events, and costs.
# proposed VERDICT FIELD: print a field of the proposed band, or 0 without that band.
proposed() {
	awk -v verdict="$1" -v field="$2" '
		/^verdicts by/ { inside = /the proposed bands/ }
		inside && $1 == verdict { n = $field }
		END { print n + 0 }' "$scratch/out"
}
# share_of_legit VERDICT: of the legit events of the test.
share_of_legit() {
	awk -v n="$(proposed "$1" 4)" '$1 == "test" { print n / $4 }' "$scratch/out"
}
holds() { awk "BEGIN { exit !($1) }"; }
check "bands are proposed for a precision and a budget" exits 0 \
    --train-until $until --deny-precision 0.95 --review-precision 15% \
    --challenge-budget 5% --policies "$scratch/proposed" "$scratch/table.csv"
check "the denied events have the wanted precision" \
    holds "$(proposed deny 6) >= 0.95"
check "the reviewed events have the wanted precision" \
    holds "$(proposed review 6) >= 0.15"
check "no more legit events are challenged than the budget allows" \
    holds "$(share_of_legit challenge) <= 0.05"
check "a share of the legit events is challenged" \
    holds "$(share_of_legit challenge) > 0.02"
check "a precision has its interval" \
    holds "$(proposed deny 7) < $(proposed deny 6) && $(proposed deny 8) <= 1"
sed -n '/^verdicts by the proposed/,/^$/s/^[a-z]* .* [0-9].*/&/p' "$scratch/out" |
    grep -v '^verdicts' >"$scratch/bands.first"
check "the proposed policy can be read again" exits 0 --train-until $until \
    --policy "$scratch/proposed/all.json" "$scratch/table.csv"
sed -n '/^verdicts by/,/^$/s/^[a-z]* .* [0-9].*/&/p' "$scratch/out" |
    grep -v '^verdicts' >"$scratch/bands.again"
check "the policy has the bands of the report" \
    cmp "$scratch/bands.first" "$scratch/bands.again"
check "the policy has a verdict for each score" \
    [ "$(cut -d ' ' -f 1 "$scratch/bands.first" | tr '\n' ' ')" = \
    "allow challenge review deny " ]
check "bands are proposed for costs" exits 0 --train-until $until \
    --cost-fraud 100 --cost-challenge 1 "$scratch/table.csv"
cheap=$(proposed challenge 2)
check "bands are proposed for a dearer challenge" exits 0 --train-until $until \
    --cost-fraud 100 --cost-challenge 30 "$scratch/table.csv"
check "a dearer challenge begins at a higher score" \
    holds "$(proposed challenge 2) > $cheap && $cheap > 0"
check "bands are proposed for a budget alone" exits 0 \
    --train-until $until --challenge-budget 5% "$scratch/table.csv"
check "without a precision no event is denied" \
    [ "$(proposed deny 3) $(proposed challenge 3)" = "0 100" ]
for wrong in "--deny-precision 0" "--deny-precision 101%" \
    "--review-precision 1.5" "--challenge-budget x" "--challenge-budget 1%%" \
    "--cost-fraud 1" "--cost-challenge 1" "--cost-fraud 0 --cost-challenge 1" \
    "--cost-fraud nan --cost-challenge 1" \
    "--cost-fraud 1 --cost-challenge 1 --challenge-budget 1%" \
    "--policies $scratch/none"; do
	# shellcheck disable=SC2086 # options
	check "$(echo "$wrong" | sed 's,/.*/,,') exits 64" exits 64 $wrong \
	    "$scratch/table.csv"
done
check "a directory in a file exits 70" exits 70 --train-until $until \
    --deny-precision 0.6 --policies "$scratch/table.csv/x" "$scratch/table.csv"

# Wrong tables are refused with their line, and the old model stays.
# spoil_field LINE COLUMN TEXT: a table with one field changed.
spoil_field() {
	awk -F, -v OFS=, -v line="$1" -v column="$2" -v text="$3" '
		NR == line { $column = text } { print }' \
	    "$scratch/table.csv" >"$scratch/bad.csv"
}
while IFS='|' read -r line column text told; do
	spoil_field "$line" "$column" "$text"
	check "'$text' in column $column exits 65" \
	    exits 65 --output "$scratch/model" \
	    "$scratch/bad.csv"
	check "the error about '$text' in column $column has the line" \
	    prints "bad.csv:$line: $told"
done <<'CASES'
3|3|yesterday|decided_at must be a time
3|3|2025-01-01T00:00:00Z|decided_at is earlier than in the row before
4|4|2|fraud must be 0, 1 or empty
5|5|soon|labelled_at must be a time
6|2||user_id is missing
7|6|nan|
7|6|1.5|
7|6||
7|7|0x|
CASES
sed '9s/,[^,]*$//' "$scratch/table.csv" >"$scratch/bad.csv"
check "a short row exits 65" exits 65 "$scratch/bad.csv"
check "the error about the short row has the line" prints "bad.csv: line 9 has"
cut -d, -f1-8 "$scratch/table.csv" >"$scratch/bad.csv"
check "a missing column exits 65" exits 65 "$scratch/bad.csv"
check "the error names the missing column" \
    prints "$(sed -n 4p "$scratch/features") is missing"
head -n 1 "$scratch/table.csv" >"$scratch/bad.csv"
check "a table without rows exits 65" exits 65 "$scratch/bad.csv"
: >"$scratch/bad.csv"
check "an empty file exits 65" exits 65 "$scratch/bad.csv"
check "a missing file exits 66" exits 66 "$scratch/none.csv"
awk -F, -v OFS=, 'NR > 1 { $4 = 0 } { print }' "$scratch/table.csv" \
    >"$scratch/bad.csv"
check "a table without fraud exits 65" \
    exits 65 --output "$scratch/model" "$scratch/bad.csv"
check "the error says that there is only one kind" prints "all are legit"
check "an end before the table exits 65" exits 65 --train-until 2025-01-01 \
    "$scratch/table.csv"
check "the error says that there is nothing to train on" prints "cannot train"
check "an end after the table exits 65" exits 65 --train-until 2027-01-01 \
    --output "$scratch/model" "$scratch/table.csv"
check "the error says that there is nothing to test on" prints "cannot test"
check "--train-until refuses what is not a time" \
    exits 64 --train-until soon "$scratch/table.csv"
echo '{"bands":[]}' >"$scratch/bands"
check "--policy refuses a policy without bands" \
    exits 65 --policy "$scratch/bands" \
    "$scratch/table.csv"
check "a directory that does not exist exits 70" exits 70 \
    --output "$scratch/none/model" "$scratch/table.csv"
check "refused trainings keep the old model" \
    cmp "$scratch/model" "$scratch/again"
mkfifo "$scratch/pipe"
check "a pipe as output exits 65" \
    exits 65 --output "$scratch/pipe" "$scratch/table.csv"
check "the error says that a pipe cannot be replaced" \
    prints "exists and is not a regular file"
check "the pipe is not replaced" [ -p "$scratch/pipe" ]

# SIGTERM ends a training that waits for the rest of its table.
mkfifo "$scratch/slow.csv"
"$builddir/assayctl" train --output "$scratch/model" "$scratch/slow.csv" \
    >"$scratch/out" 2>"$scratch/err" &
pid=$!
exec 3>"$scratch/slow.csv"
head -n 100 "$scratch/table.csv" >&3
kill -TERM $pid
exec 3>&-
wait $pid
check "an interrupted training exits 75" [ $? -eq 75 ]
check "an interrupted training says that nothing was written" \
    prints "nothing was written"
check "an interrupted training keeps the old model" \
    cmp "$scratch/model" "$scratch/again"

# SIGTERM ends a training that waits for a reader of its report.
# report_blocked PID: wait until the process sleeps after the training.
report_blocked() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		grep -q 'L2 1e-06' "$scratch/err" &&
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
check "the training waits for a reader of its report" report_blocked $pid
kill -TERM $pid
head -c 65536 <&3 >/dev/null
wait $pid
check "a training that waits for its reader can be interrupted" [ $? -eq 75 ]
exec 3>&-
check "a training that waits for its reader writes no model" \
    [ ! -e "$scratch/unread" ]

# The evaluation trains a model for each of the last weeks.
evaluates() {
	builddir=$builddir sh "$srcdir/bench/evaluate.sh" "$@" \
	    >"$scratch/out" 2>"$scratch/err"
}
refuses() { ! evaluates "$@"; }
check "evaluate without a table exits 0" evaluates
check "evaluate without a table prints that it is skipped" \
    prints "SKIP: evaluate"
check "evaluate exits 0 with two weeks" evaluates "$scratch/table.csv.gz" 2
check "evaluate prints two weeks" [ "$(grep -c '^from ' "$scratch/out")" -eq 2 ]
check "evaluate ends with the table's last week" \
    grep -q '^from 2026-02-03  ' "$scratch/out"
check "evaluate compares with published figures" prints "logistic regression"
has_bounds() {
	awk '/^from / { n += $4 < $3 && $3 < $5 && $7 < $6 && $6 < $8 }
	    END { exit n != 2 }' "$scratch/out"
}
check "evaluate prints each figure with its bounds" has_bounds
check "evaluate says what the training took" \
    grep -Eq '^the last training took .* MB of memory$' "$scratch/out"
"$builddir/sample/generate" --users 300 --days 60 --events 6000 --fraud 40 |
    awk -F, -v OFS=, 'NR == 1 { print "time,customer,terminal,amount,fraud" }
	$2 < "2026-02-16" && $4 != "" && NR > 1 {
	    print $2, $6, $7, $4, $(NF - 1) }' | gzip >"$scratch/history.csv.gz"
check "evaluate takes a history instead of a table" \
    evaluates "$scratch/history.csv.gz" 2
check "evaluate replays the history first" prints "deciding "
check "evaluate ends with the history's last week" \
    grep -q '^from 2026-02-09  ' "$scratch/out"
check "evaluate refuses what is not a table" refuses "$srcdir/README.md"

conclude
