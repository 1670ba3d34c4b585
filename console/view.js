// SPDX-License-Identifier: ISC
// What a saved view keeps of an address.

// Members of an address that are about a moment, not about a view.
const PASSING = new Set(["after", "live"]);

// viewQuery QUERY: what a view of this address keeps.
export function viewQuery(query) {
	return Object.fromEntries(Object.entries(query).filter(([name, value]) =>
	    !PASSING.has(name) && value !== "").sort(([a], [b]) => a < b ? -1 : 1));
}

// viewOf VIEWS QUERY: the saved view that this address shows, or undefined.
export function viewOf(views, query) {
	const text = JSON.stringify(viewQuery(query));
	return views.find((view) => JSON.stringify(viewQuery(view.query)) === text);
}
