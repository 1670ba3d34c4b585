#!/bin/sh
# SPDX-License-Identifier: ISC
# Exceptions beside watch lists, shadows and rollouts; more for one event than act; and
# how they are forgotten.
. "$(dirname "$0")/lib.sh"
use exceptions retain shadow

start_stack ROLLOUT_GUARD_POINTS=0
admin_token
api_key
publish_two

# A watch entry asks for a review with and without the exception.
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-1"}'
except
watched=$(json .id)
is "a watch entry stays in effect" "$(decide_big u-1 a-1)" "review 30 any,list.watch"
is "the verdict is the same without the exception" "$(counted "$watched")" "active 1 0"

# A shadow leaves out the same rules, and a rollout counts.
http POST /v1/rules '{"eventType":"order.place","version":"cand","shadow":true,
    "dsl":"rule r_any { when event.amount > 0 then score += 40, tag any } rule r_new { when event.amount > 100 then score += 50, tag fresh } rule r_big { when event.amount > 100 then score += 5, tag big }"}'
shadow=$(json .id)
except '"value":"u-2"'
decide_big u-2 b-1 >/dev/null
is "a shadow has the exceptions, too" "$(shadow_sample b-1)" \
    "$shadow review 90 fresh 50,any 40"
except '"name":"fresh","value":"u-2"'
is "a tag of a shadow may be silenced" "$STATUS" 201
fresh=$(json .id)
http POST /v1/model/shadow/rollout '{"eventType":"order.place","percent":100}'
is "a rollout has the exceptions" "$(decide_big u-2 b-2)" "allow 40 any"
is "a decision of a rollout counts" "$(counted "$fresh")" "active 1 1"
http POST /v1/model/shadow/end '{"eventType":"order.place"}'

# The first 64 of one event act.
sql "insert into assay.rule_exception (id, kind, name, subject, value, reason,
	created_by, expires_at)
    select 'exc_' || lpad(n::text, 3, '0'), 'tag', case n when 65 then 'any' else 'big' end,
	'user', 'u-3', 'why', 'a@example.com', now() + interval '1 day'
    from generate_series(1, 65) n;
    insert into assay.rule_exception (id, event_type, kind, name, subject, value, reason,
	created_by, expires_at)
    values ('exc_0', 'order.future', 'tag', 'big', 'user', 'u-4', 'why', 'a@example.com',
	now() + interval '1 day');
    update assay.epoch set exceptions = exceptions + 1"
is "the 65th exception of an event does not act" "$(decide_big u-3 c-1)" "allow 30 any"
is "the others have a row each" \
    "$(sql "select count(*) from assay.exception_use where event_id = 'c-1'")" 64
is "one for a type of a later release does not act" "$(decide_big u-4 c-2)" \
    "review 55 any,big"

# Retention forgets what they did with the verdicts, and themselves after a year.
sql "update assay.exception_use set decided_at = decided_at - interval '400 days'
    where event_id = 'c-1';
    update assay.rule_exception set created_at = now() - interval '500 days',
	expires_at = now() - interval '366 days' where value = 'u-3';
    update assay.rule_exception set expires_at = now() - interval '364 days'
    where value = 'u-4'"
cron retain
is "old uses are removed, and young ones stay" \
    "$(sql "select count(*) filter (where event_id = 'c-1'), count(*)
	from assay.exception_use")" "0|4"
is "exceptions are forgotten a year after their end" \
    "$(sql "select count(*) filter (where value = 'u-3'),
	count(*) filter (where value = 'u-4') from assay.rule_exception")" "0|1"
finish
