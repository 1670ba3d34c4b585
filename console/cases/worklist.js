// SPDX-License-Identifier: ISC
// What an analyst works through: the list that was open last, data that was loaded
// ahead, and what was typed into a case and not sent.
import { signal } from "../../third_party/preact/preact.js";
import { call, send } from "../api.js";
import { caseQuery } from "./query.js";

// Rows of a list that are loaded at once.
export const PAGE = 50;
const FRESH_MS = 60000;
const MOST_AHEAD = 60;

// The list: its query and the rows { id, eventId }.
export const worklist = signal({ query: {}, rows: [] });
// Case id -> { outcome, note, remark }.  It ends with the page.
const drafts = new Map();
// Kind and id -> { at, promise }.
const ahead = new Map();

export function draftOf(id) {
	return drafts.get(id) ?? { outcome: null, note: "", remark: "" };
}

export function keepDraft(id, draft) {
	drafts.set(id, draft);
}

// dropOutcome ID: forget what was sent; a remark that was not added stays.
export function dropOutcome(id) {
	const { remark } = draftOf(id);
	drafts.delete(id);
	if (remark !== "")
		keepDraft(id, { outcome: null, note: "", remark });
}

function remembered(key, load) {
	const found = ahead.get(key);
	if (found !== undefined && Date.now() - found.at < FRESH_MS)
		return found.promise;
	const promise = load();
	promise.catch(() => ahead.delete(key));
	ahead.delete(key);
	ahead.set(key, { at: Date.now(), promise });
	if (ahead.size > MOST_AHEAD)
		ahead.delete(ahead.keys().next().value);
	return promise;
}

// explainOf EVENT: why it was decided so.  The answer hardly changes, so it serves
// the preview, the case and the way back.
export function explainOf(event) {
	return remembered(`explain ${event}`, () =>
	    call("GET /v1/decisions/{id}/explain", { path: { id: event } }));
}

// What was loaded ahead, once.
function taken(key) {
	const found = ahead.get(key);
	ahead.delete(key);
	return found !== undefined && Date.now() - found.at < FRESH_MS ?
	    found.promise : undefined;
}

// caseOf ID SIGNAL: the case; the first time after prefetch() without a request.
export function caseOf(id, abort) {
	return taken(`case ${id}`) ??
	    call("GET /v1/cases/{id}", { path: { id }, signal: abort });
}

const keyOfList = (wanted) => `list ${JSON.stringify(wanted)}`;

// casesOf QUERY LIMIT SIGNAL: the answer of GET /v1/cases; the first time after
// prefetchPage() without a request.
export function casesOf(query, limit, abort) {
	const wanted = caseQuery(query, limit);
	return taken(keyOfList(wanted)) ??
	    send("GET /v1/cases", { query: wanted, signal: abort });
}

// prefetchPage QUERY: load the first rows of a list for casesOf(), unless a member of
// the query is forgotten.  A request that fails, for example without a session, has no
// effect.
export function prefetchPage(query) {
	if (Object.values(query).includes(null))
		return;
	const wanted = caseQuery(query, PAGE);
	remembered(keyOfList(wanted), () => send("GET /v1/cases",
	    { query: wanted, plain: true })).catch(() => {});
}

// unchanged ROWS: with the objects of the list for rows that are as there, which a
// table need not write again.
export function unchanged(rows) {
	const known = new Map(worklist.value.rows.map((row) =>
	    [JSON.stringify(row), row]));
	return rows.map((row) => known.get(JSON.stringify(row)) ?? row);
}

// keepCase ROW: the case as the service has just given it.
export function keepCase(row) {
	ahead.set(`case ${row.id}`, { at: Date.now(), promise: Promise.resolve(row) });
}

// prefetch ROW: load a case and its explanation before the analyst opens it.
export function prefetch({ id, eventId }) {
	remembered(`case ${id}`, () => call("GET /v1/cases/{id}", { path: { id } }))
	    .catch(() => {});
	explainOf(eventId).catch(() => {});
}
