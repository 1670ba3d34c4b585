// SPDX-License-Identifier: ISC
// While a change is under way the page takes no keys and no clicks: they are meant for
// what it shows, and the answer may show another case.  It takes them again when the
// answer is shown and the operator has paused.
import { effect, signal } from "../third_party/preact/preact.js";
import commands from "./commands.js";
import { commandFor, keyOf } from "./keys.js";

// After another page is shown, and after the last key that was not taken.
const SHOWN_MS = 250;
const QUIET_MS = 300;
const SLOW_MS = 100;

// Whether keys and clicks are not taken, and whether some keys were pressed meanwhile.
const held = signal(false);
export const missed = signal(false);

let running = 0, turn = 0, pressed = 0, address = "", covered = [];
// The keys that are down and were not taken.
const stopped = new Set();

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const dialogs = () => [...document.querySelectorAll("dialog[open]")];

// hold WORK: the result of the work, during which the page takes no keys.
export async function hold(work) {
	if (!held.value) {
		address = location.hash;
		covered = dialogs();
		held.value = true;
	}
	running++;
	try {
		return await work();
	} finally {
		running--;
		release();
	}
}

async function release() {
	const mine = ++turn;
	await wait(0); // the caller may open another page or go on
	const shown = location.hash === address ? 0 : performance.now() + SHOWN_MS;
	for (let left = 0; left >= 0; ) {
		const until = performance.now() + left;
		await wait(left);
		if (running > 0 || turn !== mine)
			return;
		// If the page itself was slow, keys may wait for it.
		if (performance.now() - until > SLOW_MS)
			pressed = performance.now();
		left = Math.max(shown, pressed + QUIET_MS) - performance.now();
	}
	held.value = missed.value = false;
}

// Whether a key does nothing to the page: of the browser, of a dialog that the change
// has opened, or one that only moves the focus.
function harmless(event) {
	const { key, ctrlKey, metaKey, altKey } = event;
	const dialog = event.composedPath()[0].closest?.("dialog[open]") ?? null;
	if (/^(Tab|Escape|Shift|Control|Alt|Meta)$/.test(key) ||
	    dialog !== null && !covered.includes(dialog))
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
	pressed = performance.now();
	missed.value = true;
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
