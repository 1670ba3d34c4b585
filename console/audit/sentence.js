// SPDX-License-Identifier: ISC
// Entries of the audit trail as sentences.  The texts "audit.do.METHOD /path" are a
// table of all actions of the service.
import "../lists/text.js";
import { hasText, keysUnder, lazy, t } from "../text.js";
import "./text.js";

const START = "audit.do.";
// What a text may name; an entry of a refused request can lack any of them.
const NAMES = ["added", "author", "email", "eventId", "eventType", "failures", "id",
    "kind", "name", "outcome", "role", "subject", "targetMinutes", "to", "toVersion",
    "updated", "url", "userId", "value", "version"];
const ABSENT = Object.fromEntries(NAMES.map((name) => [name, "…"]));

// The actions of the table, each with a pattern for its requests.
const actions = lazy(() => keysUnder(START).map((key) => key.slice(START.length))
    .filter((request) => /^[A-Z]+ \S+$/.test(request))
    .map((request) => ({ request, pattern: new RegExp(`^${request
	.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`) })));

function decoded(part) {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

const said = (value) => value !== null && value !== undefined && value !== false;

// What a text shows of a parameter.
function shown([name, value]) {
	return [name, name === "subject" && hasText(`subject.${value}`) ?
	    t(`subject.${value}`) : value];
}

// The text of an action; null if the table lacks it.
function textOf(action, params) {
	if (action.startsWith("assayctl "))
		return t("audit.do.assayctl", { what: action });
	for (const { request, pattern } of actions()) {
		const found = pattern.exec(action);
		if (found === null)
			continue;
		const more = Object.keys(params).find((name) =>
		    said(params[name]) && hasText(`${START}${request} ${name}`));
		const values = Object.entries(params).filter(([, value]) =>
		    ["string", "number"].includes(typeof value)).map(shown);
		const key = more === undefined ? request : `${request} ${more}`;
		return t(`audit.do.${key}`, { ...ABSENT,
		    ...Object.fromEntries(values), ...Object.fromEntries(Object.entries(
		    found.groups ?? {}).map(([name, part]) => [name, decoded(part)])),
		    what: typeof params.action === "string" ?
			wanted(params.action, params.body ?? {}) : "…" });
	}
	return null;
}

// "add the operator ana@example.com"; the request itself if the table lacks it.
function wanted(action, params) {
	const text = textOf(action, params);
	return text === null ? action : text.slice(text.indexOf("|") + 1);
}

// sentenceOf ENTRY: what its actor did, or tried to do if the service refused it.
export function sentenceOf({ action, status, params }) {
	const text = textOf(action, params);
	if (text === null)
		return action;
	if (status >= 400)
		return t("audit.tried", { what: wanted(action, params) });
	const at = text.indexOf("|"), rest = text.slice(at + 1);
	return text.slice(0, at) + rest.slice(rest.search(/ |$/));
}
