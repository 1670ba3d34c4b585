// SPDX-License-Identifier: ISC
// Addresses of the form #/cases/cse_1?tab=why.  The part after # never leaves the
// browser.
import { signal } from "../third_party/preact/preact.js";
import { handleOf, isForeign, valueOf } from "./personal-handles.js";

// Members of a query that name a person, with their kinds of personal-handles.js.
const PERSONAL_MEMBERS = { userId: "user", assignee: "email", actor: "email",
    createdBy: "email", contains: "email" };

export const route = signal({ path: "/", segments: [], query: {}, foreign: [] });

// parse HASH: the path, its decoded segments, the query, and the handles of other
// pages, which foreign-handles.js asks for.  A member of the query whose handle this
// page does not know is null.
export function parse(hash) {
	const [path, search = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
	const segments = path.split("/").filter((part) => part !== "")
	    .map(decoded);
	const members = [...new URLSearchParams(search)];
	return { path: "/" + segments.map(encodeURIComponent).join("/"), segments,
	    query: Object.fromEntries(members.map(([name, value]) =>
		[name, valueOf(PERSONAL_MEMBERS[name], value)])),
	    foreign: [...segments, ...members.map(([, value]) => value)]
		.filter(isForeign) };
}

function decoded(part) {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

// match PATTERN SEGMENTS: the values of ":name" in a pattern as "/cases/:id", or
// null.
export function match(pattern, segments) {
	const wanted = pattern.split("/").filter((part) => part !== "");
	if (wanted.length !== segments.length)
		return null;
	const params = {};
	for (const [i, part] of wanted.entries()) {
		if (part.startsWith(":"))
			params[part.slice(1)] = segments[i];
		else if (part !== segments[i])
			return null;
	}
	return params;
}

// href("/cases/:id", { id }, { tab: "why" }): an address for a link.  Query values
// that are null, undefined or "" are left out.  A handle stands for a personal value:
// of the query, and for the id in "/entity/:kind/:id".
export function href(pattern, params = {}, query = {}) {
	const path = pattern.replace(/:(\w+)/g, (_, name) => encodeURIComponent(
	    handleOf(name === "id" ? params.kind : undefined, params[name])));
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query))
		if (value !== null && value !== undefined && value !== "")
			search.set(name, handleOf(PERSONAL_MEMBERS[name], value));
	const text = search.toString();
	return `#${path}${text === "" ? "" : `?${text}`}`;
}

// go ADDRESS: open it.  replace: true keeps the page out of the history.
export function go(address, { replace = false } = {}) {
	if (replace) {
		history.replaceState(history.state, "", address);
		readAddress();
	} else {
		location.hash = address;
	}
}

// setQuery CHANGES: change the query of this address; null removes a member.  By
// default it replaces the entry of the history, as filters do.
export function setQuery(changes, { replace = true } = {}) {
	const { path, query } = route.value;
	go(href(path.replaceAll(":", "%3A"), {}, { ...query, ...changes }),
	    { replace });
}

// Read the address again, after it or the meaning of a handle has changed.
export function readAddress() {
	route.value = parse(location.hash);
}

// The app calls this once.
export function followAddress() {
	addEventListener("hashchange", readAddress);
	readAddress();
}
