// SPDX-License-Identifier: ISC
// While a change is under way the page takes no keys and no clicks: they are meant for
// what it shows, and the answer may show something else.  It takes them again when
// that is drawn and the operator has paused.
import { effect, signal, useLayoutEffect } from "../third_party/preact/preact.js";
import commands from "./commands.js";
import { commandFor, keyOf } from "./keys.js";
import { parse } from "./router.js";

// After something else is drawn, and after the last key that was not taken.
const DRAWN_MS = 250;
const QUIET_MS = 300;
const SLOW_MS = 100;
const LOOK_MS = 30;
// So long the page waits for an answer, and for what it opens then.
const LONGEST_MS = 15000;

// Whether keys and clicks are not taken.
const held = signal(false);
// What to say about it: null, "keys" (some were not taken) or "late" (no answer yet).
export const missed = signal(null);

let running = 0, turn = 0, drawnAt = 0, pressed = 0, covered = [];
// The keys that are down and were not taken.
const stopped = new Set();

const now = () => performance.now();
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const dialogs = () => [...document.querySelectorAll("dialog[open]")];

// useDrawn WHAT: the component shows another object, whose name this is.  After a
// change, keys that were meant for the previous one do not reach it.
export function useDrawn(what) {
	useLayoutEffect(() => {
		drawnAt = now();
	}, [what]);
}

// When the operator has seen what is drawn, and has paused.
const readyAt = () => Math.max(drawnAt + DRAWN_MS, pressed + QUIET_MS);

function begin() {
	if (held.value)
		return;
	covered = dialogs();
	held.value = true;
}

function end() {
	held.value = false;
	missed.value = null;
}

// Whether the change itself asks the operator for something.
const asks = () => dialogs().some((dialog) => !covered.includes(dialog));

// hold WORK: the result of the work, during which the page takes no keys.  If the answer
// takes too long, they are taken, until it comes.
export async function hold(work) {
	begin();
	missed.value = null;
	running++;
	const late = setInterval(() => {
		if (asks())
			return;
		clearInterval(late);
		end();
		missed.value = "late";
	}, LONGEST_MS);
	try {
		return await work();
	} finally {
		clearInterval(late);
		running--;
		begin();
		release();
	}
}

// Whether the page shows what its address names.
function settled() {
	const main = document.querySelector("main[data-path]");
	return main === null || main.dataset.path === parse(location.hash).path &&
	    main.querySelector(":scope > .loading, .loading.awaited") === null;
}

async function release() {
	const mine = ++turn, last = now() + LONGEST_MS;
	let left = 0; // the caller may open another page or go on
	do {
		const until = now() + left;
		await wait(left);
		if (running > 0 || turn !== mine)
			return;
		// If the page itself was slow, keys may wait for it.
		if (now() - until > SLOW_MS)
			pressed = now();
		left = settled() || now() > last ? readyAt() - now() : LOOK_MS;
	} while (left > 0);
	end();
}

// Whether a key does nothing to the page: of the browser, one that only moves the
// focus, or of a dialog that the change has opened, which the operator has seen.
function harmless(event) {
	const { key, ctrlKey, metaKey, altKey } = event;
	const dialog = event.composedPath()[0].closest?.("dialog[open]") ?? null;
	if (/^(Tab|Escape|Shift|Control|Alt|Meta)$/.test(key) ||
	    dialog !== null && !covered.includes(dialog) && now() > readyAt())
		return true;
	const { id, begins } = commandFor(keyOf(event), commands.map(([name]) => name));
	return (ctrlKey || metaKey || altKey || /^F\d+$/.test(key)) &&
	    key !== "Enter" && id === null && !begins;
}

function stop(event) {
	event.preventDefault();
	event.stopImmediatePropagation();
}

function press(event) {
	if (!held.value || harmless(event))
		return;
	stop(event);
	stopped.add(event.code);
	pressed = now();
	missed.value ??= "keys";
}

// Some browsers click with the end of a key.
function lift(event) {
	if (stopped.delete(event.code))
		stop(event);
}

// The app calls this once, before followKeys().
export function followHold() {
	addEventListener("keydown", press, { capture: true });
	addEventListener("keyup", lift, { capture: true });
	effect(() => {
		document.documentElement.toggleAttribute("data-held", held.value);
	});
}
