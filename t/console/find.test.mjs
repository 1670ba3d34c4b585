// SPDX-License-Identifier: ISC
// What the palette offers for a typed id (console/find.js).
import assert from "node:assert/strict";
import test from "node:test";
import { placesOf } from "../../console/find.js";

// A text, and the things that it may be, the likeliest first.
const FOUND = [
	["u-1", "event user device"],
	["alice", "event user device"],
	["two words", "event user device"],
	["\u7528\u6237 1", "event user device"],
	["ana@example.com", "user event device"],
	["cse_1pei0nrgoa3m1c8e7u4v2k5o9s", "case event user device"],
	["196.188.1.2", "ip event user device"],
	["2001:db8::1", "ip event user device"],
	["+251911234544", "phone event user device"],
	["+251 911-234-544", "phone event user device"],
	["00251 (911) 234544", "phone event user device"],
	["tel:+251911234544", "phone event user device"],
	["251911234544", "event phone user device"],
	["251 911 234 544", "event phone user device"],
	["12345", "event user device"],
	["x".repeat(129), ""],
	["a\u0007b", ""],
	["", ""],
];
test("a typed id may be the things that have such ids", () => {
	for (const [text, names] of FOUND)
		assert.equal(placesOf(text).map(({ name }) => name.slice(5)).join(" "),
		    names, text);
});
test("no thing is offered twice", () => {
	for (const [text] of FOUND)
		assert.equal(new Set(placesOf(text).map(({ name }) => name)).size,
		    placesOf(text).length);
});
