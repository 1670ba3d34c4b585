// SPDX-License-Identifier: ISC
// What the console says before an act.
import assert from "node:assert/strict";
import test from "node:test";
import { actOf, isAsked } from "../../console/acts.js";
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
});
test("the view that others use has another question than an own one", () => {
	const remove = (about) => actOf("DELETE /v1/views/{id}", { about }).id;
	assert.notEqual(remove({ shared: true }), remove({ shared: false }));
});
test("a change that is not in the table has no question", () => {
	assert.equal(isAsked("POST /v1/cases/{id}/resolve"), false);
	assert.equal(actOf("POST /v1/cases/{id}/resolve", {}), null);
});
