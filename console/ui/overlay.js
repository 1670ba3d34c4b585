// SPDX-License-Identifier: ISC
// What opens over any page: the palette and the list of all keys.  They are loaded when
// the first page is there.
import { html, signal } from "../../third_party/preact/preact.js";
import { errorText } from "../errors.js";
import { hold } from "../hold.js";
import { useSignal } from "../store.js";
import { toast } from "./toast.js";

const MODULES = { palette: () => import("./palette.js"), help: () => import("./help.js") };
const loaded = new Map();
// The component that is open, or null.
const open = signal(null);

async function load(name) {
	loaded.set(name, (await MODULES[name]()).default);
}

// loadOverlays(): load them before they are opened; a failure has no effect.
export function loadOverlays() {
	Object.keys(MODULES).forEach((name) => load(name).catch(() => {}));
}

// openOverlay NAME: palette or help.
export async function openOverlay(name) {
	try {
		// What is typed meanwhile is meant for it, not for the page.
		if (!loaded.has(name))
			await hold(() => load(name));
		open.value = { Content: loaded.get(name) };
	} catch (error) {
		toast({ text: errorText(error), tone: "bad" });
	}
}

export function closeOverlay() {
	open.value = null;
}

// The app shows this once.
export function Overlay() {
	const { Content } = useSignal(open) ?? {};
	return Content && html`<${Content} close=${closeOverlay} />`;
}
