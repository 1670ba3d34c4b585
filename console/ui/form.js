// SPDX-License-Identifier: ISC
// Buttons and fields.  Every field has a label; hideLabel leaves it to screen
// readers, for a row of filters.
import { html, useMemo } from "../../third_party/preact/preact.js";
import { Icon } from "../icons.js";
import { keyLabel, keysOf } from "../keys.js";
import { useSignal } from "../store.js";
import { prefs } from "../prefs.js";

let lastId = 0;

// An id for label and description, as long as the component lives.
export function useId() {
	return useMemo(() => `f${++lastId}`, []);
}

// The key of a command, as a hint for the eye.
export function Key({ command, keys = undefined }) {
	useSignal(prefs);
	const [key] = keys ?? keysOf(command);
	return key === undefined ? null :
	    html`<span class="keys" aria-hidden="true">${keyLabel(key).split(" ")
	    .map((part) => html`<kbd>${part}</kbd>`)}</span>`;
}

// Button: kind is primary, danger, quiet or plain; command names the key command
// that does the same.
export function Button({ kind = "plain", icon, command, busy = false, children,
    label, class: more = "", type = "button", ...rest }) {
	const square = children === undefined || children === null ||
	    children.length === 0;
	const key = command === undefined ? undefined : keysOf(command)[0];
	return html`<button type=${type} aria-label=${label}
		title=${label && key ? `${label} (${keyLabel(key)})` : label}
		aria-busy=${busy ? "true" : undefined}
		class=${`button ${kind} ${square ? "square" : ""} ${more}`}
		...${rest} disabled=${busy || rest.disabled}>
		${icon && html`<${Icon} name=${icon} />`}${children}
		${command && !square && html`<${Key} command=${command} />`}
	</button>`;
}

// LinkButton: a link that looks like a button.
export function LinkButton({ kind = "plain", icon, children, ...rest }) {
	return html`<a class=${`button ${kind}`} ...${rest}>
		${icon && html`<${Icon} name=${icon} />`}${children}</a>`;
}

function Field({ id, label, hint, error, hideLabel, children, class: more = "" }) {
	return html`<div class=${`field ${more}`}>
		<label for=${id} class=${hideLabel ? "hidden" : ""}>${label}</label>
		${children}
		${hint && html`<p class="hint" id=${`${id}h`}>${hint}</p>`}
		${error && html`<p class="fault" id=${`${id}e`}>
			<${Icon} name="circle-alert" size=${14} />${error}</p>`}
	</div>`;
}

// What ties a control to its label, its hint and its error.
function tied(id, { hint, error }) {
	const by = [hint && `${id}h`, error && `${id}e`].filter(Boolean).join(" ");
	return { id, "aria-describedby": by || undefined,
	    "aria-invalid": error ? "true" : undefined };
}

// TextField: onInput gets the text; choices are texts that the field offers.
export function TextField({ label, hint, error, hideLabel, value, onInput,
    inputRef, class: more, choices = [], ...rest }) {
	const id = useId();
	return html`<${Field} ...${{ id, label, hint, error, hideLabel,
	    class: more }}>
		<input type="text" spellcheck="false" autocomplete="off" ...${rest}
			...${tied(id, { hint, error })} ref=${inputRef} value=${value}
			list=${choices.length > 0 ? `${id}c` : undefined}
			onInput=${(event) => onInput(event.target.value)} />
		${choices.length > 0 && html`<datalist id=${`${id}c`}>${choices.map((one) =>
		    html`<option key=${one} value=${one} />`)}</datalist>`}
	</${Field}>`;
}

export function TextArea({ label, hint, error, hideLabel, value, onInput,
    inputRef, class: more, ...rest }) {
	const id = useId();
	return html`<${Field} ...${{ id, label, hint, error, hideLabel,
	    class: more }}>
		<textarea rows="3" ...${rest} ...${tied(id, { hint, error })}
			ref=${inputRef} value=${value}
			onInput=${(event) => onInput(event.target.value)}></textarea>
	</${Field}>`;
}

// Select: options are [value, text] pairs.
export function Select({ label, hint, error, hideLabel, value, options, onInput,
    class: more, ...rest }) {
	const id = useId();
	return html`<${Field} ...${{ id, label, hint, error, hideLabel,
	    class: more }}>
		<select ...${rest} ...${tied(id, { hint, error })} value=${value}
			onChange=${(event) => onInput(event.target.value)}>
			${options.map(([option, text]) => html`<option key=${option}
				value=${option} selected=${option === value}>${text}
			</option>`)}
		</select>
	</${Field}>`;
}

export function Check({ label, checked, onInput, hint, ...rest }) {
	const id = useId();
	return html`<div class="check">
		<input type="checkbox" ...${rest} ...${tied(id, { hint })}
			checked=${checked}
			onChange=${(event) => onInput(event.target.checked)} />
		<label for=${id}>${label}</label>
		${hint && html`<p class="hint" id=${`${id}h`}>${hint}</p>`}
	</div>`;
}

// Choice: a few exclusive options side by side, as [value, text] pairs.
export function Choice({ label, value, options, onInput, hideLabel = true }) {
	const id = useId();
	return html`<fieldset class="choice">
		<legend class=${hideLabel ? "hidden" : ""}>${label}</legend>
		<div class="segments" role="radiogroup" aria-label=${label}>
		${options.map(([option, text]) => html`<label key=${option}>
			<input type="radio" name=${id} value=${option}
				checked=${option === value}
				onChange=${() => onInput(option)} />
			<span>${text}</span></label>`)}
		</div>
	</fieldset>`;
}

// Form: Enter and Ctrl+Enter submit; the browser's own bubbles stay away.
export function Form({ onSubmit, children, class: more = "", ...rest }) {
	function submit(event) {
		event.preventDefault();
		onSubmit();
	}
	function press(event) {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
			submit(event);
	}
	return html`<form novalidate class=${`form ${more}`} ...${rest}
		onSubmit=${submit} onKeyDown=${press}>${children}</form>`;
}
