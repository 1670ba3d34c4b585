// SPDX-License-Identifier: ISC
// Addresses of the console, and handles for personal values in them.
import assert from "node:assert/strict";
import test from "node:test";
import { handleOf, learn, valueOf } from "../../console/personal-handles.js";
import { href, match, parse } from "../../console/router.js";
import screens from "../../console/screens.js";

test("an address has a path, segments and a query", () => {
	assert.deepEqual(parse("#/cases/cse_1?tab=why&x="), { path: "/cases/cse_1",
	    segments: ["cases", "cse_1"], query: { tab: "why", x: "" }, foreign: [] });
	assert.deepEqual(parse(""), { path: "/", segments: [], query: {}, foreign: [] });
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
test("an address names a person by a handle", () => {
	for (const [kind, value] of [["ip", "192.0.2.7"], ["phone", "+49301234"],
	    ["user", "ana@example.com"]]) {
		const handle = handleOf(kind, value);
		assert.match(handle, /^~\w+\.\d+$/);
		assert.equal(handleOf(kind, value), handle);
		assert.equal(valueOf(kind, handle), value);
	}
	assert.equal(handleOf("device", "d-1"), "d-1");
	assert.equal(valueOf("device", "d-1"), "d-1");
});
test("a link to an entity names a person by a handle", () => {
	const address = href("/entity/:kind/:id", { kind: "user", id: "ana" });
	assert.equal(address, `#/entity/user/${handleOf("user", "ana")}`);
	assert.equal(href("/entity/:kind/:id", { kind: "device", id: "d-1" }),
	    "#/entity/device/d-1");
});
test("a filter names a person by a handle", () => {
	for (const query of [{ userId: "ana@example.com" },
	    { assignee: "ana@example.com", tag: "velocity" },
	    { actor: "ana@example.com" }]) {
		const address = href("/decisions", {}, query);
		assert.doesNotMatch(decodeURIComponent(address), /ana/);
		assert.deepEqual(parse(address).query, query);
	}
	assert.deepEqual(parse("#/decisions?userId=u-1&tag=velocity").query,
	    { userId: null, tag: "velocity" });
});
test("a handle of an earlier page and a bare value lead nowhere", () => {
	const [page] = handleOf("ip", "192.0.2.7").split(".");
	assert.equal(valueOf("ip", `${page}.999`), null);
	assert.equal(valueOf("ip", "~other.0"), null);
	assert.equal(valueOf("ip", "192.0.2.7"), null);
});
test("a handle of another page is asked for once, and then has its value", () => {
	const address = "#/entity/ip/~other.1?userId=~other.2&tag=ring";
	assert.deepEqual(parse(address).foreign, ["~other.1", "~other.2"]);
	learn("~other.1", "192.0.2.7");
	learn("~other.2", null);
	const { foreign, query } = parse(address);
	assert.deepEqual([foreign, query.userId], [[], null]);
	assert.equal(valueOf("ip", "~other.1"), "192.0.2.7");
	assert.deepEqual(parse(href("/x", {}, { userId: "u" })).foreign, []);
});
test("every screen has its own id and letter, and no address twice", () => {
	for (const values of [screens.map(({ id }) => id),
	    screens.map(({ letter }) => letter).filter((one) => one !== null),
	    screens.flatMap(({ paths }) => paths)])
		assert.deepEqual(values, [...new Set(values)]);
});
