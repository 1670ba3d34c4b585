// SPDX-License-Identifier: ISC
// What a form of settings sends.

// changesOf(names, values, drafts, removed): the members to send: a new number, or
// null where the override is removed.
export function changesOf(names, values, drafts, removed) {
	const changes = {};
	for (const name of names) {
		if (removed.has(name))
			changes[name] = null;
		else if (Number(drafts[name]) !== values[name])
			changes[name] = Number(drafts[name]);
	}
	return changes;
}
