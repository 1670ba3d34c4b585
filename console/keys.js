// SPDX-License-Identifier: ISC
// The keyboard: the commands of commands.js, what they do on this page, and the
// keys that the operator chose for them.
import { signal, useLayoutEffect, useRef } from "../third_party/preact/preact.js";
import commands from "./commands.js";
import { prefs, setPref } from "./prefs.js";

const SEQUENCE_MS = 1200;
// What the commands do now: id -> functions, of which the last one counts.
const bound = new Map();
export const boundIds = signal([]);

// keyOf EVENT: the name of a key press: "j", "X", "Mod+k", "ArrowDown".
export function keyOf(event) {
	const mod = event.ctrlKey || event.metaKey ? "Mod+" : "";
	const alt = event.altKey ? "Alt+" : "";
	const shift = event.shiftKey && (event.key.length > 1 || mod !== "") ?
	    "Shift+" : "";
	const key = mod !== "" && event.key.length === 1 ?
	    event.key.toLowerCase() : event.key;
	return mod + alt + shift + (key === " " ? "Space" : key);
}

// keysOf ID: the keys that work for a command: those of the operator or the
// usual ones.  An empty list: switched off.
export function keysOf(id, { keys, singleKeys } = prefs.value) {
	const usual = commands.find(([name]) => name === id)?.[2] ?? [];
	const chosen = !(id in keys) ? usual : keys[id] === "" ? [] : [keys[id]];
	return singleKeys ? chosen : chosen.filter((key) => !isSingle(key));
}

// A key without Ctrl or Alt that writes a character (WCAG 2.1.4).
export function isSingle(key) {
	return key.split(" ").some((part) => [...part].length === 1);
}

// commandFor PRESSED IDS: the first command with these keys, and whether one of
// them begins with them.
export function commandFor(pressed, ids, chosen = prefs.value) {
	let begins = false;
	for (const id of ids)
		for (const key of keysOf(id, chosen)) {
			if (key === pressed)
				return { id, begins };
			begins ||= key.startsWith(`${pressed} `);
		}
	return { id: null, begins };
}

// clash ID KEY: the other command that has this key in a scope that is active at
// the same time, or null.
export function clash(id, key, chosen = prefs.value) {
	const scope = scopeOf(id);
	const all = new Set(["all", "go", "list"]);
	return commands.map(([other]) => other).find((other) => other !== id &&
	    (all.has(scopeOf(other)) || all.has(scope) ||
	    scopeOf(other) === scope) &&
	    keysOf(other, { ...chosen, singleKeys: true }).includes(key)) ?? null;
}

export function scopeOf(id) {
	return commands.find(([name]) => name === id)?.[1];
}

export function setKey(id, key) {
	setPref("keys", { ...prefs.value.keys, [id]: key });
}

export function resetKeys() {
	setPref("keys", {});
}

// run ID: do it, if it can be done on this page.
export function run(id) {
	const work = bound.get(id)?.at(-1);
	work?.();
	return work !== undefined;
}

function bind(id, work) {
	if (!commands.some(([name]) => name === id))
		throw new Error(`no command ${id}`);
	bound.set(id, [...bound.get(id) ?? [], work]);
	boundIds.value = [...bound.keys()];
	return () => {
		const left = bound.get(id).filter((other) => other !== work);
		if (left.length === 0)
			bound.delete(id);
		else
			bound.set(id, left);
		boundIds.value = [...bound.keys()];
	};
}

// useKeys({ "case.take": () => ..., "case.note": null }): these commands do this
// while the component is shown.  A command without a function cannot be done now.
export function useKeys(actions) {
	const latest = useRef(actions);
	latest.current = actions;
	const ids = Object.keys(actions).filter((id) => actions[id]).join();
	useLayoutEffect(() => {
		const undo = ids.split(",").filter((id) => id !== "")
		    .map((id) => bind(id, () => latest.current[id]?.()));
		return () => undo.forEach((one) => one());
	}, [ids]);
}

function typing(target) {
	return target.isContentEditable ||
	    target.matches?.("textarea, select, " +
	    "input:not([type=checkbox], [type=radio], [type=button])");
}

// True if the key press is for the element that has the focus.
function taken(event, key) {
	const target = event.composedPath()[0];
	return event.defaultPrevented || event.isComposing ||
	    document.querySelector("dialog[open]") !== null ||
	    typing(target) && !key.startsWith("Mod+") ||
	    key.startsWith("Arrow") && target.closest?.("[role=radiogroup], " +
	    "[role=tablist], [role=listbox], [data-own-arrows]") !== null &&
	    target !== document.body;
}

// The app calls this once.
export function followKeys() {
	let sequence = "", timer = null;
	addEventListener("keydown", (event) => {
		const key = keyOf(event);
		if (["Shift", "Control", "Alt", "Meta"].includes(event.key) ||
		    taken(event, key))
			return;
		const pressed = sequence === "" ? key : `${sequence} ${key}`;
		const { id, begins } = commandFor(pressed, bound.keys());
		clearTimeout(timer);
		sequence = begins && id === null ? pressed : "";
		timer = setTimeout(() => { sequence = ""; }, SEQUENCE_MS);
		if (id === null)
			return;
		event.preventDefault();
		run(id);
	});
}

// "Mod+k" as people read it: "Ctrl+K".
export function keyLabel(key) {
	const mac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");
	return key.split(" ").map((part) => part
	    .replace(/\+([a-z])$/, (_, letter) => `+${letter.toUpperCase()}`)
	    .replace("Mod+", mac ? "⌘" : "Ctrl+").replace("ArrowDown", "↓")
	    .replace("ArrowUp", "↑")).join(" ");
}
