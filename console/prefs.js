// SPDX-License-Identifier: ISC
// What the console stores in the browser: the colours, the time zone
// and the keys.  Nothing here is about a person or an event.
import { signal } from "../third_party/preact/preact.js";

const PLACE = "assay.console";
const DEFAULTS = { theme: "auto", zone: "utc", singleKeys: true, keys: {} };
const CHOICES = { theme: ["auto", "light", "dark"], zone: ["utc", "local"] };

// Only known members with possible values: the store may hold anything.
export function cleaned(stored) {
	const prefs = { ...DEFAULTS };
	if (stored === null || typeof stored !== "object")
		return prefs;
	for (const [name, values] of Object.entries(CHOICES))
		if (values.includes(stored[name]))
			prefs[name] = stored[name];
	prefs.singleKeys = stored.singleKeys !== false;
	for (const [id, key] of Object.entries(stored.keys ?? {}))
		if (typeof key === "string" && key.length <= 32)
			prefs.keys = { ...prefs.keys, [id]: key };
	return prefs;
}

function read() {
	try {
		return cleaned(JSON.parse(localStorage.getItem(PLACE)));
	} catch {
		return cleaned(null);
	}
}

export const prefs = signal(typeof localStorage === "undefined" ?
    cleaned(null) : read());

// setPref NAME VALUE: change one and store all.  A browser that forbids storage
// keeps them until the page closes.
export function setPref(name, value) {
	prefs.value = { ...prefs.value, [name]: value };
	try {
		localStorage.setItem(PLACE, JSON.stringify(prefs.value));
	} catch {
		// The preference lives as long as the page.
	}
}

// Another tab changed them.
export function followPrefs() {
	addEventListener("storage", (event) => {
		if (event.key === PLACE)
			prefs.value = read();
	});
}
