#!/bin/sh
# SPDX-License-Identifier: ISC
# model.sh: print core/decide/model.tbl, the demonstration model, as `make model`
# keeps it: invented traffic, decided offline, and a fit to it.  Everything it
# takes is in the tree, so it always comes to the same.
set -eu
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
unset GEOIP_DB

# What it is made of; campaigns of fraud begin in the first 45 of the 60 days.
traffic="--users 6000 --days 60 --events 60000 --fraud 4"
traffic="$traffic --newcomers 75 --dear 3 --mislabelled 1"
training="--train-until 2026-02-11 --test-days 10"

# shellcheck disable=SC2086 # lists of options
make_model() {
	"$builddir/sample/generate" $traffic >"$scratch/traffic.csv" &&
	    "$builddir/assayctl" replay --offline --quiet --sql "$srcdir/sql" \
		--export "$scratch/table.csv" "$scratch/traffic.csv" &&
	    "$builddir/assayctl" train $training --output "$scratch/model" \
		"$scratch/table.csv" >"$scratch/report"
}
make_model 2>"$scratch/log" || {
	cat "$scratch/log" >&2
	exit 1
}

# member NAME: its number in the model's file.
member() { sed -n "s/.*\"$1\":\([-+0-9.e]*\).*/\1/p" "$scratch/model"; }

# short: numbers, one a line, to four places.
short() {
	awk '{
		text = sprintf("%.4f", $1)
		sub(/0+$/, "", text)
		sub(/[.]$/, "", text)
		print text == "-0" ? 0 : text
	}'
}

# list NUMBER ...: the same of a few, as arguments in C.
list() { printf '%s\n' "$@" | short | paste -s -d , | sed 's/,/, /g'; }

# events PART: how many of the report's part were legit, and how many fraud.
events() {
	awk -v part="$1" '$1 == part && NF == 5 {
		print $4 " legit, " $5 " fraud" }' "$scratch/report"
}

# verdicts: what a policy would make of the scores of the test.
verdicts() {
	awk '/^verdicts by/ { on = 1; getline; next } NF == 0 { on = 0 }
		on { printf " *\t%s (%d to %d)\t%d legit, %d fraud\n", $1, $2,
		    $3, $4, $5 }' "$scratch/report"
}

cat <<END
/*
 * MODEL(trained at, base rate, bias, calibration a, b), METRICS(samples, AUC
 * ROC, accuracy, average precision, card precision@100, Brier, log loss) and
 * WEIGHT(feature, weight): the bundled demonstration model.  Written by
 * \`make model\`; sample/model.sh is its recipe.
 *
 * How it came about.  The traffic is invented, and the same in every run:
 *
 *	generate $(printf '%s' "$traffic" | sed 's/ --newcomers/\n *	    &/')
 *	assayctl replay --offline --export
 *	assayctl train $training
 *
 * Labels come seven days after their events, and one in a hundred is wrong.
 * No table of places is used, so geo.impossibleTravel and geo.countryChanged
 * were never seen and weigh nothing; neither does what was the same for all
 * events.  In the order of time,
 *
 *	fitted to	$(events fit),
 *	and, when its penalty was chosen by them, to	$(events validation)
 *	calibrated with	$(events calibration)
 *	measured on	$(events test)
 *
 * Numbers are rounded to four places; the figures were taken before that.  By
 * the first card policy the scores of those it was measured on would be
 *
$(verdicts)
 *
 * What they mean.  The world of the generator is an easy one: its fraud goes
 * by five patterns, and what none of them explains is a wrong label.  Who is
 * new, or has a new device, scores little for that alone; a thousand at once
 * scores much, for few of its people ever spend that.  Nobody's fraud looks
 * like this: the figures say that the form works, and no more.
 */
END
printf 'MODEL("%.10s", %s)\n' \
    "$(sed -n 's/.*"trainedAt":"\([^"]*\)".*/\1/p' "$scratch/model")" \
    "$(list "$(member baseRate)" "$(member bias)" "$(member a)" "$(member b)")"
printf 'METRICS(%s)\n' "$(list "$(member samples)" "$(member auc)" \
    "$(member accuracy)" "$(member averagePrecision)" \
    "$(member cardPrecision100)" "$(member brier)" "$(member logLoss)")"
sed -n 's/^FEATURE(\([^,]*\),.*/\1/p' "$srcdir/core/signal/features.tbl" \
    >"$scratch/features"
sed -n 's/.*"weights":\[\([^]]*\)\].*/\1/p' "$scratch/model" | tr ',' '\n' |
    short | paste -d ',' "$scratch/features" - |
    sed 's/^\(.*\),\(.*\)$/WEIGHT(\1, \2)/'
