// SPDX-License-Identifier: ISC
// What an analyst works through: the list that was open last, data that was loaded
// ahead, and what was typed into a case and not sent.
import { signal } from "../../third_party/preact/preact.js";
import { call } from "../api.js";

const FRESH_MS = 60000;
const MOST = 60;

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

export function dropDraft(id) {
	drafts.delete(id);
}

function remembered(key, load) {
	const found = ahead.get(key);
	if (found !== undefined && Date.now() - found.at < FRESH_MS)
		return found.promise;
	const promise = load();
	promise.catch(() => ahead.delete(key));
	ahead.delete(key);
	ahead.set(key, { at: Date.now(), promise });
	if (ahead.size > MOST)
		ahead.delete(ahead.keys().next().value);
	return promise;
}

// explainOf EVENT: why it was decided so.  The answer hardly changes, so it serves
// the preview, the case and the way back.
export function explainOf(event) {
	return remembered(`explain ${event}`, () =>
	    call("GET /v1/decisions/{id}/explain", { path: { id: event } }));
}

// caseOf ID SIGNAL: the case; the first time after prefetch() without a request.
export function caseOf(id, abort) {
	const key = `case ${id}`;
	const found = ahead.get(key);
	ahead.delete(key);
	if (found !== undefined && Date.now() - found.at < FRESH_MS)
		return found.promise;
	return call("GET /v1/cases/{id}", { path: { id }, signal: abort });
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
