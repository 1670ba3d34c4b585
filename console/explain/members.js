// SPDX-License-Identifier: ISC
// The signals of an event as one JSON text, to edit it as a whole: a flat object, of
// which each mistake is found, not just the first one.

// A text, another value, a mark of JSON, or what is nothing of these.
const TOKEN = /\s*(?:("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b)|([{}[\]:,])|(\S[^\s,:{}[\]"]*))/y;
const MOST_CHANGES = 64;

// membersText SIGNALS: the text, a member a line, the signals that are known first.
export function membersText(signals) {
	const known = ([, value]) => value === null ? 1 : 0;
	const lines = Object.entries(signals).sort((a, b) => known(a) - known(b))
	    .map(([name, value]) => `  ${JSON.stringify(name)}: ${
		JSON.stringify(value)}`);
	return `{\n${lines.join(",\n")}\n}\n`;
}

// tokensOf TEXT: { kind, text, at, line }; the last one has the kind "end".
function tokensOf(text) {
	const found = [], pattern = new RegExp(TOKEN);
	const kinds = ["text", "value", "mark", "fault"];
	for (let match = pattern.exec(text); match !== null;
	    match = pattern.exec(text)) {
		const which = match.slice(1).findIndex((part) => part !== undefined);
		const word = match[which + 1];
		found.push({ kind: kinds[which], text: word,
		    at: match.index + match[0].length - word.length });
	}
	const end = text.trimEnd().length;
	let at = 0, line = 1;
	for (const one of [...found, { at: end }]) {
		line += text.slice(at, one.at).split("\n").length - 1;
		one.line = line;
		at = one.at;
	}
	return [...found, { kind: "end", text: "", at: end, line }];
}

// readMembers TEXT: { members: [{ name, value, at }], mistakes: [{ why, at }] }; at
// is an offset, why a text of the console without "explain.json.".  After a mistake
// it goes on with the next line.
export function readMembers(text) {
	const tokens = tokensOf(text), members = [], mistakes = [];
	let i = 0, comma = true;
	const is = (mark, ahead = 0) => tokens[i + ahead]?.kind === "mark" &&
	    tokens[i + ahead].text === mark;
	const ended = () => tokens[i].kind === "end";

	const mistake = (why, ahead = 0) => mistakes.push({ why,
	    at: tokens[Math.min(i + ahead, tokens.length - 1)].at });
	function skipLine(why, ahead = 0) {
		mistake(why, ahead);
		const { line } = tokens[i];
		while (!ended() && tokens[i].line === line)
			i++;
		comma = true;
	}
	function member() {
		if (!comma)
			mistake("comma");
		if (tokens[i].kind !== "text")
			return skipLine("name");
		if (!is(":", 1))
			return skipLine("colon", 1);
		const value = tokens[i + 2];
		if (value.kind !== "text" && value.kind !== "value")
			return skipLine("value", 2);
		members.push({ name: JSON.parse(tokens[i].text), at: tokens[i].at,
		    value: JSON.parse(value.text) });
		i += 3;
		comma = is(",");
		i += comma ? 1 : 0;
	}

	if (is("{"))
		i++;
	else
		mistake("open");
	while (!ended() && !is("}"))
		member();
	if (ended()) {
		mistake("close");
	} else {
		if (comma && members.length > 0 && mistakes.length === 0)
			mistake("name");
		i++;
		if (!ended())
			mistake("after");
	}
	return { members, mistakes };
}

// Why the signal cannot have the value; undefined if the catalogue, a list of
// { name, type, min, max }, has nothing against it.
function refusal(name, value, catalogue) {
	if (name === "event.type")
		return "fixed";
	if (name.startsWith("attr.") || catalogue === undefined)
		return undefined;
	const signal = catalogue.find((one) => one.name === name);
	if (signal === undefined)
		return "unknown";
	if (value === null)
		return undefined;
	if (typeof value !== (signal.type === "text" ? "string" : signal.type))
		return `type.${signal.type}`;
	return typeof value === "number" && signal.min !== null &&
	    (value < signal.min || value > signal.max) ? "range" : undefined;
}

// The velocities of a ruleset among signals, as the catalogue would have them.
function velocitiesIn(signals, catalogue) {
	return Object.keys(signals).filter((name) => name.startsWith("velocity.") &&
	    catalogue.every((one) => one.name !== name))
	    .map((name) => ({ name, type: "number", min: null, max: null }));
}

// changesIn(text, signals, catalogue): the "set" of POST /v1/decisions/{id}/try that
// makes these signals those of the text, and the mistakes: { why, at, values? }.  A
// signal that the text leaves out is unknown.
export function changesIn(text, signals, catalogue) {
	const { members, mistakes } = readMembers(text);
	const all = catalogue && [...catalogue, ...velocitiesIn(signals, catalogue)];
	const set = {}, seen = new Set();
	for (const { name, value, at } of members) {
		if (seen.has(name))
			mistakes.push({ why: "twice", at });
		seen.add(name);
		if (value === (signals[name] ?? null))
			continue;
		const why = refusal(name, value, all);
		if (why !== undefined)
			mistakes.push({ why, at, values: all?.find((one) =>
			    one.name === name) ?? {} });
		set[name] = value;
	}
	for (const [name, value] of Object.entries(signals))
		if (!seen.has(name) && value !== null && name !== "event.type")
			set[name] = null;
	if (Object.keys(set).length > MOST_CHANGES)
		mistakes.push({ why: "many", at: 0, values: { n: MOST_CHANGES } });
	return { set, mistakes: mistakes.sort((a, b) => a.at - b.at) };
}

// placeOf(text, at): line and column, both from 1, of an offset.
export function placeOf(text, at) {
	const before = text.slice(0, at).split("\n");
	return { line: before.length, column: [...before.at(-1)].length + 1 };
}
