// SPDX-License-Identifier: ISC
// The difference of two texts, by their longest common subsequence.

// More cells than this are not compared; then everything has changed.
const MOST_CELLS = 4000000;

// The lengths of the common subsequences of all ends of a and b.
function lengths(a, b) {
	const wide = b.length + 1;
	const table = new Uint32Array((a.length + 1) * wide);
	for (let i = a.length - 1; i >= 0; i--)
		for (let j = b.length - 1; j >= 0; j--)
			table[i * wide + j] = a[i] === b[j] ?
			    table[(i + 1) * wide + j + 1] + 1 :
			    Math.max(table[(i + 1) * wide + j],
			    table[i * wide + j + 1]);
	return (i, j) => table[i * wide + j];
}

function middle(a, b) {
	const size = a.length * b.length > MOST_CELLS ? () => 0 : lengths(a, b);
	const steps = [];
	let i = 0, j = 0;
	while (i < a.length || j < b.length) {
		if (i < a.length && j < b.length && a[i] === b[j] &&
		    size(i, j) > 0) {
			steps.push(["same", a[i++]]);
			j++;
		} else if (i < a.length && (j === b.length ||
		    size(i + 1, j) >= size(i, j + 1))) {
			steps.push(["out", a[i++]]);
		} else {
			steps.push(["in", b[j++]]);
		}
	}
	return steps;
}

// changes(a, b): the steps from one array of texts to another, as pairs of "same",
// "out" or "in" and the text.
export function changes(a, b) {
	let head = 0, tail = 0;
	while (head < a.length && head < b.length && a[head] === b[head])
		head++;
	while (tail < a.length - head && tail < b.length - head &&
	    a[a.length - 1 - tail] === b[b.length - 1 - tail])
		tail++;
	const same = (text) => ["same", text];
	return [...a.slice(0, head).map(same),
	    ...middle(a.slice(head, a.length - tail),
	    b.slice(head, b.length - tail)),
	    ...a.slice(a.length - tail).map(same)];
}

const linesOf = (text) => text === "" ? [] : text.replace(/\n$/, "").split("\n");
const wordsOf = (text) => text.match(/\s+|[\w.@-]+|[^\s\w.@-]+/g) ?? [];

// The parts of a line, and which of them the other line lacks.
function marked(line, other, kind) {
	return changes(wordsOf(kind === "out" ? line : other),
	    wordsOf(kind === "out" ? other : line))
	    .filter(([step]) => step === "same" || step === kind)
	    .map(([step, text]) => ({ text, changed: step === kind }));
}

// Lines of one block that take the place of each other show their changed words.
function pair(block) {
	const out = block.filter(({ kind }) => kind === "out");
	const into = block.filter(({ kind }) => kind === "in");
	for (let i = 0; i < Math.min(out.length, into.length); i++) {
		out[i].parts = marked(out[i].text, into[i].text, "out");
		into[i].parts = marked(into[i].text, out[i].text, "in");
	}
}

// diff(before, after): the lines of both texts in order, { kind, text, before,
// after, parts }: kind is same, out or in; before and after are line numbers or
// null; parts, if a line replaces another one, are { text, changed }.
export function diff(before, after) {
	const lines = [];
	let from = 0, to = 0, block = [];
	for (const [kind, text] of changes(linesOf(before), linesOf(after))) {
		const line = { kind, text, before: kind === "in" ? null : ++from,
		    after: kind === "out" ? null : ++to, parts: null };
		lines.push(line);
		if (kind === "same") {
			pair(block);
			block = [];
		} else {
			block.push(line);
		}
	}
	pair(block);
	return lines;
}

// folded(lines, around): the lines near a change; a run of others becomes one
// { kind: "gap", count }.
export function folded(lines, around = 2) {
	const near = lines.map((_, i) => lines.slice(Math.max(0, i - around),
	    i + around + 1).some(({ kind }) => kind !== "same"));
	const shown = [];
	for (const [i, line] of lines.entries()) {
		if (near[i])
			shown.push(line);
		else if (shown.at(-1)?.kind === "gap")
			shown.at(-1).count++;
		else
			shown.push({ kind: "gap", count: 1 });
	}
	return shown;
}
