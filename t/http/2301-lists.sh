#!/bin/sh
# SPDX-License-Identifier: ISC
# Block, allow and watch lists on the decision path: every subject and kind,
# which goes before which, what is left behind, and lists of any length.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

# A database of places in which the lower half of IPv4 is in Nigeria.
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
admin_token
api_key
ASSAY_TOKEN=$TOKEN
ASSAY_URL=unix:$scratch/run/http.sock
export ASSAY_TOKEN ASSAY_URL
TOKEN=
lists() { "$builddir/assayctl" lists "$@" 2>&1; }

# event USER [MEMBERS [BIN]]: with these members of subject besides.
event() {
	printf '{"type":"card.authorize","subject":{"userId":"%s"%s}%s}' \
	    "$1" "${2-}" "${3:+,\"instrument\":{\"bin\":\"$3\"\}}"
}
# decide EVENT: verdict, score and tags of the answer, in DECIDED.
decide() {
	http POST /v1/decisions "$1"
	DECIDED=$(json '"\(.verdict) \(.score) \([.reasons[] |
	    "\(.tag)/\(.points)"] | join(" "))"')
}
block="deny -1 list.block/0"
allow="allow -1 list.allow/0"
watch="review 0 list.watch/0"
plain="allow 0 "

# Each subject is on all three lists, written otherwise than events have it.
sed 's/|.*//' >"$scratch/values" <<'END'
user,s-user
device,d-ü
fingerprint,f-1
ip,2A00:1450:4001:0:0:0:0:200E
phone,+251 91 234 5678
bin,4111112
country,ng
END
of() {
	case $1 in
	user) event s-user ;;
	device) event s-device ',"deviceId":"d-ü"' ;;
	fingerprint) event s-fingerprint ',"fingerprint":"f-1"' ;;
	ip) event s-ip ',"ip":"2a00:1450:4001::200e"' ;;
	phone) event s-phone ',"phone":"00251912345678"' ;;
	bin) event s-bin "" 41111123 ;;
	country) event s-country ',"ip":"81.2.3.4"' ;;
	esac
}
for subject in user device fingerprint ip phone bin country; do
	decide "$(of "$subject")"
	is "$subject, on no list" "$DECIDED" "$plain"
done
{
	echo kind,subject,value
	for kind in watch allow block; do
		sed "s/^/$kind,/" "$scratch/values"
	done
} >"$scratch/all.csv"
is "all of them on every list" "$(lists import "$scratch/all.csv")" \
    "21 entries: 21 added, 0 updated, 0 unchanged"
for kind in block allow watch none; do
	while IFS=, read -r subject value; do
		eval "want=\${$kind-}"
		[ "$kind" != none ] || want=$plain
		decide "$(of "$subject")"
		is "$subject, $kind" "$DECIDED" "$want"
		[ "$kind" = none ] ||
		    lists remove "$kind" "$subject" "$value" >/dev/null
	done <"$scratch/values"
done

# Addresses wrapped in IPv6, bins of every length, the wrong subject.
lists add --reason "case 7" block ip ::ffff:203.0.113.9 >/dev/null
lists add --expires 2050-01-01T00:00:00Z block bin 522222 >/dev/null
lists add block device 203.0.113.77 >/dev/null
decide "$(event a-1 ',"ip":"203.0.113.9"')"
is "an address that was listed wrapped" "$DECIDED" "$block"
decide "$(event a-1 ',"ip":"::FFFF:CB00:7109"')"
is "one that is sent wrapped" "$DECIDED" "$block"
for bin in 522222 5222220 52222299; do
	decide "$(event a-1 "" "$bin")"
	is "bin $bin begins with a listed one" "$DECIDED" "$block"
done
decide "$(event a-1 "" 522223)"
is "its neighbour does not" "$DECIDED" "$plain"
decide "$(event a-1 ',"ip":"203.0.113.77"')"
is "a device's value is no ip's" "$DECIDED" "$plain"
http GET "/v1/decisions/$(json .eventId)"
is "an event that was short-circuited is found" "$STATUS" 200

