#!/bin/sh
# SPDX-License-Identifier: ISC
# evaluate.sh FILE [WEEKS]: evaluate models on a history of labelled card
# transactions (columns time, customer, terminal, amount, fraud) with the
# protocol of the Fraud Detection Handbook: train on one week, skip the next, in
# which the labels arrive, and test on the week after, without users whose fraud
# is already known.  The script tests the last WEEKS weeks of FILE, each with
# its own model, and prints the handbook's logistic regression beside if Python
# has scikit-learn.  Penalty and calibration come from the training week only.
# FILE may also be a training table.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
data=${1:-}
weeks=${2:-6}
if [ -z "$data" ]; then
	echo "SKIP: evaluate: no data; run make evaluate DATA=FILE"
	exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

# fail STATUS TEXT: print the reason and exit.
fail() {
	echo "evaluate: $2" >&2
	exit "$1"
}

# read_file FILE: print the file, uncompressed.
read_file() {
	case $1 in
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

# run_or_exit FILE COMMAND ...: run the command with its errors in the file; if
# it fails, print them and exit.
run_or_exit() {
	run_log=$1
	shift
	"$@" 2>"$run_log" || {
		run_status=$?
		cat "$run_log" >&2
		exit $run_status
	}
}

# cost_of FILE: print what an assayctl took, from its messages.
cost_of() { sed -n 's/^assayctl: took //p' "$1" | tail -n 1; }

[ -r "$data" ] || fail 66 "$data cannot be read"
table=$data
touch "$scratch/rules" "$scratch/handbook"
if ! read_file "$data" | head -n 1 | grep -q decided_at; then
	table=$scratch/table.csv
	echo "deciding $data at the times of its events" >&2
	run_or_exit "$scratch/rules" "$builddir/assayctl" replay --offline \
	    --quiet --sql "$srcdir/sql" --label-delay 7 \
	    --map userId=customer,deviceId=terminal --export "$table" "$data"
	if python3 -c 'import sklearn' 2>/dev/null; then
		echo "fitting the handbook's logistic regression" >&2
		run_or_exit "$scratch/err" python3 "$srcdir/bench/handbook.py" \
		    "$data" "$weeks" >"$scratch/handbook"
	fi
fi

# The end of the last day of the table.
column=$(read_file "$table" | head -n 1 | tr ',' '\n' |
    grep -nx decided_at | cut -d: -f1)
last=$(read_file "$table" | tail -n 1 | cut -d, -f"$column" | cut -c1-10)
end=$(date -u -d "$last + 1 day" +%Y-%m-%d) || fail 65 "$table has no valid times"

# beside WEEK: the figures of the handbook's regression, or dashes.
beside() {
	awk -v week="$1" '
		$1 == week { found = sprintf("%5s  %5s  %5s", $2, $3, $4) }
		END { print found == "" ? "    -      -      -" : found }
	' "$scratch/handbook"
}

printf '%-15s  %-22s%-22s%-22s%s\n' 'trained on' 'AUC ROC' \
    'average precision' 'card precision@100' "handbook's regression"
value='value    low   high   '
echo "one week         $value$value$value  AUC  avg.p  cards"
week=$weeks
while [ "$week" -gt 0 ]; do
	until=$(date -u -d "$end - $((7 * week)) days" +%Y-%m-%d)
	run_or_exit "$scratch/train" "$builddir/assayctl" train \
	    --train-until "$until" --label-delay 7 --train-days 7 \
	    --test-days 7 --leave-known "$table" >"$scratch/report"
	awk -v week="from $until" -v beside="$(beside "$until")" '
		/^(AUC ROC|average precision|card precision@100)  / {
			cells = cells short($(NF - 2)) "  " short($(NF - 1)) \
			    "  " short($NF) "   "
		}
		function short(figure) {
			return figure == "-" ? "    -" : sprintf("%5.3f", figure)
		}
		END { print week "  " cells beside }' "$scratch/report" |
	    tee -a "$scratch/weeks"
	week=$((week - 1))
done
awk '
	# Better than the published logistic regression?
	{
		for (i = 3; i <= NF; i++) {
			sum[i] += $i
			known[i] += $i != "-"
		}
		above += $6 > 0.606 && $9 > 0.291
	}
	# The bounds of the mean are not the means of the bounds.
	function mean(i) {
		return known[i] == NR ? sprintf("%5.3f", sum[i] / NR) : "    -"
	}
	END {
		blank = "               "
		print "mean             " mean(3) blank "   " mean(6) blank \
		    "   " mean(9) blank "   " mean(12) "  " mean(13) "  " mean(14)
		print "\nlow, high: with 95 % confidence; users resampled"
		print "\npublished, for the week from 2018-08-08"
		row = "%-24s  %7.3f  %7.3f  %7.3f\n"
		printf row, "logistic regression", 0.871, 0.606, 0.291
		printf row, "decision tree, depth 2", 0.763, 0.496, 0.241
		printf row, "random forest", 0.867, 0.658, 0.287
		printf row, "XGBoost", 0.862, 0.639, 0.273
		printf row, "random", 0.5, 0.007, 0.017
		printf "\n%d of %d weeks are above the published logistic " \
		    "regression in both precisions\n", above, NR
	}' "$scratch/weeks"
[ -s "$scratch/handbook" ] ||
    echo "the handbook's regression needs a history, not a training table, and the
Debian packages python3-numpy and python3-sklearn"

echo
[ "$table" = "$data" ] || echo "deciding the history took $(cost_of "$scratch/rules")"
echo "the last training took $(cost_of "$scratch/train")"

# For information only: the seed rules were written for other traffic.
if [ -s "$scratch/rules" ]; then
	printf '\n%s\n%s\n\n' \
	    "for comparison: results of the rules that come with Assay on this file;" \
	    "they were written for other traffic and use no model"
	cat "$scratch/rules"
fi
