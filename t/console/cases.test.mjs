// SPDX-License-Identifier: ISC
// What the screens of cases and decisions ask the service for.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { networkOf, placeOf } from "../../console/cases/facts.js";
import { graphValues, listValues } from "../../console/cases/values.js";
import { caseQuery, cliOptions, neighbours, nextBody, orderOf, stateOf, states,
    total } from "../../console/cases/query.js";
import { casesOf, PAGE, prefetchPage, unchanged, worklist } from
    "../../console/cases/worklist.js";
import { changesOf, typed } from "../../console/explain/changed.js";
import { exact } from "../../console/text.js";
import { dayOf, fromInput, toInput } from "../../console/ui/filters.js";
import { viewOf, viewQuery } from "../../console/view.js";

test("an address without a query asks for what waits in all queues", () => {
	assert.deepEqual(caseQuery({}, 50), { queue: "*", order: "oldest",
	    status: "open", snoozed: "false", after: undefined, limit: 50 });
});

test("an address with unknown words asks for what waits", () => {
	assert.equal(stateOf({ state: "toString" }), "waiting");
	assert.equal(orderOf({ order: "random" }), "oldest");
	assert.equal(orderOf({ state: "resolved" }), "newest");
});

test("filters of an address go to the service, other members do not", () => {
	const query = caseQuery({ queue: "vip", state: "mine", tag: "ring",
	    minAmount: "5", status: "resolved", currency: "" }, 10);
	assert.deepEqual(query, { queue: "vip", order: "oldest", tag: "ring",
	    minAmount: "5", status: "assigned", assignee: "me",
	    after: undefined, limit: 10 });
});

test("the next case is of the queue and in the order of the list", () => {
	assert.deepEqual(nextBody({}), { most: 5 });
	assert.deepEqual(nextBody({ queue: "vip", order: "score" }),
	    { queue: "vip", order: "score", most: 5 });
});

const everyFilter = Object.fromEntries(["queue", "eventType", "tag", "minScore",
    "maxScore", "minAmount", "maxAmount", "currency", "assignee", "openedAfter",
    "openedBefore", "userId"].map((name, at) => [name, String(at + 1)]));
