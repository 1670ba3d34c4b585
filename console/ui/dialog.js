// SPDX-License-Identifier: ISC
// Dialogs: the element <dialog> keeps the focus inside and returns it.
import { html, signal, useLayoutEffect, useRef, useState } from
    "../../third_party/preact/preact.js";
import { useDrawn } from "../hold.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";
import { Cli } from "./copy.js";
import { Button, Form, TextArea, useId } from "./form.js";
import { newestToast, sayAgain, Toasts } from "./toast.js";

// Dialog: title, the children, and actions at the bottom.  onClose is called by
// Escape and by the cross; without it the dialog stays.  opaque hides the page.
// Outside a modal dialog nothing can be read or pressed, so it has the messages too.
export function Dialog({ title, onClose, children, actions, size = "",
    opaque = false }) {
	const box = useRef(null);
	const id = useId();
	useDrawn(title);
	useLayoutEffect(() => {
		const element = box.current, before = newestToast();
		element.showModal();
		return () => {
			element.close();
			sayAgain(before);
		};
	}, []);
	function cancel(event) {
		event.preventDefault();
		onClose?.();
	}
	return html`<dialog ref=${box} aria-labelledby=${id} onCancel=${cancel}
		class=${`dialog ${size} ${opaque ? "opaque" : ""}`}>
		<header>
			<h2 id=${id}>${title}</h2>
			${onClose && html`<${Button} kind="quiet" icon="x"
				label=${t("dialog.close")} onClick=${onClose} />`}
		</header>
		<div class="content">${children}</div>
		${actions && html`<footer>${actions}</footer>`}
		<${Toasts} inDialog />
	</dialog>`;
}

const asked = signal(null);

// ask({ title, text, confirm, danger, note }): a question over the page.  Resolves
// to null if the operator says no, and otherwise to the note, "" without one.
// note: { label, hint, required, value } asks for a text.  cli(note) gives the members of
// Cli for the act.
export function ask(options) {
	withdrawQuestion();
	return new Promise((done) => {
		asked.value = { ...options, done };
	});
}

// Answer no to the question that is open, if there is one.
export function withdrawQuestion() {
	asked.value?.done(null);
	asked.value = null;
}

function Question({ title, text, confirm, danger = false, note = null,
    cli = null, done, children }) {
	const [words, setWords] = useState(note?.value ?? "");
	const ready = note === null || !note.required || words.trim() !== "";
	function close(answer) {
		asked.value = null;
		done(answer);
	}
	return html`<${Dialog} title=${title} onClose=${() => close(null)}>
		<${Form} onSubmit=${() => ready && close(words.trim())}>
			${text && html`<p>${text}</p>`}${children}
			${note && html`<${TextArea} ...${note} value=${words}
				onInput=${setWords} maxlength="2000" autofocus />`}
			<div class="buttons">
				${cli && html`<${Cli} ...${cli(words.trim())} />`}
				<${Button} onClick=${() => close(null)}
					autofocus=${note === null && danger}>
					${t("dialog.cancel")}</${Button}>
				<${Button} type="submit" disabled=${!ready}
					autofocus=${note === null && !danger}
					kind=${danger ? "danger" : "primary"}>
					${confirm}</${Button}>
			</div>
		</${Form}>
	</${Dialog}>`;
}

// The app shows this once.
export function Questions() {
	const open = useSignal(asked);
	return open && html`<${Question} key=${open.title} ...${open} />`;
}
