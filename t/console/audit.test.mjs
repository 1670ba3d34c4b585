// SPDX-License-Identifier: ISC
// Entries of the audit trail as sentences (console/audit/sentence.js).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { sentenceOf } from "../../console/audit/sentence.js";
import { keysUnder, t } from "../../console/text.js";

const START = "audit.do.";
// Actions of entries that other code writes: SQL functions, and assayctl.
const OTHERS = ["POST /v1/auth/login", "POST /v1/auth/register",
    "POST /v1/labels/chargeback"];
const routes = [...readFileSync(new URL("../../fcgi/http/routes.tbl", import.meta.url),
    "utf8").matchAll(/^ROUTE\((\w+), *"([^"]+)", *(?:\w+, *){4}AUDIT,/gm)]
    .map(([, method, path]) => `${method} ${path}`);
const keys = keysUnder(START).map((key) => key.slice(START.length));
const said = (action, params = {}, status = 200) =>
    sentenceOf({ action, params, status });

test("each action that the service writes has a sentence, and no other", () => {
	assert.ok(routes.length > 40);
	assert.deepEqual(keys.filter((key) => /^\S+ \S+$/.test(key)).sort(),
	    [...routes, ...OTHERS].sort());
	for (const key of keys.filter((one) => one !== "assayctl"))
		assert.ok([...routes, ...OTHERS].includes(key.replace(/ \w+$/, "")) ||
		    [...routes, ...OTHERS].includes(key), key);
});
test("each text has a verb in the past and as a wish, and says only what it knows", () => {
	for (const key of keys) {
		const text = t(START + key);
		assert.match(text, /^[a-z]+\|[a-z]+( |$)[^|]*$/, key);
		const action = key.split(" ").slice(0, 2).join(" ").replace(/\{\w+\}/g, "x");
		if (key !== "assayctl")
			assert.doesNotMatch(said(action, {}, 403) + said(action), /[{|]/, key);
	}
});
// An action, its parameters, its status, and the sentence.
const SAID = [
	["POST /v1/privacy/erase", { userId: "u-1", rehearse: true }, 200,
	    "looked at what is stored of the user u-1"],
	["POST /v1/privacy/erase", { userId: "u-1" }, 200,
	    "erased the data of the user u-1"],
	["POST /v1/lists", { kind: "watch", subject: "user", value: "u-1" }, 201,
	    "put the user u-1 on the watch list"],
	["POST /v1/lists", {}, 400, "tried to put the … … on the … list"],
	["POST /v1/lists/import", { added: 3, updated: 0, unchanged: 1, expired: 0 }, 200,
	    "imported list entries: 3 added, 0 changed"],
	["POST /v1/cases/cse_1/resolve", { outcome: "fraud" }, 200,
	    "resolved the case cse_1 as fraud"],
	["POST /v1/cases/cse_1/snooze", { until: null }, 200, "woke the case cse_1"],
	["POST /v1/cases/cse_1/snooze", { until: "2026-11-20T08:00:00Z" }, 200,
	    "snoozed the case cse_1"],
	["PATCH /v1/auth/users/ana%40example.com", { role: "admin" }, 403,
	    "tried to give the operator ana@example.com the role admin"],
	["PATCH /v1/auth/users/%E0%A4%A", { disabled: false }, 200,
	    "changed the operator %E0%A4%A"],
	["POST /v1/auth/logout", {}, 200, "signed out"],
	["POST /v1/auth/login", { failures: 10 }, 401,
	    "tried to sign in and failed, 10 times in that hour"],
	["POST /v1/proposals", { action: "POST /v1/lists", body: { kind: "block",
	    subject: "ip", value: "1.2.•.•" } }, 201,
	    "proposed to put the IP address 1.2.•.• on the block list"],
	["POST /v1/proposals/prp_1/approve", { author: "ana@example.com",
	    action: "DELETE /v1/lists/lst_1", body: null }, 200,
	    "approved the proposal of ana@example.com to remove the list entry lst_1"],
	["POST /v1/proposals/prp_1/approve", {}, 409,
	    "tried to approve the proposal prp_1"],
	["POST /v1/graph/reveal", { subject: "phone", value: "+2519•••••44",
	    userId: "u|{id}" }, 200,
	    "looked at the phone +2519•••••44 of the user u|{id}"],
	["assayctl admin reset-factor", {}, 200,
	    "ran assayctl admin reset-factor on the database"],
	["POST /v1/unheard/of", {}, 404, "POST /v1/unheard/of"],
	["POST /v1/apikeys", { name: "a\u202eb", scopes: ["labels"] }, 201,
	    "created the service key a\\u{202e}b"],
];
test("an entry is a sentence", () => {
	for (const [action, params, status, want] of SAID)
		assert.equal(said(action, params, status), want);
});
