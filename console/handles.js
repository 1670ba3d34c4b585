// SPDX-License-Identifier: ISC
// Short names for personal values in the address of a page.  The history of a
// browser keeps addresses, so an IP address or a phone number must not be in one:
// "~3" stands for it until the page closes.
const values = [];
const PERSONAL = new Set(["ip", "phone", "email"]);

// The text that stands for this value in an address.
export function handleOf(kind, value) {
	if (!PERSONAL.has(kind))
		return value;
	let at = values.indexOf(value);
	if (at < 0)
		at = values.push(value) - 1;
	return `~${at}`;
}

// The value; null if the handle is of an earlier page, which forgot it.
export function valueOf(kind, handle) {
	if (!PERSONAL.has(kind))
		return handle;
	const [, at] = /^~(\d+)$/.exec(handle) ?? [];
	return at === undefined ? null : values[at] ?? null;
}
