// SPDX-License-Identifier: ISC
// Handles of other windows.  A page that meets one, for example in a link that was
// opened in a new window, asks the others what it stands for.  Only those answer
// whose session is open, of the same operator.  Nothing is stored: what no open
// window knows is forgotten.
import { isForeign, learn, meaningOf } from "./personal-handles.js";
import { readAddress, route } from "./router.js";
import { session } from "./session.js";
import { effect } from "./store.js";

const WAIT_MS = 200;
let windows = null;
// The handles that this page has asked for.
const asked = new Set();

function openFor(email) {
	const { phase, me } = session.value;
	return phase === "open" && me.email === email;
}

function answer({ email, handles }) {
	const known = handles.map((handle) => [handle, meaningOf(handle)])
	    .filter(([, value]) => value !== null);
	if (openFor(email) && known.length > 0)
		windows.postMessage({ email, known });
}

function hear({ email, known }) {
	const news = known.filter(([handle]) => asked.has(handle));
	if (!openFor(email) || news.length === 0)
		return;
	for (const [handle, value] of news)
		learn(handle, value);
	readAddress();
}

// Ask for handles; those without an answer in time mean nothing, until one comes.
function ask(handles) {
	for (const handle of handles)
		asked.add(handle);
	windows.postMessage({ email: session.value.me.email, handles });
	setTimeout(() => {
		for (const handle of handles.filter(isForeign))
			learn(handle, null);
		readAddress();
	}, WAIT_MS);
}

// The app calls this once.
export function followHandles() {
	windows = new BroadcastChannel("assay.console.handles");
	windows.addEventListener("message", ({ data }) =>
	    data.handles ? answer(data) : hear(data));
	effect(() => {
		const fresh = route.value.foreign.filter((one) => !asked.has(one));
		if (session.value.phase === "open" && fresh.length > 0)
			ask(fresh);
	});
}
