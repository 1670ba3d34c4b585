// SPDX-License-Identifier: ISC
// Texts with values and plurals, and the texts of errors.
import assert from "node:assert/strict";
import test from "node:test";
import "../../console/ui/text.js";
import { ApiError } from "../../console/api.js";
import { errorText } from "../../console/errors.js";
import { followTexts } from "../../console/shown.js";
import { addText, coded, exact, spelled, t } from "../../console/text.js";
import { h, options } from "../../third_party/preact/preact.js";

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
	assert.equal(t("x.who", { who: "\u05d0\u200d" }), "by \u05d0\\u{200d}");
});
// A text, and what it is as a text of the page and as a value.
const UNSEEN = [
	["plain-1", "plain-1", "plain-1"],
	["a\u200bb\ufeff", "a\\u{200b}b\\u{feff}", "a\\u{200b}b\\u{feff}"],
	["a\u2066b\u2069", "a\\u{2066}b\\u{2069}", "a\\u{2066}b\\u{2069}"],
	["a\u0000\u00ad", "a\\u{0}\\u{ad}", "a\\u{0}\\u{ad}"],
	["x\u3164\u2028", "x\\u{3164}\\u{2028}", "x\\u{3164}\\u{2028}"],
	["u\u{e0041}", "u\\u{e0041}", "u\\u{e0041}"],
	["a\u200d\ufe0f", "a\\u{200d}\\u{fe0f}", "a\\u{200d}\\u{fe0f}"],
	["\u0645\u06cc\u200c\u0634", "\u0645\u06cc\u200c\u0634",
	    "\u0645\u06cc\\u{200c}\u0634"],
	["\u06cc\u200c\u200c", "\u06cc\u200c\\u{200c}",
	    "\u06cc\\u{200c}\\u{200c}"],
	["\u{1f469}\u{1f3fd}\u200d\u{1f4bb} \u2764\ufe0f",
	    "\u{1f469}\u{1f3fd}\u200d\u{1f4bb} \u2764\ufe0f",
	    "\u{1f469}\u{1f3fd}\\u{200d}\u{1f4bb} \u2764\\u{fe0f}"],
	["one\n\ttwo", "one\n\ttwo", "one\\u{a}\\u{9}two"],
	["a\u00a0b", "a\u00a0b", "a\\u{a0}b"],
	["a  b c ", "a  b c ", "a\\u{20} b c\\u{20}"],
];
test("what nobody sees in a text or a value becomes a code", () => {
	for (const [text, shown, value] of UNSEEN) {
		assert.equal(coded(text), shown);
		assert.equal(coded(coded(text)), shown);
		assert.equal(exact(text), value);
	}
});
test("a word that mixes alphabets has codes for its letters that are not Latin", () => {
	for (const [text, want] of [
	    ["p\u0430ypal", "p\\u{430}ypal"],
	    ["\u0430b1c2", "\\u{430}b1c2"],
	    ["ann@g\u03bf\u03bfgle.com", "ann@g\\u{3bf}\\u{3bf}gle.com"],
	    ["n\u0430\u0301me \u0438\u043c\u044f", "n\\u{430}\u0301me \u0438\u043c\u044f"],
	    ["user_\u043f\u0435\u0442\u0440", "user_\u043f\u0435\u0442\u0440"],
	    ["\u03b1\u03b2 5", "\u03b1\u03b2 5"], ["5 \u00b5s", "5 \u00b5s"],
	    ["caf\u00e9", "caf\u00e9"], ["\u5f20wei", "\u5f20wei"], ["u-1", "u-1"]])
		assert.equal(spelled(text), want);
});
test("each text of a page and each attribute that people read is coded", () => {
	followTexts();
	const text = h(null);
	text.props = "a\u202eb";
	options.vnode(text);
	assert.equal(text.props, "a\\u{202e}b");
	const field = h("input", { title: "t\u200b", "aria-label": "l\u202e",
	    placeholder: "p\ufeff", value: "v\u202e", onInput: () => {} });
	assert.deepEqual({ ...field.props, onInput: null }, { title: "t\\u{200b}",
	    "aria-label": "l\\u{202e}", placeholder: "p\\u{feff}",
	    value: "v\u202e", onInput: null });
	assert.equal(h(() => {}, { title: "a\u202eb" }).props.title, "a\u202eb");
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
