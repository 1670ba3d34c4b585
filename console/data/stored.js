// SPDX-License-Identifier: ISC
// The kinds of stored data, in groups of what they keep.
import { hasText, t } from "../text.js";
import "./text.js";

// Each group with its kinds, as the service names them.  A kind that no group has is in
// the group other.
const GROUPS = {
	decisions: ["verdicts", "activity", "replay", "idempotency", "asyncQueue"],
	cases: ["cases", "labels"],
	people: ["users", "entities", "links"],
	rules: ["rulesets", "policies", "lists"],
	deliveries: ["outbox", "deliveries", "deadLetter"],
	access: ["operators", "apikeys", "audit"],
	other: [],
};

function groupOf(name) {
	return Object.keys(GROUPS).find((id) => GROUPS[id].includes(name)) ?? "other";
}

// storedGroups(collections): [{ id, items }] of the groups that have a kind; items are
// those of a chart, the most rows first.  A kind without a label keeps its name.
export function storedGroups(collections) {
	return Object.keys(GROUPS).map((id) => ({ id, items: collections
	    .filter(({ name }) => groupOf(name) === id)
	    .map(({ name, rows }) => ({ title: name, value: rows,
		label: hasText(`data.rows.${name}`) ? t(`data.rows.${name}`) : name }))
	    .sort((a, b) => b.value - a.value) })).filter(({ items }) => items.length > 0);
}
