// SPDX-License-Identifier: ISC
// The editor's tokens of each ruleset that the tests of the parser and the seed have.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { isWithin, placeAt, ruleAt, tokens, velocitiesOf } from
    "../../console/rules/language.js";

const folders = [new URL("../rules/", import.meta.url),
    new URL("../../sql/seed/rules/", import.meta.url)];
const files = (suffix) => folders.flatMap((folder) => readdirSync(folder)
    .filter((name) => name.endsWith(suffix)).map((name) => ({ name,
    text: readFileSync(new URL(name, folder), "utf8") })));
const styled = (text, style) => tokens(text).filter((one) =>
    one.style === style).map((one) => one.text);

for (const { name, text } of [...files(".rule"), ...files(".bad")])
	test(`the tokens of ${name} are its text`, () => {
		assert.equal(tokens(text).map((one) => one.text).join(""),
		    text.replaceAll("\n", ""));
	});

for (const { name, text } of files(".rule"))
	test(`${name} is a sequence of whole rules`, () => {
		const found = tokens(text);
		assert.deepEqual(found.filter(({ style }) =>
		    ["fault", "plain"].includes(style)), []);
		assert.equal(placeAt(text).at, "outside");
		const keywords = styled(text, "keyword");
		assert.equal(keywords.filter((word) => word === "tag").length,
		    keywords.filter((word) => word === "rule").length);
	});

test("a word has the style of its place", () => {
	const text = 'rule when { when attr.then == "in" || event.amount in ' +
	    "[-0.5, 1e6] then score += 3, tag tag }";
	assert.deepEqual(styled(text, "name"), ["when"]);
	assert.deepEqual(styled(text, "signal"), ["attr.then", "event.amount"]);
	assert.deepEqual(styled(text, "string"), ['"in"']);
	assert.deepEqual(styled(text, "number"), ["-0.5", "1e6", "3"]);
	assert.deepEqual(styled(text, "label"), ["tag"]);
});

test("a test has the styles of a rule", () => {
	const text = 'test test { given event.amount == 1 expect deny because t, "u" }';
	assert.deepEqual(styled(text, "name"), ["test"]);
	assert.deepEqual(styled(text, "keyword"),
	    ["test", "given", "expect", "deny", "because"]);
	assert.deepEqual(styled(text, "label"), ["t", '"u"']);
});

test("a velocity has the styles of a rule", () => {
	const text = 'velocity by = distinct(ip) by userId, attr."a b" over 1d where ' +
	    '!(verdict in ["deny"] || event.amount > 5) excluding current';
	assert.deepEqual(styled(text, "name"), ["by"]);
	assert.deepEqual(styled(text, "keyword"), ["velocity", "distinct", "by", "over",
	    "where", "in", "excluding", "current"]);
	assert.deepEqual(styled(text, "signal"), ["ip", "userId", 'attr."a b"', "verdict",
	    "event.amount"]);
	assert.deepEqual(styled(text, "number"), ["1d", "5"]);
	assert.deepEqual(styled("rule a { when verdict == 1", "signal"), []);
});

test("a quoted attribute is one token", () => {
	assert.deepEqual(styled('rule a { when attr."odd name" == 1', "signal"),
	    ['attr."odd name"']);
});

test("a mistake does not spoil the rules below", () => {
	const text = "rule a { when then }\nrule b {\nwhen \nrule c { when x.y " +
	    "velocity d = sum(\nvelocity e = count by ip over 1h where x.y == " +
	    "\nrule f { when x.y ";
	assert.deepEqual(styled(text, "name"), ["a", "b", "c", "d", "e", "f"]);
});

test("the place at the end of a text says what can follow", () => {
	for (const [text, at] of [["", "outside"], ["rule ", "id"],
	    ["rule a { ", "when"], ["rule a { when ", "operand"],
	    ["rule a { when event.amount ", "operator"],
	    ["rule a { when event.amount > ", "value"],
	    ["rule a { when event.amount > 1 ", "joint"],
	    ["rule a { when a.b then score += 1, tag ", "tag"],
	    ["test ", "testId"], ["test a { ", "testBody"],
	    ["test a { given a.b == 1", "givenNext"],
	    ["test a { given a.b == 1 expect ", "expectation"],
	    ["test a { expect deny score >= 1 because ", "expectedTag"],
	    ["test a { expect deny because t ", "expectedNext"],
	    ["velocity ", "velocityId"], ["velocity a = ", "measure"],
	    ["velocity a = sum(", "amount"], ["velocity a = distinct(", "part"],
	    ["velocity a = count by ", "key"], ["velocity a = count by ip ", "keyNext"],
	    ["velocity a = count by ip over ", "window"],
	    ["velocity a = count by ip over all ", "windowNext"],
	    ["velocity a = count by ip over 1h where ", "where.operand"],
	    ["velocity a = count by ip over 1h where verdict == ", "where.value"],
	    ["velocity a = count by ip over 1h excluding ", "current"],
	    ["velocity a = count by ip over 1h rule ", "id"]])
		assert.equal(placeAt(text).at, at, text);
	assert.equal(placeAt("rule a { when event.amount > ").signal,
	    "event.amount");
});

test("a line continues a velocity only with one of its parts", () => {
	const within = (before, after) => isWithin(placeAt(before), after);
	assert.equal(within("", "rule a {"), false);
	assert.equal(within("rule a {", "when"), true);
	assert.equal(within("rule a {", "}"), false);
	assert.equal(within("velocity a = count", "by ip"), true);
	assert.equal(within("velocity a = count by ip over 1h", ""), false);
	assert.equal(within("velocity a = count by ip over 1h", "where x.y"), true);
	assert.equal(within("velocity a = count by ip over 1h where x.y == 1", "&& x.z"),
	    true);
});

test("the velocities of a text are those that it defines", () => {
	assert.deepEqual(velocitiesOf("velocity a.b = count by ip over 1h\n" +
	    "# velocity c = count by ip over 1h\nrule velocity { when velocity.d == 1 " +
	    "then score += 1, tag velocity } velocity e =\n\tvelocity a.b = "),
	    ["a.b", "e"]);
});

test("the head of a rule is found by its id", () => {
	const one = "when event.amount > 1 then score += 1, tag t }";
	const text = `# rule two { is written below\nrule one { ${one} rule two { ${one}\n` +
	    `\trule one.more { ${one}\ntest two { given event.amount == 1 expect allow }`;
	assert.equal(text.slice(ruleAt(text, "one")).startsWith("rule one {"), true);
	assert.equal(text.slice(ruleAt(text, "two")).startsWith(" rule two {"), true);
	assert.equal(text.slice(ruleAt(text, "one.more")).startsWith("\trule one.more"), true);
	assert.equal(ruleAt(text, "on"), null);
	assert.equal(ruleAt(text, "o.e"), null);
});
