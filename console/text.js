// SPDX-License-Identifier: ISC
// The words of the console.  t("key", values) returns a text of the tables in
// text/; a screen adds its own table with addText().  {name} in a text is
// replaced; a text that is an object has one form for each plural category of n.
export const LANG = "en";
const plurals = lazy(() => new Intl.PluralRules(LANG));
const counts = lazy(() => new Intl.NumberFormat(LANG));
const tables = new Map();

// lazy(make): a function that returns what make() returns at the first call.  Making
// a format takes longer than using it, and the first screen needs few.
export function lazy(make) {
	let made;
	return () => made ??= make();
}

// A table may be added again, but not change a key.
export function addText(table) {
	for (const [key, text] of Object.entries(table)) {
		const known = tables.get(key);
		if (known !== undefined &&
		    JSON.stringify(known) !== JSON.stringify(text))
			throw new Error(`the text ${key} exists`);
		tables.set(key, text);
	}
}

export function hasText(key) {
	return tables.has(key);
}

// t(KEY, VALUES): the text; a key without a text is its own text, so that a page
// with a mistake can still be used.  t/console.sh finds such keys.
export function t(key, values = {}) {
	const found = tables.get(key) ?? key;
	const form = typeof found === "string" ? found :
	    found[plurals().select(values.n)] ?? found.other;
	return form.replace(/\{(\w+)\}/g, (whole, name) =>
	    name in values ? shown(values[name]) : whole);
}

// Characters that turn the text around them.
const TURNING = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

// coded TEXT: with codes instead of characters that turn the text around them, or
// of those that the pattern matches.
export function coded(text, pattern = TURNING) {
	return text.replace(pattern, (char) =>
	    `\\u{${char.codePointAt(0).toString(16)}}`);
}

function shown(value) {
	return typeof value === "number" ? counts().format(value) :
	    coded(String(value));
}
