#!/bin/sh
# SPDX-License-Identifier: ISC
# evaluate.sh FILE [WEEKS]: evaluate models on a history of labelled card
# transactions (columns time, customer, terminal, amount, fraud) with the
# protocol of the Fraud Detection Handbook: train on one week, skip the next, in
# which the labels arrive, and test on the week after, without users whose fraud
# is already known.  The script tests the last WEEKS weeks of FILE, each with
# its own model.  Penalty and calibration come from the training week only.
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

[ -r "$data" ] || fail 66 "$data cannot be read"
table=$data
if ! read_file "$data" | head -n 1 | grep -q decided_at; then
	table=$scratch/table.csv
	echo "deciding $data at the times of its events" >&2
	"$builddir/assayctl" replay --offline --quiet --sql "$srcdir/sql" \
	    --label-delay 7 --map userId=customer,deviceId=terminal \
	    --export "$table" "$data" >"$scratch/rules" 2>&1 || {
		status=$?
		cat "$scratch/rules" >&2
		exit $status
	}
fi

# The end of the last day of the table.
column=$(read_file "$table" | head -n 1 | tr ',' '\n' |
    grep -nx decided_at | cut -d: -f1)
last=$(read_file "$table" | tail -n 1 | cut -d, -f"$column" | cut -c1-10)
end=$(date -u -d "$last + 1 day" +%Y-%m-%d) || fail 65 "$table has no valid times"

printf '%-24s  %7s  %7s  %7s\n' 'TEST WEEK' 'AUC ROC' 'AVG PR' 'CP@100'
week=$weeks
while [ "$week" -gt 0 ]; do
	until=$(date -u -d "$end - $((7 * week)) days" +%Y-%m-%d)
	"$builddir/assayctl" train --train-until "$until" --label-delay 7 \
	    --train-days 7 --test-days 7 --leave-known "$table" \
	    >"$scratch/report" 2>"$scratch/err" || {
		status=$?
		cat "$scratch/err" >&2
		exit $status
	}
	awk -v until="$until" '
		/^AUC ROC / { auc = $NF }
		/^average precision / { precision = $NF }
		/^card precision@100 / { cards = $NF }
		END { printf "%-24s  %7.3f  %7.3f  %7.3f\n", "from " until,
		    auc, precision, cards }' "$scratch/report" |
	    tee -a "$scratch/weeks"
	week=$((week - 1))
done
awk '
	# Better than the published logistic regression?
	{
		auc += $3; precision += $4; cards += $5
		above += $4 > 0.606 && $5 > 0.291
	}
	END {
		printf "%-24s  %7.3f  %7.3f  %7.3f\n\n", "mean", auc / NR,
		    precision / NR, cards / NR
		print "published, for the week from 2018-08-08"
		row = "%-24s  %7.3f  %7.3f  %7.3f\n"
		printf row, "logistic regression", 0.871, 0.606, 0.291
		printf row, "decision tree, depth 2", 0.763, 0.496, 0.241
		printf row, "random forest", 0.867, 0.658, 0.287
		printf row, "XGBoost", 0.862, 0.639, 0.273
		printf row, "random", 0.5, 0.007, 0.017
		printf "\n%d of %d weeks are above the published logistic " \
		    "regression in both precisions\n", above, NR
	}' "$scratch/weeks"

# For information only: the seed rules were written for other traffic.
if [ -s "$scratch/rules" ]; then
	printf '\n%s\n%s\n\n' \
	    "for comparison: results of the rules that come with Assay on this file;" \
	    "they were written for other traffic and use no model"
	cat "$scratch/rules"
fi
