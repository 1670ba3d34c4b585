// SPDX-License-Identifier: ISC
// The bodies that the forms of the administration send.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { bodyOf, draftOf } from "../../console/deliveries/receivers.js";
import { bytes } from "../../console/format.js";
import { changesOf, mostMinutes, targetOf } from "../../console/settings/changes.js";
import { storedGroups } from "../../console/data/stored.js";
import { hasText } from "../../console/text.js";

const draft = { url: " https://hooks.example.com/x ", target: " -100 ",
    events: ["verdict.reached.v1"], type: "telegram", minVerdict: "review",
    throttle: " 5 " };

test("a webhook gets a URL and events, and nothing of a channel", () => {
	assert.deepEqual(bodyOf("webhooks", draft), { events: draft.events,
	    url: "https://hooks.example.com/x" });
});
test("a channel gets the members that its kind and its events take", () => {
	assert.deepEqual(bodyOf("alerts", draft), { events: draft.events,
	    url: "https://hooks.example.com/x", type: "telegram", target: "-100",
	    minVerdict: "review", throttlePerMin: 5 });
	const slack = bodyOf("alerts", { ...draft, type: "slack", throttle: "",
	    events: ["alert.drift.v1"] });
	assert.deepEqual(Object.keys(slack).sort(), ["events", "type", "url"]);
});
test("a revoked channel begins another one, without what is not shown", () => {
	assert.deepEqual(bodyOf("alerts", { ...draftOf({ urlHint: "h…", type: "webhook",
	    events: draft.events, minVerdict: "deny", throttlePerMin: 0 }), url: "u" }),
	    { url: "u", type: "webhook", events: draft.events, minVerdict: "deny",
		throttlePerMin: 0 });
	assert.equal(draftOf(null).type, "slack");
});
test("only settings that changed are sent, and null removes an override", () => {
	const values = { a: 1, b: 2, c: 3 };
	const drafts = { a: "1", b: "20", c: "3" };
	assert.deepEqual(changesOf(["a", "b", "c"], values, drafts, new Set()),
	    { b: 20 });
	assert.deepEqual(changesOf(["a", "b", "c"], values, drafts,
	    new Set(["c"])), { b: 20, c: null });
});
test("a target is a whole number of minutes up to a year, or none", () => {
	assert.equal(targetOf(" 90 "), 90);
	assert.equal(targetOf(String(mostMinutes)), mostMinutes);
	assert.equal(targetOf(" "), null);
	for (const text of ["0", "-1", "1.5", "x", String(mostMinutes + 1)])
		assert.equal(targetOf(text), undefined, text);
});
test("a size has the largest unit that keeps a whole number", () => {
	assert.equal(bytes(0), "0 B");
	assert.equal(bytes(1023), "1,023 B");
	assert.equal(bytes(1536), "1.5 KiB");
	assert.equal(bytes(734003200), "700 MiB");
});
test("each kind of stored data has a group and words", () => {
	const table = readFileSync(new URL("../../lib/shared/collections.tbl",
	    import.meta.url), "utf8");
	const names = [...table.matchAll(/^(?:COLLECTION\(|RETAINED\(\w+, )(\w+)\)$/gm)]
	    .map(([, name]) => name);
	const groups = storedGroups(names.map((name) => ({ name, rows: 1 })));
	const items = groups.flatMap((group) => group.items);
	assert.ok(names.length > 0);
	assert.deepEqual(items.map(({ title }) => title).sort(), [...names].sort());
	assert.equal(groups.some(({ id }) => id === "other"), false);
	for (const name of names)
		assert.ok(hasText(`data.rows.${name}`), name);
});
test("a group has its largest kind first, and an unknown kind keeps its name", () => {
	assert.deepEqual(storedGroups([{ name: "labels", rows: 2 },
	    { name: "shards", rows: 9 }, { name: "cases", rows: 5 }]), [
	    { id: "cases", items: [{ title: "cases", value: 5, label: "cases" },
		{ title: "labels", value: 2, label: "labels" }] },
	    { id: "other", items: [{ title: "shards", value: 9, label: "shards" }] }]);
});
