// SPDX-License-Identifier: ISC
// The words of the console.  t("key", values) returns a text of the tables;
// each text.js of a folder adds its own with addText().  {name} in a text is
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

// The keys that begin so.
export function keysUnder(start) {
	return [...tables.keys()].filter((key) => key.startsWith(start));
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

// Most texts have only these characters.
const PLAIN = /^[\n\t -~]*$/;
// Characters that turn the text around them, or that are not seen.  A joiner is seen in
// the scripts that join letters and in pictures, and so is a selector in pictures.
const UNSEEN = new RegExp("(?<![\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Mong}\\p{sc=Deva}" +
    "\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}\\p{sc=Telu}" +
    "\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}\\p{ExtPict}\\p{EMod}\\ufe0f])" +
    "[\\u200c\\u200d\\ufe0e\\ufe0f]|(?![\\n\\t\\u200c\\u200d\\ufe0e\\ufe0f])" +
    "[\\p{Cc}\\p{Cf}\\p{DI}\\u2028\\u2029]", "gu");
// In a value also line ends, all joiners, and spaces that look like another one or
// like none.
const INEXACT = /[\p{Cc}\p{Cf}\p{DI}\u2028\u2029\u2800]|(?! )\p{Zs}|^ | $| (?= )/gu;

function code(char) {
	return `\\u{${char.codePointAt(0).toString(16)}}`;
}

// coded TEXT: with codes instead of characters that are not seen or that turn the
// text around them.
export function coded(text) {
	return PLAIN.test(text) ? text : text.replace(UNSEEN, code);
}

// exact VALUE: the same for an id or another value, so that two values that differ
// look different.
export function exact(value) {
	return value.replace(INEXACT, code);
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const OTHERS = /[\p{sc=Cyrl}\p{sc=Grek}]/gu;

// spelled TEXT: with codes instead of the Cyrillic and Greek letters of the words that
// also have Latin ones, because such letters can look the same.
export function spelled(text) {
	return PLAIN.test(text) ? text : text.replace(WORDS, (word) =>
	    /\p{sc=Latn}/u.test(word) ? word.replace(OTHERS, code) : word);
}

function shown(value) {
	return typeof value === "number" ? counts().format(value) :
	    coded(String(value));
}
