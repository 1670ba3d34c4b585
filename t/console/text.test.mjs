// SPDX-License-Identifier: ISC
// Texts with values and plurals, and the texts of errors.
import assert from "node:assert/strict";
import test from "node:test";
import "../../console/text/rails.js";
import { ApiError } from "../../console/api.js";
import { errorText } from "../../console/errors.js";
import { addText, t } from "../../console/text.js";

addText({ "x.n": { one: "{n} case", other: "{n} cases" }, "x.who": "by {who}" });

test("a text has its values, and numbers their separators", () => {
	assert.equal(t("x.n", { n: 1 }), "1 case");
	assert.equal(t("x.n", { n: 12345 }), "12,345 cases");
	assert.equal(t("x.who", { who: "<b>{n}</b>" }), "by <b>{n}</b>");
	assert.equal(t("x.who"), "by {who}");
});
test("a key without a text is its own text", () => {
	assert.equal(t("no.such"), "no.such");
});
test("a key cannot get another text", () => {
	assert.throws(() => addText({ "x.who": "from {who}" }));
	addText({ "x.who": "by {who}" });
});
test("a value does not turn the text around it", () => {
	assert.equal(t("x.who", { who: "a\u202eb" }), "by a\\u{202e}b");
	assert.equal(t("x.who", { who: "\u05d0\u200d" }), "by \u05d0\u200d");
});
test("an error has our text, or else the reason of the service", () => {
	const text = (status, code, message, wait) =>
	    errorText(new ApiError(status, code, message, wait));
	assert.equal(text(401, "INVALID_CREDENTIALS", "x"),
	    "The email or the password is wrong.");
	assert.equal(text(409, "UNHEARD_OF", "too late"),
	    "The service refuses this: too late");
	assert.equal(text(503, "UNAVAILABLE", "x"),
	    "The service cannot answer right now. Try again.");
	assert.match(text(429, "RATE_LIMITED", "x", 7), /in 7 s/);
	assert.match(text(0, "OFFLINE", ""), /does not answer/);
	assert.match(errorText(new TypeError("x is undefined")), /x is undefined/);
});
