// SPDX-License-Identifier: ISC
// The language of assay-rules(5), split into tokens as core/rule/rule_lex.c does,
// for the colours and the completion of the editor.  The service checks the text.

const WORD = /^(?:[A-Za-z0-9._@-]|\+(?!=))+/;
const STRING = /^"(?:[^"\\]|\\.)*"/;
const OPEN_STRING = /^"(?:[^"\\]|\\.)*\\?/;
const SYMBOL = /^(?:\+=|==|!=|>=|<=|&&|\|\||[><!,{}()[\]])/;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const HEAD = /^(?:rule|test)\s+(?:[A-Za-z0-9._@-]|\+(?!=))+\s*\{/;

const JOINT = { "&&": ["operator", "operand"], "||": ["operator", "operand"],
    ")": ["bracket", "joint"], then: ["keyword", "score"] };
const COMPARE = Object.fromEntries(["==", "!=", ">=", "<=", ">", "<"]
    .map((symbol) => [symbol, ["operator", "value"]]));

export const VERDICTS = ["allow", "challenge", "review", "deny"];

// ruleAt TEXT ID: where the rule of this id begins, or null.
export function ruleAt(text, id) {
	const heads = text.matchAll(/(?<=^|\})[ \t]*rule\s+([A-Za-z0-9._@+-]+)\s*\{/gm);
	return [...heads].find((head) => head[1] === id)?.index ?? null;
}

// What a test expects.
const EXPECTATION = { ...Object.fromEntries(VERDICTS
    .map((verdict) => [verdict, ["keyword", "expectation"]])),
    score: ["keyword", "expectedOperator"], because: ["keyword", "expectedTag"],
    not: ["keyword", "expectedTag"], "}": ["bracket", "outside"] };

// For each place in a rule or a test: what may stand there, its style, and the place
// after it.  A kind of token is one of TOKEN_KINDS below.
const GRAMMAR = {
	outside: { rule: ["keyword", "id"], test: ["keyword", "testId"] },
	id: { word: ["name", "open"] },
	open: { "{": ["bracket", "when"] },
	when: { when: ["keyword", "operand"] },
	operand: { "!": ["operator", "operand"], "(": ["bracket", "operand"],
	    signal: ["signal", "operator"] },
	operator: { ...COMPARE, in: ["keyword", "list"], ...JOINT },
	list: { "[": ["bracket", "member"] },
	member: { literal: ["literal", "next"] },
	next: { ",": ["bracket", "member"], "]": ["bracket", "joint"] },
	value: { literal: ["literal", "joint"] },
	joint: JOINT,
	score: { score: ["keyword", "plus"] },
	plus: { "+=": ["operator", "points"] },
	points: { number: ["number", "comma"] },
	comma: { ",": ["bracket", "label"] },
	label: { tag: ["keyword", "tag"] },
	tag: { word: ["label", "close"], string: ["label", "close"] },
	close: { "}": ["bracket", "outside"] },
	testId: { word: ["name", "testOpen"] },
	testOpen: { "{": ["bracket", "testBody"] },
	testBody: { given: ["keyword", "given"], expect: ["keyword", "expectation"] },
	given: { signal: ["signal", "givenOperator"] },
	givenOperator: { "==": ["operator", "givenValue"] },
	givenValue: { literal: ["literal", "givenNext"] },
	givenNext: { ",": ["bracket", "given"], expect: ["keyword", "expectation"] },
	expectation: EXPECTATION,
	expectedOperator: Object.fromEntries(["==", ">=", "<=", ">", "<"]
	    .map((symbol) => [symbol, ["operator", "expectedScore"]])),
	expectedScore: { number: ["number", "expectation"] },
	expectedTag: { word: ["label", "expectedNext"],
	    string: ["label", "expectedNext"] },
	expectedNext: { ",": ["bracket", "expectedTag"], ...EXPECTATION },
};

// The kinds of a token, the most particular one first.
const TOKEN_KINDS = {
	word: (text) => [NUMBER.test(text) && "number",
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
