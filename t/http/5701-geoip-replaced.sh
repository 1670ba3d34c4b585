#!/bin/sh
# SPDX-License-Identifier: ISC
# GeoIP databases that are renamed into place decide without a restart, in the pool
# and in the companion; a bad one changes nothing.
. "$(dirname "$0")/lib.sh"
use geoip

GEOIP_DB=$scratch/geoip/places.mmdb
GEOIP_ASN_DB=$scratch/geoip/asn.mmdb
export GEOIP_DB GEOIP_ASN_DB
mkdir "$scratch/geoip"
today=$(($(date +%s) / 86400))
start_signed_in GEOIP_DB="$GEOIP_DB" GEOIP_ASN_DB="$GEOIP_ASN_DB"

# put FILE: standard input becomes this file.
put() {
	cat >"$1.new"
	chmod 644 "$1.new"
	mv "$1.new" "$1"
}

# put_country CODE AGE: replace the database by one that is AGE days old.
put_country() {
	make_country "$1" $((today - $2)) | put "$GEOIP_DB"
}

# shellcheck disable=SC2317 # called by name
warnings_are() {
	[ "$(grep -c event=geoip_open_failed "$scratch/log/$1")" -eq "$2" ]
}

is "without a database the country is unknown" "$(seen_countries)" ""
start_cron "decide --for 10m" GEOIP_DB="$GEOIP_DB" GEOIP_ASN_DB="$GEOIP_ASN_DB"
put_country NG 3
check "a database that appears decides without a restart" \
    stack_until 60 0 country_is NG
age=$(metric 'engine_geoip_age_seconds{database="places"}')
check "the metric has the age of the new database" \
    test "$((${age%%.*} / 86400))" -eq 3
put_country SE 2
check "a database that is renamed into place decides" \
    stack_until 60 0 country_is SE
is "one worker logs each new database" \
    "$(grep -c "event=geoip_opened path=$GEOIP_DB " \
    "$scratch/log/pool.log")" 2

# The city and the network.
# shellcheck disable=SC2317 # called by name
explained_is() {
	http POST /v1/decisions '{"type":"account.login","subject":{"userId":"u",
	    "ip":"81.2.3.4"}}'
	explained_id=$(json .eventId)
	http GET "/v1/decisions/$explained_id/explain"
	[ "$(json '.signals | [.["geo.country", "geo.city", "geo.asn", "geo.asnOrg"] |
	    tostring] | join(" ")')" = "$1" ]
}
check "without these databases the city and the network are unknown" \
    explained_is "SE null null null"
make_asn 64500 "Example Ltd" $((today - 9)) | put "$GEOIP_ASN_DB"
make_database $((today - 1)) country_code SE city Uppsala | put "$GEOIP_DB"
check "databases of cities and of networks decide" \
    stack_until 25 0 explained_is "SE Uppsala 64500 Example Ltd"
age=$(metric 'engine_geoip_age_seconds{database="asn"}')
is "each database has its age, and is loaded" "$((${age%%.*} / 86400)) $(metric \
    'engine_geoip_loaded{database="asn"}')" "9 1"

before=$(grep -c event=geoip_open_failed "$scratch/log/cron.log")
warned=$(grep -c event=geoip_open_failed "$scratch/log/pool.log")
echo nonsense >"$GEOIP_DB.new"
mv "$GEOIP_DB.new" "$GEOIP_DB"
check "one worker logs a file that is not a database" \
    stack_until 25 0 warnings_are pool.log $((warned + 1))
sleep 11
is "the pool logs the bad file once" \
    "$(grep -c event=geoip_open_failed "$scratch/log/pool.log")" $((warned + 1))
is "workers keep the database that they have" "$(seen_countries)" SE
check "the companion logs the bad file" stack_until 25 0 warnings_are cron.log \
    "$((before + 1))"

put_country KE 1
check "the next good database decides" stack_until 60 0 country_is KE
sleep 10
http POST /v1/decisions/async '{"id":"later-1","type":"account.login",
    "subject":{"userId":"u-9","ip":"81.2.3.4"}}'
# shellcheck disable=SC2317 # called by name
later_country_is() {
	[ "$(sql "select concat_ws(' ', signals(sample) ->> 'geo.country',
	    signals(sample) ->> 'geo.asn')
	    from assay.decision_detail where event_id = 'later-1'")" = "$1" ]
}
check "the companion decides with the new databases" \
    stack_until 10 0 later_country_is "KE 64500"
finish
