// SPDX-License-Identifier: ISC
// What the forms of settings send.

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

// A year.
export const mostMinutes = 525600;

// targetOf(text): the minutes of a target, null for none, undefined if it is no target.
export function targetOf(text) {
	const minutes = Number(text);
	if (text.trim() === "")
		return null;
	return Number.isInteger(minutes) && minutes >= 1 && minutes <= mostMinutes ?
	    minutes : undefined;
}
