// SPDX-License-Identifier: ISC
// What the editor offers to complete a rule.
import { NUMBER_FUNCTIONS, placeAt, SUBJECTS, tokens, VERDICTS } from
    "./language.js";

const PLAIN_NAME = /^[A-Za-z0-9._@+-]+$/;
const JOINERS = ["&&", "||"];
const JOINTS = [...JOINERS, "then score += 10, tag "];
// In a template this is where the cursor goes.
const CURSOR = "|";
const NEW_RULE = `rule ${CURSOR} {\n\twhen \n\tthen score += 10, tag \n}`;
const NEW_VELOCITY = `velocity ${CURSOR} = count by userId over 1h`;
const NEW_TEST = `test ${CURSOR} {\n\tgiven \n\texpect \n}`;
const EXPECTATIONS = [...VERDICTS, "score >= ", "because ", "not "];
const FUNCTIONS = ["count by ", "distinct(", ...NUMBER_FUNCTIONS
    .map((name) => `${name}(`)];
const WINDOWS = ["10m", "1h", "1d", "7d", "30d", "all"];
const EXCLUDING = "excluding current";
const OPERATORS_OF = { number: ["==", "!=", ">", ">=", "<", "<=", "in ["],
    text: ["==", "!=", "in ["], boolean: ["==", "!="] };

// The name of an attribute as a rule writes it.
export function attributeName(name) {
	return PLAIN_NAME.test(name) ? `attr.${name}` :
	    `attr.${JSON.stringify(name)}`;
}

function signalOffers({ signals, attributes, velocities = [] }) {
	return [...signals.map(({ name, type, meaning }) => ({ label: name,
	    kind: "property", detail: type, info: meaning })),
	    ...attributes.map(({ name, type }) => ({ kind: "variable",
	    label: attributeName(name), detail: type })),
	    ...velocities.map((name) => ({ kind: "variable", detail: "number",
	    label: `velocity.${name}` }))];
}

// eventOffers(catalogue, pattern): what a velocity reads of the events that it
// counts; the pattern is that of the signals.
const eventOffers = ({ signals, attributes }, pattern = /^(?:event|instrument)\./) =>
    signalOffers({ attributes, signals: signals.filter(({ name }) =>
	pattern.test(name)) });

function typeOf(signal, { signals, attributes }) {
	return signal === "verdict" ? "text" :
	    signals.find(({ name }) => name === signal)?.type ??
	    attributes.find(({ name }) => attributeName(name) === signal)?.type;
}

const words = (labels, kind = "keyword") => labels.map((label) => ({ label, kind }));

// The values to compare a signal with.
function valueOffers({ type, signal }) {
	if (signal === "verdict")
		return words(VERDICTS.map((verdict) => `"${verdict}"`), "constant");
	return words(type === "boolean" ? ["true", "false"] : [], "constant");
}

const ITEMS = [["rule", NEW_RULE], ["velocity", NEW_VELOCITY], ["test", NEW_TEST]]
    .map(([label, template]) => ({ label, template, kind: "keyword" }));

function operatorOffers(type, joints) {
	return [...words(OPERATORS_OF[type] ?? OPERATORS_OF.number, "operator"),
	    ...words(type === "boolean" ? joints : [])];
}

// For each place of GRAMMAR in language.js, what can stand there.
const OFFERS = {
	outside: () => ITEMS,
	when: () => words(["when"]),
	operand: ({ catalogue }) => [...signalOffers(catalogue), ...words(["!", "("])],
	operator: ({ type }) => operatorOffers(type, JOINTS),
	value: valueOffers,
	joint: () => words(JOINTS),
	score: () => words(["score += 10, tag "]),
	label: () => words(["tag"]),
	tag: ({ catalogue }) => words(catalogue.tags, "enum"),
	testBody: () => words(["given ", "expect "]),
	given: ({ catalogue }) => signalOffers(catalogue),
	givenOperator: () => words(["=="], "operator"),
	givenValue: valueOffers,
	givenNext: () => words(["expect "]),
	expectation: () => words(EXPECTATIONS),
	expectedOperator: () => words(["==", ">=", "<="], "operator"),
	expectedTag: ({ catalogue }) => words(catalogue.tags, "enum"),
	expectedNext: () => words(EXPECTATIONS),
	measure: () => words(FUNCTIONS),
	part: ({ catalogue }) => [...words(SUBJECTS, "variable"),
	    ...eventOffers(catalogue)],
	amount: ({ catalogue }) => eventOffers(catalogue, /^event\.amount$/),
	by: () => words(["by "]),
	key: ({ catalogue }) => [...words(SUBJECTS, "variable"),
	    ...eventOffers(catalogue, /^instrument\.bin$/)],
	keyNext: () => words(["over "]),
	window: () => words(WINDOWS, "constant"),
	windowNext: () => [...words(["where ", EXCLUDING]), ...ITEMS],
	"where.operand": ({ catalogue }) => [...words(["verdict"], "variable"),
	    ...eventOffers(catalogue), ...words(["!", "("])],
	"where.operator": ({ type }) => operatorOffers(type, [...JOINERS, EXCLUDING]),
	"where.value": valueOffers,
	"where.member": valueOffers,
	"where.joint": () => [...words([...JOINERS, EXCLUDING]), ...ITEMS],
	current: () => words(["current"]),
};

// offersAt(before, catalogue): what can follow the text, as { label, kind, detail,
// info, template }.  catalogue is { signals, attributes, tags, velocities }.
export function offersAt(before, catalogue) {
	const { at, signal } = placeAt(before);
	return OFFERS[at]?.({ catalogue, signal,
	    type: typeOf(signal, catalogue) }) ?? [];
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

// ruleBefore(text, at): the text from the beginning of the rule, velocity or test
// around at, so that a long ruleset is not split into tokens at every key.
export function ruleBefore(text, at) {
	const before = text.slice(0, at);
	const starts = [...before.matchAll(/^[ \t]*(?:rule|velocity|test)[ \t]/gm)];
	return before.slice(starts.at(-1)?.index ?? 0);
}
