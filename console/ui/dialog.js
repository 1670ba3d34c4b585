// SPDX-License-Identifier: ISC
// Dialogs: the element <dialog> keeps the focus inside and returns it.
import { html, signal, useLayoutEffect, useRef, useState } from
    "../../third_party/preact/preact.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";
import { Button, Form, TextArea, useId } from "./form.js";

// Dialog: title, the children, and actions at the bottom.  onClose is called by
// Escape and by the cross; without it the dialog stays.  opaque hides the page.
export function Dialog({ title, onClose, children, actions, size = "",
    opaque = false }) {
	const box = useRef(null);
	const id = useId();
	useLayoutEffect(() => {
		const element = box.current;
		element.showModal();
		return () => element.close();
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
	</dialog>`;
}

const asked = signal(null);

// ask({ title, text, confirm, danger, note }): a question over the page.  Resolves
// to null if the operator says no, and otherwise to the note, "" without one.
// note: { label, required } asks for a text.
export function ask(options) {
	asked.value?.done(null);
	return new Promise((done) => {
		asked.value = { ...options, done };
	});
}

function Question({ title, text, confirm, danger = false, note = null, done,
    children }) {
	const [words, setWords] = useState("");
	const ready = note === null || !note.required || words.trim() !== "";
	function close(answer) {
		asked.value = null;
		done(answer);
	}
	return html`<${Dialog} title=${title} onClose=${() => close(null)}>
		<${Form} onSubmit=${() => ready && close(words.trim())}>
			${text && html`<p>${text}</p>`}${children}
			${note && html`<${TextArea} label=${note.label} value=${words}
				onInput=${setWords} required=${note.required}
				maxlength="2000" autofocus />`}
			<div class="buttons">
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
