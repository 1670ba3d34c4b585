#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl config: the configuration as files, for a git repository and CI.
. "$(dirname "$0")/lib.sh"
use ctl eyes

start_stack
two_admins
dir=$scratch/config
active() {
	sql "select version from assay.ruleset_active where event_type = '$1'"
}

ctl_as "$ann" config export "$dir"
is "export exits 0" "$STATUS" 0
etag=${OUT##* }
check "export shows the etag" shows "^exported to $dir, etag [0-9a-f]\{32\}"
is "export writes a file for each part" "$(cd "$dir" && find . -type f |
    sed 's,/[a-z.]*\.rule$,/*.rule,; s,policies/.*,policies/*.json,' | LC_ALL=C sort -u |
    paste -sd ' ')" \
    "./lists.json ./policies/*.json ./queues.json ./rules/*.rule ./settings.json ./webhooks.json"
is "the files of rules are those that are active" \
    "$(cat "$dir/rules/card.refund.rule")" \
    "$(cat "$srcdir/sql/seed/rules/card.refund.rule")"
ctl_as "$ann" config plan --check "$dir"
is "the files of an export change nothing" "$STATUS $OUT" \
    "0 0 changes, etag $etag"
ctl_as "$ann" config apply --yes "$dir"
is "without a change nothing is applied" "$STATUS $OUT" "0 no changes"

cp -R "$dir" "$scratch/first"
printf '\nrule big {\n\twhen event.amount > 100\n\tthen score += 40, tag big\n}\n' \
    >>"$dir/rules/card.refund.rule"
jq '.bands[0].max = 19 | .bands[1].min = 20' "$dir/policies/card.refund.json" \
    >"$scratch/policy" && cp "$scratch/policy" "$dir/policies/card.refund.json"
echo '{"decisionsPerMin": 700, "retention.activity": 30}' >"$dir/settings.json"
echo '{"fraud review": 60}' >"$dir/queues.json"
event=$(as "$ann" GET /v1/webhooks; json '.events[0]')
echo '[{"url": "https://example.com/hook", "events": ["'"$event"'"]}]' \
    >"$dir/webhooks.json"
ctl_as "$ann" config plan "$dir"
is "plan exits 0" "$STATUS" 0
check "plan shows the rules as added lines" \
    shows '^\[0\] rules card.refund$' '^@@ ' '^+rule big {' '^+.*when event.amount > 100'
check "plan shows the bands" shows '^\[1\] policy card.refund' '^-allow 0 39' '^+allow 0 19'
check "plan shows settings, targets and webhooks" shows \
    '^\[2\] setting decisionsPerMin: none -> 700' \
    '^\[3\] setting retention.activity: none -> 30' \
    '^\[4\] target of queue fraud review: none -> 60' \
    '^\[5\] new webhook https://example.com/hook'
check "plan counts the changes" shows "^6 changes, etag $etag"
ctl_as "$ann" config plan --check "$dir"
is "with --check plan exits 65 if there are changes" "$STATUS" 65
is "plan changes nothing" "$(active card.refund)" seed@v0.4
is "apply without a terminal needs --yes" \
    "$(ctl_as "$ann" config apply "$dir"; echo "$STATUS")" 64

ctl_as "$ann" config apply --yes --label release-7 --etag "$etag" "$dir"
is "apply exits 0" "$STATUS" 0
check "apply shows the secret of a new webhook" \
    shows '^\[5\] secret of the webhook, shown only now: whsec_' '^6 changes made, etag [0-9a-f]'
is "the rules have the label" "$(active card.refund)" release-7
is "rules that did not change keep their version" "$(active card.authorize)" \
    seed@v0.4
ctl_as "$ann" config plan --check "$dir"
is "after apply the directory changes nothing" "$STATUS ${OUT%%,*}" "0 0 changes"
ctl_as "$ann" config apply --yes --etag "$etag" "$scratch/first"
is "an etag of an older configuration is refused" "$STATUS" 65
check "the refusal says what to do" shows "has changed since $etag; run 'assayctl config plan"
ctl_as "$ann" config export "$scratch/again"
is "an export of what was applied has the same webhooks without ids" \
    "$(jq -c . "$scratch/again/webhooks.json")" "$(jq -c . "$dir/webhooks.json")"

# What a directory lacks is not managed; what a file lacks ends.
mkdir "$scratch/some"
echo '{}' >"$scratch/some/settings.json"
cp "$dir/queues.json" "$scratch/some/"
echo '[]' >"$scratch/some/webhooks.json"
ctl_as "$ann" config apply --yes "$scratch/some"
check "settings and webhooks that files lack end" shows \
    '^\[0\] setting decisionsPerMin: 700 -> none' \
    '^\[1\] setting retention.activity: 30 -> none' \
    '^\[2\] revoke webhook https://example.com/hook' '^3 changes made'
is "no webhook is active" "$(sql "select count(*)
    from assay.webhook_endpoint where active")" 0
is "parts that the directory lacks did not change" "$(active card.refund)" release-7

# One proposal for all changes.
rm -r "$dir" && cp -R "$scratch/first" "$dir"
ctl_as "$ann" config apply --label back --propose "ticket 7" "$dir"
check "apply --propose makes one proposal" \
    shows '^prp_[^ ]* waits for the approval of another admin'
id=$(printf '%s\n' "$OUT" | sed -n 's/^\(prp_[^ ]*\) waits.*/\1/p')
ctl_as "$bob" proposals show "$id"
check "the proposal shows the rules that it removes" shows '^-rule big {'
ctl_as "$bob" proposals approve --yes "$id"
is "the approved proposal is made" "$STATUS $(active card.refund)" "0 back"
finish
