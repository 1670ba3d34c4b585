#!/bin/sh
# SPDX-License-Identifier: ISC
# The fraud rates of devices and ips: which labels a decision sees and when, and
# that rules can use the rates.
. "$(dirname "$0")/lib.sh"
use past days erase risk

start_with_key
add_months 4

# First nothing is known, then there are decisions, then labels.
decide_order o-0 u-0
is "without device and ip the rates are unknown" "$(rates_seen)" "- - - - -"
for i in 1 2 3 4; do
	decide_order "o-$i" "u-$i" "$here"
done
is "a device without counts has the prior rate" "$(rates_seen)" \
    "0.01 0.01 0.01 0 0.01"
age_events 7.5 'o-_'
check "the companion counts the decisions" cron project
is "each decision is counted once for its device and its ip" \
    "$(days_counted)" "$(days_recounted)"
decide_order p-1 u-1 "$here"
is "after the delay unlabelled decisions count as legit" "$(rates_seen)" \
    "0.002 0.002 0.002 0 0.002"
# Labels of decisions that the log has no more were credited already.
sql "insert into assay.label (event_id, chargeback, tags, credited_outcome)
    select 'a-' || n, 'fraud', '{}', 'fraud' from generate_series(1, 50) n"
http POST /v1/labels/chargeback '{"eventId":"o-2"}'
decide_order p-2 u-2 "$here"
is "a decision does not see a label before it is counted" "$(rates_seen)" \
    "0.002 0.002 0.002 0 0.002"
check "the companion counts a label" cron project
decide_order p-3 u-3 "$here"
is "a fraud label counts in the slot of its decision" \
    "$(rates_seen)" "0.202 0.202 0.202 1 0.202"
sql "select assay.label_put('o-3', 'analyst', 'legit', 'c')" >/dev/null
cron project
decide_order p-4 u-4 "$here"
is "a legit label counts as a label and not as fraud" "$(rates_seen)" \
    "0.202 0.202 0.202 2 0.202"
http POST /v1/labels/chargeback '{"eventId":"o-3"}'
cron project
decide_order p-5 u-5 '"deviceId":"d-shop"'
is "a label that becomes fraud moves the rate" \
    "$(rates_seen)" "0.402 0.402 0.402 2 -"
cron project
is "the counts agree with a recount" "$(days_counted)" "$(days_recounted)"

# Slots younger than the delay, and slots before the window.  They are half a day away
# from the ends of the windows, so that the time of day does not matter.
decide_order p-6 u-5 '"deviceId":"d-shop"'
http POST /v1/labels/chargeback '{"eventId":"p-6"}'
age_events 6.5 p-6
cron project
decide_order q-1 u-1 "$here"
is "decisions younger than the delay do not count" "$(rates_seen)" \
    "0.402 0.402 0.402 2 0.402"
start_host 2 LABEL_DELAY_DAYS=6
on 2 POST /v1/decisions "{\"id\":\"q-2\",\"type\":\"order.place\",
    \"subject\":{\"userId\":\"u-2\",$here}}"
is "with a shorter delay the same decisions count" "$(rates_seen)" \
    "0.501667 0.501667 0.505 3 0.402"
for i in 1 2 3; do
	decide_order "r-$i" u-1 '"deviceId":"d-old"'
	http POST /v1/labels/chargeback "{\"eventId\":\"r-$i\"}"
done
age_events 13.5 r-1
age_events 14.5 r-2
age_events 38.5 r-3
cron project
decide_order s-1 u-1 '"deviceId":"d-old"'
is "each window counts its own slots" "$(rates_seen)" \
    "0.67 0.505 0.01 2 -"
age_events 60 s-1
is "the counts of old days agree with a recount" \
    "$(cron project; days_counted)" \
    "$(days_recounted)"

# Rules can use the rates.
TOKEN=$token
http POST /v1/rules '{"eventType":"order.place","version":"by-risk",
    "dsl":"rule r { when risk.deviceFraudRate >= 0.4 && risk.deviceLabels > 1 && risk.ipFraudRate > 0.1 then score += 60, tag bad_place }"}'
is "a rule with rates is published" "$STATUS" 200
TOKEN=
decide_order t-1 u-6 "$here"
is_json "a rule with rates fires on a bad device and ip" \
    '.reasons | tojson' '[{"tag":"bad_place","points":60}]'
decide_order t-2 u-6 '"deviceId":"d-new","ip":"196.188.7.8"'
is_json "a rule with rates does not fire on a new device" \
    '.reasons | tojson' '[]'

# A list decides without a score, so the event does not count for its device.
TOKEN=$token
http POST /v1/lists '{"kind":"allow","subject":"user","value":"u-good"}'
TOKEN=
decide_order t-3 u-good "$here"
is "a decision by a list stores no device and no ip" "$STATUS $(sql "select
    count(*) from assay.decision_detail
    where event_id = 't-3' and num_nonnulls(device, ip) = 0")" "200 1"
finish
