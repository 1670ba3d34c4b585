// SPDX-License-Identifier: ISC
// The scales of charts, and the places of the links in a drawing.
import assert from "node:assert/strict";
import test from "node:test";
import { daysSince } from "../../console/quality/trend.js";
import { labelAt, places, readable } from "../../console/ui/graph.js";
import { compact, every, linear, ticks } from "../../console/ui/scale.js";

test("an axis has round values that reach the largest one", () => {
	assert.deepEqual(ticks(300), [0, 100, 200, 300]);
	assert.deepEqual(ticks(7), [0, 2, 4, 6, 8]);
	assert.deepEqual(ticks(0.3), [0, 0.1, 0.2, 0.3]);
	assert.deepEqual(ticks(0), [0, 1]);
	assert.deepEqual(ticks(NaN), [0, 1]);
	for (const max of [1, 13, 999, 1e6, 123456.7])
		assert.ok(ticks(max).at(-1) >= max && ticks(max).length <= 7);
});
test("days are those of UTC, also across the end of a month", () => {
	assert.deepEqual(daysSince("2026-02-27T23:59:59.999Z", 3), ["2026-02-27",
	    "2026-02-28", "2026-03-01"]);
});
test("a scale maps ends to ends, also an empty interval", () => {
	const at = linear([0, 10], [100, 0]);
	assert.deepEqual([at(0), at(5), at(10)], [100, 50, 0]);
	assert.equal(linear([3, 3], [0, 9])(3), 0);
});
test("numbers on an axis are short", () => {
	assert.deepEqual([0, 999, 1500, 2e6].map(compact),
	    ["0", "999", "1.5k", "2M"]);
	assert.equal(every(30, 10), 3);
	assert.equal(every(0, 0), 1);
});
test("the links of a drawing have different places inside it", () => {
	for (const count of [1, 14, 15, 36]) {
		const at = places(count);
		assert.equal(new Set(at.map(({ x, y }) => `${x} ${y}`)).size, count);
		assert.ok(at.every(({ x, y }) => x >= 0 && x <= 420 && y >= 0 &&
		    y <= 420));
	}
});
test("a label that would cover an earlier one is left out", () => {
	for (const [count, most] of [[1, 1], [6, 6], [36, 35]]) {
		const labels = places(count).map((at) => labelAt(at, "d-123456789"));
		const shown = readable(labels).filter(Boolean);
		assert.ok(shown.length <= most && shown.length >= Math.min(6, count));
		for (const [i, a] of shown.entries())
			for (const b of shown.slice(i + 1))
				assert.ok(Math.abs(a.y - b.y) >= 12 ||
				    a.right <= b.left || b.right <= a.left);
	}
	assert.deepEqual(readable([labelAt({ x: 0, y: 0 }, "one"),
	    labelAt({ x: 0, y: 0 }, "two")]).map(Boolean), [true, false]);
});
