// SPDX-License-Identifier: ISC
// What the editor offers to complete a rule.
import { VERDICTS, tokens, placeAt } from "./language.js";

const PLAIN_NAME = /^[A-Za-z0-9._@+-]+$/;
const JOINTS = ["&&", "||", "then score += 10, tag "];
// In a template this is where the cursor goes.
const CURSOR = "|";
const NEW_RULE = `rule ${CURSOR} {\n\twhen \n\tthen score += 10, tag \n}`;
const NEW_TEST = `test ${CURSOR} {\n\tgiven \n\texpect \n}`;
const EXPECTATIONS = [...VERDICTS, "score >= ", "because ", "not "];
const OPERATORS_OF = { number: ["==", "!=", ">", ">=", "<", "<=", "in ["],
    text: ["==", "!=", "in ["], boolean: ["==", "!="] };

// The name of an attribute as a rule writes it.
export function attributeName(name) {
	return PLAIN_NAME.test(name) ? `attr.${name}` :
	    `attr.${JSON.stringify(name)}`;
}

function signalOffers({ signals, attributes }) {
	return [...signals.map(({ name, type, meaning }) => ({ label: name,
	    kind: "property", detail: type, info: meaning })),
	    ...attributes.map(({ name, type }) => ({ kind: "variable",
	    label: attributeName(name), detail: type }))];
}

function typeOf(signal, { signals, attributes }) {
	return signals.find(({ name }) => name === signal)?.type ??
	    attributes.find(({ name }) => attributeName(name) === signal)?.type;
}

const words = (labels, kind = "keyword") => labels.map((label) => ({ label, kind }));

// For each place of GRAMMAR in language.js, what can stand there.
const OFFERS = {
	outside: () => [{ label: "rule", kind: "keyword", template: NEW_RULE },
	    { label: "test", kind: "keyword", template: NEW_TEST }],
	when: () => words(["when"]),
	operand: ({ catalogue }) => [...signalOffers(catalogue), ...words(["!", "("])],
	operator: ({ type }) => [...words(OPERATORS_OF[type] ??
	    OPERATORS_OF.number, "operator"),
	    ...words(type === "boolean" ? JOINTS : [])],
	value: ({ type }) => words(type === "boolean" ? ["true", "false"] : [],
	    "constant"),
	joint: () => words(JOINTS),
	score: () => words(["score += 10, tag "]),
	label: () => words(["tag"]),
	tag: ({ catalogue }) => words(catalogue.tags, "enum"),
	testBody: () => words(["given ", "expect "]),
	given: ({ catalogue }) => signalOffers(catalogue),
	givenOperator: () => words(["=="], "operator"),
	givenValue: ({ type }) => words(type === "boolean" ? ["true", "false"] : [],
	    "constant"),
	givenNext: () => words(["expect "]),
	expectation: () => words(EXPECTATIONS),
	expectedOperator: () => words(["==", ">=", "<="], "operator"),
	expectedTag: ({ catalogue }) => words(catalogue.tags, "enum"),
	expectedNext: () => words(EXPECTATIONS),
};

// offersAt(before, catalogue): what can follow the text, as { label, kind, detail,
// info, template }.  catalogue is { signals, attributes, tags }.
export function offersAt(before, catalogue) {
	const { at, signal } = placeAt(before);
	return OFFERS[at]?.({ catalogue, type: typeOf(signal, catalogue) }) ?? [];
}

// filled TEMPLATE: its text, and where the cursor goes.
export function filled(template) {
	const at = template.indexOf(CURSOR);
	return { text: template.replace(CURSOR, ""), at };
}

// tagsOf TEXT: the tags that a ruleset uses.
export function tagsOf(text) {
	return [...new Set(tokens(text).filter(({ style }) => style === "label")
	    .map((token) => token.text.replaceAll('"', "")))];
}

// ruleBefore(text, at): the text from the beginning of the rule or test around at, so
// that a long ruleset is not split into tokens at every key.
export function ruleBefore(text, at) {
	const before = text.slice(0, at);
	const starts = [...before.matchAll(/^[ \t]*(?:rule|test)[ \t]/gm)];
	return before.slice(starts.at(-1)?.index ?? 0);
}
