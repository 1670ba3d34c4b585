// SPDX-License-Identifier: ISC
// Addresses of the console, and handles for personal values in them.
import assert from "node:assert/strict";
import test from "node:test";
import { handleOf, valueOf } from "../../console/handles.js";
import { href, match, parse } from "../../console/router.js";
import screens from "../../console/screens.js";

test("an address has a path, segments and a query", () => {
	assert.deepEqual(parse("#/cases/cse_1?tab=why&x="), { path: "/cases/cse_1",
	    segments: ["cases", "cse_1"], query: { tab: "why", x: "" } });
	assert.deepEqual(parse(""), { path: "/", segments: [], query: {} });
});
test("an id with slashes and question marks is one segment", () => {
	const id = "a/../b?c#d%2F";
	const address = href("/decisions/:id", { id }, { tab: "why" });
	const { segments, query } = parse(address);
	assert.deepEqual(segments, ["decisions", id]);
	assert.deepEqual(query, { tab: "why" });
	assert.deepEqual(match("/decisions/:id", segments), { id });
});
test("a percent sign that begins no escape is itself", () => {
	assert.deepEqual(parse("#/x/100%").segments, ["x", "100%"]);
});
test("a pattern matches all segments or none", () => {
	assert.equal(match("/cases", ["cases", "1"]), null);
	assert.equal(match("/cases/:id", ["lists", "1"]), null);
	assert.deepEqual(match("/", []), {});
});
test("an empty value is not in the query", () => {
	assert.equal(href("/cases", {}, { a: null, b: "", c: undefined, d: 0 }),
	    "#/cases?d=0");
});
test("an address names an IP address and a phone number by a handle", () => {
	for (const [kind, value] of [["ip", "192.0.2.7"], ["phone", "+49301234"]]) {
		const handle = handleOf(kind, value);
		assert.match(handle, /^~\d+$/);
		assert.equal(handleOf(kind, value), handle);
		assert.equal(valueOf(kind, handle), value);
	}
	assert.equal(handleOf("user", "u-1"), "u-1");
	assert.equal(valueOf("user", "u-1"), "u-1");
});
test("a handle of an earlier page and a bare value lead nowhere", () => {
	assert.equal(valueOf("ip", "~999"), null);
	assert.equal(valueOf("ip", "192.0.2.7"), null);
});
test("every screen has its own id and letter, and no address twice", () => {
	for (const values of [screens.map(({ id }) => id),
	    screens.map(({ letter }) => letter).filter((one) => one !== null),
	    screens.flatMap(({ paths }) => paths)])
		assert.deepEqual(values, [...new Set(values)]);
});
