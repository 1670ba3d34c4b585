#!/bin/sh
# SPDX-License-Identifier: ISC
# model.sh: print core/decide/model.tbl, the demonstration model, which `make
# model` stores.  The script generates synthetic traffic, decides it offline and
# fits a model to it.  All inputs are in the tree, so the result is always the
# same.
set -eu
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
unset GEOIP_DB

# The options; campaigns of fraud begin in the first 45 of the 60 days.
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

# member NAME: print a number of the model file.
member() { sed -n "s/.*\"$1\":\([-+0-9.e]*\).*/\1/p" "$scratch/model"; }

# short: round numbers, one per line, to four decimals.
short() {
	awk '{
		text = sprintf("%.4f", $1)
		sub(/0+$/, "", text)
		sub(/[.]$/, "", text)
		print text == "-0" ? 0 : text
	}'
}

# list NUMBER ...: print rounded numbers as C arguments.
list() { printf '%s\n' "$@" | short | paste -s -d , | sed 's/,/, /g'; }

# events PART: print the numbers of legit and fraud events in a part of the
# report.
events() {
	awk -v part="$1" '$1 == part && NF == 5 {
		print $4 " legit, " $5 " fraud" }' "$scratch/report"
}

# verdicts: print the verdicts of a policy on the test scores.
verdicts() {
	awk '/^verdicts by/ { on = 1; getline; next } NF == 0 { on = 0 }
		on { printf " *\t%s (%d to %d)\t%d legit, %d fraud\n", $1, $2,
		    $3, $4, $5 }' "$scratch/report"
}

cat <<END
/*
 * MODEL(trained at, base rate, bias, calibration a, b), METRICS(samples, AUC
 * ROC, accuracy, average precision, card precision@100, Brier, log loss) and
 * WEIGHT(feature, weight, least and largest value): the bundled demonstration
 * model.  Written by \`make model\`; sample/model.sh is its recipe.
 *
 * The traffic is synthetic and the same in every run:
 *
 *	generate $(printf '%s' "$traffic" | sed 's/ --newcomers/\n *	    &/')
 *	assayctl replay --offline --export
 *	assayctl train $training
 *
 * Labels arrive seven days after their events, and one in a hundred is wrong.
 * The recipe uses no GeoIP database, so geo.impossibleTravel and
 * geo.countryChanged are unknown and have no weight; neither has a feature with
 * the same value for all events.  In order of time, the model was
 *
 *	fitted to	$(events fit),
 *	after the choice of the penalty also to	$(events validation),
 *	calibrated with	$(events calibration),
 *	measured on	$(events test)
 *
 * Weights are rounded to four decimals after the metrics were measured.  The
 * first card policy gives these verdicts to the test events:
 *
$(verdicts)
 *
 * The generator makes easy data: all fraud follows five patterns, and a fraud
 * label on any other event is wrong.  A new user or a new device alone scores
 * little; one payment of a thousand scores high, because few of these people
 * spend so much.  Real fraud does not look like this.  The figures show only
 * that the format works.
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
    short >"$scratch/weights"
sed -n 's/.*"ranges":\[\(.*\)\],$/\1/p' "$scratch/model" | tr -d '[]' |
    tr ',' '\n' | short | paste -d ',' - - |
    paste -d ',' "$scratch/features" "$scratch/weights" - |
    sed 's/,/, /g; s/.*/WEIGHT(&)/'
