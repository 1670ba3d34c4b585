#!/bin/sh
# SPDX-License-Identifier: ISC
# The role author: shadows and backtests, but nothing that decides; an author may end
# a rollout, not begin one.
. "$(dirname "$0")/lib.sh"
use operators rules

dsl='"dsl":"rule r_any { when event.amount > 0 then score += 7, tag any }"'
start_stack OPERATOR_WORKERS=3
admin_token
admin=$TOKEN
http GET /v1/auth/me
is_json "an admin may do everything" '"\(.idleSeconds) \(.capabilities |
    length)"' "0 $(grep -c '^CAPABILITY(' "$srcdir/fcgi/access/capabilities.tbl")"
http POST /v1/auth/users \
    '{"email":"ana@example.com","password":"first password","role":"author"}'
is "an admin adds an author" "$STATUS $(json .role)" "201 author"
open_session ana@example.com 'first password'
author=$TOKEN
http GET /v1/auth/me
is_json "an author may propose and try rules" \
    '"\(.role) \(.capabilities | join(" "))"' \
    "author backtest.run cases.work rules.propose rules.shadow"

publish_rules "\"version\":\"one\",$dsl"
is_error "an author may not publish rules" 403 FORBIDDEN
is_json "the refusal says what an author may do" .message \
    'only an admin may publish; propose the ruleset, or send "shadow": true'
publish_rules "\"version\":\"one\",\"shadow\":false,$dsl"
is_error "shadow false does not let an author publish rules" 403 FORBIDDEN
publish_rules "\"version\":\"one\",\"shadow\":true,$dsl"
is "an author starts a shadow" "$STATUS $(json .version)" "200 one"
publish_rules "\"version\":\"two\",\"shadow\":true,\"dsl\":\"rule\""
is_error "an author's shadow is checked" 400 RULESET_INVALID
http POST /v1/model/shadow/promote '{"eventType":"order.place"}'
is_error "an author may not promote a shadow" 403 FORBIDDEN
is_json "the refusal names the role" .message "this needs the role admin"
http POST /v1/model/shadow/rollout '{"eventType":"order.place","percent":1}'
is_error "an author may not roll a shadow out" 403 FORBIDDEN
http POST /v1/backtest "{\"eventType\":\"order.place\",\"rules\":[]}"
is "an author may run a backtest" "$STATUS" 200
http GET /v1/backtest
is "an author sees the running backtests" "$STATUS" 200
TOKEN=$admin
http POST /v1/model/shadow/rollout '{"eventType":"order.place","percent":1}'
is "an admin rolls the author's shadow out" "$STATUS" 200
TOKEN=$author
publish_rules "\"version\":\"two\",\"shadow\":true,$dsl"
is_error "an author may not replace a rollout" 409 SHADOW_ROLLED_OUT
http POST /v1/model/shadow/end '{"eventType":"order.place"}'
is "an author ends a shadow" "$STATUS" 200

# Roles apply to open sessions.
change_operator ana@example.com '{"role":"analyst"}'
TOKEN=$author
publish_rules "\"version\":\"two\",\"shadow\":true,$dsl"
is_error "an analyst may not start a shadow" 403 FORBIDDEN
is_json "the refusal names both roles" .message \
    "this needs the role author or admin"
http GET /v1/auth/me
is_json "an analyst may work on cases" '"\(.role) \(.capabilities | join(" "))"' \
    "analyst cases.work"
change_operator admin@example.com '{"role":"author"}'
is_error "the last admin may not become an author" 409 LAST_ADMIN
change_operator ana@example.com '{"role":"authors"}'
is_error "an unknown role answers 400" 400 INVALID_REQUEST
is "the trail has the author's shadow under the role author" \
    "$(sql "select role from assay.audit
    where action = 'POST /v1/rules' and status = 200")" author
finish
