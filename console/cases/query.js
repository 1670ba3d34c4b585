// SPDX-License-Identifier: ISC
// The list of cases that an address asks for, in the words of GET /v1/cases.

// Which cases, in the order of the choices, with their usual order.
const STATES = {
	waiting: { order: "oldest", query: { status: "open", snoozed: "false" } },
	mine: { order: "oldest", query: { status: "assigned", assignee: "me" } },
	assigned: { order: "oldest", query: { status: "assigned" } },
	snoozed: { order: "oldest", query: { status: "open", snoozed: "true" } },
	resolved: { order: "newest", query: { status: "resolved" } },
};
export const states = Object.keys(STATES);
export const orders = ["oldest", "newest", "score"];
// Members of the address that go to the API as they are.
const filters = ["eventType", "tag", "minScore", "maxScore", "minAmount",
    "maxAmount", "currency", "assignee", "openedAfter", "openedBefore", "userId"];

export function stateOf({ state }) {
	return Object.hasOwn(STATES, state ?? "") ? state : "waiting";
}

export function orderOf(query) {
	return orders.includes(query.order) ? query.order :
	    STATES[stateOf(query)].order;
}

// caseQuery QUERY LIMIT: the parameters of GET /v1/cases.  Without a queue the
// list has the cases of all queues.
export function caseQuery(query, limit) {
	const wanted = Object.fromEntries(filters.filter((name) => query[name])
	    .map((name) => [name, query[name]]));
	return { queue: query.queue ?? "*", order: orderOf(query), ...wanted,
	    ...STATES[stateOf(query)].query, after: query.after, limit };
}

// Members of caseQuery() whose option of assayctl has another name.
const OPTION_NAMES = { userId: "user", eventType: "type" };

// cliOptions QUERY: the options of "assayctl cases list" for the same list.
export function cliOptions(query) {
	const { after, limit, ...wanted } = caseQuery(query);
	return Object.fromEntries(Object.entries(wanted).map(([name, value]) =>
	    [OPTION_NAMES[name] ?? name.replace(/[A-Z]/g, (letter) =>
		`-${letter.toLowerCase()}`), value]));
}

// An analyst who holds so many cases gets no further one.
const MOST_HELD = 5;

// nextBody QUERY: what POST /v1/cases/next gets: the queue of the list, by score if
// the list is, and how many cases an analyst holds at most.
export function nextBody(query) {
	return { ...query.queue && { queue: query.queue },
	    ...orderOf(query) === "score" && { order: "score" }, most: MOST_HELD };
}

// total QUEUES: one row for all of them.
export function total(queues) {
	const sum = (name) => queues.reduce((all, queue) => all + queue[name], 0);
	const times = queues.map(({ oldestAt }) => oldestAt)
	    .filter((at) => at !== null).sort();
	return { queue: null, open: sum("open"), assigned: sum("assigned"),
	    mine: sum("mine"), snoozed: sum("snoozed"), breached: sum("breached"),
	    oldestAt: times[0] ?? null };
}

// neighbours IDS ID: the ids before and after one in a list, null at its ends.
export function neighbours(ids, id) {
	const at = ids.indexOf(id);
	return { at, previous: at > 0 ? ids[at - 1] : null,
	    following: at >= 0 ? ids[at + 1] ?? null : null };
}
