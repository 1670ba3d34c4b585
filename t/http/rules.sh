# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Rulesets of order.place.  Sourced after lib.sh.

# publish MEMBERS: publish a ruleset with these members.
publish() {
	http POST /v1/rules "{\"eventType\":\"order.place\",$1}"
}

# compare PATH OPERATOR VALUE: a tree that compares a signal with a value.
compare() {
	printf '{"kind":"compare","path":"%s","op":"%s","value":%s}' "$@"
}

# tree CONDITION: a rule with the id r that has this tree as its condition.
tree() {
	printf '{"id":"r","tag":"t","weight":7,"condition":%s}' "$1"
}
