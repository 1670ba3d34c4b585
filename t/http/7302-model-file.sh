#!/bin/sh
# SPDX-License-Identifier: ISC
# MODEL_PATH: the companion reads a model file strictly and loads it when it
# changes.  It refuses a wrong file, and the previous model stays active.
. "$(dirname "$0")/lib.sh"
use load ctl metrics model

start_model_file
is "the bundled model is active at first" "$(shown_model | cut -d ' ' -f 1,2)" \
    "bundled synthetic-demo"
next_scores >/dev/null
was=$(deciding_model)
is "the bundled model makes the first decision" "${was%@*}" synthetic-demo

# A valid model.
put_model '.bias = 1'
is "a poll by hand reads the file" "$(poll_model)" 0
is "a valid model is loaded" "$(last_load)" "1|disk|1"
is "a model is stored by its hash" "$(sql "select hash from assay.model")" \
    "$(sha256sum <"$path" | cut -d ' ' -f 1)"
is "the next decisions are made with the new model" "$(next_scores)" 73
is "the page shows the model of the file" \
    "$(shown_model)" "disk operator-supplied $(file_version) 1"
is "samples name the version of the model" "$(deciding_model)" "$(file_version)"
is "a poll of the same file loads nothing" \
    "$(poll_model) $(last_load)" "0 1|disk|1"
model '.bias = 1' | jq . | replace_file
is "the same model in another notation is loaded again" \
    "$(poll_model) $(last_load)" "0 2|disk|1"

# A model that one feature rules is loaded, with a warning.
is "the reach of an ordinary model is shown" "$(metric engine_model_reach)" 0
put_model '.weights[3] = -70 | .bias = 1'
is "an extreme model is loaded" "$(poll_model) $(last_load)" "0 3|disk|1"
is "the companion warns of an extreme model" \
    "$(log_lines 'event=model_extreme .*where=device.firstSeen')" 1
next_scores >/dev/null
check "a worker warns of an extreme model" grep -q \
    "event=model_extreme hash=$(file_version) where=device.firstSeen" \
    "$scratch/log/pool.log"
is "a metric has its reach" "$(metric engine_model_reach)" 70
put_model '.weights[3] = -70 | .ranges = (.weights | map([0, 0.5])) | .bias = 1'
is "the ranges of a model limit its reach" "$(poll_model) $(next_scores >/dev/null
    metric engine_model_reach)" "0 35"
model '.bias = 1' | jq . | replace_file
is "the ordinary model is loaded again" "$(poll_model) $(last_load)" "0 5|disk|1"

# refuse_file WHAT WHY: the poll fails for that reason.
refuse_file() {
	is "a file with $1 is refused: $2" \
	    "$(poll_model) $(refusal_reason)" "70 $2"
}
features=$(echo "$feature_names" | jq length)
while IFS='|' read -r filter wanted; do
	put_model "$filter"
	refuse_file "$filter" "$wanted"
done <<-END
	.bias = "u-4711"|bias must be a number from -1000000 to 1000000
	.bias = 1e7|bias must be a number from -1000000 to 1000000
	.weights[2] = null|weights[2] must be a number from -1000000 to 1000000
	del(.weights[0])|weights must be an array of $features to $features elements
	.featureNames[3] = "device.last"|featureNames[3] must be "device.firstSeen"
	.featureNames[0] = .featureNames[1]|featureNames[0] must be "velocity.attemptsLast2m"
	.featuresVersion = 4711|featuresVersion must be $feature_version: it was trained for another feature vector
	.trainedAt = "yesterday, at noon"|trainedAt must be a date, as 2026-11-21 or 2026-11-21T09:57:51Z
	.baseRate = 1|baseRate must be a number between 0 and 1
	.calibration.a = 0|calibration.a must be a number above 0
	.metrics.userId = "u-4711"|metrics.userId is an unknown field
	.["10.20.30.40"] = 1|the file has an unknown member
	del(.metrics.auc)|metrics.auc is required
	[.]|the file must be a JSON object
END
model | head -c 500 | replace_file
refuse_file "half a model" "a string without end at byte $(model | head -c 500 |
    grep -ob '"' | tail -n 1 | cut -d : -f 1)"
: | replace_file
refuse_file "no bytes" "the file is empty"
model | sed 's/"bias":0/"bias":NaN/' | replace_file
refuse_file "a NaN" "$(model | grep -ob '"bias":0' | sed 's/:.*//' | {
	read -r at
	echo "expected a value at byte $((at + 7))"
})"
model | sed 's/"bias":0/"bias":0,"bias":1/' | replace_file
check "a file with a member twice is refused" [ "$(poll_model)" = 70 ]
{
	model
	head -c 70000 /dev/zero | tr '\0' ' '
} | replace_file
refuse_file "70000 blanks" "the file is over 65536 bytes"
head -c 3000000 /dev/zero | replace_file
refuse_file "zero bytes" "the file is over 65536 bytes"
rm "$path"
refuse_file "no name" "the file cannot be read: No such file or directory"
mkfifo "$path"
stack_own "$scratch/model"
refuse_file "a pipe's name" "the file cannot be read: it is not a regular file"
rm "$path"
mkdir "$path"
refuse_file "a directory's name" \
    "the file cannot be read: it is not a regular file"
rmdir "$path"
ln -s "$path" "$path"
refuse_file "a link to itself" \
    "the file cannot be read: Too many levels of symbolic links"
rm "$path"
is "the page shows why the last file was refused" "$(http GET /v1/config/model
    json .ml.refused.why)" \
    "the file cannot be read: Too many levels of symbolic links"
is "the model before the refused files decides" "$(next_scores)" 73
is "no refused file is loaded or stored" "$(last_load) $(sql "select count(*)
    from assay.model")" "5|disk|1 4"
check "a metric shows that a model is refused" stack_until 15 0 metric_is \
    engine_model_refused 1
is "no worker was restarted by all these files" \
    "$(metric 'engine_worker_restarts_total{group="decide"}')" 0
finish
