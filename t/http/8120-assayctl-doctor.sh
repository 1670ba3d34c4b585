#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl doctor: each check of the host is broken on purpose.
# shellcheck disable=SC2119 # arguments that may be left out
. "$(dirname "$0")/lib.sh"
use ctl offline doctor

# certificate DAYS: a certificate that ends so soon, and its key.
certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
	    -days "$1" -subj /CN=assay -keyout "$scratch/key.pem" \
	    -out "$scratch/cert.pem" 2>"$scratch/log/openssl.log"
	chmod 600 "$scratch/key.pem"
}
printf '\tssl_certificate %s;\n\tssl_certificate_key %s;\n' \
    "$scratch/cert.pem" "$scratch/key.pem" >"$scratch/site"
certificate 90
start_healthy
doctor # a disk of the test's machine may be full
check "a healthy host is at most short of disk" \
    grep -Eq '^ASSAY (OK|[A-Z]*: disk [a-z]*) \| ok=' "$scratch/out"
check "a healthy host has no advice but for its disk" \
    [ "$(grep -c '^ .*to do' "$scratch/out")" -le 1 ]
is "each check has a line" "$(grep -c '^[a-z]' "$scratch/out")" \
    "$(grep -c '^[A-Z]*_CHECK' "$srcdir/ctl/doctor/doctor_checks.tbl")"

# Settings.
doctor DECIDE_WORKERS=none
is "a wrong setting is critical" "$STATUS $(found settings | cut -d ' ' -f 1)" \
    "2 critical"
check "a wrong setting is named" finds settings critical DECIDE_WORKERS
check "without settings no database is known" finds database unknown string
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export ADMIN_DATABASE_URL
doctor DECIDE_WORKERS=none
check "the owner's string needs no settings" finds database ok answers
unset ADMIN_DATABASE_URL
doctor DECIDE_WORKERS=18 OPERATOR_WORKERS=2
check "more workers than connections are a wrong setting" \
    finds settings critical DATABASE_POOL_MAX
doctor CORE_DUMPS=true SESSION_MAX_HOURS=1 SESSION_IDLE_MINUTES=90
check "settings that contradict each other are all named" \
    finds conflicts warn 'CORE_DUMPS.*; SESSION_IDLE_MINUTES'
doctor DISK_HEALTH_PATHS="$scratch/spool-of-another"
check "a spool whose disk is not watched warns" \
    finds conflicts warn 'DISK_HEALTH_PATHS does not have SPOOL_DIR'

# Files.
for file in conf spool key.pem; do
	mode=$(stat -c %a "$scratch/$file")
	chmod 755 "$scratch/$file"
	doctor
	chmod "$mode" "$scratch/$file"
	check "$file that others can read is critical" \
	    finds files critical "$scratch/$file has mode 755"
done
mkdir "$scratch/secrets"
printf 'a-token-of-metrics' >"$scratch/secrets/METRICS_TOKEN"
chmod 640 "$scratch/secrets/METRICS_TOKEN"
doctor CREDENTIALS_DIRECTORY="$scratch/secrets"
check "a credential that the group can read is critical" \
    finds files critical "METRICS_TOKEN has mode 640"

# Certificates.
certificate 20
doctor
check "a certificate of the site that ends soon warns" \
    finds certificates warn "cert.pem ends in 19 days"
certificate 5
doctor
check "a certificate of the site that ends in days is critical" \
    finds certificates critical "cert.pem ends in 4 days"
cp "$scratch/cert.pem" "$scratch/root.pem"
certificate 90
doctor DATABASE_URL="host=$scratch/run dbname=assay user=assay_decide
    sslrootcert=$scratch/root.pem"
check "a trusted certificate of the database that ends soon is critical" \
    finds certificates critical "root.pem ends in 4 days"
doctor REDIS_CA_FILE="$scratch/conf"
check "a file without a certificate is critical" \
    finds certificates critical "conf: has no certificate"

# GeoIP, Redis, units.
doctor GEOIP_DB="$scratch/none.mmdb"
check "a GeoIP database that cannot be read warns" \
    finds geoip warn none.mmdb
make_places
doctor
unset GEOIP_DB
check "an old GeoIP database warns" finds geoip warn '[0-9]* days old'
doctor REDIS_URL="unix://:$REDIS_PASSWORD@$scratch/run/redis.sock"
check "a Redis that does not run warns" finds redis warn 'No such file'
start_redis
doctor REDIS_URL="unix://:$REDIS_PASSWORD@$scratch/run/redis.sock"
check "a Redis that runs answers" finds redis ok answers
doctor REDIS_URL="unix://$scratch/run/.s.PGSQL.5432"
check "a server that is no Redis warns" finds redis warn 'closed the connection'
printf '#!/bin/sh\nprintf "Id=%%s\\nActiveState=%%s\\nUnitFileState=%%s\\n\\n" \\
    assay.target active enabled assay-fcgi.service failed disabled\n' \
    >"$scratch/bin/systemctl"
chmod +x "$scratch/bin/systemctl"
doctor PATH="$scratch/bin:$PATH"
check "a unit that has failed is critical" \
    finds units critical 'assay-fcgi.service is failed'

# A full disk.
if unshare -m true 2>/dev/null; then
	mkdir "$scratch/full"
	printf '#!/bin/sh\nmount -t tmpfs -o size=1m none %s
	head -c 2000000 /dev/zero >%s/file\nexec "$@"\n' "$scratch/full" \
	    "$scratch/full" >"$scratch/bin/fill"
	chmod +x "$scratch/bin/fill"
	doctor_under="unshare -m $scratch/bin/fill"
	doctor DISK_HEALTH_PATHS="$scratch/full"
	doctor_under=
	check "a full disk is critical" finds disk critical '100 % full'
else
	ok "a full disk is critical # skipped: no mount namespace"
fi

# The database goes away under a pool.
start_with_key
http POST /v1/decisions "$(login_event u-1)"
stop_database
http POST /v1/decisions "$(login_event u-2)"
is "a decision without a database is degraded" "$STATUS $(json .score)" "200 -1"
doctor_options=--json
doctor
is "a lost database is one critical check" "$STATUS $(jq -r '[.checks[] |
    select(.state == "critical") | .check] | join(" ")' "$scratch/out")" \
    "2 database"
is "the checks of the host follow a lost database" "$(jq -r '[.checks[] |
    select(.check == "spool") | .state, .found[:14], (.toDo | length > 0)] |
    join("|")' "$scratch/out")" "warn|1 records wait|true"
check "the report shows no secret" not grep -qE '6f0b1d9a4c7e|open-sesame' \
    "$scratch/out"
finish
