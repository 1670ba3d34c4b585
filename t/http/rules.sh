# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Rulesets of order.place.  Sourced after lib.sh.

# publish_rules MEMBERS: publish a ruleset with these members.
publish_rules() {
	http POST /v1/rules "{\"eventType\":\"order.place\",$1}"
}

# compare_tree PATH OPERATOR VALUE: a tree that compares a signal with a value.
compare_tree() {
	printf '{"kind":"compare","path":"%s","op":"%s","value":%s}' "$@"
}

# rule_tree CONDITION: a rule with the id r that has this tree as its condition.
rule_tree() {
	printf '{"id":"r","tag":"t","weight":7,"condition":%s}' "$1"
}
