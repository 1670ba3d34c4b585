// SPDX-License-Identifier: ISC
// What the console says before an act.
import assert from "node:assert/strict";
import test from "node:test";
import { actOf, operationOf } from "../../console/acts.js";
import { hasText } from "../../console/text.js";

const users = [{ email: "ann@example.com", role: "admin" },
    { email: "bob@example.com", role: "author" },
    { email: "eve@example.com", role: "admin", disabled: true }];
const change = (email, body) => actOf("PATCH /v1/auth/users/{email}",
    { path: { email }, body, about: { users } });
const days = { verdicts: 365, activity: 90, replay: 0 };
const windows = (body) => actOf("PUT /v1/config/retention",
    { body, about: { days } });

test("each change of an operator has its question", () => {
	for (const body of [{ role: "analyst" }, { role: "author" }, { role: "admin" },
	    { disabled: true }, { disabled: false }, { endSessions: true },
	    { resetSecondFactor: true }, { password: "secret horse" }]) {
		const { id, values } = change("bob@example.com", body);
		assert.ok(hasText(`act.${id}`) && hasText(`act.${id}.text`), id);
		assert.equal(values.email, "bob@example.com");
		assert.ok(!JSON.stringify(change("bob@example.com", body))
		    .includes("secret"));
	}
});
test("the question about an operator counts the admins that can sign in", () => {
	const admins = (...args) => change(...args).facts[0][1];
	assert.equal(admins("bob@example.com", { role: "admin" }), "2");
	assert.equal(admins("ann@example.com", { disabled: true }), "0");
	assert.equal(admins("eve@example.com", { disabled: false }), "2");
	assert.equal(admins("bob@example.com", { endSessions: true }), "1");
});
test("a new operator has a question for each role", () => {
	for (const role of ["analyst", "author", "admin"]) {
		const { id, values } = actOf("POST /v1/auth/users", { body: { role,
		    email: "x@example.com", password: "secret horse" } });
		assert.ok(hasText(`act.${id}.text`), id);
		assert.deepEqual(values, { email: "x@example.com" });
	}
});
test("the question about a key names what it may send", () => {
	assert.deepEqual(actOf("POST /v1/apikeys", { body: { name: "shop",
	    scopes: ["labels"], expiresInDays: 30 } }).facts.map(([, value]) => value),
	    ["labels", "30"]);
	assert.deepEqual(actOf("POST /v1/apikeys/{id}/revoke", { path: { id: "key_1" },
	    about: { name: "shop", prefix: "ak_live_1", scopes: ["labels"],
		createdBy: "ann@example.com" } }).facts.map(([, value]) => value),
	    ["ak_live_1…", "labels", "ann@example.com"]);
});
test("the question about a receiver counts what is pending for it alone", () => {
	const { values, reads } = actOf("POST /v1/webhooks/{id}/revoke", {
	    path: { id: "whk_1" }, about: { url: "https://example.com/" } });
	assert.equal(values.url, "https://example.com/");
	assert.equal(reads.show({ pending: [{ endpointId: "whk_1" },
	    { endpointId: "whk_2" }] }).facts[0][1], "1");
});
test("a long list of dead letters is not counted as all of them", () => {
	const { reads } = actOf("POST /v1/notifications/deliveries/redrive", {});
	assert.equal(reads.show({ dead: Array(3) }).facts[0][1], "3");
	assert.equal(reads.show({ dead: Array(200) }).facts[0][1], "200 or more");
});
test("fewer days are asked about, and more days are not", () => {
	assert.equal(windows({ verdicts: 400, activity: 0 }), null);
	for (const body of [{ verdicts: 10 }, { replay: 3650 }, { activity: null }])
		assert.equal(windows(body).id, "retention.shorten", body);
	// A proposal does not say what the windows are.
	assert.ok(actOf("PUT /v1/config/retention", { body: { verdicts: 400 } }));
});
test("the question about fewer days names the rows of each kind", () => {
	const { operation, options, show } = windows({ verdicts: 10 }).reads;
	assert.equal(operation, "POST /v1/config/retention/preview");
	assert.deepEqual(options.body, { verdicts: 10 });
	const rows = (n, exact) => ({ days: 10, rows: n, exact,
	    before: "2026-11-18T10:00:00.000Z" });
	assert.deepEqual(show({ removes: { verdicts: rows(83000, false),
	    activity: rows(1, true), replay: rows(0, true) } }), { note: null, facts: [
		["Verdicts", "kept for 10 days: about 83,000 rows from before 2026-11-18"],
		["Requests", "kept for 10 days: 1 row from before 2026-11-18"]] });
	assert.match(show({ removes: { verdicts: rows(0, true) } }).note, /removes nothing/);
});
test("the question about an erasure shows what is stored, or that nothing is", () => {
	const { options, show } = actOf("POST /v1/privacy/erase",
	    { body: { userId: "u-1" } }).reads;
	assert.deepEqual(options.body, { userId: "u-1", rehearse: true });
	const stored = { decisions: 0, cases: 0, links: 0, events: 0, views: 0,
	    graph: false, baseline: false, listEntries: 0 };
	assert.equal(show({ stored }).note, "Nothing is stored of this user.");
	assert.deepEqual(show({ stored }).facts, []);
	const known = show({ stored: { ...stored, decisions: 10000, views: 2,
	    baseline: true, listEntries: 1 } });
	assert.equal(known.note, null);
	assert.deepEqual(known.facts.map(([, value]) => value),
	    ["10,000 or more", "2", "1", "yes"]);
	// The entry of a list stays, so it alone is nothing to remove.
	assert.equal(show({ stored: { ...stored, listEntries: 1 } }).note,
	    "Nothing is stored of this user.");
	assert.equal(show({ stored: { ...stored, graph: true } }).note, null);
});
test("the view that others use has another question than an own one", () => {
	const remove = (about) => actOf("DELETE /v1/views/{id}", { about }).id;
	assert.notEqual(remove({ shared: true }), remove({ shared: false }));
});
test("a change that is not in the table has no question", () => {
	assert.equal(actOf("POST /v1/cases/{id}/resolve", {}), null);
});
test("a proposed act is known by its request", () => {
	assert.equal(operationOf("DELETE /v1/lists/lst_1"), "DELETE /v1/lists/{id}");
	assert.equal(operationOf("POST /v1/lists"), "POST /v1/lists");
	assert.ok(hasText(`act.${actOf("DELETE /v1/lists/{id}", {}).id}.text`));
});
