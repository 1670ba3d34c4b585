// SPDX-License-Identifier: ISC
// What a screen remembers for the way back to it: for each entry of the history of the
// browser, as long as the page lives.

const MOST_ENTRIES = 50;
// Id of an entry, which is in its state -> name -> value.
const entries = new Map();
let last = 0;

// The values of the entry that is shown.  Ids of a page that was loaded before are no
// ids of this one.
function here() {
	let id = history.state?.entry;
	if (!entries.has(id)) {
		id = `${performance.timeOrigin} ${++last}`;
		history.replaceState({ entry: id }, "");
		entries.set(id, new Map());
		if (entries.size > MOST_ENTRIES)
			entries.delete(entries.keys().next().value);
	}
	return entries.get(id);
}

export function keep(name, value) {
	here().set(name, value);
}

// kept NAME: what was kept when this entry was left; undefined in a new one.
export function kept(name) {
	return here().get(name);
}
