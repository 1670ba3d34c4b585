// SPDX-License-Identifier: ISC
// The language of assay-rules(5), split into tokens as core/rule/rule_lex.c does,
// for the colours and the completion of the editor.  The service checks the text.

const NAME = "(?:[A-Za-z0-9._@-]|\\+(?!=))+";
const WORD = new RegExp(`^${NAME}`);
const STRING = /^"(?:[^"\\]|\\.)*"/;
const OPEN_STRING = /^"(?:[^"\\]|\\.)*\\?/;
const SYMBOL = /^(?:\+=|==|!=|>=|<=|&&|\|\||[=><!,{}()[\]])/;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const WINDOW = /^[0-9]+[mhd]$/;
const HEAD = new RegExp(`^(?:(?:rule|test)\\s+${NAME}\\s*\\{|` +
    `velocity\\s+${NAME}\\s*=(?!=))`);

// each(words, style, next): the same for each of these words.
const each = (words, style, next) => Object.fromEntries(words
    .map((word) => [word, [style, next]]));

export const VERDICTS = ["allow", "challenge", "review", "deny"];

// ruleAt TEXT ID: where the rule of this id begins, or null.
export function ruleAt(text, id) {
	const heads = text.matchAll(/(?<=^|\})[ \t]*rule\s+([A-Za-z0-9._@+-]+)\s*\{/gm);
	return [...heads].find((head) => head[1] === id)?.index ?? null;
}

// velocitiesOf TEXT: the names of the velocities that a ruleset defines.
export function velocitiesOf(text) {
	const heads = text.matchAll(
	    /(?<=^|\})[ \t]*velocity\s+([A-Za-z0-9._@+-]+)\s*=(?!=)/gm);
	return [...new Set([...heads].map((head) => head[1]))];
}

// The functions of numbers, and who or what a velocity counts for.
export const NUMBER_FUNCTIONS = ["sum", "avg", "min", "max", "stddev"];
export const SUBJECTS = ["userId", "deviceId", "fingerprint", "ip", "phone"];

// A condition: places whose names begin with prefix; names are other words that
// it reads, and end is what can follow it.
function conditionOf(prefix, names, end) {
	const at = (place) => `${prefix}${place}`;
	const joint = { ...each(["&&", "||"], "operator", at("operand")),
	    ")": ["bracket", at("joint")], ...end };
	return {
		[at("operand")]: { "!": ["operator", at("operand")],
		    "(": ["bracket", at("operand")],
		    ...each(["signal", ...names], "signal", at("operator")) },
		[at("operator")]: { ...each(["==", "!=", ">=", "<=", ">", "<"],
		    "operator", at("value")), in: ["keyword", at("list")], ...joint },
		[at("list")]: { "[": ["bracket", at("member")] },
		[at("member")]: { literal: ["literal", at("next")] },
		[at("next")]: { ",": ["bracket", at("member")],
		    "]": ["bracket", at("joint")] },
		[at("value")]: { literal: ["literal", at("joint")] },
		[at("joint")]: joint,
	};
}

const ITEMS = { rule: ["keyword", "id"], test: ["keyword", "testId"],
    velocity: ["keyword", "velocityId"] };
const VELOCITY_END = { excluding: ["keyword", "current"], ...ITEMS };

// What a test expects.
const EXPECTATION = { ...each(VERDICTS, "keyword", "expectation"),
    score: ["keyword", "expectedOperator"], because: ["keyword", "expectedTag"],
    not: ["keyword", "expectedTag"], "}": ["bracket", "outside"] };

// For each place in a rule, a velocity or a test: what may stand there, its style, and
// the place after it.  A kind of token is one of TOKEN_KINDS below.
const GRAMMAR = {
	outside: ITEMS,
	id: { word: ["name", "open"] },
	open: { "{": ["bracket", "when"] },
	when: { when: ["keyword", "operand"] },
	...conditionOf("", [], { then: ["keyword", "score"] }),
	score: { score: ["keyword", "plus"] },
	plus: { "+=": ["operator", "points"] },
	points: { number: ["number", "comma"] },
	comma: { ",": ["bracket", "label"] },
	label: { tag: ["keyword", "tag"] },
	tag: { word: ["label", "close"], string: ["label", "close"] },
	close: { "}": ["bracket", "outside"] },
	velocityId: { word: ["name", "equals"] },
	equals: { "=": ["operator", "measure"] },
	measure: { count: ["keyword", "by"], distinct: ["keyword", "partOpen"],
	    ...each(NUMBER_FUNCTIONS, "keyword", "amountOpen") },
	partOpen: { "(": ["bracket", "part"] },
	part: each(["signal", ...SUBJECTS], "signal", "partClose"),
	amountOpen: { "(": ["bracket", "amount"] },
	amount: { signal: ["signal", "partClose"] },
	partClose: { ")": ["bracket", "by"] },
	by: { by: ["keyword", "key"] },
	key: each(["signal", ...SUBJECTS], "signal", "keyNext"),
	keyNext: { ",": ["bracket", "key"], over: ["keyword", "window"] },
	window: { window: ["number", "windowNext"], all: ["keyword", "windowNext"] },
	windowNext: { where: ["keyword", "where.operand"], ...VELOCITY_END },
	...conditionOf("where.", ["verdict"], VELOCITY_END),
	current: { current: ["keyword", "outside"] },
	testId: { word: ["name", "testOpen"] },
	testOpen: { "{": ["bracket", "testBody"] },
	testBody: { given: ["keyword", "given"], expect: ["keyword", "expectation"] },
	given: { signal: ["signal", "givenOperator"] },
	givenOperator: { "==": ["operator", "givenValue"] },
	givenValue: { literal: ["literal", "givenNext"] },
	givenNext: { ",": ["bracket", "given"], expect: ["keyword", "expectation"] },
	expectation: EXPECTATION,
	expectedOperator: each(["==", ">=", "<=", ">", "<"], "operator",
	    "expectedScore"),
	expectedScore: { number: ["number", "expectation"] },
	expectedTag: { word: ["label", "expectedNext"],
	    string: ["label", "expectedNext"] },
	expectedNext: { ",": ["bracket", "expectedTag"], ...EXPECTATION },
};

