#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl config with wrong files: each mistake is named, and nothing changes.
. "$(dirname "$0")/lib.sh"
use ctl eyes

start_stack
two_admins
dir=$scratch/config
ctl_as "$ann" config export "$dir"
etag=${OUT##* }
cp -R "$dir" "$scratch/first"

printf 'rule big { when event.amont > 1 then score += 1, tag t }\n' \
    >"$dir/rules/card.refund.rule"
ctl_as "$ann" config plan "$dir"
check "a mistake in rules has its place" \
    shows "^$dir/rules/card.refund.rule:1:17: "
is "a mistake in rules exits 65" "$STATUS" 65
cp "$scratch/first/rules/card.refund.rule" "$dir/rules/"
printf '\ntest t { given velocity.attemptsLast2m == 0 expect deny }\n' \
    >>"$dir/rules/card.refund.rule"
ctl_as "$ann" config plan "$dir"
check "plan runs the tests of rules" shows 'changes.0.: line .* the test t expected deny.*RULESET_INVALID'
cp "$scratch/first/rules/card.refund.rule" "$dir/rules/"
echo 'rule x { }' >"$dir/rules/card.refnd.rule"
echo '{"onError": "fail_open"}' >"$dir/policies/card.refund.json"
ctl_as "$ann" config plan "$dir"
check "a file whose name is no event type is named" \
    shows 'card.refnd.rule is not read: its name is not an event type'
check "a policy without bands is refused" shows 'card.refund.json: has no bands'
echo '{"onError": ' >"$dir/policies/card.refund.json"
ctl_as "$ann" config plan "$dir"
check "a file that is not JSON is refused with its name" \
    shows "$dir/policies/card.refund.json: expected a value"
cp "$scratch/first/policies/card.refund.json" "$dir/policies/"
for file in 'settings.json [] must be an object' 'webhooks.json {} must be an array'; do
	name=${file%% *} rest=${file#* }
	cp "$dir/$name" "$scratch/kept"
	echo "${rest%% *}" >"$dir/$name"
	ctl_as "$ann" config plan "$dir"
	check "a wrong type is refused: $name" shows "$name: ${rest#* }"
	cp "$scratch/kept" "$dir/$name"
done
echo '{"decisionsPerMn": 700}' >"$dir/settings.json"
ctl_as "$ann" config plan "$dir"
check "an unknown setting is refused" shows 'settings.json: there is no setting decisionsPerMn'
is "an unknown setting exits 65" "$STATUS" 65
echo '{"decisionsPerMin": "many"}' >"$dir/settings.json"
ctl_as "$ann" config plan "$dir"
check "a value of the wrong type is refused" shows 'decisionsPerMin must be'
mkdir "$scratch/empty"
ctl_as "$ann" config plan "$scratch/empty"
check "an empty directory is refused with advice" \
    shows "has no configuration; 'assayctl config export $scratch/empty'"
is "an empty directory exits 66" "$STATUS" 66
ctl_as "$eve" config plan "$dir"
check "an analyst may not read the configuration" shows FORBIDDEN

is "the wrong files changed nothing" "$(ctl_as "$ann" config export "$dir"
    echo "${OUT##* }")" "$etag"
finish