# What is blocked or allowed leaves its log, and nothing else.
footprint() {
	sql "select (select count(*) from assay.user_state),
	    (select count(*) from assay.entity), (select count(*) from assay.link),
	    (select count(*) from assay.review_case),
	    (select count(*) from assay.detail where replay is not null)"
}
lists add block user n-1 >/dev/null
lists add allow user n-2 >/dev/null
before=$(footprint)
for user in n-1 n-2; do
	http POST /v1/decisions "$(event "$user" \
	    ',"deviceId":"n-d","ip":"203.0.113.80","fingerprint":"n-f"')" \
	    -H "Idempotency-Key: $user"
done
is "no state, entity, link, case or sample" "$(footprint)" "$before"
is "but verdict, request and key" "$(sql "select v.verdict, v.score,
    v.reasons, d.request is not null, i.key
    from assay.verdict_log v join assay.detail d on d.verdict_id = v.id
	join assay.idempotency i on i.verdict_id = v.id
    where d.user_id in ('n-1', 'n-2') order by i.key")" \
"deny|-1|[{\"tag\":\"list.block\",\"points\":0}]|t|n-1
allow|-1|[{\"tag\":\"list.allow\",\"points\":0}]|t|n-2"
lists remove block user n-1 >/dev/null
http POST /v1/decisions "$(event n-1)" -H "Idempotency-Key: n-1"
is "a repeated key answers as it did" \
    "$(json .verdict) $(header x-engine-idempotent-replay)" "deny true"
decide "$(event n-1 ',"deviceId":"n-d","fingerprint":"n-f"')"
is "the next event of the user is the first" "$(sql "select
    replay::json #>> '{signals,velocity.attemptsLast24h}',
    replay::json #>> '{signals,device.firstSeen}',
    replay::json #>> '{signals,device.fingerprintFirstSeen}'
    from assay.detail where user_id = 'n-1' and replay is not null")" "0|true|true"

# Watch raises to review, in the queue that the policy has for reviews.
sql "update assay.ruleset set text =
    'rule r { when event.amount > 10 then score += 30, tag big }
    rule s { when event.amount > 100 then score += 0, tag more }
    rule t { when event.amount > 1000 then score += 60, tag huge }'
    where event_type = 'card.authorize';
    update assay.policy set bands = replace(bands::text, 'risk-ops',
	'second-line')::jsonb where event_type = 'card.authorize';
    update assay.epoch set rules = rules + 1, policies = policies + 1"
lists add watch user w-1 >/dev/null
spend() {
	decide "{\"type\":\"card.authorize\",\"subject\":{\"userId\":\"w-1\"},
	    \"id\":\"w-$1\",\"amount\":$1,\"currency\":\"EUR\"}"
}
spend 1
is "allow is raised" "$DECIDED" "review 0 list.watch/0"
spend 101
is "challenge is raised" "$DECIDED" "review 30 big/30 list.watch/0 more/0"
spend 1001
is "deny stays" "$DECIDED" "deny 90 huge/60 big/30 list.watch/0 more/0"
decide '{"type":"account.login","id":"w-login","subject":{"userId":"w-1"}}'
is "a policy without reviews" "$DECIDED" "review 0 list.watch/0"
is "each review has its case" "$(sql "select event_id, queue, score
    from assay.review_case where event_id like 'w-%' order by opened_at")" \
"w-1|second-line|0
w-101|second-line|30
w-login|risk-ops|0"
is "and was counted" "$(sql "select
    max(replay::json #>> '{signals,velocity.attemptsLast24h}')
    from assay.detail where user_id = 'w-1'")" 3

# One batch: each event for itself, one user in both ways.
lists add block device b-d >/dev/null
http POST /v1/decisions/batch "{\"events\":[
    $(event b-1 ',"deviceId":"b-d"'), $(event b-1), $(event w-1), {},
    $(event b-2 ',"deviceId":"b-d","ip":"203.0.113.9"'),
    $(event b-1 ',"ip":"203.0.113.200"')]}"
is "a batch" "$(json '[.results[] | if .ok then "\(.decision.verdict)\(
    .decision.score)" else "-" end] | join(" ")')" \
    "deny-1 allow0 review0 - deny-1 allow0"
is "counts what was scored" "$(sql "select string_agg(
    replay::json #>> '{signals,velocity.attemptsLast24h}', ' '
    order by replay::json #>> '{signals,velocity.attemptsLast24h}')
    from assay.detail where user_id = 'b-1'")" "0 1"

# Every worker knows of a change at its next decision.
many() {
	seq 24 | xargs -P 8 -I{} curl -sS --max-time 20 -d "$1" \
	    --unix-socket "$scratch/run/http.sock" -H "X-API-Key: $KEY" \
	    -H 'Content-Type: application/json' -o "$scratch/many.{}" \
	    "$BASE/v1/decisions"
	cat "$scratch"/many.* | jq -r .verdict | sort | uniq -c | tr -s ' '
	rm "$scratch"/many.*
}
is "nobody blocks" "$(many "$(event m-1)")" " 24 allow"
id=$(lists add block user m-1)
is "an entry is added" "${id#* }" "block user"
is "everybody blocks" "$(many "$(event m-1)")" " 24 deny"
lists remove "${id%% *}" >/dev/null
is "it is removed, nobody does" "$(many "$(event m-1)")" " 24 allow"

# An entry ends by the clock, without having been read again.
lists add --expires "$(date -u -d '+3 seconds' +%Y-%m-%dT%H:%M:%SZ)" \
    block user x-1 >/dev/null
before=$(sql "select lists from assay.epoch")
# shellcheck disable=SC2317 # it is called by name
ended() { decide "$(event x-1)" && [ "$DECIDED" = "$plain" ]; }
check "an entry ends" stack_until 20 "$stack_pool_pid" ended
is "at its time" "$(sql "select bool_and((v.decided_at < l.expires_at)
    = (v.score = -1)), (select lists from assay.epoch)
    from assay.verdict_log v join assay.detail d on d.verdict_id = v.id
	join assay.list_entry l on l.value = d.user_id
    where d.user_id = 'x-1'")" "t|$before"

# A list too long to be cached: known from the decision on that meets it.
awk 'BEGIN { print "kind,subject,value"; for (i = 0; i < 10500; i++)
	printf "block,ip,198.18.%d.%d\n", i / 250, 1 + i % 250 }' |
    lists import - >"$scratch/out"
is "a long list" "$(cat "$scratch/out")" \
    "10500 entries: 10500 added, 0 updated, 0 unchanged"
decide "$(event l-1 ',"ip":"198.18.41.7"')"
is "acts at once" "$DECIDED" "$block"
is "in every worker" "$(many "$(event l-1 ',"ip":"198.18.0.1"')")" " 24 deny"
is "and on nothing else" "$(many "$(event l-1 ',"ip":"198.18.200.1"')")" \
    " 24 allow"
decide "$(event l-1)"
is "an event without an ip" "$DECIDED" "$plain"
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'watch', 'ip', '198.18.200.2', 'test'),
	('lst_2', 'allow', 'ip', '198.18.200.3', 'test'),
	('lst_3', 'block', 'ip', '198.18.200.3', 'test');
    update assay.list_entry set expires_at = now() where id = 'lst_3'"
