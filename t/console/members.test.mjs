// SPDX-License-Identifier: ISC
// An event that is edited as one JSON text (console/explain/members.js).
import assert from "node:assert/strict";
import { test } from "node:test";
import { changesIn, membersText, placeOf, readMembers } from
    "../../console/explain/members.js";

const signals = { "event.type": "order.place", "event.amount": 100,
    "geo.country": null, "geo.isVpn": false, "attr.who": "a\n\"b\"" };
const catalogue = [
	{ name: "event.type", type: "text", min: null, max: null },
	{ name: "event.amount", type: "number", min: 0, max: 1e15 },
	{ name: "geo.country", type: "text", min: null, max: null },
	{ name: "geo.isVpn", type: "boolean", min: null, max: null },
];
// Each mistake as "LINE:COLUMN WHY".
const found = (text) => changesIn(text, signals, catalogue).mistakes.map(
    ({ why, at }) => `${Object.values(placeOf(text, at)).join(":")} ${why}`);

test("an untouched text is JSON, changes nothing and has what is unknown last", () => {
	const text = membersText(signals);
	assert.deepEqual(JSON.parse(text), signals);
	assert.equal(Object.keys(JSON.parse(text)).at(-1), "geo.country");
	assert.deepEqual(changesIn(text, signals, catalogue),
	    { set: {}, mistakes: [] });
	assert.deepEqual(readMembers(" {}\n"), { members: [], mistakes: [] });
});

test("what differs is set, and what is left out is unknown", () => {
	const { set, mistakes } = changesIn('{"event.type":"order.place",' +
	    '"event.amount":-0.5e1,"geo.country":"D\\u0045","attr.new":true}',
	    signals, undefined);
	assert.deepEqual(set, { "event.amount": -5, "geo.country": "DE",
	    "attr.new": true, "geo.isVpn": null, "attr.who": null });
	assert.deepEqual(mistakes, []);
});

test("each mistake of JSON is found, with its line and column", () => {
	assert.deepEqual(found('{\n  "event.amount" 5,\n  "geo.isVpn": [1],\n' +
	    '  geo: 1,\n  "attr.who": "x"\n  "attr.b": 01,\n  "attr.c": "open\n}'),
	    ["2:18 colon", "3:16 value", "4:3 name", "6:3 comma", "6:13 value",
		"7:13 value"]);
	assert.deepEqual(found('"event.amount": 1'), ["1:1 open", "1:18 close"]);
	assert.deepEqual(found('{"event.amount": 1,}'), ["1:20 name"]);
	assert.deepEqual(found('{"event.amount": 1} 2'), ["1:21 after"]);
	assert.deepEqual(found(""), ["1:1 open", "1:1 close"]);
});

test("a value that a signal cannot have is found before the service refuses it", () => {
	assert.deepEqual(found('{\n"event.type": "x",\n"event.amount": "5",\n' +
	    '"geo.country": 1,\n"geo.isVpn": "no",\n"geo.planet": 1,\n' +
	    '"event.amount": -1 }'), ["2:1 fixed", "3:1 type.number",
	    "4:1 type.text", "5:1 type.boolean", "6:1 unknown", "7:1 twice",
	    "7:1 range"]);
	assert.deepEqual(found('{ "event.type": "order.place", "event.amount": null }'),
	    []);
	const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) =>
	    [`attr.${i}`, i]));
	assert.deepEqual(found(JSON.stringify({ ...signals, ...many })), ["1:1 many"]);
});
