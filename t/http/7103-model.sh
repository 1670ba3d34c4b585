#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/config/model: the scorer that decides, and the bundled model complete.
. "$(dirname "$0")/lib.sh"

start_stack
http GET /v1/config/model
is_error "the model answers 401 without a token" 401 UNAUTHENTICATED
admin_token
http GET /v1/config/model
is "the model is shown to an operator" "$STATUS" 200
is_json "the page names the scorer that decides" .scorer weighted
is_json "the model is not active with the weighted scorer" .ml.active false
is_json "the page names source and provenance of the model" \
    '.ml | "\(.source) \(.provenance)"' "bundled synthetic-demo"
is_json "the page has no other field" \
    '[keys, (.ml | keys), (.ml.metrics | keys),
    (.ml.features | map(keys) | unique)] | tojson' \
    '[["ml","scorer"],["active","baseRate","bias","calibration","features","featuresVersion","metrics","provenance","source","trainedAt","version"],["accuracy","auc","averagePrecision","brier","cardPrecision100","logLoss","samples"],[["max","min","name","weight"]]]'
# table_row ROW: the numbers of the rows of this name, as a list.
table_row() {
	sed -n "s/^$1(\(.*\))\$/\1/p" "$srcdir/core/decide/model.tbl" |
	    sed 's/^[A-Z][A-Z0-9_]*, //' | paste -s -d , - |
	    jq -R -c '"[\(.)]" | fromjson'
}
is_json "date, rates and bias are those of model.tbl" \
    '.ml | [.trainedAt, .baseRate, .bias,
    .calibration.a, .calibration.b] | tojson' "$(table_row MODEL)"
is_json "the metrics are those of model.tbl" \
    '.ml.metrics | [.samples, .auc, .accuracy,
    .averagePrecision, .cardPrecision100, .brier, .logLoss] | tojson' \
    "$(table_row METRICS)"
is_json "weights and ranges are those of model.tbl" '.ml.features |
    map(.weight, .min, .max) | tojson' "$(table_row WEIGHT)"
is_json "the features are those of features.tbl, in its order" \
    '.ml.features[].name' \
    "$(sed -n 's/^FEATURE([^,]*, "\([^"]*\)".*/\1/p' \
	"$srcdir/core/signal/features.tbl")"
is_json "the first 14 features keep their names" \
    '.ml.features[:14] | map(.name) |
    join(" ")' "velocity.attemptsLast2m velocity.attemptsLast24h\
 velocity.amountLast1h device.firstSeen device.usersOnDevice\
 device.usersOnFingerprint device.fingerprintDeviceMismatch\
 geo.impossibleTravel geo.countryChanged geo.ipSimMismatch graph.ringSize\
 graph.usersOnIp anomaly.amountZScore rules.score"
http POST /v1/config/model '{}'
is_error "POST on the model answers 405" 405 METHOD_NOT_ALLOWED
finish
