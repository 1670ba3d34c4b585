// SPDX-License-Identifier: ISC
// The mistakes and warnings of a text as ranges of the editor.

// offsetOf LINE COLUMN: where a column of the service is in a line: it counts
// characters from 1, the editor counts UTF-16 units.
export function offsetOf(line, column) {
	let at = 0;
	for (let left = column - 1; left > 0 && at < line.length; left--)
		at += line.codePointAt(at) > 0xffff ? 2 : 1;
	return at;
}

// spansOf(text, check): what to mark, { from, to, severity, message, line, column },
// for an answer of POST /v1/rules/check.  A mistake marks at least one character
// if its line has one.
export function spansOf(text, { errors, warnings }) {
	const lines = text.split("\n");
	const starts = [0];
	for (const line of lines)
		starts.push(starts.at(-1) + line.length + 1);

	function span({ line, column = 1, endColumn, message }, severity) {
		const row = Math.min(line, lines.length) - 1;
		const words = lines[row];
		const from = offsetOf(words, column);
		const to = endColumn === undefined ? words.length :
		    offsetOf(words, endColumn);
		const [start, end] = to > from ? [from, to] :
		    [Math.min(from, Math.max(0, words.length - 1)),
		    Math.min(from + 1, words.length)];
		return { from: starts[row] + start, to: starts[row] + end, severity,
		    message, line, column };
	}
	return [...errors.map((one) => span(one, "error")),
	    ...warnings.map((one) => span(one, "warning"))]
	    .sort((a, b) => a.from - b.from);
}
