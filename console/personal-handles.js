// SPDX-License-Identifier: ISC
// Short names for personal values in the address of a page.  The history of a
// browser keeps addresses, so what names a person must not be in one: a handle such
// as "~k3x7qd.3" stands for it until the page closes.
const values = [];
// Handle of another page -> its value, or null if no page answered (foreign-handles.js).
const learned = new Map();
const HANDLE = /^~(\w+)\.(\d+)$/;
// A handle of an earlier page or of another window must not name a value of this one.
const page = Math.random().toString(36).slice(2, 8);
const PERSONAL_KINDS = new Set(["user", "ip", "phone", "email"]);

// The text that stands for this value in an address.
export function handleOf(kind, value) {
	if (!PERSONAL_KINDS.has(kind))
		return value;
	let at = values.indexOf(value);
	if (at < 0)
		at = values.push(value) - 1;
	return `~${page}.${at}`;
}

// The value; null if the handle means nothing to this page.
export function valueOf(kind, handle) {
	return PERSONAL_KINDS.has(kind) ? meaningOf(handle) : handle;
}

// What a handle stands for, or null.
export function meaningOf(handle) {
	const [, of, at] = HANDLE.exec(handle) ?? [];
	return (of === page ? values[at] : learned.get(handle)) ?? null;
}

// Whether it is a handle of another page, which no page has been asked about.
export function isForeign(text) {
	const [, of = page] = HANDLE.exec(text) ?? [];
	return of !== page && !learned.has(text);
}

// Remember what a handle of another page stands for; null: no page tells.
export function learn(handle, value) {
	learned.set(handle, value);
}
