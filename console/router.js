// SPDX-License-Identifier: ISC
// Addresses of the form #/cases/cse_1?tab=why.  The part after # never leaves the
// browser.
import { signal } from "../third_party/preact/preact.js";

export const route = signal({ path: "/", segments: [], query: {} });

// parse HASH: the path, its decoded segments and the query.
export function parse(hash) {
	const [path, search = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
	const segments = path.split("/").filter((part) => part !== "")
	    .map(decoded);
	return { path: "/" + segments.map(encodeURIComponent).join("/"), segments,
	    query: Object.fromEntries(new URLSearchParams(search)) };
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
// that are null, undefined or "" are left out.
export function href(pattern, params = {}, query = {}) {
	const path = pattern.replace(/:(\w+)/g, (_, name) =>
	    encodeURIComponent(params[name]));
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query))
		if (value !== null && value !== undefined && value !== "")
			search.set(name, value);
	const text = search.toString();
	return `#${path}${text === "" ? "" : `?${text}`}`;
}

// go ADDRESS: open it.  replace: true keeps the page out of the history.
export function go(address, { replace = false } = {}) {
	if (replace) {
		history.replaceState(null, "", address);
		follow();
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

function follow() {
	route.value = parse(location.hash);
}

// The app calls this once.
export function followAddress() {
	addEventListener("hashchange", follow);
	follow();
}
