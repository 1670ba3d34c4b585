#!/bin/sh
# SPDX-License-Identifier: ISC
# MODEL_URL: the companion fetches a model and a running pool decides with it;
# bad models and bad servers are refused, with the reason.
. "$(dirname "$0")/lib.sh"
use load model storage

token=4711tokenof4711
start_storage
url="$storage/open/model.json?token=$token"
from="MODEL_URL=$url MODEL_CA_FILE=$scratch/ca.pem"
start_signed_in SCORER=ml

# Valid models.
store_model model.json '.bias = 1'
is "the model at the URL is loaded" "$(poll_model) $(last_load)" "0 1|url|1"
is "the next decisions are made with the model of the URL" "$(next_scores)" 73
is "the page shows the model of the URL" \
    "$(shown_model | cut -d ' ' -f 1,2,4)" "url operator-supplied 1"
is "the next poll sends the ETag and gets 304" \
    "$(poll_model) $(storage_requests | tail -n 1)" \
    "0 304 \"$(md5sum <"$storage_dir/model.json" | cut -d ' ' -f 1)\""
is "an unchanged model is counted but not loaded" \
    "$(last_load) $(poll_counts)" \
    "1|url|1 url loaded 1 url same 1"
store_model model.json '.bias = 2'
is "a changed model at the URL is loaded" \
    "$(poll_model) $(last_load)" "0 2|url|2"
is "the request names Assay as user agent" \
    "$(tail -n 1 "$storage_dir/asked" | cut -d ' ' -f 4 |
    cut -d / -f 1)" Assay
storage_mode odd
store_model model.json '.bias = 3'
is "a model of an unexpected content type is loaded" \
    "$(poll_model) $(last_load)" "0 3|url|3"
is "without an ETag the model is fetched again" \
    "$(poll_model) $(storage_requests | tail -n 1)" \
    "0 odd -"
for how in any both; do
	storage_mode "$how"
	is "an unusable ETag is not sent again: $how" "$(poll_model >/dev/null
	    poll_model) $(storage_requests | tail -n 1)" "0 $how -"
done
storage_mode weak
is "a weak ETag is sent again" \
    "$(poll_model >/dev/null; poll_model) $(storage_requests | tail -n 1)" \
    '0 weak W/"a"'
storage_mode soon
store_model model.json '.bias = 4'
is "a model after interim answers is loaded" \
    "$(poll_model) $(last_load)" "0 4|url|4"
storage_mode good
poll_model >/dev/null
sql "update assay.model_source set hash = null" >/dev/null
is "an ETag without a loaded model is not sent" \
    "$(poll_model) $(storage_requests | tail -n 1 |
    cut -d ' ' -f 1) $(last_load)" "0 200 4|url|4"

# refuse_url WHAT WHY: the poll fails for that reason.
refuse_url() {
	is "the answer to $1 is refused: $2" \
	    "$(poll_model) $(refusal_reason)" "70 $2"
}
fetched="the model cannot be fetched"
while IFS='|' read -r how wanted; do
	storage_mode "$how"
	refuse_url "mode $how" "$wanted"
done <<-END
	html|expected a value at byte 0
	empty|the file is empty
	half|$fetched: the connection broke
	cut|a string without end at byte 618
	partial|$fetched: status 206
	huge|$fetched: the answer is too long
	endless|$fetched: the answer is too long
	chunks|$fetched: the answer is too long
	bomb|expected a value at byte 0
	bombs|$fetched: the answer is too long
	heads|$fetched: the answer is too long
	badchunk|$fetched: the connection broke
	garbage|$fetched: no HTTP
	nothing|$fetched: the connection broke
	redirect|$fetched: status 302
	500|$fetched: status 500
	404|$fetched: status 404
END
storage_mode same
sql "update assay.model_source set etag = null" >/dev/null
refuse_url "a request without ETag by 304" "$fetched: status 304"
storage_mode good
is "no redirect was followed" "$(grep -c elsewhere "$storage_dir/asked")" 0
certificate other.pem elsewhere.pem subjectAltName=IP:127.0.0.1
from="MODEL_URL=$url MODEL_CA_FILE=$scratch/other.pem"
refuse_url "a server of another authority" \
    "$fetched: the certificate is not trusted"

# The system trusts the authority, but MODEL_CA_FILE names another; the mounts
# are private to this process.
if unshare -m true 2>/dev/null; then
	usual_as=$stack_as
	mkdir "$scratch/certs"
	cp "$scratch/ca.pem" "$scratch/certs/$(openssl x509 -noout -hash \
	    -in "$scratch/ca.pem").0"
	cat >"$scratch/vouched" <<-END
		mount --bind $scratch/certs /etc/ssl/certs && exec "\$@"
	END
	stack_as="unshare -m sh $scratch/vouched $stack_as"
	refuse_url "a server that only the system trusts" \
	    "$fetched: the certificate is not trusted"
	stack_as=$usual_as
fi
from="MODEL_URL=$url"
refuse_url "a server that the system does not trust" \
    "$fetched: the certificate is not trusted"
from="MODEL_URL=$url MODEL_CA_FILE=$scratch/none.pem"
refuse_url "a missing file of authorities" \
    "$fetched: the authorities to trust cannot be read"
from="MODEL_URL=https://localhost:${storage##*:}/open/model.json?$token
    MODEL_CA_FILE=$scratch/ca.pem"
refuse_url "a name that is not in the certificate" \
    "$fetched: the certificate is not trusted"
from="MODEL_URL=https://127.0.0.1:1/$token"
refuse_url "a closed port" "$fetched: no connection"
from="MODEL_URL=http://127.0.0.1:${storage##*:}/$token
    ALLOW_PRIVATE_TARGETS=true"
refuse_url "a TLS server over http" "$fetched: the connection broke"
is "http to a private address is a configuration error" \
    "$(from="MODEL_URL=http://127.0.0.1/"
    poll_model)" 78
is "no refused answer was loaded" "$(last_load) $(next_scores)" "4|url|4 98"
finish
