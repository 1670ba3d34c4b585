// SPDX-License-Identifier: ISC
// Values that an operator types for signals.

// typed TEXT WAS: the value for a signal that had the value WAS: a number stays a
// number.  Of an unknown signal the text says what it is; an empty text is unknown.
// A text that cannot be such a value gives undefined.
export function typed(text, was) {
	const clean = text.trim();
	if (clean === "")
		return null;
	const value = clean === "true" ? true : clean === "false" ? false :
	    Number.isNaN(Number(clean)) ? clean : Number(clean);
	if (was === null || was === undefined)
		return value;
	if (typeof was === "string")
		return clean;
	return typeof value === typeof was ? value : undefined;
}

// changesOf ROWS SIGNALS: the "set" of POST /v1/decisions/{id}/try and the names of
// signals whose text is no value.
export function changesOf(rows, signals) {
	const set = {}, wrong = [];
	for (const { signal, text } of rows) {
		const value = typed(text, signals[signal]);
		if (value === undefined)
			wrong.push(signal);
		else
			set[signal] = value;
	}
	return { set, wrong };
}