// The kinds of a token, the most particular one first.
const TOKEN_KINDS = {
	word: (text) => [NUMBER.test(text) && "number",
	    WINDOW.test(text) && "window",
	    /^(?:true|false)$|^-?[0-9]/.test(text) && "literal",
	    text.includes(".") && "signal", "word"],
	attribute: () => ["signal"],
	string: () => ["literal", "string"],
	symbol: () => [],
};

const BLAND = { symbol: "operator", attribute: "signal", word: "plain",
    string: "string" };

// literalStyle TEXT: strings, numbers and booleans have their own colours.
function literalStyle(text) {
	return text.startsWith('"') ? "string" :
	    /^(?:true|false)$/.test(text) ? "boolean" : "number";
}

// A velocity may end at these places, unless such a part follows.
const MAY_END = ["windowNext", "where.joint"];
const PART = /^(?:where|excluding|&&|\|\||\))/;

// isWithin(state, after): whether a line that begins with after continues an item.
export function isWithin({ at }, after) {
	return at !== "outside" && !after.startsWith("}") &&
	    (!MAY_END.includes(at) || PART.test(after));
}

// The state of the tokenizer: the place in GRAMMAR, and the signal of the test.
export function startState() {
	return { at: "outside", signal: null };
}

// step STATE TYPE TEXT: advance by one token; returns its style.
function step(state, type, text) {
	const here = GRAMMAR[state.at];
	const kind = [text, ...TOKEN_KINDS[type](text)].find((name) => name &&
	    Object.hasOwn(here, name));
	if (kind === undefined) {
		// A brace ends a rule whatever is in it, so that one mistake does
		// not spoil the rules below.
		if (text === "}")
			state.at = "outside";
		return BLAND[type];
	}
	const [style, next] = here[kind];
	state.at = next;
	if (style === "signal")
		state.signal = text;
	return style === "literal" ? literalStyle(text) : style;
}

// token(stream, state): read one token of a line and return its style, or null
// for white space.  stream is a StringStream of CodeMirror: match(pattern) reads
// and next() reads one character.
export function token(stream, state) {
	if (stream.match(/^[ \t\r]+/))
		return null;
	if (stream.match(/^(?:#|\/\/).*/))
		return "comment";
	if (stream.match(HEAD, false))
		state.at = "outside";
	let found = stream.match(WORD);
	if (found && found[0] === "attr." && stream.match(STRING, false))
		return step(state, "attribute", `attr.${stream.match(STRING)[0]}`);
	if (found)
		return step(state, "word", found[0]);
	found = stream.match(STRING);
	if (found)
		return step(state, "string", found[0]);
	if (stream.match(OPEN_STRING))
		return "fault";
	found = stream.match(SYMBOL);
	if (found)
		return step(state, "symbol", found[0]);
	stream.next();
	return "fault";
}

// A stream over one line with the two functions that token() uses.
class Line {
	constructor(text) {
		Object.assign(this, { text, at: 0 });
	}
	match(pattern, consume = true) {
		const found = pattern.exec(this.text.slice(this.at));
		if (found !== null && consume)
			this.at += found[0].length;
		return found;
	}
	next() {
		this.at += String.fromCodePoint(this.text.codePointAt(this.at))
		    .length;
	}
}

// tokens TEXT: the tokens of a whole text, as { text, style, line, at }: at is the
// place after the token.
export function tokens(text) {
	const found = [], state = startState();
	for (const [i, words] of text.split("\n").entries()) {
		const line = new Line(words);
		while (line.at < words.length) {
			const from = line.at;
			const style = token(line, state);
			found.push({ text: words.slice(from, line.at), style,
			    line: i + 1, ...state });
		}
	}
	return found;
}

// placeAt TEXT: the place in a rule at the end of a text, and the signal of its
// last test.
export function placeAt(text) {
	const { at, signal } = tokens(text).at(-1) ?? startState();
	return { at, signal };
}
