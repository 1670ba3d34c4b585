#!/bin/sh
# SPDX-License-Identifier: ISC
# The day of a rule author in the console, by keyboard alone: a threshold is changed,
# proposed, tried as a shadow, approved, promoted and rolled back.
. "$(dirname "$0")/lib.sh"
use chromium backtest

need_chromium
start_console FOUR_EYES=rules
http POST /v1/auth/users '{"email":"ann@example.com","role":"author",
    "password":"temporary horse"}'
is "an admin creates an author" "$STATUS" 201
http POST /v1/auth/login \
    '{"email":"ann@example.com","password":"temporary horse"}'
TOKEN=$(json .token)
http POST /v1/auth/password \
    '{"password":"temporary horse","newPassword":"battery staple"}'
is "the author chooses a password" "$STATUS" 200
decide_sample
# Each sample 50 times, so that the events that change fill several pages.
sql "insert into assay.decision_detail (decided_at, verdict_id, event_id,
	event_type, user_id, sample)
    select decided_at, id, event_id, event_type, user_id, sample
    from assay.decision_detail, generate_series(10, 59) i,
	overlay(verdict_id placing i::text from length(verdict_id) - 1) id
    where event_type = 'card.authorize' and sample is not null
	and id <> verdict_id"

active() {
	sql "select version from assay.ruleset_active
	    where event_type = 'card.authorize'"
}
seed=$(active)
line=$(grep -n 'event.amount > 3000' \
    "$srcdir/sql/seed/rules/card.authorize.rule" | cut -d : -f 1)
start_tcp_site
run_steps rules.mjs 24 '{"author":{"email":"ann@example.com",
    "password":"battery staple"},"admin":{"email":"admin@example.com",
    "password":"correct horse"},"line":'"$line"',"value":"30"}'
is "the seed's rules decide again" "$(active)" "$seed"
is "all changes of the author are versions" "$(sql "select version, author
    from assay.ruleset where version like 'day-%' order by 1")" \
    "day-1|ann@example.com
day-2|ann@example.com
day-3|ann@example.com"
finish
