# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Block, allow and watch lists on the decision path.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh and of the scenarios

# An answer as decide_event leaves it in DECIDED, by the list that decided it.
block="deny -1 list.block/0"
allow="allow -1 list.allow/0"
watch="review 0 list.watch/0"
plain="allow 0 "

# open_lists: an API key in KEY, and a session of assayctl.
open_lists() {
	admin_token
	api_key
	ASSAY_TOKEN=$TOKEN
	ASSAY_URL=unix:$scratch/run/http.sock
	export ASSAY_TOKEN ASSAY_URL
	TOKEN=
}
# ctl_lists ARGUMENT ...: assayctl lists.
ctl_lists() {
	"$builddir/assayctl" lists "$@" 2>&1
}

# card_event USER [MEMBERS [BIN]]: an event with more members of its subject.
card_event() {
	printf '{"type":"card.authorize","subject":{"userId":"%s"%s}%s}' \
	    "$1" "${2-}" "${3:+,\"instrument\":{\"bin\":\"$3\"\}}"
}
# decide_event EVENT: verdict, score and tags of the answer, in DECIDED.
decide_event() {
	http POST /v1/decisions "$1"
	DECIDED=$(json '"\(.verdict) \(.score) \([.reasons[] |
	    "\(.tag)/\(.points)"] | join(" "))"')
}
# verdicts_of EVENT: how often each verdict, of 24 requests with the event.
verdicts_of() {
	# The fragment is not sent.
	curl -sS -Z --parallel-max 8 --parallel-immediate --max-time 20 -d "$1" \
	    --unix-socket "$scratch/run/http.sock" -H "X-API-Key: $KEY" \
	    -H 'Content-Type: application/json' -o "$scratch/many.#1" \
	    "$BASE/v1/decisions#[1-24]" 2>"$scratch/curl"
	cat "$scratch"/many.* | jq -r .verdict | sort | uniq -c | tr -s ' '
	rm "$scratch"/many.*
}
# replace_rules: three rules about amounts, and another queue for reviews.
replace_rules() {
	sql "update assay.ruleset set text =
	    'rule r { when event.amount > 10 then score += 30, tag big }
	    rule s { when event.amount > 100 then score += 0, tag more }
	    rule t { when event.amount > 1000 then score += 60, tag huge }'
	    where event_type = 'card.authorize';
	    update assay.policy set bands = replace(bands::text, 'risk-ops',
		'second-line')::jsonb where event_type = 'card.authorize';
	    update assay.epoch set rules = rules + 1, policies = policies + 1"
}
