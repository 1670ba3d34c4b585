# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of shadow rulesets and models share.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # of lib.sh and ctl.sh; read by scenarios

# publish_version VERSION POINTS [MEMBERS]: one rule of order.place, which fires
# on any amount.
publish_version() {
	http POST /v1/rules "{\"eventType\":\"order.place\",\"version\":\"$1\",
	    \"dsl\":\"rule r_any { when event.amount > 0 then score += $2, tag any }\"
	    ${3:+,$3}}"
}

# decide_order HOST ID [MEMBERS]
decide_order() {
	on "$1" POST /v1/decisions "{\"id\":\"$2\",\"type\":\"order.place\",
	    \"amount\":20,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"u-$2\"}${3:+,$3}}"
	json '"\(.verdict) \(.score)"'
}

# shadow_sample ID: what the sample has of the shadow.
shadow_sample() {
	sql "select sample from assay.decision_detail where event_id = '$1'" | jq -r '
	    .shadow // "none" | if . == "none" then . else "\(.id) \(.verdict) " +
	    "\(.score) \(.tags | map("\(.tag) \(.points)") | join(","))" end'
}

# shown_shadows TYPE: the shadows of the event type.
shown_shadows() {
	http GET /v1/model/shadow
	json "map(select(.eventType == \"$1\") | \"\\(.kind) \\(.version) \" +
	    \"\\(.state) \\(.decisions)\") | join(\", \")"
}

# label_counts: of the version cand, with precision and recall.
label_counts() {
	http GET /v1/model/shadow
	json '.[] | select(.version == "cand") | "\(.labels.fraud) " +
	    "\(.labels.legit) \(.live.precision) \(.live.recall) " +
	    "\(.shadow.precision) \(.shadow.recall)"'
}

# promote_shadow BODY, end_shadow BODY
promote_shadow() {
	http POST /v1/model/shadow/promote "$1"
}
end_shadow() {
	http POST /v1/model/shadow/end "$1"
}

# epoch_moved COLUMN: whether that epoch moved since the last call.
epoch_moved() {
	epoch=$(sql "select $1 from assay.epoch")
	[ "$epoch" -gt "${before-0}" ] && echo yes || echo no
	before=$epoch
}

# make_traffic ROUND: decisions in batches and labels, some of them before their
# decision and some that change.
make_traffic() {
	for i in 1 2 3; do
		events=
		for j in 1 2 3 4 5 6 7 8; do
			events="$events{\"id\":\"e-$1-$i-$j\",\"type\":\"order.place\",
			    \"amount\":$((j * 900)),\"currency\":\"EUR\",
			    \"subject\":{\"userId\":\"w-$j\"}},"
		done
		KEY=$key
		http POST /v1/labels/chargeback "{\"eventId\":\"e-$1-$i-1\"}"
		sql "select assay.label_put('e-$1-$i-' || n, 'analyst', 'legit', 'c')
		    from generate_series(2, 4) n" >/dev/null
		http POST /v1/decisions/batch "{\"events\":[${events%,}]}"
		http POST /v1/labels/chargeback "{\"eventId\":\"e-$1-$i-2\"}"
		KEY=
	done
}

# begin_shadow VERSION: a shadow ruleset, from a file.
begin_shadow() {
	echo 'rule r { when event.amount > 3000 then score += 60, tag big }' \
	    >"$scratch/cand.rule"
	ctl rules shadow order.place "$1" "$scratch/cand.rule"
}
