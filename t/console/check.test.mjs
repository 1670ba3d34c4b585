// SPDX-License-Identifier: ISC
import assert from "node:assert/strict";
import { test } from "node:test";
import { offsetOf, spansOf } from "../../console/rules/check.js";
import { attributeName, filled, offersAt, ruleBefore, tagsOf } from
    "../../console/rules/complete.js";

test("a column counts characters, the editor counts UTF-16 units", () => {
	assert.equal(offsetOf("ä😀x", 1), 0);
	assert.equal(offsetOf("ä😀x", 3), 3);
	assert.equal(offsetOf("ä😀x", 4), 4);
	assert.equal(offsetOf("ab", 9), 2);
});

test("a mistake marks its words, at the end of a line the character before", () => {
	const text = "rule 😀\nwhen x";
	const marked = ({ errors = [], warnings = [] }) => spansOf(text,
	    { errors, warnings }).map(({ from, to, severity }) =>
	    [text.slice(from, to), severity]);
	assert.deepEqual(marked({ errors: [{ line: 2, column: 6, endColumn: 7,
	    message: "" }, { line: 1, column: 6, endColumn: 7, message: "" }] }),
	    [["😀", "error"], ["x", "error"]]);
	assert.deepEqual(marked({ errors: [{ line: 2, column: 7, endColumn: 7,
	    message: "" }] }), [["x", "error"]]);
	assert.deepEqual(marked({ warnings: [{ line: 2, rule: "r",
	    message: "" }] }), [["when x", "warning"]]);
});

test("a mistake after the last line is marked on it", () => {
	assert.deepEqual(spansOf("", { warnings: [], errors: [{ line: 1, column: 1,
	    endColumn: 1, message: "m" }] }).map(({ from, to }) => [from, to]),
	    [[0, 0]]);
});

const CATALOGUE = { tags: ["velocity"], attributes: [{ name: "odd name",
    type: "text" }], signals: [{ name: "event.amount", type: "number",
    meaning: "the amount" }, { name: "device.firstSeen", type: "boolean",
    meaning: "new" }, { name: "instrument.bin", type: "text", meaning: "bin" }],
    velocities: ["cards"] };
const labels = (text) => offersAt(text, CATALOGUE).map(({ label }) => label);

test("each place of a rule offers what can stand there", () => {
	assert.deepEqual(labels("rule a { when "), ["event.amount",
	    "device.firstSeen", "instrument.bin", 'attr."odd name"', "velocity.cards",
	    "!", "("]);
	assert.ok(labels("rule a { when event.amount ").includes(">="));
	assert.ok(!labels('rule a { when attr."odd name" ').includes(">="));
	assert.deepEqual(labels("rule a { when device.firstSeen == "),
	    ["true", "false"]);
	assert.deepEqual(labels("rule a { when event.amount > 1 then score += 1," +
	    " tag "), ["velocity"]);
	assert.deepEqual(labels(""), ["rule", "velocity", "test"]);
	assert.deepEqual(labels("rule a { x }\ntest b { expect deny because "),
	    ["velocity"]);
	assert.deepEqual(labels("rule "), []);
});

test("a velocity is offered what it may count", () => {
	const counted = (text) => labels(`velocity a = count by ${text}`);
	assert.deepEqual(labels("velocity a = sum("), ["event.amount",
	    'attr."odd name"']);
	assert.deepEqual(counted(""), ["userId", "deviceId", "fingerprint", "ip", "phone",
	    "instrument.bin", 'attr."odd name"']);
	assert.deepEqual(counted("ip over 1h where "), ["verdict", "event.amount",
	    "instrument.bin", 'attr."odd name"', "!", "("]);
	for (const text of ["verdict == ", "verdict in ["])
		assert.deepEqual(counted(`ip over 1h where ${text}`),
		    ['"allow"', '"challenge"', '"review"', '"deny"']);
	assert.deepEqual(counted("ip over 1h\n"), ["where ", "excluding current", "rule",
	    "velocity", "test"]);
});

test("a rule and a test are offered the velocities of the text", () => {
	assert.ok(labels("test a { given ").includes("velocity.cards"));
	assert.ok(labels("rule a { when velocity.cards ").includes(">"));
});

test("only a boolean signal can stand alone", () => {
	assert.ok(labels("rule a { when device.firstSeen ").includes("&&"));
	assert.ok(!labels("rule a { when event.amount ").includes("&&"));
});

test("a template says where the cursor goes", () => {
	const [{ template }] = offersAt("", CATALOGUE);
	const { text, at } = filled(template);
	assert.equal(text.slice(0, at), "rule ");
	assert.ok(!text.includes("|"));
});

test("a name of other characters than a word is quoted", () => {
	assert.equal(attributeName("plan"), "attr.plan");
	assert.equal(attributeName('a "b"'), 'attr."a \\"b\\""');
});

test("only the rule around the cursor is read", () => {
	const text = "rule a { }\nrule b { when ";
	assert.equal(ruleBefore(text, text.length), "rule b { when ");
	assert.equal(ruleBefore(text, 6), "rule a");
	const more = "rule a {\n\twhen velocity.b > 1\n}\nvelocity b = count by ";
	assert.equal(ruleBefore(more, more.length), "velocity b = count by ");
});

test("the tags of a text are named once", () => {
	assert.deepEqual(tagsOf('rule a { when x.y then score += 1, tag t }\n' +
	    'rule b { when x.y then score += 1, tag "t" }'), ["t"]);
});
