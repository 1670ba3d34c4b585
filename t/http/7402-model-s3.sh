#!/bin/sh
# SPDX-License-Identifier: ISC
# Models from object storage: requests are signed so that a server that checks
# it finds nothing wrong, whatever the key; without good credentials nothing
# comes, and nothing of them is told to anybody.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"
# shellcheck source=t/http/model.sh
. "$(dirname "$0")/model.sh"

id=AKIATEST4711
secret=wJalr/XUtn+FEMI=4711
session=FwoG/Zhtc+4711token==

# s3 KEY [NAME=VALUE ...]: look for the model of that key; the exit status.
s3() {
	key=$1
	shift
	s3_looked=0
	cron model MODEL_S3_ENDPOINT="$storage" MODEL_S3_REGION=test-1 \
	    MODEL_S3_BUCKET=models MODEL_S3_KEY="$key" \
	    MODEL_S3_ACCESS_KEY_ID="$id" \
	    MODEL_S3_SECRET_ACCESS_KEY="$secret" \
	    MODEL_CA_FILE="$scratch/ca.pem" "$@" || s3_looked=$?
	echo $s3_looked
}

# object KEY [FILTER]: put a model there.
object() {
	publish "models/$(python3 -c 'import sys, urllib.parse
print(urllib.parse.quote(sys.argv[1], safe=""))' "$1")" "${2:-.}"
}

start_storage
echo "$id $secret test-1 -" >"$storage_dir/credentials"
start_stack SCORER=ml
admin_token
api_key

object model.json '.bias = 1'
is "what is published is loaded" "$(s3 model.json) $(loads)" "0 1|s3|1"
is "and the next decision is made with it" "$(scores)" 73
is "it is shown" "$(serves | cut -d ' ' -f 1,2,4)" "s3 operator-supplied 1"
is "another look asks whether it changed, signed as well" "$(s3 model.json
    ) $(asked | tail -n 1 | cut -d ' ' -f 1) $(looks)" \
    "0 304 s3 loaded 1 s3 same 1"
object model.json '.bias = 2'
is "what is put there then is loaded" "$(s3 model.json \
    MODEL_S3_ENDPOINT="$storage/") $(loads)" "0 2|s3|2"

# Keys, of all that they may be made of.
n=2
while read -r key; do
	n=$((n + 1))
	object "$key" ".bias = $n"
	is "the key $key" "$(s3 "$key") $(loads)" "0 $n|s3|$n"
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
refuses() {
	is "refused, $1" "$2 $(why)" "70 $cannot"
}
refuses "another secret" "$(s3 model.json MODEL_S3_SECRET_ACCESS_KEY=other)"
refuses "another key" "$(s3 model.json MODEL_S3_ACCESS_KEY_ID=OTHER)"
refuses "another region" "$(s3 model.json MODEL_S3_REGION=test-2)"
refuses "a token of nobody" "$(s3 model.json MODEL_S3_SESSION_TOKEN=abc)"
echo "$id $secret test-1 $session" >"$storage_dir/credentials"
refuses "no session token" "$(s3 model.json)"
is "temporary credentials" "$(s3 model.json \
    MODEL_S3_SESSION_TOKEN="$session") $(loads)" "0 $((n + 1))|s3|2"
http GET /v1/config/model
is "then nothing is refused any more" "$(json .ml.refused)" null

# Credentials that the service manager hands over, which the pool need not
# have.
mkdir "$scratch/credentials"
echo "$id" >"$scratch/credentials/MODEL_S3_ACCESS_KEY_ID"
echo "$secret" >"$scratch/credentials/MODEL_S3_SECRET_ACCESS_KEY"
echo "$session" >"$scratch/credentials/MODEL_S3_SESSION_TOKEN"
stack_own "$scratch/credentials"
object model.json '.bias = -1'
is "credentials in files" "$(s3 model.json MODEL_S3_ACCESS_KEY_ID= \
    MODEL_S3_SECRET_ACCESS_KEY= \
    CREDENTIALS_DIRECTORY="$scratch/credentials") $(loads)" \
    "0 $((n + 2))|s3|-1"

# Settings: what is wrong is named, and not repeated.
settings() {
	printf '%s\n' "DATABASE_URL=x" "$@" >"$scratch/conf"
	settings_status=0
	"$scratch/bin/assay-cron" -n -c "$scratch/conf" model \
	    2>"$scratch/err" || settings_status=$?
	echo "$settings_status $(sed "s,$scratch/,,g; s/^assay-cron: //" \
	    "$scratch/err")"
}
is "a bad URL" "$(settings MODEL_URL=ftp://models.example/4711)" \
    "78 conf:2: MODEL_URL must begin with https://"
is "several places" "$(settings MODEL_PATH=/m MODEL_URL=https://m.example/)" \
    "78 conf:3: MODEL_URL is not the only place that models may come from:\
 MODEL_SOURCE must say which is meant"
is "of which one is meant" "$(settings MODEL_PATH=/m \
    MODEL_URL=https://m.example/ MODEL_SOURCE=url)" "0 "
is "one that is not set" "$(settings MODEL_PATH=/m MODEL_SOURCE=s3)" \
    "78 MODEL_S3_BUCKET: must be set where models come from s3"
is "half an object" "$(settings MODEL_S3_BUCKET=b MODEL_S3_KEY=k \
    MODEL_S3_ACCESS_KEY_ID=i)" \
    "78 MODEL_S3_SECRET_ACCESS_KEY: must be set where models come from s3"
is "another half" "$(settings MODEL_S3_KEY=k MODEL_S3_ACCESS_KEY_ID=i)" \
    "78 MODEL_S3_BUCKET: must be set where models come from s3"
is "and all of it" "$(settings MODEL_S3_BUCKET=b MODEL_S3_KEY=k \
    MODEL_S3_ACCESS_KEY_ID=i MODEL_S3_SECRET_ACCESS_KEY=s)" "0 "
is "no log has the key, a secret, or what the server says" "$(grep -l \
    -e "$id" -e "$secret" -e "$session" -e "127.0.0.1:${storage##*:}" \
    -e the-storage-says "$scratch"/log/*)" ""
finish
