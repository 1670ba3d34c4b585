#!/bin/sh
# SPDX-License-Identifier: ISC
# Redecisions by assayctl; and what erasure and retention leave of them.
. "$(dirname "$0")/lib.sh"
use ctl velocities redecide erase

start_signed_in
token=$TOKEN
for n in 1 2 3 4; do
	carded "o-$n" "u-$n" "d-$n" "c-$n" "${n}0.5" >/dev/null
	block "d-$n"
done
sql "insert into assay.label (event_id, chargeback) values ('o-4', 'fraud')" >/dev/null

# By assayctl.
ctl_as "$token" redecide --since 1h --type order.place --act 100
check "assayctl begins a redecision and says how to follow it" prints \
    '^rdc_[0-9a-v]* is waiting|.*assayctl redecisions show rdc_'
redecision=$(echo "$OUT" | cut -d ' ' -f 1)
cron redecide
ctl redecisions show "$redecision"
check "assayctl shows what a redecision has found" shows \
    '^state  *done$' '^progress  *100.0 %' '^more severe  *4$' '^acted on  *4$' '^cases opened  *3$' \
    '^order.place  *allow  *deny  *4  *1  *0  *{"EUR":102}  *{"EUR":40.5}'
ctl redecisions changes "${redecision#rdc_????????}"
check "assayctl shows the changes, also for a part of the id" shows \
    '^o-1 .*allow  *deny  *0  *-1  *list.block 0  *cse_'
ctl redecisions list
check "assayctl lists the redecisions" shows "^$redecision  *done  *100"
ctl redecide --since 2h
redecision=$(echo "$OUT" | cut -d ' ' -f 1)
ctl redecisions cancel "$redecision"
check "assayctl cancels a redecision" prints "^$redecision is cancelled"
ctl redecide
check "without a time assayctl refuses" prints "since is required"
ctl redecide --since tomorrow
check "a wrong time is refused with what it must be" prints 'since must be a time such as'

# Erased.
TOKEN=$token
http GET "/v1/cases?eventId=o-1&queue=*"
case_id=$(json '.[0].id')
http POST "/v1/cases/$case_id/notes" '{"text":"called the owner of o-1"}'
http POST /v1/privacy/erase '{"userId":"u-1","rehearse":true}'
is_json "what is stored of a user has the case of a redecision" .stored.cases 1
is "a user with such a case is erased" "$(erase_complete u-1)" "200 true"
TOKEN=$token
http GET "/v1/cases/$case_id"
is_json "the case has no amount and no note any more" \
    '"\(.amount) \(.currency) \(.notes | length) \(.eventId)"' "null null 0 o-1"
sql "insert into assay.erasure (user_hash, erased_at)
    values (assay.user_hash('u-2'), now() + interval '1 minute')" >/dev/null
redecide
is "neither an erased user nor one whose erasure runs is decided again" "$(found)" \
    "done: 2 decided, 2 more, 0 less severe, 0 acted, 0 cases"

# Retention.
sql "update assay.redecision set ended_at = now() - interval '40 days'
    where id <> '$redecision';
    update assay.verdict_revision set decided_at = now() - interval '40 days'" >/dev/null
cron retain RETENTION_VERDICTS_DAYS=30
is "retention removes redecisions that ended before its time, and what they found" \
    "$(sql "select count(*), count(*) filter (where id = '$redecision') from assay.redecision;
	select count(distinct redecision) from assay.redecision_count;
	select count(distinct redecision) from assay.redecision_change" | tr '\n' ' ')" \
    "1|1 1 1 "
http GET "/v1/cases/$case_id"
is "retention leaves the cases" "$STATUS" 200
http GET "/v1/cases?userId=u-3&queue=*"
case_id=$(json '.[0].id')
is "a user is erased whose verdict is past retention, and whose request is not" \
    "$(erase_complete u-3)" "200 true"
TOKEN=$token
http GET "/v1/cases/$case_id"
is_json "the case of a user erased later has no amount any more" '"\(.eventId) \(.amount)"' "o-3 null"
sql "update assay.verdict_revision set decided_at = now() - interval '100 days';
    update assay.retention_sweep set started_at = '-infinity', finished_at = '-infinity'" >/dev/null
cron retain RETENTION_VERDICTS_DAYS=30
is "a revised verdict goes with the request" \
    "$(sql 'select count(*) from assay.verdict_revision')" 0
finish
