# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# GeoIP databases of one country, a server of them, and the country that decisions
# see.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # scratch is lib.sh's

# make_database BUILT NAME VALUE ...: print a database in which the lower half of
# IPv4 has these members; BUILT is a number of days since 1970.
make_database() {
	perl -e 'my ($built, @members) = @ARGV;
		sub text { my $n = length $_[0];
		    ($n < 29 ? chr(0x40 + $n) : "\x5d" . chr($n - 29)) . $_[0] }
		sub number { chr($_[0] << 5 | 1) . chr $_[1] }
		print "\0\0\x11\0\0\1", "\0" x 16, chr(0xe0 + @members / 2),
		    map({ /^\d+$/ ? "\xc4" . pack("N", $_) : text($_) } @members),
		    "\xab\xcd\xefMaxMind.com\xe9",
		    text("node_count"), number(6, 1), text("record_size"),
		    number(5, 24), text("ip_version"), number(5, 4),
		    text("database_type"), text("t"), text("languages"), "\0\4",
		    text("binary_format_major_version"), number(5, 2),
		    text("binary_format_minor_version"), number(5, 0),
		    text("build_epoch"), "\4\2", pack("N", $built * 86400),
		    text("description"), "\xe0"' "$@"
}

# make_country CODE BUILT: one whose addresses are in that country.
make_country() {
	make_database "$2" country_code "$1"
}

# make_asn NUMBER NAME BUILT: one whose addresses are in that autonomous system.
make_asn() {
	make_database "$3" autonomous_system_number "$1" \
	    autonomous_system_organization "$2"
}

# seen_countries: those that the next decisions see, by several workers.
seen_countries() {
	for n in 1 2 3 4; do
		http POST /v1/decisions "{\"type\":\"account.login\",
		    \"subject\":{\"userId\":\"u-$n\",\"ip\":\"81.2.3.4\"}}"
		sql "select signals(sample) ->> 'geo.country'
		    from assay.decision_detail order by decided_at desc limit 1"
	done | sort -u | paste -sd ' '
}

# shellcheck disable=SC2317 # called by name
country_is() {
	[ "$(seen_countries)" = "$1" ]
}

# start_geoip_server: with a certificate of the authority ca.pem; its files are in
# $offered, its URLs are $server and $other.  Needs storage.sh.
start_geoip_server() {
	offered=$scratch/offered
	mkdir "$offered"
	certificate ca.pem server.pem subjectAltName=IP:127.0.0.1
	python3 "$srcdir/t/http/geoip_server.py" "$offered" \
	    "$scratch/server.pem" >>"$scratch/log/server.log" 2>&1 &
	more_pids="$! $more_pids"
	stack_until 20 $! test -s "$offered/port" ||
	    { not_ok "the server of databases listens"; exit 1; }
	server=https://127.0.0.1:$(cat "$offered/port")
	other=https://127.0.0.1:$(cat "$offered/other")
}

# offer NAME: standard input becomes a file of the server.
offer() {
	cat >"$offered/.new"
	mv "$offered/.new" "$offered/$1"
}

# offer_checked NAME: the same, with its checksum beside.
offer_checked() {
	offer "$1"
	sha256sum "$offered/$1" | sed 's, .*,  a-file,' | offer "$1.sha256"
}

# asked: what the server was asked for since the last call: "PORT PATH STATUS
# CREDENTIALS" of each request.
asked() {
	paste -sd ';' "$offered/asked" 2>/dev/null
	rm -f "$offered/asked"
}

# fetch_geoip [NAME=VALUE ...]: the exit status of the job.
fetch_geoip() {
	fetch_status=0
	cron geoip GEOIP_DB="$GEOIP_DB" GEOIP_CA_FILE="$scratch/ca.pem" "$@" ||
	    fetch_status=$?
	echo $fetch_status
}

# geoip_refusal: why the job's last run refused a database.
geoip_refusal() {
	sed -n 's/.*event=job_step_failed where=geoip[_asn]* why="\(.*\)"$/\1/p' \
	    "$scratch/log/cron.log" | tail -n 1 | sed 's/\\"/"/g'
}

# kept_files: what is in the directory of the database.
kept_files() {
	find "$scratch/geoip" -type f | sed 's,.*/,,' | sort | paste -sd ' '
}

# offered_country: the country in the present file.
offered_country() {
	grep -ao 'country_codeB..' "$GEOIP_DB" | sed 's/.*B//'
}
