// SPDX-License-Identifier: ISC
// What the screen of scoring makes of the drift of scores.
import assert from "node:assert/strict";
import test from "node:test";
import { pointsOf, sharesOf, stateOf } from "../../console/model/psi.js";

test("an index below 0.1 is a small change, from 0.25 a large one", () => {
	assert.deepEqual([null, 0, 0.0999, 0.1, 0.2499, 0.25, 3].map(stateOf),
	    ["none", "small", "small", "moderate", "moderate", "large", "large"]);
});
test("bins without decisions have no share", () => {
	assert.deepEqual(sharesOf([1, 3, 0]), [0.25, 0.75, 0]);
	assert.deepEqual(sharesOf([0, 0]), [0, 0]);
});
test("a calibration has a point for each bin with labels, in their order", () => {
	const bin = (by, mean, rate) => ({ by, window: { mean, rate } });
	assert.deepEqual(pointsOf([bin("p", 0.8, 0.7), bin("p", null, null),
	    bin("p", 0.1, 0)], "window"), [[0.1, 0], [0.8, 0.7]]);
	assert.deepEqual(pointsOf([bin("score", 50, 0.5)], "window"), [[0.5, 0.5]]);
});
