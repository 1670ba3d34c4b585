#!/bin/sh
# SPDX-License-Identifier: ISC
# Changes of lists reach every worker at once; entries end in time; lists may have
# networks, and be longer than the cache.
. "$(dirname "$0")/lib.sh"
use list_decisions

start_stack DECIDE_WORKERS=3
open_lists
replace_rules
ctl_lists add block ip 203.0.113.9 >/dev/null
ctl_lists add allow user n-2 >/dev/null

# Every worker applies a change at its next decision.
is "before the change no worker blocks" \
    "$(verdicts_of "$(card_event m-1)")" " 24 allow"
id=$(ctl_lists add block user m-1)
is "assayctl adds an entry" "${id#* }" "block user"
is "after an entry is added every worker blocks" \
    "$(verdicts_of "$(card_event m-1)")" " 24 deny"
ctl_lists remove "${id%% *}" >/dev/null
is "after the entry is removed no worker blocks" \
    "$(verdicts_of "$(card_event m-1)")" " 24 allow"

# An entry ends by the clock; workers do not read it again.
ctl_lists add --expires "$(date -u -d '+3 seconds' +%Y-%m-%dT%H:%M:%SZ)" \
    block user x-1 >/dev/null
before=$(sql "select lists from assay.epoch")
# shellcheck disable=SC2317 # it is called by name
entry_ended() { decide_event "$(card_event x-1)" && [ "$DECIDED" = "$plain" ]; }
check "an entry with an end stops to block" \
    stack_until 20 "$stack_pool_pid" entry_ended
is "an entry ends at its time, without a new epoch" \
    "$(sql "select bool_and((v.decided_at < l.expires_at)
    = (v.score = -1)), (select lists from assay.epoch)
    from assay.verdict_log v join assay.decision_detail d on d.verdict_id = v.id
	join assay.list_entry l on l.value = d.user_id
    where d.user_id = 'x-1'")" "t|$before"

# The longest network that has the address decides.
ctl_lists import - >"$scratch/out" <<'END'
kind,subject,value
block,ip,192.0.2.0/24
allow,ip,192.0.2.64/26
watch,ip,192.0.2.65/32
allow,ip,192.0.2.128/25
block,ip,2001:DB8:0::/32
allow,ip,2001:db8:7::/48
END
sql "update assay.list_entry set expires_at = now() where value = '192.0.2.128/25';
    select assay.list_bump_epoch(array['ip'])" >/dev/null
# networks_decide WHERE: decide events from these networks.
networks_decide() {
	while read -r ip want; do
		decide_event "$(card_event net-1 ",\"ip\":\"$ip\"")"
		is "$1 list decides $ip by its longest network" \
		    "${DECIDED% }" "$want"
	done <<-END
	192.0.2.1 $block
	192.0.2.64 $allow
	192.0.2.65 $watch
	192.0.2.200 $block
	192.0.3.1 $plain
	2001:db8::1 $block
	2001:db8:7::1 $allow
	2001:db9::1 $plain
	END
}
networks_decide "a cached"
is "a search for an address finds the networks that have it" \
    "$(ctl_lists find --json ip 192.0.2.65 | jq -r .[].value | sort |
    tr '\n' ' ')" "192.0.2.0/24 192.0.2.64/26 192.0.2.65 "

# A list too long for the cache: workers ask the database.
awk 'BEGIN { print "kind,subject,value"; for (i = 0; i < 10500; i++)
	printf "block,ip,198.18.%d.%d\n", i / 250, 1 + i % 250 }' |
    ctl_lists import - >"$scratch/out"
is "assayctl imports a list of 10500 entries" "$(cat "$scratch/out")" \
    "10500 entries: 10500 added, 0 updated, 0 unchanged"
decide_event "$(card_event l-1 ',"ip":"198.18.41.7"')"
is "an entry of a long list blocks at once" "$DECIDED" "$block"
is "an entry of a long list blocks in every worker" \
    "$(verdicts_of "$(card_event l-1 ',"ip":"198.18.0.1"')")" " 24 deny"
networks_decide "a long"
is "a long list does not block other addresses" \
    "$(verdicts_of "$(card_event l-1 ',"ip":"198.18.200.1"')")" \
    " 24 allow"
decide_event "$(card_event l-1)"
is "a long list does not block an event without an address" "$DECIDED" "$plain"
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'watch', 'ip', '198.18.200.2', 'test'),
	('lst_2', 'allow', 'ip', '198.18.200.3', 'test'),
	('lst_3', 'block', 'ip', '198.18.200.3', 'test');
    update assay.list_entry set expires_at = now() where id = 'lst_3'"
decide_event "$(card_event l-1 ',"ip":"198.18.200.2"')"
is "a new entry of a long list applies without a new epoch" "$DECIDED" "$watch"
decide_event "$(card_event l-1 ',"ip":"198.18.200.3"')"
is "an ended entry of a long list does not block" "$DECIDED" "$allow"
decide_event "$(card_event n-2 ',"ip":"198.18.0.2"')"
is "a long block list takes precedence over a cached list" "$DECIDED" "$block"
http POST /v1/decisions/batch "{\"events\":[
    $(card_event l-2 ',"ip":"198.18.0.3"'), $(card_event l-3),
    $(card_event l-4 ',"ip":"198.18.200.2"'), $(card_event l-5 ',"ip":"9.9.9.9"')]}"
is "a batch applies a long list to each of its events" "$(json '[.results[] |
    "\(.decision.verdict)\(.decision.score)"] | join(" ")')" \
    "deny-1 allow0 review0 allow0"
sql "delete from assay.list_entry where value like '198.18.%';
    select assay.list_bump_epoch(array['ip'])" >/dev/null
is "a list that is short again is cached again" \
    "$(verdicts_of "$(card_event l-1 ',"ip":"198.18.0.1"')")" " 24 allow"
decide_event "$(card_event l-1 ',"ip":"203.0.113.9"')"
is "a list that is short again has its remaining entries" "$DECIDED" "$block"

is "no log has a value of a list" \
    "$(grep -lE '198\.18\.|203\.0\.113|25191|4111112' \
    "$scratch"/log/* | wc -l | tr -d ' ')" 0
finish