decide "$(event l-1 ',"ip":"198.18.200.2"')"
is "it is asked, not remembered" "$DECIDED" "$watch"
decide "$(event l-1 ',"ip":"198.18.200.3"')"
is "there, too, what has ended does not act" "$DECIDED" "$allow"
decide "$(event n-2 ',"ip":"198.18.0.2"')"
is "a long list goes before a cached one" "$DECIDED" "$block"
http POST /v1/decisions/batch "{\"events\":[
    $(event l-2 ',"ip":"198.18.0.3"'), $(event l-3),
    $(event l-4 ',"ip":"198.18.200.2"'), $(event l-5 ',"ip":"9.9.9.9"')]}"
is "a batch asks for each of its events" "$(json '[.results[] |
    "\(.decision.verdict)\(.decision.score)"] | join(" ")')" \
    "deny-1 allow0 review0 allow0"
sql "delete from assay.list_entry where value like '198.18.%';
    select assay.list_moved(array['ip'])" >/dev/null
is "short again, it is cached again" \
    "$(many "$(event l-1 ',"ip":"198.18.0.1"')")" " 24 allow"
decide "$(event l-1 ',"ip":"203.0.113.9"')"
is "with what has stayed" "$DECIDED" "$block"

is "no log has a value" "$(grep -lE '198\.18\.|203\.0\.113|25191|4111112' \
    "$scratch"/log/* | wc -l | tr -d ' ')" 0
finish
