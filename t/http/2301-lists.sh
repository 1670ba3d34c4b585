#!/bin/sh
# SPDX-License-Identifier: ISC
# Block, allow and watch lists decide by every subject; block wins over allow, and
# allow over watch.
. "$(dirname "$0")/lib.sh"
use list_decisions

# A GeoIP database in which the lower half of IPv4 is in Nigeria.
perl -e 'sub text { chr(0x40 + length $_[0]) . $_[0] }
	sub number { chr($_[0] << 5 | 1) . chr $_[1] }
	print "\0\0\x11\0\0\1", "\0" x 16, "\xe1", text("country_code"),
	    text("NG"), "\xab\xcd\xefMaxMind.com\xe9", text("node_count"),
	    number(6, 1), text("record_size"), number(5, 24),
	    text("ip_version"), number(5, 4), text("database_type"), text("t"),
	    text("languages"), "\0\4", text("binary_format_major_version"),
	    number(5, 2), text("binary_format_minor_version"), number(5, 0),
	    text("build_epoch"), "\1\2\1", text("description"), "\xe0"' \
    >"$scratch/run/places.mmdb"
start_stack DECIDE_WORKERS=3 GEOIP_DB="$scratch/run/places.mmdb"
open_lists

# Each subject is on all three lists, spelled otherwise than in the events.
cat >"$scratch/values" <<'END'
user,s-user
device,d-ü
fingerprint,f-1
ip,2A00:1450:4001:0:0:0:0:200E
phone,+251 91 234 5678
bin,4111112
country,ng
END
# event_with SUBJECT: an event that has the listed value.
event_with() {
	case $1 in
	user) card_event s-user ;;
	device) card_event s-device ',"deviceId":"d-ü"' ;;
	fingerprint) card_event s-fingerprint ',"fingerprint":"f-1"' ;;
	ip) card_event s-ip ',"ip":"2a00:1450:4001::200e"' ;;
	phone) card_event s-phone ',"phone":"00251912345678"' ;;
	bin) card_event s-bin "" 41111123 ;;
	country) card_event s-country ',"ip":"81.2.3.4"' ;;
	esac
}
for subject in user device fingerprint ip phone bin country; do
	decide_event "$(event_with "$subject")"
	is "an event with $subject on no list is decided by the rules" \
	    "$DECIDED" "$plain"
done
{
	echo kind,subject,value
	for kind in watch allow block; do
		sed "s/^/$kind,/" "$scratch/values"
	done
} >"$scratch/all.csv"
is "assayctl imports every subject on every list" \
    "$(ctl_lists import "$scratch/all.csv")" \
    "21 entries: 21 added, 0 updated, 0 unchanged"
for kind in block allow watch none; do
	while IFS=, read -r subject value; do
		eval "want=\${$kind-}"
		[ "$kind" != none ] || want=$plain
		decide_event "$(event_with "$subject")"
		is "an event with $subject is decided by list: $kind" \
		    "$DECIDED" "$want"
		[ "$kind" = none ] ||
		    ctl_lists remove "$kind" "$subject" "$value" >/dev/null
	done <"$scratch/values"
done

# IPv4 addresses in IPv6 form, BINs of different lengths, another subject.
ctl_lists add --reason "case 7" block ip ::ffff:203.0.113.9 >/dev/null
ctl_lists add --expires 2050-01-01T00:00:00Z block bin 522222 >/dev/null
ctl_lists add block device 203.0.113.77 >/dev/null
decide_event "$(card_event a-1 ',"ip":"203.0.113.9"')"
is "an address listed in IPv6 form blocks its IPv4 form" "$DECIDED" "$block"
decide_event "$(card_event a-1 ',"ip":"::FFFF:CB00:7109"')"
is "an address listed in IPv6 form blocks an event in IPv6 form" \
    "$DECIDED" "$block"
for bin in 522222 5222220 52222299; do
	decide_event "$(card_event a-1 "" "$bin")"
	is "a listed BIN of 6 digits blocks BIN $bin" "$DECIDED" "$block"
done
decide_event "$(card_event a-1 "" 522223)"
is "a listed BIN does not block another BIN" "$DECIDED" "$plain"
decide_event "$(card_event a-1 ',"ip":"203.0.113.77"')"
is "a value listed as device does not block an address" "$DECIDED" "$plain"
http GET "/v1/decisions/$(json .eventId)"
is "the decision on a blocked event is found" "$STATUS" 200
finish
