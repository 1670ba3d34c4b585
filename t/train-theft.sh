#!/bin/sh
# SPDX-License-Identifier: ISC
# A training that two odd events cannot fool.  In the days of training, all
# payments are at devices with many users, except for two high ones of honest
# customers.  A model that learns that new devices are safe lets a stolen card
# pay there.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset GEOIP_DB
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"

# runs ARGUMENT ...: assayctl exits 0.
runs() {
	"$builddir/assayctl" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
}

# replays FILE ARGUMENT ...: a history is decided offline.
replays() {
	replays_file=$1
	shift
	runs replay --offline --sql "$srcdir/sql" --label-delay 1 \
	    --map userId=customer,deviceId=terminal "$@" \
	    "$scratch/$replays_file.csv"
}

# trains MODEL ARGUMENT ...: a model is trained on two weeks of the table.
trains() {
	trains_model=$1
	shift
	runs train --label-delay 1 --train-until 2026-02-01 --train-days 14 \
	    --output "$scratch/$trains_model" "$@" "$scratch/table.csv"
}

# verdict_on_theft FILE: the verdict of the model on the theft of a history.
verdict_on_theft() {
	replays "$1" --json --scorer ml --model "$scratch/model" &&
	    sed -n 's/.*"eventId":"theft".*"verdict":"\([a-z]*\)".*/\1/p' \
		"$scratch/out"
}

awk -f "$srcdir/t/theft.awk" >"$scratch/history.csv"
awk -v theft=t3 -f "$srcdir/t/theft.awk" >"$scratch/known.csv"
awk -v theft=t99 -f "$srcdir/t/theft.awk" >"$scratch/new.csv"
check "the history is decided" replays history --quiet \
    --export "$scratch/table.csv"
check "a model is trained on it" trains model
cp "$scratch/out" "$scratch/report"
for feature in device.firstSeen device.usersOnDevice; do
	check "the report says that $feature is left out" \
	    grep -q "^$feature  *left out" "$scratch/report"
done
# shellcheck disable=SC2016 # this is awk
check "the report says how many events are clamped" \
    awk '$1 == "event.amount.500" { clamped = $8 }
	END { exit !(clamped > 0) }' "$scratch/report"
is "a theft at a known device is denied" "$(verdict_on_theft known)" deny
is "the same theft at a new device is denied" "$(verdict_on_theft new)" deny


# A model that one feature rules is not written.
check "the report has the largest difference that a feature makes" \
    grep -q '^largest difference that a feature makes: [0-9.]*, [a-z]' \
    "$scratch/report"
refuses_term() { ! trains refused --term-max 1; }
check "a model with a larger difference is refused" refuses_term
check "the refusal names the option" prints "more than --term-max 1"
check "a refused model is not written" [ ! -e "$scratch/refused" ]
check "a large --term-max accepts it" trains refused --term-max 1000

# A model from elsewhere.
sed 's/"weights":\[[^,]*/"weights":[700/; s/"ranges":\[\[[^]]*/"ranges":[[0,1/' \
    "$scratch/model" >"$scratch/extreme"
check "an extreme model is valid" runs models check "$scratch/extreme"
check "models check warns of an extreme model" prints \
    "velocity.attemptsLast2m can move the log odds by"
check "models check does not warn of a trained model" \
    runs models check "$scratch/model"
is "a trained model gets no warning" "$(cat "$scratch/err")" ""

conclude
