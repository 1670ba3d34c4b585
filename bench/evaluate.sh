#!/bin/sh
# SPDX-License-Identifier: ISC
# evaluate.sh FILE [WEEKS]: what models are worth on a history of labelled
# card transactions (columns time, customer, terminal, amount, fraud), by the
# protocol of the Fraud Detection Handbook: train on a week, skip a week, in
# which its labels come, test on the next; users are not tested whose fraud was
# known by then.  The last WEEKS weeks of the file are tested, each by a model
# of its own.  Nothing is chosen by them: penalty and calibration come from
# the week that is trained on.  FILE may be a training table as well.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
data=${1:-}
weeks=${2:-6}
if [ -z "$data" ]; then
	echo "SKIP: evaluate: nothing to run on; make evaluate DATA=FILE"
	exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

# fail STATUS WHAT
fail() {
	echo "evaluate: $2" >&2
	exit "$1"
}

# read_file FILE: its text, compressed or not.
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
	echo "replaying $data at the times of its events" >&2
	"$builddir/assayctl" replay --offline --quiet --sql "$srcdir/sql" \
	    --label-delay 7 --map userId=customer,deviceId=terminal \
	    --export "$table" "$data" >"$scratch/rules" 2>&1 || {
		status=$?
		cat "$scratch/rules" >&2
		exit $status
	}
fi

# The first instant behind the last day of the table.
column=$(read_file "$table" | head -n 1 | tr ',' '\n' |
    grep -nx decided_at | cut -d: -f1)
last=$(read_file "$table" | tail -n 1 | cut -d, -f"$column" | cut -c1-10)
end=$(date -u -d "$last + 1 day" +%Y-%m-%d) || fail 65 "$table has no days"

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
		print "published, on the week from 2018-08-08"
		row = "%-24s  %7.3f  %7.3f  %7.3f\n"
		printf row, "logistic regression", 0.871, 0.606, 0.291
		printf row, "decision tree, depth 2", 0.763, 0.496, 0.241
		printf row, "random forest", 0.867, 0.658, 0.287
		printf row, "XGBoost", 0.862, 0.639, 0.273
		printf row, "random", 0.5, 0.007, 0.017
		printf "\n%d of %d weeks are above the published logistic " \
		    "regression in both precisions\n", above, NR
	}' "$scratch/weeks"

# Last, because it is no result: rules for payments on shop terminals.
if [ -s "$scratch/rules" ]; then
	printf '\n%s\n%s\n\n' \
	    "for comparison: what the rules that Assay comes with say of this file;" \
	    "they were written for other traffic, and no model has a part in this"
	cat "$scratch/rules"
fi
