# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Models that differ in their score, and what a scenario asks about those that
# were loaded.  Sourced after lib.sh; metric_is needs load.sh, too.
# shellcheck disable=SC2034,SC2154 # scratch is lib.sh's

from=

# start_model_file: start the stack with the scorer ml and an empty folder for the
# file $path, which $from makes the source of models.
start_model_file() {
	mkdir "$scratch/model"
	path=$scratch/model/model.json
	from=MODEL_PATH=$path
	start_signed_in SCORER=ml
}

feature_names=$(sed -n 's/^FEATURE([^,]*, "\([^"]*\)".*/"\1"/p' \
    "$srcdir/core/signal/features.tbl" | jq -cs .)
feature_version=$(sed -n 's/^#define FEATURES_VERSION \([0-9]*\).*/\1/p' \
    "$srcdir/core/signal/features.h")

# model [FILTER]: one that gives all events the same score, by its bias; jq's
# filter changes it.
model() {
	jq -nc --argjson names "$feature_names" \
	    --argjson version "$feature_version" '{
	    featuresVersion: $version, featureNames: $names,
	    weights: ($names | map(0)), bias: 0, trainedAt: "2026-11-21",
	    baseRate: 0.5, calibration: { a: 1, b: 0 },
	    metrics: { auc: 0.9, accuracy: 0.8, samples: 100 } } | '"${1:-.}"
}

# replace_file: standard input becomes the file $path, in one step.
replace_file() {
	cat >"$path.new"
	stack_own "$scratch/model"
	mv "$path.new" "$path"
}

# put_model [FILTER]: a model becomes the file $path.
put_model() {
	model "${1:-.}" | replace_file
}

# file_version: the version of the file's model.
file_version() {
	sha256sum <"$path" | head -c 16
}

# poll_model: the companion polls the source of the settings in $from; its exit
# status.
poll_model() {
	poll_status=0
	# shellcheck disable=SC2086 # several
	cron model $from || poll_status=$?
	echo $poll_status
}

# leave_source WHAT: a companion without a source keeps running and removes its
# host.
leave_source() {
	start_cron "model --for 10m"
	check "$1" stack_until 10 "$stack_cron_pid" no_source
	stop_cron
}

# shellcheck disable=SC2317 # called by name
no_source() {
	[ "$(sql "select count(*) from assay.model_host")" = 0 ]
}

# refusal_reason: why the companion's last run refused a model.
refusal_reason() {
	sed -n 's/.*event=job_step_failed where=model why="\(.*\)"$/\1/p' \
	    "$scratch/log/cron.log" | tail -n 1 | sed 's/\\"/"/g'
}

# last_load: how many loads there were, and source and bias of the last.
last_load() {
	sql "select count(*) over (), origin, coalesce((m.body::json ->> 'bias'),
		'')
	    from assay.model_activation l left join assay.model m using (hash)
	    order by number desc limit 1"
}

# shellcheck disable=SC2317 # called by name
load_is() {
	[ "$(last_load)" = "$1" ]
}

# log_lines TEXT: how many lines of the companion's log have it.
log_lines() {
	grep -c "$1" "$scratch/log/cron.log"
}

# log_has TEXT N: so many lines have it.
# shellcheck disable=SC2317 # called by name
log_has() {
	[ "$(log_lines "$1")" = "$2" ]
}

# make_due: the next poll is due, and no companion has a claim.
make_due() {
	sql "update assay.model_source set polled_at = polled_at -
	    interval '1 hour', claimed_until = claimed_until -
	    interval '1 hour'"
}

# next_scores: of the next decisions, by several workers.
next_scores() {
	for n in 1 2 3 4 5 6; do
		http POST /v1/decisions "{\"type\":\"order.place\",
		    \"subject\":{\"userId\":\"u-$n\"}}"
		json .score
	done | sort -u | paste -sd ' '
}

# deciding_model: the version that made the newest decision.
deciding_model() {
	sql "select sample::json ->> 'model' from assay.decision_detail
	    order by decided_at desc limit 1"
}

# shown_model: the active model as the page shows it.
shown_model() {
	http GET /v1/config/model
	json '.ml | "\(.source) \(.provenance) \(.version) \(.bias)"'
}
