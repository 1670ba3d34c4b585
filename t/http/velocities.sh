# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of velocities share.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh

# publish_velocities TYPE VERSION TEXT [MEMBERS]: publish a ruleset.
publish_velocities() {
	http POST /v1/rules "$(jq -nc --arg type "$1" --arg version "$2" --arg dsl "$3" \
	    "{eventType: \$type, \$version, \$dsl ${4:-}}")"
}

# carded ID USER DEVICE CARD [AMOUNT [HOST [HEADER]]]: decide an order, and print the
# tags of its reasons.
carded() {
	on "${6:-}" POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":${5:-10},\"currency\":\"EUR\",\"attributes\":{\"card\":\"$4\"},
	    \"subject\":{\"userId\":\"$2\",\"deviceId\":\"$3\"}}" ${7:+-H "$7"}
	json '.reasons | map(.tag) | join(" ")'
}

# seen ID NAME: the value of the velocity in the explanation of a decision.
seen() {
	http GET "/v1/decisions/$1/explain"
	json ".signals.\"velocity.$2\""
}

# velocity_states: of each velocity its names, whether it is complete, and its keys.
velocity_states() {
	http GET /v1/velocities
	json 'map("\(.usedBy | map(.name) | join("+")) \(.complete) \(.keys)") | join(", ")'
}

# begin_fills: let fills begin now, and not after their pause.
begin_fills() {
	sql "update assay.velocity set counted_since = counted_since - interval '20 s'
	    where not complete" >/dev/null
}

# each_velocity [WHERE]: one for each function and each kind of key, with that condition.
each_velocity() {
	set -- "${1-}"
	cat <<-END
		velocity users = distinct(userId) by deviceId over 24h $1
		velocity places = distinct(ip) by userId over 1h $1
		velocity phones = distinct(phone) by deviceId over 7d $1
		velocity events = count by ip over 2h $1
		velocity spent = sum(event.amount) by userId over 90d $1
		velocity mean = avg(event.amount) by userId, deviceId over all $1
		velocity least = min(event.amount) by instrument.bin over 3h $1
		velocity most = max(event.amount) by attr.merchant over 24h $1
		velocity spread = stddev(event.amount) by fingerprint over 24h $1
		velocity before = sum(event.amount) by userId over 24h $1 excluding current
	END
}

# velocity_rules: a ruleset of these, and of one that counts verdicts.
velocity_rules() {
	each_velocity
	cat <<-'END'
		velocity denied = count by userId over 24h where verdict in ["deny", "review"]
		rule r_users { when velocity.users > 3 then score += 20, tag users }
		rule r_spent { when velocity.spent > 900 then score += 25, tag spent }
		rule r_denied { when velocity.denied > 1 then score += 30, tag denied }
	END
}
