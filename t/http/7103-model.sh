#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/config/model: the scorer that decides, and the bundled model in full.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
http GET /v1/config/model
is_error "it is for operators" 401 UNAUTHENTICATED
admin_token
http GET /v1/config/model
is "it is said" "$STATUS" 200
is_json "which scorer decides" .scorer weighted
is_json "and that it is not the model" .ml.active false
is_json "where the model comes from" \
    '.ml | "\(.source) \(.provenance)"' "bundled synthetic-demo"
is_json "there is no more" '[keys, (.ml | keys), (.ml.metrics | keys),
    (.ml.features | map(keys) | unique)] | tojson' \
    '[["ml","scorer"],["active","baseRate","bias","calibration","features","featuresVersion","metrics","provenance","source","trainedAt","version"],["accuracy","auc","averagePrecision","brier","cardPrecision100","logLoss","samples"],[["name","weight"]]]'
# table ROW: the numbers that rows of this name have, as a list.
table() {
	sed -n "s/^$1(\(.*\))\$/\1/p" "$srcdir/core/decide/model.tbl" |
	    sed 's/^[A-Z][A-Z0-9_]*, //' | paste -s -d , - |
	    jq -R -c '"[\(.)]" | fromjson'
}
is_json "all of it is as the table has it" '.ml | [.trainedAt, .baseRate, .bias,
    .calibration.a, .calibration.b] | tojson' "$(table MODEL)"
is_json "and so are its figures" '.ml.metrics | [.samples, .auc, .accuracy,
    .averagePrecision, .cardPrecision100, .brier, .logLoss] | tojson' \
    "$(table METRICS)"
is_json "and the weights of its features" '.ml.features | map(.weight) |
    tojson' "$(table WEIGHT)"
is_json "the features are those of the vector, in its order" \
    '.ml.features[].name' \
    "$(sed -n 's/^FEATURE([^,]*, "\([^"]*\)".*/\1/p' \
	"$srcdir/core/signal/features.tbl")"
is_json "which begins like this" '.ml.features[:14] | map(.name) |
    join(" ")' "velocity.attemptsLast2m velocity.attemptsLast24h\
 velocity.amountLast1h device.firstSeen device.usersOnDevice\
 device.usersOnFingerprint device.fingerprintDeviceMismatch\
 geo.impossibleTravel geo.countryChanged geo.ipSimMismatch graph.ringSize\
 graph.usersOnIp anomaly.amountZScore rules.score"
http POST /v1/config/model '{}'
is_error "it is read only" 405 METHOD_NOT_ALLOWED
finish
