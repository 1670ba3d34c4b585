#!/bin/sh
# SPDX-License-Identifier: ISC
# The job "geoip" refuses downloads that are wrong, and is killed in the middle of
# one; the present database stays.
. "$(dirname "$0")/lib.sh"
use model storage geoip

GEOIP_DB=$scratch/geoip/places.mmdb
mkdir "$scratch/geoip"
stack_own "$scratch/geoip"
today=$(($(date +%s) / 86400))
start_geoip_server
start_database
make_country NG "$today" | offer_checked places.mmdb
is "the first database is fetched" \
    "$(fetch_geoip GEOIP_URL="$server/places.mmdb") $(offered_country)" "0 NG"

# refuse WHAT WHY [NAME=VALUE ...]: the job refuses it and the database stays.
refuse() {
	refuse_what=$1
	refuse_why=$2
	shift 2
	is "$refuse_what is refused: $refuse_why" \
	    "$(fetch_geoip "$@") $(geoip_refusal); $(offered_country) $(
	    kept_files)" \
	    "70 $refuse_why; NG places.mmdb places.mmdb.source"
}
damaged="the file is damaged or incomplete"
not_one="the file is not a database of countries or cities"
fetched="the database cannot be fetched"

make_country SE "$today" | offer_checked se.mmdb
echo 0000 | offer short.sha256
head -c 64 /dev/zero | tr '\0' 0 | offer wrong.sha256
cp "$offered/se.mmdb" "$offered/short"
cp "$offered/se.mmdb" "$offered/wrong"
refuse "a wrong checksum" "the checksum of the database is wrong" \
    GEOIP_URL="$server/wrong"
refuse "a checksum of another form" "the checksum is not that of sha256sum(1)" \
    GEOIP_URL="$server/short"
refuse "a wrong set checksum" "the checksum of the database is wrong" \
    GEOIP_URL="$server/se.mmdb" GEOIP_SHA256="$(tr -d '\n' <"$offered/wrong.sha256")"
refuse "a missing checksum" "the checksum cannot be fetched: status 404" \
    GEOIP_URL="$server/se.mmdb?none"
gzip -c "$offered/se.mmdb" | head -c 100 | offer cut.gz
head -c 80 "$offered/se.mmdb" | offer cut.mmdb
echo '<html>' | offer page.html
python3 - "$offered" <<'END'
import io, sys, tarfile
database = open(sys.argv[1] + "/se.mmdb", "rb").read()

def make(name, *members):
    with tarfile.open(f"{sys.argv[1]}/{name}", "w:gz") as tar:
        for path, kind, data in members:
            info = tarfile.TarInfo(path)
            info.type, info.size = kind, len(data)
            info.linkname = "/etc/passwd"
            tar.addfile(info, io.BytesIO(data))

make("readme.tgz", ("README", tarfile.REGTYPE, b"hello"))
make("link.tgz", ("places.mmdb", tarfile.SYMTYPE, b""))
make("two.tgz", ("a.mmdb", tarfile.REGTYPE, database),
     ("b.mmdb", tarfile.REGTYPE, database))
make("out.tgz", ("../../out.mmdb", tarfile.REGTYPE, database))
make("etc.tgz", (f"{sys.argv[1]}/etc.mmdb", tarfile.REGTYPE, database))
large = tarfile.TarInfo("places.mmdb")
large.size = 1 << 30
with open(f"{sys.argv[1]}/large.tar", "wb") as out:
    out.write(large.tobuf() + bytes(100000))
END
while IFS='|' read -r name why; do
	refuse "$name" "$why" GEOIP_URL="$server/$name" GEOIP_SHA256=none
done <<-END
	cut.gz|$damaged
	cut.mmdb|$not_one
	page.html|$not_one
	readme.tgz|the archive holds no database
	link.tgz|the archive holds no database
	two.tgz|the archive holds several databases, none with the name of the file that it is for
	large.tar|the database is too large
END
refuse "a database of places as one of networks" \
    "the file is not a database of autonomous systems" GEOIP_ASN_DB="$GEOIP_DB" \
    GEOIP_ASN_URL="$server/se.mmdb"
while IFS='|' read -r how why; do
	echo "$how" >"$offered/mode"
	refuse "an answer of mode $how" "$why" GEOIP_URL="$server/se.mmdb" \
	    GEOIP_SHA256=none
done <<-END
	half|$fetched: the connection broke
	huge|$fetched: the answer is too long
	500|$fetched: status 500
	304|$fetched: status 304
END
rm "$offered/mode"
for n in 1 2 3 4 5 6; do
	echo "$server/turn$((n + 1))" >"$offered/turn$n.location"
done
refuse "a sixth redirect" \
    "$fetched: too many redirects, or one without https" \
    GEOIP_URL="$server/turn1" GEOIP_SHA256=none ALLOW_PRIVATE_TARGETS=true
echo "http://${server#https://}/se.mmdb" >"$offered/plain.location"
refuse "a redirect to http" "$fetched: too many redirects, or one without https" \
    GEOIP_URL="$server/plain" GEOIP_SHA256=none ALLOW_PRIVATE_TARGETS=true

# Names in an archive lead nowhere.
for name in out.tgz etc.tgz; do
	is "the database in $name is unpacked into its place only" \
	    "$(fetch_geoip GEOIP_URL="$server/$name" GEOIP_SHA256=none) $(
	    offered_country) $(find "$scratch" /tmp -maxdepth 2 \
	    -name "${name%.tgz}.mmdb" | wc -l)" "0 SE 0"
done

# A companion that is killed, and one that meets another.
make_country KE "$today" | offer slow.mmdb
echo drip >"$offered/mode"
start_cron geoip GEOIP_DB="$GEOIP_DB" GEOIP_CA_FILE="$scratch/ca.pem" \
    GEOIP_URL="$server/slow.mmdb" GEOIP_SHA256=none
check "the companion reads from a server that drips" stack_until 20 \
    "$stack_cron_pid" grep -q slow.mmdb "$offered/asked"
is "a second companion does not fetch meanwhile" \
    "$(fetch_geoip GEOIP_URL="$server/se.mmdb") $(geoip_refusal)" \
    "70 another companion is fetching the database"
kill -s KILL "$stack_cron_pid"
wait "$stack_cron_pid" 2>/dev/null
is "a killed companion leaves the old database" "$(offered_country)" SE
rm "$offered/mode"
is "the next run fetches what a killed one did not" "$(fetch_geoip \
    GEOIP_URL="$server/slow.mmdb" GEOIP_SHA256=none) $(offered_country)" "0 KE"

# A companion that stays, and settings that are not complete.
start_cron "geoip --for 10m" GEOIP_DB="$GEOIP_DB" \
    GEOIP_CA_FILE="$scratch/ca.pem" GEOIP_URL="$server/wrong"
check "a companion that stays logs the refusal and does not retry at once" \
    stack_until 20 "$stack_cron_pid" grep -q "event=geoip_refused path=$GEOIP_DB \
why=\"the checksum of the database is wrong\"" "$scratch/log/cron.log"
stop_cron
is "a URL needs the path of its database" "$(cron geoip GEOIP_URL="$server/x"
    echo $?) $(cron geoip GEOIP_ASN_URL="$server/x"; echo $?)" "78 78"
is "MaxMind needs an account" "$(fetch_geoip GEOIP_URL="$server/x" \
    GEOIP_SOURCE=maxmind GEOIP_LICENSE_KEY=some-license-key)" 78
is "no log has the server's text or its address" "$(grep -l \
    -e the-server-says -e "${server##*/}" "$scratch"/log/*)" ""
finish
