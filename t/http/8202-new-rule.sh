#!/bin/sh
# SPDX-License-Identifier: ISC
# A rule with a velocity, from a file to past events that are decided again: the
# example of assayctl(8), as it is.
. "$(dirname "$0")/lib.sh"
use ctl velocities

# The steps: the commands of the example, each with the lines of its input.
awk -v dir="$scratch" '
	/^\.\\" t\/http\/8202-new-rule\.sh/ { example = 1 }
	/^Change the bands/ { exit }
	example && /^\$ / { file = sprintf("%s/step.%d", dir, ++n) }
	example && /^[$>]/ { gsub(/\\e/, "\\"); print substr($0, 3) >file }' \
    "$srcdir/man/assayctl.8"
step=0
# follow COMMAND: run the next step, which begins so.
follow() {
	step=$((step + 1))
	case $(cat "$scratch/step.$step") in
	"$1"*) ;;
	*) stack_die "step $step of assayctl(8) does not begin with $1" ;;
	esac
	before=$PWD
	cd "$scratch" || exit 99
	# shellcheck source=/dev/null
	. "$scratch/step.$step" >"$scratch/out" 2>"$scratch/err"
	STATUS=$?
	cd "$before" || exit 99
}
# shellcheck disable=SC2317 # the steps call it
assayctl() {
	case "$1 $2" in
	"rules test")
		shift 2
		set -- rules test --sql "$srcdir/sql" "$@"
		;;
	esac
	"$builddir/assayctl" "$@"
}
# row NAME N: the first N fields of the first row that begins so.
row() {
	awk -v name="$1" -v most="$2" '$1 == name {
		NF = most; $1 = $1; print; exit }' "$scratch/out"
}
# decide_sample PREFIX: decide the sample and label the testing of cards as fraud.
decide_sample() {
	ctl replay --quiet --id-prefix "$1" "$srcdir/sample/transactions.csv"
	awk -F, '/,1,card_testing$/ { print $1 }' "$srcdir/sample/transactions.csv" \
	    >"$scratch/frauds"
	while read -r event; do
		http POST /v1/labels/chargeback "{\"eventId\":\"$1$event\"}"
	done <"$scratch/frauds"
	cron project
}

start_ctl_admin
decide_sample first-

follow "assayctl config export"
follow "cat >>fraud/rules/card.authorize.rule"
follow "assayctl rules format"
is "the added rule gets the standard layout" "$STATUS $(cat "$scratch/out")" \
    "0 fraud/rules/card.authorize.rule"
follow "assayctl rules test"
check "the test beside the rule passes" test "$STATUS" = 0

follow "assayctl backtest"
is "a backtest finds more of the fraud, and computes the velocity" \
    "$STATUS $(row candidate 5) $(row cards_per_device 4)" \
    "0 candidate 20 2 0 0 cards_per_device 0 105 0"

follow "assayctl rules shadow"
cron velocity
begin_fills
cron velocity
follow "assayctl velocities list"
is "the velocity is complete with the stored decisions" "$STATUS $(sed -n \
    "2s/.* over 1d  *\([a-z]*\)  *\([0-9.]* %\).*/\1 \2/p" "$scratch/out")" "0 yes 100.0 %"
follow "assayctl shadow rollout"
is "a tenth of the users get the new rule" "$STATUS $(cat "$scratch/out")" \
    "0 2026-11-21 decides for 10 % of the users"
decide_sample second-
follow "assayctl shadow show"
is "the shadow would catch all of the fraud that came since" \
    "$(row shadow 8 | cut -d ' ' -f 7-) $(sed -n '/as the shadow decides/,$p' \
    "$scratch/out" | sed -n 3p | tr -s ' ')" "22 0 EUR 38.82 0 0"
is "each decision belongs to one arm of the rollout" "$(sed '1,/each arm/d' \
    "$scratch/out" | awk '$1 == "live" || $1 == "shadow" { n += $2 } END { print n }')" 105
follow "assayctl shadow promote"
is "the shadow becomes active" "$STATUS $(cat "$scratch/out")" "0 2026-11-21 is active"
decide_sample third-
follow "assayctl rules quality"
is "the quality of the rule shows its fires, labels and precision" \
    "$(row r_card_testing 9)" "r_card_testing card_testing 60 54 17.1 % 44 0 100.0"
follow "assayctl config plan"
is "the directory and the service agree" "$STATUS $(cut -d , -f 1 "$scratch/out")" \
    "0 0 changes"

follow "redecision="
cron redecide
follow "assayctl redecisions show"
more=$(sed -n 's/^more severe  *//p' "$scratch/out")
is "the rule would have made past decisions more severe, and none less" \
    "$(row decisions 2) $((more > 0)) $(sed -n 's/^less severe  *//p' "$scratch/out")" \
    "decisions 315 1 0"
follow "assayctl redecisions changes"
is "each of them has the tag of the rule" "$(grep -c card_testing "$scratch/out")" "$more"
follow "assayctl redecide"
cron redecide
ctl redecisions list
is "the second time the decisions are acted on" \
    "$(sed -n 2p "$scratch/out" | grep -c "done .* $more  *0  *$more ")" 1
is "the example has no other step" "$step" "$(find "$scratch" -name "step.*" | wc -l | tr -d " ")"
finish