test("the command names the list", () => {
	assert.deepEqual(cliOptions({ state: "resolved", userId: "u" }),
	    { queue: "*", user: "u", order: "newest", status: "resolved" });
	const known = /^CALL\("cases list"[^]*?PAGE/m.exec(readFileSync(new URL(
	    "../../ctl/request/commands.tbl", import.meta.url), "utf8"))[0];
	for (const state of states)
		for (const name of Object.keys(cliOptions({ state, ...everyFilter })))
			assert.match(known, new RegExp(`OPT(_N)?\\("${name}"`));
	const asked = caseQuery(everyFilter, 50);
	assert.deepEqual(Object.values(cliOptions(everyFilter)).sort(),
	    Object.entries(asked).filter(([name]) => !["limit", "after"]
		.includes(name)).map(([, value]) => value).sort());
});

test("all queues count as one, with the oldest case of all", () => {
	const queue = { open: 1, assigned: 2, mine: 1, snoozed: 0, breached: 3 };
	const all = total([{ ...queue, oldestAt: "2026-01-02T00:00:00.000Z" },
	    { ...queue, oldestAt: null },
	    { ...queue, oldestAt: "2026-01-01T00:00:00.000Z" }]);
	assert.equal(all.oldestAt, "2026-01-01T00:00:00.000Z");
	assert.deepEqual([all.open, all.mine, all.breached], [3, 3, 9]);
	assert.equal(total([]).oldestAt, null);
});

test("a case has neighbours in the list, and none outside of it", () => {
	assert.deepEqual(neighbours(["a", "b", "c"], "b"),
	    { at: 1, previous: "a", following: "c" });
	assert.deepEqual(neighbours(["a", "b"], "b"),
	    { at: 1, previous: "a", following: null });
	assert.deepEqual(neighbours(["a"], "z"),
	    { at: -1, previous: null, following: null });
});

// serve(statuses): fetch() answers these one by one; returns the paths that it got.
function serve(...statuses) {
	const asked = [];
	globalThis.fetch = async (url) => {
		asked.push(url);
		return new Response("[]", { status: statuses.shift() });
	};
	return asked;
}

test("a list that was loaded ahead is asked for once, and then again", async () => {
	const asked = serve(200, 200);
	prefetchPage({ queue: "vip" });
	assert.deepEqual((await casesOf({ queue: "vip" }, PAGE)).data, []);
	assert.equal(asked.length, 1);
	await casesOf({ queue: "vip" }, PAGE);
	assert.deepEqual([asked.length, asked[0] === asked[1]], [2, true]);
});

test("a list whose user is forgotten is not loaded ahead", async () => {
	const asked = serve(200);
	prefetchPage({ userId: null });
	assert.equal(asked.length, 0);
});

test("a list that was refused before the login is asked for again", async () => {
	const asked = serve(401, 200);
	prefetchPage({});
	await new Promise((done) => setTimeout(done, 5));
	assert.deepEqual((await casesOf({}, PAGE)).data, []);
	assert.equal(asked.length, 2);
});

test("rows that a poll brings unchanged stay the same objects", () => {
	const [first, second] = worklist.value.rows = [{ id: "a", score: 1 },
	    { id: "b", score: 2 }];
	const rows = unchanged([{ id: "b", score: 2 }, { id: "a", score: 3 }]);
	assert.equal(rows[0], second);
	assert.notEqual(rows[1], first);
	assert.equal(rows[1].score, 3);
});

test("lists are searched for values that are not masked", () => {
	assert.deepEqual(listValues({ request: { subject: { userId: "u",
	    ip: "1.2.•.•" }, instrument: { bin: "411111" } },
	    signals: { "geo.country": "DE" } }), [
		{ subject: "user", value: "u" }, { subject: "bin", value: "411111" },
		{ subject: "country", value: "DE" }]);
	assert.deepEqual(listValues({ request: null, signals: null }), []);
});

test("an address has the place and the network that are known", () => {
	const signals = { "geo.country": "ET", "geo.city": "Addis\u202eAbaba",
	    "geo.asn": 64500, "geo.asnOrg": "Example Ltd" };
	assert.equal(placeOf(signals), "Addis\\u{202e}Ababa, Ethiopia");
	assert.equal(networkOf(signals), "AS64500 Example Ltd");
	assert.equal(placeOf({ "geo.country": "ET" }), "Ethiopia");
	assert.equal(networkOf({ "geo.asn": 64500, "geo.asnOrg": null }), "AS64500");
	assert.equal(placeOf(null) + networkOf({}), "");
});

test("addresses of the user can be put on a list", () => {
	assert.deepEqual(graphValues({ ips: ["a", "b"], phones: ["1"] }, 1),
	    [{ subject: "ip", value: "a" }, { subject: "phone", value: "1" }]);
	assert.deepEqual(graphValues({ ips: ["2001:db8:1:2::", "64:ff9b::1"],
	    phones: [] }, 2), [{ subject: "ip", value: "2001:db8:1:2::/64" },
	    { subject: "ip", value: "64:ff9b::1" }]);
});

test("a typed value keeps the type of the signal", () => {
	assert.equal(typed("12.5", 3), 12.5);
	assert.equal(typed("many", 3), undefined);
	assert.equal(typed("true", false), true);
	assert.equal(typed("1", false), undefined);
	assert.equal(typed("12", "web"), "12");
	assert.equal(typed(" ", 3), null);
	assert.equal(typed("DE", null), "DE");
	assert.equal(typed("7", null), 7);
});

test("typed values are a set, and those that are none are named", () => {
	assert.deepEqual(changesOf([{ signal: "a", text: "2" },
	    { signal: "b", text: "x" }, { signal: "c", text: "" }],
	    { a: 1, b: 1, c: "y" }), { set: { a: 2, c: null }, wrong: ["b"] });
});

test("a time in a field is that of the zone, and comes back the same", () => {
	const at = "2026-03-01T12:30:00.000Z";
	assert.equal(toInput(at, "utc"), "2026-03-01 12:30");
	for (const zone of ["utc", "local"])
		assert.equal(fromInput(toInput(at, zone), zone), at);
	assert.equal(toInput(undefined, "utc"), "");
	assert.equal(fromInput("", "utc"), null);
});

test("a field for a time takes a day, and refuses other texts", () => {
	assert.equal(fromInput("2026-03-01", "utc"), "2026-03-01T00:00:00.000Z");
	assert.equal(fromInput("2026-03-01T12:30:07", "utc"), "2026-03-01T12:30:07.000Z");
	for (const text of ["2026-02-30", "2026-3-1", "2026-03-01 25:00", "12:30",
	    "03/01/2026", "2026-03-01 12:30 CET"])
		assert.equal(fromInput(text, "utc"), null);
});

test("a day in a field is a day of the calendar", () => {
	assert.equal(dayOf("2024-02-29"), "2024-02-29");
	for (const text of ["2026-02-29", "2026-2-1", "today", ""])
		assert.equal(dayOf(text), null);
});

test("a text cannot hide or turn what is around it", () => {
	assert.equal(exact("a\u202eb\nc\u2028"), "a\\u{202e}b\\u{a}c\\u{2028}");
	assert.equal(exact("<b>é</b>"), "<b>é</b>");
});

test("a view is its filters, not where the list has come to", () => {
	const query = { tag: "ring", state: "mine", after: "cse_1", live: "1" };
	assert.deepEqual(viewQuery(query), { state: "mine", tag: "ring" });
	assert.equal(viewOf([{ id: "a", query: { state: "mine" } },
	    { id: "b", query: { tag: "ring", state: "mine" } }], query).id, "b");
	assert.equal(viewOf([], query), undefined);
});
