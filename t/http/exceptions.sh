# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of exceptions share.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh

# publish_two: rules of order.place: 30 points for any amount, with the tag any, and
# 25 more above 100, with the tag big.
publish_two() {
	http POST /v1/rules '{"eventType":"order.place","version":"two",
	    "dsl":"rule r_any { when event.amount > 0 then score += 30, tag any } rule r_big { when event.amount > 100 then score += 25, tag big }"}'
}

# decide_big USER ID [HOST] [HEADER]: print verdict, score and tags of an order of 200.
decide_big() {
	on "${3:-}" POST /v1/decisions "{\"id\":\"$2\",\"type\":\"order.place\",
	    \"amount\":200,\"currency\":\"EUR\",\"subject\":{\"userId\":\"$1\",
	    \"deviceId\":\"d-$1\"}}" ${4:+-H "$4"}
	json '"\(.verdict) \(.score) \(.reasons | map(.tag) | join(","))"'
}

# except MEMBERS: make an exception from the tag big for u-1, or with these members.
except() {
	http POST /v1/exceptions "$(printf '%s' "{\"kind\":\"tag\",\"name\":\"big\",
	    \"subject\":\"user\",\"value\":\"u-1\",\"reason\":\"has called\",
	    \"expiresAt\":\"$(in_days 7)\"}" | jq -c ". + {${1:-}}")"
}

# in_days N: that time, as a body has it.
in_days() { date -u -d "$1 days" +%Y-%m-%dT%H:%M:%SZ; }

# counted ID: the state of the exception, its decisions, and those that it changed.
counted() {
	http GET "/v1/exceptions/$1"
	json '.exception | "\(.state) \(.decisions) \(.changed)"'
}

# explained ID: of each rule whether its condition is true, and whether it is silenced.
explained() {
	http GET "/v1/decisions/$1/explain"
	json '"\(.recomputed) " + (.rules | map("\(.id) \(.truth) \(.silenced)") | join(", "))'
}
