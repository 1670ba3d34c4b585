#!/bin/sh
# SPDX-License-Identifier: ISC
# MODEL_S3_*: requests are signed so that a server that verifies them accepts
# any key; wrong credentials get no model, and no log has them.
. "$(dirname "$0")/lib.sh"
use load model storage

id=AKIATEST4711
secret=wJalr/XUtn+FEMI=4711
session=FwoG/Zhtc+4711token==

# poll_s3 KEY [NAME=VALUE ...]: poll for the model of that key; the exit status.
poll_s3() {
	key=$1
	shift
	s3_status=0
	cron model MODEL_S3_ENDPOINT="$storage" MODEL_S3_REGION=test-1 \
	    MODEL_S3_BUCKET=models MODEL_S3_KEY="$key" \
	    MODEL_S3_ACCESS_KEY_ID="$id" \
	    MODEL_S3_SECRET_ACCESS_KEY="$secret" \
	    MODEL_CA_FILE="$scratch/ca.pem" "$@" || s3_status=$?
	echo $s3_status
}

# store_object KEY [FILTER]: put a model there.
store_object() {
	store_model "models/$(python3 -c 'import sys, urllib.parse
print(urllib.parse.quote(sys.argv[1], safe=""))' "$1")" "${2:-.}"
}

start_storage
echo "$id $secret test-1 -" >"$storage_dir/credentials"
start_signed_in SCORER=ml

store_object model.json '.bias = 1'
is "the object's model is loaded" \
    "$(poll_s3 model.json) $(last_load)" "0 1|s3|1"
is "the next decisions are made with the object's model" "$(next_scores)" 73
is "the page shows the model of the object" \
    "$(shown_model | cut -d ' ' -f 1,2,4)" "s3 operator-supplied 1"
is "the next poll is signed, sends the ETag and gets 304" "$(poll_s3 model.json
    ) $(storage_requests | tail -n 1 | cut -d ' ' -f 1) $(poll_counts)" \
    "0 304 s3 loaded 1 s3 same 1"
store_object model.json '.bias = 2'
is "a changed object is loaded" "$(poll_s3 model.json \
    MODEL_S3_ENDPOINT="$storage/") $(last_load)" "0 2|s3|2"

# Object keys of unusual characters.
n=2
while read -r key; do
	n=$((n + 1))
	store_object "$key" ".bias = $n"
	is "a model of the key $key is loaded" \
	    "$(poll_s3 "$key") $(last_load)" "0 $n|s3|$n"
done <<-'END'
	risk/2026/model.json
	dt=2026-11-21/a+b&c;d,e.json
	a b  c.json
	Modèle für größe.json
	100%25.json
	x?y#z.json
	a//b/../c/./d
	(1)!*'@:$~_-.json
	[{}]|\^`"<>
END

# Credentials.
cannot="the model cannot be fetched: status 403"
refuse_s3() {
	is "storage refuses $1" "$2 $(refusal_reason)" "70 $cannot"
}
refuse_s3 "another secret" \
    "$(poll_s3 model.json MODEL_S3_SECRET_ACCESS_KEY=other)"
refuse_s3 "another key id" "$(poll_s3 model.json MODEL_S3_ACCESS_KEY_ID=OTHER)"
refuse_s3 "another region" "$(poll_s3 model.json MODEL_S3_REGION=test-2)"
refuse_s3 "an unknown session token" \
    "$(poll_s3 model.json MODEL_S3_SESSION_TOKEN=abc)"
echo "$id $secret test-1 $session" >"$storage_dir/credentials"
refuse_s3 "a missing session token" "$(poll_s3 model.json)"
is "temporary credentials load a model" "$(poll_s3 model.json \
    MODEL_S3_SESSION_TOKEN="$session") $(last_load)" "0 $((n + 1))|s3|2"
http GET /v1/config/model
is "the page shows no refusal after valid credentials" \
    "$(json .ml.refused)" null

# The service manager passes credentials as files; the pool does not need them.
mkdir "$scratch/credentials"
echo "$id" >"$scratch/credentials/MODEL_S3_ACCESS_KEY_ID"
echo "$secret" >"$scratch/credentials/MODEL_S3_SECRET_ACCESS_KEY"
echo "$session" >"$scratch/credentials/MODEL_S3_SESSION_TOKEN"
stack_own "$scratch/credentials"
store_object model.json '.bias = -1'
is "credentials in files load a model" \
    "$(poll_s3 model.json MODEL_S3_ACCESS_KEY_ID= \
    MODEL_S3_SECRET_ACCESS_KEY= \
    CREDENTIALS_DIRECTORY="$scratch/credentials") $(last_load)" \
    "0 $((n + 2))|s3|-1"

# check_settings NAME=VALUE ...: the exit status and what is wrong.
check_settings() {
	printf '%s\n' "DATABASE_URL=x" "$@" >"$scratch/conf"
	settings_status=0
	"$scratch/bin/assay-cron" -n -c "$scratch/conf" model \
	    2>"$scratch/err" || settings_status=$?
	echo "$settings_status $(sed "s,$scratch/,,g; s/^assay-cron: //" \
	    "$scratch/err")"
}
is "MODEL_URL must begin with https" \
    "$(check_settings MODEL_URL=ftp://models.example/4711)" \
    "78 conf:2: MODEL_URL must begin with https://"
is "two sources need MODEL_SOURCE" \
    "$(check_settings MODEL_PATH=/m MODEL_URL=https://m.example/)" \
    "78 conf:3: MODEL_URL is not the only source of models: set\
 MODEL_SOURCE to the one to use"
is "MODEL_SOURCE chooses one of two sources" "$(check_settings MODEL_PATH=/m \
    MODEL_URL=https://m.example/ MODEL_SOURCE=url)" "0 "
is "MODEL_SOURCE must name a source that is set" \
    "$(check_settings MODEL_PATH=/m MODEL_SOURCE=s3)" \
    "78 MODEL_S3_BUCKET: must be set if models come from s3"
is "an access key id needs a secret" \
    "$(check_settings MODEL_S3_BUCKET=b MODEL_S3_KEY=k \
    MODEL_S3_ACCESS_KEY_ID=i)" \
    "78 MODEL_S3_SECRET_ACCESS_KEY: must be set if models come from s3"
is "an object key needs a bucket" \
    "$(check_settings MODEL_S3_KEY=k MODEL_S3_ACCESS_KEY_ID=i)" \
    "78 MODEL_S3_BUCKET: must be set if models come from s3"
is "bucket, key and credentials are accepted" \
    "$(check_settings MODEL_S3_BUCKET=b MODEL_S3_KEY=k \
    MODEL_S3_ACCESS_KEY_ID=i MODEL_S3_SECRET_ACCESS_KEY=s)" "0 "
is "no log has an access key, a secret or the server's text" "$(grep -l \
    -e "$id" -e "$secret" -e "$session" -e "127.0.0.1:${storage##*:}" \
    -e the-storage-says "$scratch"/log/*)" ""
finish
