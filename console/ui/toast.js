// SPDX-License-Identifier: ISC
// Short messages in a corner, which screen readers read aloud.
import { html, signal, useRef, useState } from "../../third_party/preact/preact.js";
import { errorText } from "../errors.js";
import { hold, missed } from "../hold.js";
import { Icon } from "../icons.js";
import { useKeys } from "../keys.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";
import { Key } from "./form.js";

const STAY_MS = 6000;
const STAY_FAILED_MS = 15000;
const MOST_TOASTS = 4;
const AGAIN_MS = 100;
const TONE_ICONS = { good: "circle-check", bad: "circle-alert", plain: "info" };

const shown = signal([]);
const said = signal("");
let last = 0;

// toast({ text, tone, action: { label, run } }): tone is good, bad or plain.
export function toast({ text, tone = "plain", action = null }) {
	const id = ++last;
	shown.value = [...shown.value.slice(1 - MOST_TOASTS), { id, text, tone, action }];
	setTimeout(() => dismiss(id), tone === "bad" || action !== null ?
	    STAY_FAILED_MS : STAY_MS);
}

function dismiss(id) {
	shown.value = shown.value.filter((one) => one.id !== id);
}

// announce TEXT: only for screen readers, as "12 cases".
export function announce(text) {
	said.value = text;
}

// The number of the newest message.
export function newestToast() {
	return last;
}

// sayAgain BEFORE: announce the newest message again, if it is newer than the number.
// A dialog that closes takes a message away before a screen reader has read it.
export function sayAgain(before) {
	const { id, text } = shown.value.at(-1) ?? { id: 0 };
	if (id <= before)
		return;
	announce("");
	setTimeout(() => announce(text), AGAIN_MS);
}

// useAttempt(): [busy, attempt].  await attempt(() => call(...), { done: "text" }) says
// how it went in a toast; it returns the result of the work, or undefined after an
// error.  failed(error) may return true: it has shown the error itself.  While one work
// is under way, another one is not started, and its result is null: the second press of
// a key does nothing.  Meanwhile the page takes no keys, unless the work only reads.
export function useAttempt({ reads = false } = {}) {
	const [busy, setBusy] = useState(false);
	const running = useRef(false);
	async function attempt(work, { done = null, action = null,
	    failed = () => false } = {}) {
		if (running.current)
			return null;
		running.current = true;
		setBusy(true);
		try {
			const result = await (reads ? work() : hold(work)) ?? null;
			if (done !== null)
				toast({ text: done, tone: "good", action });
			return result;
		} catch (error) {
			if (!failed(error))
				toast({ text: errorText(error), tone: "bad" });
			return undefined;
		} finally {
			running.current = false;
			setBusy(false);
		}
	}
	return [busy, attempt];
}

function Toast({ id, text, tone, action, undo }) {
	return html`<li class=${`toast ${tone}`}>
		<${Icon} name=${TONE_ICONS[tone]} />
		<p>${text}</p>
		${action && html`<button type="button" class="button quiet"
			onClick=${() => { dismiss(id); action.run(); }}>
			${action.label}${undo && html`<${Key} command="undo" />`}
			</button>`}
		<button type="button" class="button quiet square"
			aria-label=${t("toast.close")} onClick=${() => dismiss(id)}>
			<${Icon} name="x" /></button>
	</li>`;
}

// Keys that the page has not taken must not vanish without a word, and a change without
// an answer must not be forgotten.
function Missed() {
	const why = useSignal(missed);
	return html`<p class=${why ? "missed" : "hidden"} role="status">${
	    why ? t(`missed.${why}`) : ""}</p>`;
}

// The app shows this once, and each dialog again.
export function Toasts({ inDialog = false }) {
	const toasts = useSignal(shown);
	const newest = toasts.at(-1);
	const undo = !inDialog && newest?.action && (() => {
		dismiss(newest.id);
		newest.action.run();
	});
	useKeys({ undo });
	return html`<div class="toasts" role="region" aria-label=${t("toast.all")}>
		<div role="log" aria-live="polite" aria-label=${t("toast.all")}><ul>
			${toasts.map((one) => html`<${Toast} key=${one.id} ...${one}
				undo=${undo && one === newest} />`)}</ul></div>
		<p class="hidden" role="status">${useSignal(said)}</p>
		<${Missed} />
	</div>`;
}
