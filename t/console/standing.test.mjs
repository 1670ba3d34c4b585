// SPDX-License-Identifier: ISC
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalOf, remaining, standing } from "../../console/versions/standing.js";

const equal = (a, b) => a === b;

test("a draft that is published is a draft no more", () => {
	assert.equal(remaining({ value: "a", base: "v1" }, "a", "v2", equal), null);
	assert.equal(remaining(undefined, "a", "v2", equal), null);
});

test("what was written during the publication stays, as a change to it", () => {
	assert.deepEqual(remaining({ value: "ab", base: "v1" }, "a", "v2", equal),
	    { value: "ab", base: "v2" });
});

const places = [
	{ kind: "active", version: "v1", text: "# why\nrule a {}", canonical: "a\n" },
	{ kind: "proposal", version: "v2", text: "rule b {}", canonical: "b\n" },
	{ kind: "shadow", version: "v3", text: "rule  b {}", canonical: "b\n" },
];

test("a text stands where the same rules are, and where it is the same text", () => {
	const found = (text, canonical) => standing(text, canonical, places)
	    .map(({ version, exact }) => `${version} ${exact}`);
	assert.deepEqual(found("rule a {}", "a\n"), ["v1 false"]);
	assert.deepEqual(found("rule b {}", "b\n"), ["v2 true", "v3 false"]);
	assert.deepEqual(found("rule c {}", "c\n"), []);
});

test("before the service has read a text it is compared letter by letter", () => {
	assert.deepEqual(standing("rule b {}", null, places)
	    .map(({ version }) => version), ["v2"]);
});

test("the canonical text has the velocities, then the rules, then the tests", () => {
	assert.equal(canonicalOf({ rules: [{ dsl: "r" }], tests: [{ dsl: "t" }],
	    velocities: [{ name: "v", id: "7", definition: "count by ip over 1h" }],
	    text: "x" }), "velocity v = count by ip over 1h\nr\nt\n");
	assert.equal(canonicalOf({ rules: [{ dsl: "r" }], tests: [], velocities: [],
	    text: "x" }), "r\n");
	assert.equal(canonicalOf({ rules: null, tests: null, velocities: null,
	    text: "x" }), "x");
});
