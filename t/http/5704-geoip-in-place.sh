#!/bin/sh
# SPDX-License-Identifier: ISC
# A GeoIP database that is written in place, or replaced by one of something else,
# ends no worker and makes no place unknown; /readyz and metrics say what workers have.
. "$(dirname "$0")/lib.sh"
use geoip

GEOIP_DB=$scratch/geoip/places.mmdb
mkdir "$scratch/geoip"
today=$(($(date +%s) / 86400))
make_country NG $((today - 3)) >"$GEOIP_DB"
make_country SE $((today - 2)) >"$scratch/geoip/next"
make_database $((today - 1)) country_code SE city Uppsala latitude 59.86 \
    longitude 17.64 >"$scratch/geoip/cities"
chmod 644 "$scratch"/geoip/*
start_signed_in GEOIP_DB="$GEOIP_DB" GEOIP_MORE_DB="$scratch/geoip/more" DECIDE_WORKERS=3

# The status of decisions that four clients ask for until the file "stop" exists.
ask() {
	while [ ! -e "$scratch/stop" ]; do
		sleep 0.3
		curl -sS -o /dev/null -w '%{http_code}\n' \
		    --unix-socket "$scratch/run/http.sock" -H "X-API-Key: $KEY" \
		    -H 'Content-Type: application/json' "$BASE/v1/decisions" \
		    -d "$(login_event "a-$1" ',"ip":"81.2.3.4"')"
	done >"$scratch/asked.$1" 2>&1
}

# countries: those of the decisions since the last call.
countries() {
	sql "select string_agg(distinct signals(sample) ->> 'geo.country', ' ')
	    from assay.decision_detail where decided_at > '$since'"
	since=$(sql "select clock_timestamp()")
}

# shellcheck disable=SC2317 # called by name
opened_is() {
	[ "$(grep -c "event=geoip_opened path=$1" "$scratch/log/pool.log")" -eq "$2" ]
}

# shellcheck disable=SC2317 # called by name
refused_is() {
	grep -q "event=geoip_open_failed path=$1 why=\"$2" "$scratch/log/pool.log"
}

since=$(sql "select clock_timestamp()")
for n in 1 2 3 4; do
	ask "$n" &
	asking="$! ${asking-}"
done
more_pids="$asking $more_pids"
: >"$GEOIP_DB"
check "a database that is cut is refused when it has not changed for a while" \
    stack_until 60 0 refused_is "$GEOIP_DB" "cannot be read"
head -c 40 "$scratch/geoip/next" >"$GEOIP_DB"
is "workers keep the database that they have" "$(countries)" NG
tail -c +41 "$scratch/geoip/next" >>"$GEOIP_DB"
check "a database that was written in place decides" \
    stack_until 60 0 country_is SE
: >"$scratch/stop"
# shellcheck disable=SC2086 # a list of numbers
wait $asking
is "every decision meanwhile was answered" \
    "$(sort -u "$scratch"/asked.* | paste -sd ' ')" 200
is "no worker died" "$(grep -c event=worker_died "$scratch/log/pool.log")" 0

http GET /readyz
is "/readyz says that a database is missing" "$STATUS $(json .checks.geoip)" \
    "200 failed"
mv "$scratch/geoip/cities" "$scratch/geoip/more"
# shellcheck disable=SC2317 # called by name
city_is() {
	http POST /v1/decisions "$(login_event u ',"ip":"81.2.3.4"')"
	http GET "/v1/decisions/$(json .eventId)/explain"
	[ "$(json '.signals["geo.city"]')" = "$1" ]
}
check "a second database adds cities" stack_until 60 0 city_is Uppsala
http GET /readyz
is "/readyz says that IPv6 is missing" "$STATUS $(json .checks.geoip)" "200 partial"
is "metrics say which addresses a database knows" \
    "$(metric 'engine_geoip_ipv4{database="more"}') $(metric \
    'engine_geoip_ipv6{database="more"}') $(metric \
    'engine_geoip_ipv4{database="asn"}')" "1 0 0"
check "the log says which addresses no database knows" grep -q \
    "event=geoip_family_unknown database=places family=ipv6" "$scratch/log/pool.log"

make_asn 64500 "Example Ltd" "$today" >"$scratch/geoip/asn"
mv "$scratch/geoip/asn" "$GEOIP_DB"
check "a database of something else is refused with its type" \
    stack_until 60 0 refused_is "$GEOIP_DB" "has nothing of what it is for; its type is t"
is "workers keep the database of places" "$(seen_countries)" SE
http GET /readyz
is "/readyz says what workers have" "$(json .checks.geoip)" partial
is "a refused database is not opened" "$(opened_is "$GEOIP_DB" 2; echo $?)" 0
finish
