// SPDX-License-Identifier: ISC
// Requests: their URLs, how many run at once, waiting, and remedies for errors.
import assert from "node:assert/strict";
import test from "node:test";
import "../../console/acts.js";
import { call, remedy, send, urlOf } from "../../console/api.js";

// serve(answers): fetch() answers these one by one: [status, body, headers].
function serve(answers) {
	const seen = [];
	globalThis.fetch = async (url, request) => {
		seen.push({ url, ...request });
		const [status, body, headers] = answers.shift();
		return new Response(JSON.stringify(body), { status, headers });
	};
	return seen;
}
const refused = (code) => ({ error: true, code, message: "because" });

test("ids are one segment of the path, and empty values are left out", () => {
	assert.equal(urlOf("/v1/decisions/{id}/explain", { id: "a/../b?" },
	    { x: null, y: "", z: 0, q: "a b" }),
	    "/v1/decisions/a%2F..%2Fb%3F/explain?z=0&q=a+b");
});
test("a request has the header of a browser's session and no token", async () => {
	const seen = serve([[200, { ok: true }]]);
	assert.deepEqual(await call("POST /v1/lists", { body: { a: 1 } }),
	    { ok: true });
	assert.equal(seen[0].headers["Assay-Session"], "cookie");
	assert.equal(seen[0].headers.Authorization, undefined);
	assert.equal(seen[0].body, '{"a":1}');
});
test("no more than four requests run at once", async () => {
	let now = 0, most = 0;
	globalThis.fetch = async () => {
		most = Math.max(most, ++now);
		await new Promise((done) => setTimeout(done, 5));
		now--;
		return new Response("{}");
	};
	await Promise.all(Array.from({ length: 20 }, () => call("GET /readyz")));
	assert.equal(most, 4);
});
test("a read waits as the service asks and is sent again", async () => {
	const seen = serve([[503, refused("UNAVAILABLE"), { "retry-after": "1" }],
	    [200, { n: 1 }]]);
	assert.deepEqual(await call("GET /v1/cases"), { n: 1 });
	assert.equal(seen.length, 2);
});
test("a POST that changes nothing is sent again, too", async () => {
	const seen = serve([[503, refused("UNAVAILABLE"), { "retry-after": "1" }],
	    [200, { ok: true }]]);
	await call("POST /v1/rules/check", { body: { dsl: "" }, reads: true });
	assert.deepEqual(seen.map(({ body }) => body), ['{"dsl":""}', '{"dsl":""}']);
});
test("a change is not sent again after 503", async () => {
	const seen = serve([[503, refused("UNAVAILABLE"), { "retry-after": "1" }]]);
	await assert.rejects(call("POST /v1/lists", { body: {} }),
	    { status: 503, code: "UNAVAILABLE" });
	assert.equal(seen.length, 1);
});
test("an error that is no envelope is an error of the service", async () => {
	serve([[502, "oops"]]);
	await assert.rejects(call("POST /v1/lists"), { code: "INTERNAL" });
});
test("no answer is an error too", async () => {
	globalThis.fetch = async () => { throw new TypeError("network"); };
	await assert.rejects(call("GET /v1/cases"), { status: 0, code: "OFFLINE" });
});
test("after a remedy the request is sent again, and without one it fails",
    async () => {
	const seen = serve([[403, refused("REAUTH_REQUIRED")], [200, { ok: true }]]);
	remedy("REAUTH_REQUIRED", async () => true);
	await call("POST /v1/webhooks", { body: { name: "x" } });
	assert.deepEqual(seen.map(({ body }) => body),
	    ['{"name":"x"}', '{"name":"x"}']);
	serve([[403, refused("REAUTH_REQUIRED")]]);
	remedy("REAUTH_REQUIRED", async () => false);
	await assert.rejects(call("POST /v1/webhooks"), { code: "REAUTH_REQUIRED" });
	serve([[403, refused("REAUTH_REQUIRED")]]);
	remedy("REAUTH_REQUIRED", () => assert.fail("plain has no remedy"));
	await assert.rejects(call("POST /v1/auth/confirm", { plain: true }),
	    { code: "REAUTH_REQUIRED" });
});
test("an act is sent only after its question", async () => {
	const seen = serve([[201, { id: "key_1" }]]);
	await assert.rejects(call("POST /v1/apikeys", { body: {} }),
	    /was not asked about/);
	assert.equal(seen.length, 0);
	await call("POST /v1/apikeys", { body: {}, asked: true });
	assert.equal(seen.length, 1);
	const read = serve([[200, { stored: {} }]]);
	await call("POST /v1/privacy/erase", { body: { rehearse: true }, reads: true });
	assert.equal(read.length, 1);
});
test("an aborted request ends with the reason of its signal", async () => {
	globalThis.fetch = (_, { signal }) => new Promise((_, fail) =>
	    signal.addEventListener("abort", () => fail(signal.reason)));
	const abort = new AbortController();
	const waits = send("GET /v1/cases", { signal: abort.signal });
	setTimeout(() => abort.abort(), 5);
	await assert.rejects(waits, { name: "AbortError" });
});
