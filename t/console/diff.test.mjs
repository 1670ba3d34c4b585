// SPDX-License-Identifier: ISC
import assert from "node:assert/strict";
import { test } from "node:test";
import { changes, diff, folded } from "../../console/versions/diff.js";

const sides = (steps) => [
	steps.filter(([kind]) => kind !== "in").map(([, text]) => text),
	steps.filter(([kind]) => kind !== "out").map(([, text]) => text)];

test("the steps of any two texts lead from one to the other", () => {
	let seed = 7;
	const random = (n) => (seed = seed * 16807 % 2147483647) % n;
	for (let i = 0; i < 300; i++) {
		const a = Array.from({ length: random(9) }, () => "abc"[random(3)]);
		const b = Array.from({ length: random(9) }, () => "abc"[random(3)]);
		assert.deepEqual(sides(changes(a, b)), [a, b]);
	}
});

test("as much as possible stays the same", () => {
	const steps = changes([..."ABCBDAB"], [..."BDCABA"]);
	assert.equal(steps.filter(([kind]) => kind === "same").length, 4);
});

test("a changed line shows its changed words, with its numbers on both sides",
    () => {
	const lines = diff("a\nx > 1\nb\n", "a\nx > 2\nb\n");
	assert.deepEqual(lines.map(({ kind, before, after }) =>
	    [kind, before, after]), [["same", 1, 1], ["out", 2, null],
	    ["in", null, 2], ["same", 3, 3]]);
	assert.deepEqual(lines[1].parts.filter(({ changed }) => changed)
	    .map(({ text }) => text), ["1"]);
	assert.deepEqual(lines[2].parts.filter(({ changed }) => changed)
	    .map(({ text }) => text), ["2"]);
});

test("an empty text differs from a text in every line", () => {
	assert.deepEqual(diff("", "a\nb").map(({ kind }) => kind), ["in", "in"]);
	assert.deepEqual(diff("", ""), []);
});

test("unchanged lines far from a change become one gap", () => {
	const many = Array.from({ length: 20 }, (_, i) => `line ${i}`);
	const lines = folded(diff(many.join("\n"), [...many, "new"].join("\n")));
	assert.deepEqual(lines.map(({ kind, count }) => count ?? kind),
	    [18, "same", "same", "in"]);
});

test("texts too long to compare have changed as a whole", () => {
	const a = Array.from({ length: 3000 }, (_, i) => `a${i}`);
	const b = Array.from({ length: 3000 }, (_, i) => `b${i}`);
	assert.deepEqual(sides(changes(a, b)), [a, b]);
});
