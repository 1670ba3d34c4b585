// SPDX-License-Identifier: ISC
import assert from "node:assert/strict";
import { test } from "node:test";
import { remaining } from "../../console/rules/standing.js";

const equal = (a, b) => a === b;

test("a draft that is published is a draft no more", () => {
	assert.equal(remaining({ value: "a", base: "v1" }, "a", "v2", equal), null);
	assert.equal(remaining(undefined, "a", "v2", equal), null);
});

test("what was written during the publication stays, as a change to it", () => {
	assert.deepEqual(remaining({ value: "ab", base: "v1" }, "a", "v2", equal),
	    { value: "ab", base: "v2" });
});
